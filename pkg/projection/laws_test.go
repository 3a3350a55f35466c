package projection_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/llmblob/llmblob/internal/historytest"
	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/history"
	"github.com/llmblob/llmblob/pkg/offload"
	"github.com/llmblob/llmblob/pkg/projection"
	"github.com/llmblob/llmblob/pkg/prune"
	"github.com/llmblob/llmblob/pkg/storetest"
	"github.com/llmblob/llmblob/pkg/summarize"
	"github.com/llmblob/llmblob/pkg/tokens"
)

// countArgument makes the test binary the program that counts tokens.
const countArgument = "count-tokens"

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == countArgument {
		countTokens()
		return
	}
	os.Exit(m.Run())
}

// countTokens answers each content with its words.
func countTokens() {
	d := json.NewDecoder(os.Stdin)
	for {
		var content struct{ Content string }
		if err := d.Decode(&content); err != nil {
			return
		}
		fmt.Println(len(strings.Fields(content.Content)))
	}
}

// seedOf makes the bytes that a history and a config are made of.
func seedOf(c, n int) []byte {
	r := rand.New(rand.NewPCG(uint64(c), uint64(n)))
	seed := make([]byte, 40)
	for i := range seed {
		seed[i] = byte(r.Uint32())
	}
	return seed
}

// eachHistory runs a law on random histories of every dialect.
func eachHistory(t *testing.T, n int, law func(t testing.TB, h historytest.History, r *rand.Rand)) {
	if testing.Short() {
		n /= 3
	}
	for i, c := range historytest.Cases() {
		t.Run(c.Dialect+" "+c.Frame.String(), func(t *testing.T) {
			t.Parallel()
			for k := range n {
				seed := seedOf(i, k)
				r := historytest.FromBytes(seed)
				h := c.Make(r)
				law(t, h, r)
				if t.Failed() {
					t.Fatalf("seed %q of case %d, the history is\n%s", seed, i, shown(h.Data))
				}
			}
		})
	}
}

// fuzzHistories runs a law on histories that the fuzzer makes.
func fuzzHistories(f *testing.F, law func(t testing.TB, h historytest.History, r *rand.Rand)) {
	cases := historytest.Cases()
	for i := range cases {
		f.Add(byte(i), seedOf(i, 0))
		f.Add(byte(i), seedOf(i, 1))
	}
	f.Fuzz(func(t *testing.T, i byte, seed []byte) {
		r := historytest.FromBytes(seed)
		h := cases[int(i)%len(cases)].Make(r)
		law(t, h, r)
		if t.Failed() {
			t.Logf("the history is\n%s", shown(h.Data))
		}
	})
}

func shown(data []byte) string {
	if len(data) > 6000 {
		return fmt.Sprintf("%q… %d bytes", data[:6000], len(data))
	}
	return string(data)
}

func parseAs(t testing.TB, data []byte, format string) *history.History {
	t.Helper()
	parsed, err := history.Parse(data, history.Options{Format: history.Format(format)})
	if err != nil {
		t.Fatalf("parse: %v", err)
	}
	return parsed
}

func historyOptions() offload.HistoryOptions {
	return offload.HistoryOptions{Limits: summarize.DefaultLimits(), InlineBytes: func(string) int { return offload.DefaultInlineBytes }}
}

// projectAs makes a projection of data and writes it.
func projectAs(t testing.TB, data []byte, format string, c prune.Config, st blob.Store) (*projection.Projection, []byte) {
	t.Helper()
	o := projection.Options{Config: c, Offload: historyOptions(), Store: func() (blob.Store, error) { return st, nil }}
	p, err := projection.Make(t.Context(), parseAs(t, data, format), o)
	if err != nil {
		t.Fatalf("project: %v", err)
	}
	return p, written(t, p.Write)
}

func written(t testing.TB, write func(io.Writer) error) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := write(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// randomConfig is any that is valid.
func randomConfig(r *rand.Rand) prune.Config {
	pick := func(n ...int) int { return n[r.IntN(len(n))] }
	c := prune.DefaultConfig()
	c.ProtectedTokens = pick(0, 0, 1, r.IntN(200), r.IntN(3000), r.IntN(9000))
	c.ProtectedTurns = pick(0, 0, 0, 1, 2)
	c.MinSavings = prune.MinSavings(pick(int(prune.AutoSavings), int(prune.AutoSavings), 0, 1, r.IntN(300), r.IntN(5001)))
	if r.IntN(4) == 0 {
		c.Mode = prune.ModeRolling
	}
	if r.IntN(3) == 0 {
		c.Omit = prune.OmitSummary
	}
	c.Placeholder = []string{c.Placeholder, c.Placeholder, "[gone]", "{bytes}", "«{bytes}» of {bytes}0", "x"}[r.IntN(6)]
	c.OnlyTools = [][]string{nil, nil, nil, nil, {"bash", "*read*"}, {"*"}}[r.IntN(6)]
	c.ExcludeTools = [][]string{nil, nil, nil, nil, {"grep"}, {"web/*", "[g-r]*"}}[r.IntN(6)]
	c.KeepErrors = r.IntN(4) == 0
	c.TriggerTokens = pick(0, 0, 0, r.IntN(3000), r.IntN(20_000))
	c.CacheTTL = time.Duration(pick(0, 0, 5, 60)) * time.Minute
	switch n := r.IntN(2400); { // a program is started, or a table read, for each counter
	case n < 3:
		exe, err := os.Executable()
		if err != nil {
			panic(err)
		}
		c.Tokens = prune.Tokens{Command: []string{exe, countArgument}}
	case n < 5:
		c.Tokens.Name = prune.TokensO200k
	case n < 6:
		c.Tokens.Name = prune.TokensCl100k
	case n < 500:
		c.Tokens.Name = prune.TokensUsage
	}
	if err := c.Validate(); err != nil {
		panic(err)
	}
	return c
}

// The format is found, and in it every result, with what is true of it.
func readingLaw(t testing.TB, h historytest.History, _ *rand.Rand) {
	parsed := parseAs(t, h.Data, h.Format)
	n := 0
	for _, i := range resultsAsWritten(parsed) {
		it := &parsed.Items[i]
		if n == len(h.Results) {
			t.Fatalf("item %d is a result too many", i)
		}
		want := h.Results[n]
		got := historytest.Truth{CallID: parsed.Name(it.CallID), Tool: parsed.Name(it.Tool), Failed: it.IsError, Media: it.Media, Opaque: want.Opaque}
		for text := range parsed.ContentTexts(i) {
			got.Texts = append(got.Texts, string(text))
		}
		if want.Opaque || want.Media {
			got.Texts, want.Texts = nil, nil
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("result %d is %q,\nwant %q", n, fmt.Sprint(got), fmt.Sprint(want))
		}
		n++
	}
	if n != len(h.Results) {
		t.Errorf("%d results, want %d", n, len(h.Results))
	}
	if got := parseAs(t, h.Data, "").Format; detected(h) && string(got) != h.Format {
		t.Errorf("detected as %q, not as %q", got, h.Format)
	}
	if len(parsed.Resets) != h.Compacted {
		t.Errorf("the context begins anew %d times, not %d", len(parsed.Resets), h.Compacted)
	}
	if broken := h.Pairs(h.Data); len(broken) > 0 && !h.Rewritten {
		t.Errorf("the generator breaks the rules: %q", broken)
	}
	if out := written(t, func(w io.Writer) error { return parsed.Splice(w, slices.Values([]history.Edit(nil))) }); !bytes.Equal(out, h.Data) {
		t.Errorf("without edits %d bytes come out of %d", len(out), len(h.Data))
	}
}

// detected reports whether the records of a dialect tell what they are.
func detected(h historytest.History) bool { return len(h.Results) > 0 }

// projectionLaw: what holds of every projection.
func projectionLaw(t testing.TB, h historytest.History, r *rand.Rand) {
	c := randomConfig(r)
	st := storetest.NewMemory()
	p, out := projectAs(t, h.Data, h.Format, c, st)
	usage := c.Tokens.Name == prune.TokensUsage
	chosen := p.Decision.Indices
	if len(chosen) == 0 && !bytes.Equal(out, h.Data) {
		t.Errorf("nothing is chosen, and %d bytes came out of %d", len(out), len(h.Data))
	}
	if len(out) > len(h.Data) {
		t.Errorf("%d bytes came out of %d", len(out), len(h.Data))
	}
	checkChosen(t, p, c)
	checkChanges(t, h, p, out, st)
	checkExplanation(t, h, p)
	if !usage {
		if _, again := projectAs(t, out, h.Format, c, st); !bytes.Equal(again, out) {
			t.Errorf("projecting twice is not once: %d bytes, then %d", len(out), len(again))
		}
		checkReference(t, p, c)
	}
	if t.Failed() {
		t.Logf("config %s", c.AppendJSON(nil))
	}
}

// checkChosen: only what may be chosen is.
func checkChosen(t testing.TB, p *projection.Projection, c prune.Config) {
	parsed, d := p.History, p.Decision
	if !slices.IsSorted(d.Indices) || len(slices.Compact(slices.Clone(d.Indices))) != len(d.Indices) {
		t.Errorf("indices %v", d.Indices)
	}
	lastAnswer := -1
	for i := range parsed.Items {
		if it := &parsed.Items[i]; it.Role == history.Assistant && !it.Outside {
			lastAnswer = i
		}
	}
	for _, i := range d.Indices {
		it := &parsed.Items[i]
		switch {
		case it.Kind != history.Result:
			t.Errorf("item %d is no result", i)
		case it.Outside, it.Media, !c.Allows(parsed.Name(it.Tool)), c.KeepErrors && it.IsError:
			t.Errorf("item %d must never be chosen", i)
		case i > lastAnswer:
			t.Errorf("item %d is unseen", i)
		case i >= d.Protected && c.Tokens.Name != prune.TokensUsage:
			t.Errorf("item %d lies in the protected tail, from %d", i, d.Protected)
		}
	}
	if c.MinSavings < 0 || c.CacheTTL > 0 || c.Tokens.Name == prune.TokensUsage {
		return
	}
	lots := map[int]int{}
	for _, choice := range d.Results {
		if choice.Chosen {
			lots[int(choice.Point)] += choice.Savings
		}
	}
	for point, savings := range lots {
		if savings < int(c.MinSavings) {
			t.Errorf("%d tokens are saved at point %d", savings, point)
		}
	}
}

// resultsAsWritten are the items that are results, in the order of the bytes.
func resultsAsWritten(h *history.History) (items []int) {
	for i := range h.Items {
		if h.Items[i].Kind == history.Result {
			items = append(items, i)
		}
	}
	slices.SortStableFunc(items, func(a, b int) int { return h.Items[a].Offset - h.Items[b].Offset })
	return items
}

// checkChanges: nothing but the contents of the results chosen is changed, to their replacements.
func checkChanges(t testing.TB, h historytest.History, p *projection.Projection, out []byte, st *storetest.Memory) {
	ordinal := map[int]int{} // of the items that are results
	for n, i := range resultsAsWritten(p.History) {
		ordinal[i] = n
	}
	want := map[int]bool{}
	texts := map[string]bool{}
	for _, choice := range p.Decision.Results {
		if choice.Chosen {
			want[ordinal[choice.Item]] = true
			texts[choice.Text] = true
		}
	}
	changes, broken := h.Check(out, func(result int, text string) bool {
		id, err := blob.ParseID(reference(text))
		if err == nil {
			_, err = st.Stat(t.Context(), id)
		}
		return texts[text] && (err == nil || reference(text) == "")
	})
	for _, b := range broken {
		t.Error(b)
	}
	got := map[int]bool{}
	for _, change := range changes {
		got[change.Result] = true
		if !want[change.Result] && !h.Rewritten { // an earlier copy goes with the one that counts
			t.Errorf("result %d changed and is not chosen", change.Result)
		}
	}
	for n := range want {
		if !got[n] {
			t.Errorf("result %d is chosen and has not changed", n)
		}
	}
}

// reference is the id that a text begins with the reference of, "" where it begins with none.
func reference(text string) string {
	id, _ := history.Reference([]byte(text))
	return id
}

// checkExplanation: every result is explained.
func checkExplanation(t testing.TB, h historytest.History, p *projection.Projection) {
	e := p.Explain()
	results := 0
	for r := range e.Results {
		results++
		if r.Chosen == (r.Reason != prune.NoReason) || r.Chosen != (r.Point != nil) {
			t.Errorf("item %d: %+v", r.Item, r)
		}
	}
	if results != len(h.Results) {
		t.Errorf("%d results are explained, of %d", results, len(h.Results))
	}
	if err := e.Table(io.Discard); err != nil {
		t.Error(err)
	}
}

// checkReference: the plan is what a plain reading of the specification gives.
func checkReference(t testing.TB, p *projection.Projection, c prune.Config) {
	parsed := p.History
	o := historyOptions()
	candidates, err := prune.Candidates(parsed, c, o.Limits.Bytes, func(i int) (string, prune.Reason, error) {
		summary, how, err := o.Summary(parsed, i)
		return summary, map[offload.Moved]prune.Reason{offload.StandsIn: prune.AlreadyPruned, offload.Unstorable: prune.HasMedia}[how], err
	})
	if err != nil {
		t.Fatal(err)
	}
	counter := tokens.Counter(nil)
	if len(c.Tokens.Command) > 0 {
		counter, err = tokens.NewCommand(c.Tokens.Command, nil)
	} else {
		counter, err = tokens.New(c.Tokens.Name)
	}
	if err != nil {
		t.Fatal(err)
	}
	estimates, err := tokens.Estimate(t.Context(), parsed, prune.Replacements(candidates), counter)
	if err != nil {
		t.Fatal(err)
	}
	want := referencePlan(parsed, c, candidates, estimates.Size)
	if !reflect.DeepEqual(p.Decision, want) {
		t.Errorf("the plan is\n%+v, want\n%+v", p.Decision, want)
	}
}

// prefixLaw: a longer history does not take back what was chosen, and until something more is chosen its projection begins with
// that of the shorter one.
func prefixLaw(t testing.TB, h historytest.History, r *rand.Rand) {
	c := randomConfig(r)
	c.Mode = prune.ModeStable
	if h.Frame != historytest.Lines || h.Rewritten || len(c.Tokens.Command) > 0 {
		return
	}
	st := storetest.NewMemory()
	whole, _ := projectAs(t, h.Data, h.Format, c, st)
	parsed := whole.History
	starts := recordStarts(t, h.Data)
	type cut struct {
		point int
		p     *projection.Projection
		out   []byte
	}
	var before *cut
	for point, at := range parsed.Points {
		end := len(h.Data)
		if at.Item < len(parsed.Items) {
			record := parsed.Items[at.Item].Record
			if at.Item > 0 && parsed.Items[at.Item-1].Record == record {
				continue // a record is not cut
			}
			end = starts[record]
		}
		p, out := projectAs(t, h.Data[:end], h.Format, c, st)
		now := cut{point, p, out}
		if n := len(p.History.Items); n != at.Item {
			t.Fatalf("%d items before point %d, want %d", n, point, at.Item)
		}
		if before != nil {
			for _, i := range before.p.Decision.Indices {
				if !slices.Contains(p.Decision.Indices, i) {
					t.Errorf("item %d is chosen at point %d, and no more at point %d", i, before.point, point)
				}
			}
			fired := false
			for _, choice := range p.Decision.Results {
				fired = fired || choice.Chosen && int(choice.Point) > before.point
			}
			if !fired && !bytes.HasPrefix(out, before.out) {
				t.Errorf("nothing is chosen between points %d and %d, and the projection does not go on", before.point, point)
			}
		}
		before = &now
	}
	if t.Failed() {
		t.Logf("config %s", c.AppendJSON(nil))
	}
}

// recordStarts are the offsets of the records.
func recordStarts(t testing.TB, data []byte) (starts []int) {
	d := json.NewDecoder(bytes.NewReader(data))
	for d.More() {
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		starts = append(starts, int(d.InputOffset())-len(v))
	}
	return starts
}

// offloadLaw: what is offloaded comes back.
func offloadLaw(t testing.TB, h historytest.History, r *rand.Rand) {
	o := historyOptions()
	o.InlineBytes = func(string) int { return 800 }
	if r.IntN(2) == 0 {
		n := r.IntN(1500)
		o.InlineBytes = func(string) int { return n }
	}
	st := storetest.NewMemory()
	out := offloaded(t, o, st, h.Data, h.Format)
	if len(out) > len(h.Data) {
		t.Errorf("%d bytes came out of %d", len(out), len(h.Data))
	}
	summary := func(_ int, text string) bool {
		_, ok := history.Reference([]byte(text))
		return ok && len(text) <= o.Limits.Bytes
	}
	if _, broken := h.Check(out, summary); len(broken) > 0 {
		t.Errorf("offloaded: %q", broken)
	}
	if again := offloaded(t, o, st, out, h.Format); !bytes.Equal(again, out) {
		t.Errorf("offloading twice is not once")
	}
	if other := offloaded(t, o, storetest.NewMemory(), h.Data, h.Format); !bytes.Equal(other, out) {
		t.Errorf("another store gives other bytes")
	}
	parsed := parseAs(t, out, h.Format)
	edits, _, err := o.Restore(t.Context(), func() (blob.Store, error) { return st, nil }, parsed, false)
	if err != nil {
		t.Fatalf("restore: %v", err)
	}
	back := written(t, func(w io.Writer) error { return parsed.Splice(w, slices.Values(edits)) })
	if !jsonEqual(t, back, h.Data) {
		t.Errorf("restored is not equal to the original")
	}
	if _, broken := h.Check(back, func(int, string) bool { return true }); len(broken) > 0 {
		t.Errorf("restored: %q", broken)
	}
	failingStoreLaw(t, o, h)
}

func offloaded(t testing.TB, o offload.HistoryOptions, st blob.Store, data []byte, format string) []byte {
	t.Helper()
	parsed := parseAs(t, data, format)
	edits, err := o.Offload(t.Context(), func() (blob.Store, error) { return st, nil }, parsed)
	if err != nil {
		t.Fatalf("offload: %v", err)
	}
	return written(t, func(w io.Writer) error { return parsed.Splice(w, slices.Values(edits)) })
}

// jsonEqual compares sequences of JSON values, numbers as they are written.
func jsonEqual(t testing.TB, a, b []byte) bool {
	t.Helper()
	values := func(data []byte) (all []any) {
		d := json.NewDecoder(bytes.NewReader(data))
		d.UseNumber()
		for {
			var v any
			if err := d.Decode(&v); err == io.EOF {
				return all
			} else if err != nil {
				t.Errorf("not JSON: %v", err)
				return nil
			}
			all = append(all, v)
		}
	}
	return reflect.DeepEqual(values(a), values(b))
}

var errStore = errors.New("the disk is full")

// failing is a store that fails at one of its steps.
type failing struct {
	blob.Store
	steps int // that still work
}

func (s *failing) step() error {
	if s.steps--; s.steps < 0 {
		return errStore
	}
	return nil
}

func (s *failing) Stage(ctx context.Context) (blob.Stage, error) {
	if err := s.step(); err != nil {
		return nil, err
	}
	stage, err := s.Store.Stage(ctx)
	return &failingStage{stage, s}, err
}

type failingStage struct {
	blob.Stage
	s *failing
}

func (s *failingStage) Write(p []byte) (int, error) {
	if err := s.s.step(); err != nil {
		return 0, err
	}
	return s.Stage.Write(p)
}

func (s *failingStage) Commit(t blob.Type, id blob.ID) (blob.Info, error) {
	if err := s.s.step(); err != nil {
		return blob.Info{}, err
	}
	return s.Stage.Commit(t, id)
}

// failingStoreLaw: whichever step of a store fails, that is told and there is nothing to edit.
func failingStoreLaw(t testing.TB, o offload.HistoryOptions, h historytest.History) {
	parsed := parseAs(t, h.Data, h.Format)
	for n := range 7 {
		st := &failing{storetest.NewMemory(), n}
		edits, err := o.Offload(t.Context(), func() (blob.Store, error) { return st, nil }, parsed)
		switch {
		case st.steps >= 0 && err == nil: // it had no more to do
			return
		case !errors.Is(err, errStore) || edits != nil:
			t.Errorf("step %d fails: %d edits, %v", n, len(edits), err)
		}
	}
	c := prune.DefaultConfig()
	c.ProtectedTokens, c.MinSavings, c.Omit = 0, 0, prune.OmitSummary
	for n := range 4 {
		st := &failing{storetest.NewMemory(), n}
		p, err := projection.Make(t.Context(), parsed, projection.Options{Config: c, Offload: o, Store: func() (blob.Store, error) { return st, nil }})
		if st.steps < 0 && (!errors.Is(err, errStore) || p != nil) {
			t.Errorf("step %d fails: %v", n, err)
		}
	}
}

func TestReading(t *testing.T)    { eachHistory(t, 60, readingLaw) }
func TestProjection(t *testing.T) { eachHistory(t, 80, projectionLaw) }
func TestPrefix(t *testing.T)     { eachHistory(t, 25, prefixLaw) }
func TestOffload(t *testing.T)    { eachHistory(t, 25, offloadLaw) }

func FuzzReading(f *testing.F)    { fuzzHistories(f, readingLaw) }
func FuzzProjection(f *testing.F) { fuzzHistories(f, projectionLaw) }
func FuzzPrefix(f *testing.F)     { fuzzHistories(f, prefixLaw) }
func FuzzOffload(f *testing.F)    { fuzzHistories(f, offloadLaw) }

// FuzzParse: of any bytes, in any format, there is an error or a history that comes out as it went in, and a projection with as many
// records.
func FuzzParse(f *testing.F) {
	formats := append(history.Formats(), "")
	for i, c := range historytest.Cases() {
		for n := range 20 {
			h := c.Make(historytest.FromBytes(seedOf(i, n)))
			if len(h.Data) < 5000 && len(h.Results) > 0 { // small ones are changed fast
				f.Add(h.Data, byte(slices.Index(formats, history.Format(h.Format))), false)
				f.Add(h.Data, byte(len(formats)-1), true)
				break
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, format byte, lenient bool) {
		o := history.Options{Format: formats[int(format)%len(formats)], Lenient: lenient}
		parsed, err := history.Parse(data, o)
		if err != nil {
			var malformed *history.MalformedError
			if lenient || !errors.As(err, &malformed) {
				t.Fatal(err)
			}
			return
		}
		if out := written(t, func(w io.Writer) error { return parsed.Splice(w, slices.Values([]history.Edit(nil))) }); !bytes.Equal(out, data) {
			t.Fatalf("%q came out", out)
		}
		c := prune.DefaultConfig()
		c.ProtectedTokens, c.MinSavings = 0, 0
		p, err := projection.Make(t.Context(), parsed, projection.Options{Config: c, Offload: historyOptions()})
		if err != nil {
			t.Fatal(err)
		}
		p.Explain()
		out := written(t, p.Write)
		if again, err := history.Parse(out, o); err != nil || again.Records != parsed.Records {
			t.Fatalf("the projection is no history of %d records: %v\n%q", parsed.Records, err, out)
		}
	})
}
