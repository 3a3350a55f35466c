package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/history"
	"github.com/llmblob/llmblob/pkg/offload"
	"github.com/llmblob/llmblob/pkg/prune"
	"github.com/llmblob/llmblob/pkg/storetest"
	"github.com/llmblob/llmblob/pkg/summarize"
	"github.com/llmblob/llmblob/pkg/tokens"
)

func user(text string) Item {
	return Item{Kind: history.Message, Role: history.User, Text: text}
}

func says(text string) Item {
	return Item{Kind: history.Message, Role: history.Assistant, Text: text}
}

func calls(id, tool, arguments string) Item {
	return Item{Kind: history.Call, Role: history.Assistant, CallID: id, Tool: tool, Text: arguments}
}

func mustAppend(t *testing.T, w *Worker, items ...Item) {
	t.Helper()
	if err := w.Append(items...); err != nil {
		t.Fatal(err)
	}
}

func saved(t *testing.T, w *Worker) string {
	t.Helper()
	var b strings.Builder
	if err := w.Save(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func count(t *testing.T, st blob.Store) (n int) {
	t.Helper()
	for _, err := range st.List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

// What Save writes is a format: it must not change.
func TestTheHistoryAsItIsWritten(t *testing.T) {
	w := must(New(Options{Store: storetest.NewMemory(), ContentIDs: true, Now: func() time.Time { return time.UnixMilli(7) }}))
	mustAppend(t, w, Item{Kind: history.Message, Role: history.System, Text: "be <brief>"}, user("hi\x00"),
		Item{Kind: history.Reasoning, Text: "hm"}, says("ok"), calls("c1", "read", `{"a":1}`), calls("c2", "run", ""))
	for _, r := range []ToolResult{
		{CallID: "c1", Output: strings.Repeat("x\n", 500)},
		{CallID: "c2", Output: "failed", IsError: true},
		{CallID: "c3", Output: map[string]int{"a": 1}},
	} {
		if _, err := w.AddToolResult(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	want := `{"type":"message","ts":7,"role":"system","content":"be <brief>"}
{"type":"message","ts":7,"role":"user","content":"hi\u0000"}
{"type":"reasoning","ts":7,"text":"hm"}
{"type":"message","ts":7,"role":"assistant","content":"ok"}
{"type":"tool_call","ts":7,"call_id":"c1","name":"read","arguments":"{\"a\":1}"}
{"type":"tool_call","ts":7,"call_id":"c2","name":"run","arguments":""}
{"type":"tool_result","ts":7,"call_id":"c1","name":"read","output":"[blob:` + blob.ContentID(blob.Text, []byte(strings.Repeat("x\n", 500))).String() + `] text | 500 lines\n── head ──\nx\nx\nx\nx\nx\n── tail ──\nx\nx\nx"}
{"type":"tool_result","ts":7,"call_id":"c2","name":"run","is_error":true,"output":"failed"}
{"type":"tool_result","ts":7,"call_id":"c3","output":"{\"a\":1}"}
`
	if got := saved(t, w); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestSummariesOfWhatToolsReturn(t *testing.T) {
	type row struct {
		ID   int    `json:"id"`
		Name string `json:"name"`
	}
	rows := make([]row, 100)
	for name, c := range map[string]struct {
		output any
		want   string
	}{
		"slice":           {rows, "json_array | 100 entries\n── schema ──\n{id: number, name: string}"},
		"struct":          {struct{ Rows []row }{rows}, "json_object | 1 keys"},
		"structured text": {json.RawMessage(`"` + strings.Repeat("x", 1000) + `"`), "json | string"},
		"no JSON":         {json.RawMessage("[" + strings.Repeat("x\n", 1000)), "text | 1000 lines"},
		"text":            {strings.Repeat("a\n", 1000), "text | 1000 lines"},
		"text of JSON":    {"[" + strings.Repeat("1,", 1000) + "1]", "json_array | 1001 entries"},
		"reader":          {iotest.OneByteReader(strings.NewReader(strings.Repeat("a\n", 1000))), "text | 1000 lines"},
		"bytes":           {bytes.Repeat([]byte("a\n"), 1000), "text | 1000 lines"},
	} {
		w := must(New(Options{Store: storetest.NewMemory()}))
		a, err := w.AddToolResult(t.Context(), ToolResult{CallID: "c", Output: c.output})
		if err != nil || a.Kind != offload.Stored || !strings.Contains(a.Text, "] "+c.want) {
			t.Errorf("%s: %v, %q, want %q", name, err, a.Text, c.want)
		}
	}
}

func TestIDs(t *testing.T) {
	for _, contentIDs := range []bool{false, true} {
		st := storetest.NewMemory()
		w := must(New(Options{Store: st, ContentIDs: contentIDs}))
		for range 2 {
			a := must(w.AddToolResult(t.Context(), ToolResult{CallID: "c", Output: strings.Repeat("x", 1000)}))
			id := must(blob.ParseID(a.Record.ID))
			if want := map[bool]int{false: 7, true: 8}[contentIDs]; int(id.Version()) != want {
				t.Errorf("content ids %v: version %d, want %d", contentIDs, id.Version(), want)
			}
		}
		if n, want := count(t, st), map[bool]int{false: 2, true: 1}[contentIDs]; n != want {
			t.Errorf("content ids %v: %d blobs, want %d", contentIDs, n, want)
		}
	}
}

// The name of the tool is found by the call, so that answers of inspect pass even where the agent names no tool.
func TestAnswersOfInspectStay(t *testing.T) {
	st := storetest.NewMemory()
	w := must(New(Options{Store: st}))
	mustAppend(t, w, calls("c1", "read", "{}"))
	a := must(w.AddToolResult(t.Context(), ToolResult{CallID: "c1", Output: strings.Repeat("a line of a log\n", 100_000)}))
	arguments := `{"blob_id":"` + a.Record.ID + `","selector":["lines:100-"]}`
	var answer string
	for i := range 3 {
		id := fmt.Sprint("i", i)
		mustAppend(t, w, calls(id, "inspect", arguments))
		got := must(w.Call(t.Context(), calls(id, "inspect", arguments)))
		if got.Kind != offload.Inline || got.IsError || len(got.Text) < 10_000 {
			t.Fatalf("%s, %d bytes, error %v", got.Kind, len(got.Text), got.IsError)
		}
		answer = got.Text
	}
	shell := calls("s", "bash", `{"command":"llmblob inspect `+a.Record.ID+` lines:100-"}`)
	mustAppend(t, w, shell, calls("m", "mcp__llmblob__inspect", arguments))
	record := `{"type":"tool_call","call_id":"r","name":"llmblob_inspect","arguments":"{}","signature":"x"}`
	if err := w.AppendRecord(json.RawMessage(record)); err != nil {
		t.Fatal(err)
	}
	for _, r := range []ToolResult{{CallID: "r"}, {CallID: "i0"}, {CallID: "new", Tool: "inspect"}, {CallID: "s"}, {CallID: "s", Tool: "bash"}, {CallID: "m"}} {
		for range 3 {
			r.Output = answer
			if got := must(w.AddToolResult(t.Context(), r)); got.Kind != offload.Inline || got.Text != answer {
				t.Errorf("%+v: %s, %d bytes", r.CallID, got.Kind, len(got.Text))
			}
		}
	}
	if n := count(t, st); n != 1 {
		t.Errorf("%d blobs, want 1", n)
	}
	loaded := must(Load(strings.NewReader(saved(t, w)), Options{Store: st}))
	for _, id := range []string{"i0", "s", "m"} {
		if got := must(loaded.AddToolResult(t.Context(), ToolResult{CallID: id, Output: answer})); got.Kind != offload.Inline {
			t.Errorf("%s after loading: %s", id, got.Kind)
		}
	}
	mustAppend(t, w, calls("", "inspect", "{}"))
	for _, r := range []ToolResult{{CallID: "c1"}, {CallID: "s", Tool: "read"}, {}} {
		r.Output = answer
		if got := must(w.AddToolResult(t.Context(), r)); got.Kind != offload.Stored {
			t.Errorf("%+v: what another tool says is %s", r.CallID, got.Kind)
		}
	}
}

func TestWithoutAStore(t *testing.T) {
	w := must(New(Options{}))
	if tools := w.Tools(); len(tools) != 0 {
		t.Errorf("tools %v", tools)
	}
	content := strings.Repeat("x\n", 1_000_000)
	a := must(w.AddToolResult(t.Context(), ToolResult{CallID: "c", Output: strings.NewReader(content)}))
	if a.Kind != offload.Inline || a.Text != content {
		t.Errorf("%s, %d bytes", a.Kind, len(a.Text))
	}
	r := must(w.BuildRequest(t.Context()))
	if len(r.Items) != 1 || r.Items[0].Text != content {
		t.Errorf("%d items", len(r.Items))
	}
	c := prune.DefaultConfig()
	c.Omit = prune.OmitSummary
	if err := w.SetPruneConfig(c); err == nil {
		t.Error("summaries without a store are taken")
	}
	stored := offload.StoredOutput(offload.Record{ID: storetest.NewID(t).String()})
	if _, err := w.AddToolResult(t.Context(), ToolResult{CallID: "c", Output: stored}); err == nil {
		t.Error("a stored output is taken without a store")
	}
}

// faulty is a store of which the step n fails, from 1.
type faulty struct {
	blob.Store
	steps, n *atomic.Int64
}

var errDisk = errors.New("disk full")

func (f faulty) fail() error {
	if f.steps.Add(1) == f.n.Load() {
		return errDisk
	}
	return nil
}

func (f faulty) Stage(ctx context.Context) (blob.Stage, error) {
	if err := f.fail(); err != nil {
		return nil, err
	}
	s, err := f.Store.Stage(ctx)
	return faultyStage{s, f}, err
}

func (f faulty) Stat(ctx context.Context, id blob.ID) (blob.Info, error) {
	if err := f.fail(); err != nil {
		return blob.Info{}, err
	}
	return f.Store.Stat(ctx, id)
}

type faultyStage struct {
	blob.Stage
	f faulty
}

func (s faultyStage) Write(p []byte) (int, error) {
	if err := s.f.fail(); err != nil {
		n, _ := s.Stage.Write(p[:len(p)/2])
		return n, err
	}
	return s.Stage.Write(p)
}

func (s faultyStage) Bytes() ([]byte, error) {
	if err := s.f.fail(); err != nil {
		return nil, err
	}
	return s.Stage.Bytes()
}

func (s faultyStage) Commit(t blob.Type, id blob.ID) (blob.Info, error) {
	if err := s.f.fail(); err != nil {
		return blob.Info{}, err
	}
	return s.Stage.Commit(t, id)
}

func (s faultyStage) Abort() error {
	if err := s.f.fail(); err != nil {
		return errors.Join(err, s.Stage.Abort())
	}
	return s.Stage.Abort()
}

// Whatever step of the store fails, what the tool gave is in the history or in the store, every reference resolves, and the error
// is told.
func TestAFailingStoreLosesNothing(t *testing.T) {
	for name, content := range map[string]string{"text": strings.Repeat("a line\n", 100_000), "binary": "\xff\x00\xfe", "explicit": strings.Repeat("b", 2000)} {
		faults := 0
		for n := int64(1); ; n++ {
			f := faulty{storetest.NewMemory(), new(atomic.Int64), new(atomic.Int64)}
			var heard []Added
			w := must(New(Options{Store: f, Observer: Observer{Result: func(a Added) { heard = append(heard, a) }}}))
			var output any = content
			if name == "explicit" {
				o := offload.Options{As: summarize.Auto, Limits: summarize.DefaultLimits(), NewID: w.newID}
				output = offload.StoredOutput(must(o.Store(t.Context(), f.Store, strings.NewReader(content))))
			}
			f.n.Store(n)
			a, err := w.AddToolResult(t.Context(), ToolResult{CallID: "c", Output: output})
			if err != nil {
				t.Fatalf("%s, step %d: %v", name, n, err)
			}
			hit := f.steps.Load() >= n
			if hit != errors.Is(a.StoreErr, errDisk) || len(heard) != 1 || !errors.Is(heard[0].StoreErr, a.StoreErr) {
				t.Fatalf("%s, step %d: fault %v, told %v and %v", name, n, hit, a.StoreErr, heard)
			}
			item := must(w.BuildRequest(t.Context())).Items[0]
			switch id, ok := history.Reference([]byte(item.Text)); {
			case ok:
				b, err := f.Store.Open(t.Context(), must(blob.ParseID(id)))
				if err != nil || string(must(blob.Bytes(b))) != content {
					t.Fatalf("%s, step %d: %v", name, n, err)
				}
			case name == "binary":
				if !a.Base64 || item.Text != "/wD+" || !strings.Contains(saved(t, w), `"encoding":"base64"`) {
					t.Fatalf("step %d: %q", n, item.Text)
				}
			case item.Text != content:
				t.Fatalf("%s, step %d: %d bytes, want %d", name, n, len(item.Text), len(content))
			}
			if !hit {
				break
			}
			faults++
		}
		if least := map[string]int{"text": 5, "binary": 4, "explicit": 1}[name]; faults < least {
			t.Errorf("%s: %d faults, want at least %d", name, faults, least)
		}
	}
}

// A store that does not take what a request leaves out for its summary leaves it in the request; the next one tries again.
func TestAFailingStoreAtARequest(t *testing.T) {
	faults := 0
	for n := int64(1); ; n++ {
		f := faulty{storetest.NewMemory(), new(atomic.Int64), new(atomic.Int64)}
		w := must(New(Options{Store: f, InlineBytes: func(string) int { return 10_000 }}))
		c := prune.DefaultConfig()
		c.Omit, c.ProtectedTokens, c.MinSavings = prune.OmitSummary, 0, 1
		if err := w.SetPruneConfig(c); err != nil {
			t.Fatal(err)
		}
		addTurns(t, w, 0, 3)
		f.n.Store(n)
		first := must(w.BuildRequest(t.Context()))
		hit := f.steps.Load() >= n
		if hit != errors.Is(first.StoreErr, errDisk) {
			t.Fatalf("step %d: fault %v, told %v", n, hit, first.StoreErr)
		}
		resolve(t, f.Store, first, n)
		second := must(w.BuildRequest(t.Context()))
		if second.StoreErr != nil || len(second.Decision.Indices) != 3 {
			t.Fatalf("step %d: %v, %v", n, second.StoreErr, second.Decision.Indices)
		}
		resolve(t, f.Store, second, n)
		if !hit {
			break
		}
		faults++
	}
	if faults < 9 {
		t.Errorf("%d faults, want at least 9", faults)
	}
}

// resolve checks that each result of addTurns is whole, or is a reference to the whole.
func resolve(t *testing.T, st blob.Store, r *Request, step int64) {
	t.Helper()
	chosen := 0
	for i, it := range r.Items {
		if it.Kind != history.Result {
			continue
		}
		content := it.Text
		if id, ok := history.Reference([]byte(content)); ok {
			chosen++
			content = string(must(blob.Bytes(must(st.Open(t.Context(), must(blob.ParseID(id)))))))
		}
		if content != turnOutput(it.CallID) {
			t.Fatalf("step %d: item %d: %d bytes", step, i, len(content))
		}
	}
	saved := 0
	for _, choice := range r.Decision.Results {
		if choice.Chosen {
			saved += choice.Savings
		}
	}
	if d := r.Decision; d.Before-d.After != saved {
		t.Fatalf("step %d: %d tokens before, %d after, %d saved", step, d.Before, d.After, saved)
	}
	if chosen != len(r.Decision.Indices) {
		t.Fatalf("step %d: %d references, chosen are %v", step, chosen, r.Decision.Indices)
	}
}

func turnOutput(id string) string { return strings.Repeat("output of "+id+"\n", 200) }

// addTurns adds turns from a number on, each with a call, its result and an answer.
func addTurns(t *testing.T, w *Worker, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		id := fmt.Sprint("call_", i)
		mustAppend(t, w, user("go on"), calls(id, "read", "{}"))
		if _, err := w.AddToolResult(t.Context(), ToolResult{CallID: id, Output: turnOutput(id)}); err != nil {
			t.Fatal(err)
		}
		mustAppend(t, w, says("done"))
	}
}

func aggressive() prune.Config {
	c := prune.DefaultConfig()
	c.ProtectedTokens, c.MinSavings = 0, 1
	return c
}

func TestSavingsEstimator(t *testing.T) {
	w := must(New(Options{}))
	if err := w.SetPruneConfig(aggressive()); err != nil {
		t.Fatal(err)
	}
	var asked [][]int
	say := 0
	w.SetSavingsEstimator(func(items []Item, candidates []int) int {
		for _, i := range candidates {
			if items[i].Kind != history.Result || items[i].Text != turnOutput(items[i].CallID) {
				t.Errorf("candidate %d is %+v", i, items[i])
			}
		}
		asked = append(asked, append([]int{len(items)}, candidates...))
		return say
	})
	if r := must(w.BuildRequest(t.Context())); r.Decision.Outcome != prune.NoCandidates {
		t.Errorf("of nothing: %s", r.Decision.Outcome)
	}
	for i := range 4 {
		addTurns(t, w, i, i+1)
		r := must(w.BuildRequest(t.Context()))
		if len(r.Decision.Indices) > 0 || r.Decision.Outcome != prune.NoData || string(r.JSONL) != saved(t, w) {
			t.Errorf("turn %d: %v, %s", i, r.Decision.Indices, r.Decision.Outcome)
		}
	}
	// Items are user, call, result, answer; the model is called before each call and each answer, and at the end.
	want := [][]int{{4, 2}, {5, 2}, {7, 2}, {8, 2, 6}, {9, 2, 6}, {11, 2, 6}, {12, 2, 6, 10}, {13, 2, 6, 10}, {15, 2, 6, 10}, {16, 2, 6, 10, 14}}
	if !reflect.DeepEqual(asked, want) {
		t.Errorf("asked %v\nwant %v", asked, want)
	}

	say, asked = 1000, nil
	addTurns(t, w, 4, 5)
	r := must(w.BuildRequest(t.Context()))
	if want := []int{2, 6, 10, 14, 18}; !slices.Equal(r.Decision.Indices, want) {
		t.Errorf("chosen %v, want %v", r.Decision.Indices, want)
	}
	if want := [][]int{{17, 2, 6, 10, 14}, {20, 18}}; !reflect.DeepEqual(asked, want) {
		t.Errorf("asked %v, want %v", asked, want)
	}
	if sum := r.Decision.Before - r.Decision.After; sum != 2000 {
		t.Errorf("saved %d, want what the estimator says", sum)
	}
	say = 0
	if again := must(w.BuildRequest(t.Context())); !bytes.Equal(again.JSONL, r.JSONL) {
		t.Error("a choice was taken back")
	}

	w.SetSavingsEstimator(func([]Item, []int) int { return 0 })
	if r := must(w.BuildRequest(t.Context())); len(r.Decision.Indices) > 0 || r.Decision.Outcome != prune.NoData {
		t.Errorf("another estimator: %v, %s", r.Decision.Indices, r.Decision.Outcome)
	}

	// With a threshold that the estimator says is not met nothing is chosen, whatever the bytes are.
	w.SetSavingsEstimator(func(_ []Item, candidates []int) int { return len(candidates) })
	c := aggressive()
	c.MinSavings = 100
	if err := w.SetPruneConfig(c); err != nil {
		t.Fatal(err)
	}
	if r := must(w.BuildRequest(t.Context())); len(r.Decision.Indices) > 0 || r.Decision.Outcome != prune.BelowMinSavings {
		t.Errorf("below the threshold: %v, %s", r.Decision.Indices, r.Decision.Outcome)
	}
	w.SetSavingsEstimator(nil)
	if r := must(w.BuildRequest(t.Context())); len(r.Decision.Indices) != 5 {
		t.Errorf("without an estimator: %v", r.Decision.Indices)
	}
}

// The parts of what an estimator says add up, and the projection stays stable with it.
func TestSavingsEstimatorIsStable(t *testing.T) {
	w := must(New(Options{}))
	c := prune.DefaultConfig()
	c.ProtectedTokens = 100
	if err := w.SetPruneConfig(c); err != nil {
		t.Fatal(err)
	}
	estimate := func(items []Item, candidates []int) int {
		if len(items)%3 == 0 {
			return 0
		}
		return 7 + 800*len(candidates) + len(items)%5
	}
	w.SetSavingsEstimator(estimate)
	var last *Request
	fired := 0
	for i := range 40 {
		addTurns(t, w, i, i+1)
		r := must(w.BuildRequest(t.Context()))
		if last != nil && !among(last.Decision.Indices, r.Decision.Indices) {
			t.Fatalf("turn %d: %v after %v", i, r.Decision.Indices, last.Decision.Indices)
		}
		if last != nil && len(last.Decision.Indices) == len(r.Decision.Indices) && !bytes.HasPrefix(r.JSONL, last.JSONL) {
			t.Fatalf("turn %d: another beginning", i)
		}
		if last != nil && len(last.Decision.Indices) != len(r.Decision.Indices) {
			fired++
		}
		last = r
	}
	if fired < 3 {
		t.Errorf("chosen %d times", fired)
	}
	loaded := must(Load(strings.NewReader(saved(t, w)), Options{}))
	if err := loaded.SetPruneConfig(c); err != nil {
		t.Fatal(err)
	}
	loaded.SetSavingsEstimator(estimate)
	if r := must(loaded.BuildRequest(t.Context())); !reflect.DeepEqual(r, last) {
		t.Errorf("after loading %v, before %v", r.Decision, last.Decision)
	}
}

func TestObserverHearsEachDecisionOnce(t *testing.T) {
	var heard []string
	w := must(New(Options{Store: storetest.NewMemory(), Observer: Observer{
		Result:  func(a Added) { heard = append(heard, fmt.Sprint(a.CallID, " ", a.Kind)) },
		Request: func(r *Request) { heard = append(heard, fmt.Sprint(r.Decision.Outcome, " ", r.Decision.Indices)) },
	}}))
	if err := w.SetPruneConfig(aggressive()); err != nil {
		t.Fatal(err)
	}
	if _, err := w.AddToolResult(t.Context(), ToolResult{CallID: "bad", Output: func() {}}); err == nil {
		t.Error("a function is a result")
	}
	mustAppend(t, w, user("hi"), calls("a", "read", "{}"), calls("b", "none", "{}"))
	must(w.BuildRequest(t.Context()))
	must(w.AddToolResult(t.Context(), ToolResult{CallID: "a", Output: strings.Repeat("x", 1000)}))
	must(w.Call(t.Context(), calls("b", "none", "{}")))
	must(w.AddToolResult(t.Context(), ToolResult{CallID: "c", Output: strings.Repeat("x", 300)}))
	mustAppend(t, w, says("ok"))
	must(w.BuildRequest(t.Context()))
	want := []string{"no_candidates []", "a stored", "b inline", "c inline", "fired [4 5]"}
	if !slices.Equal(heard, want) {
		t.Errorf("heard %q, want %q", heard, want)
	}
}

// Many goroutines use a worker at once; each result is there once, whole, and each request is a beginning of what Save writes.
func TestConcurrentUse(t *testing.T) {
	const writers, results = 8, 30
	var heard, built atomic.Int64
	st := storetest.NewMemory()
	order := []string{}
	w := must(New(Options{Store: st, Observer: Observer{
		Result:  func(a Added) { heard.Add(1); order = append(order, a.CallID) },
		Request: func(*Request) { built.Add(1) },
	}}))
	if err := w.Register(Tool{Name: "read", Func: func(_ context.Context, arguments json.RawMessage) (any, error) {
		return turnOutput(string(arguments)), nil
	}}); err != nil {
		t.Fatal(err)
	}
	var adding, reading sync.WaitGroup
	done := make(chan struct{})
	for n := range writers {
		adding.Go(func() {
			for i := range results {
				call := calls(fmt.Sprint(n, "-", i), "read", fmt.Sprint(n, i))
				err := w.Append(call)
				if err == nil {
					_, err = w.Call(t.Context(), call)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	for n := range 3 {
		reading.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-done:
					return
				default:
				}
				if n == 0 {
					if err := w.SetPruneConfig(prune.DefaultConfig()); err != nil {
						t.Error(err)
					}
					w.SetSavingsEstimator(nil)
				}
				r, err := w.BuildRequest(t.Context())
				var b bytes.Buffer
				if err := errors.Join(err, w.Save(&b)); err != nil {
					t.Error(err)
					return
				}
				if r.Decision.Indices == nil && !bytes.HasPrefix(b.Bytes(), r.JSONL) {
					t.Error("a request is no beginning of the history")
				}
				for i := range r.Items { // they are the caller's
					r.Items[i].Text = "changed"
				}
				clear(r.JSONL)
			}
		})
	}
	adding.Wait()
	close(done)
	reading.Wait()
	r := must(w.BuildRequest(t.Context()))
	seen := map[string]bool{}
	var inHistory []string
	for _, it := range r.Items {
		if it.Kind == history.Result {
			seen[it.CallID] = strings.HasPrefix(it.Text, "[blob:")
			inHistory = append(inHistory, it.CallID)
		}
	}
	if len(seen) != writers*results || len(inHistory) != writers*results || count(t, st) != writers*results || heard.Load() != writers*results {
		t.Errorf("%d results, %d blobs, %d heard", len(seen), count(t, st), heard.Load())
	}
	if !slices.Equal(order, inHistory) {
		t.Error("the observer hears in another order than that of the history")
	}
}

func TestExplicitOutputs(t *testing.T) {
	st := storetest.NewMemory()
	w := must(New(Options{Store: st}))
	large := strings.Repeat("x\n", 5000)
	a := must(w.AddToolResult(t.Context(), ToolResult{CallID: "c", Output: offload.InlineOutput(strings.NewReader(large))}))
	if a.Kind != offload.Inline || a.Text != large || count(t, st) != 0 {
		t.Errorf("inline: %s, %d bytes", a.Kind, len(a.Text))
	}
	o := offload.Options{As: summarize.Auto, Limits: summarize.DefaultLimits(), NewID: w.newID, Summary: "one letter"}
	record := must(o.Store(t.Context(), st, strings.NewReader("y")))
	a = must(w.AddToolResult(t.Context(), ToolResult{CallID: "c", Output: offload.StoredOutput(record)}))
	if a.Kind != offload.Stored || a.Text != "[blob:"+record.ID+"] one letter" || a.Record != record {
		t.Errorf("stored: %+v", a)
	}
	elsewhere := must(o.Store(t.Context(), storetest.NewMemory(), strings.NewReader("z")))
	before := saved(t, w)
	for name, r := range map[string]offload.Record{"in another store": elsewhere, "no id": {}, "no reference": {ID: record.ID, Summary: "one letter"},
		"another reference": {ID: record.ID, Summary: elsewhere.Summary}} {
		if _, err := w.AddToolResult(t.Context(), ToolResult{CallID: "c", Output: offload.StoredOutput(r)}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if saved(t, w) != before {
		t.Error("with an error something was added")
	}
}

func TestOutputsThatEndEarly(t *testing.T) {
	cut := errors.New("connection cut")
	for _, store := range []blob.Store{nil, storetest.NewMemory()} {
		for _, size := range []int{10, 2000} {
			w := must(New(Options{Store: store}))
			content := strings.Repeat("x", size)
			a, err := w.AddToolResult(t.Context(), ToolResult{CallID: "c", Output: io.MultiReader(strings.NewReader(content), iotest.ErrReader(cut))})
			if err != nil || !errors.Is(a.ReadErr, cut) || a.Kind == offload.Inline && a.Text != content || a.Kind == offload.Stored && a.Record.Bytes != size {
				t.Errorf("%d bytes: %v, %+v", size, err, a)
			}
			before := saved(t, w)
			withheld := io.MultiReader(strings.NewReader(content), iotest.ErrReader(offload.ErrWithheld))
			if _, err := w.AddToolResult(t.Context(), ToolResult{CallID: "c", Output: withheld}); !errors.Is(err, offload.ErrWithheld) {
				t.Errorf("%d bytes: %v, want what withholds them", size, err)
			}
			if saved(t, w) != before {
				t.Error("what was withheld is there")
			}
		}
	}
}

func TestCall(t *testing.T) {
	w := must(New(Options{Store: storetest.NewMemory()}))
	type input struct{ N int }
	funcs := map[string]func(context.Context, json.RawMessage) (any, error){
		"double": func(_ context.Context, arguments json.RawMessage) (any, error) {
			var in input
			err := json.Unmarshal(arguments, &in)
			return map[string]int{"n": 2 * in.N}, err
		},
		"fails":  func(context.Context, json.RawMessage) (any, error) { return nil, errors.New("no such file") },
		"both":   func(context.Context, json.RawMessage) (any, error) { return "FAIL: TestX", errors.New("exit status 1") },
		"panics": func(context.Context, json.RawMessage) (any, error) { panic("index out of range") },
		"nil":    func(context.Context, json.RawMessage) (any, error) { return nil, nil },
		"typed": func(context.Context, json.RawMessage) (any, error) {
			return (*offload.ToolOutput)(nil), errors.New("no output")
		},
		"channel":  func(context.Context, json.RawMessage) (any, error) { return make(chan int), nil },
		"broken":   func(context.Context, json.RawMessage) (any, error) { return panicking{}, nil },
		"withheld": func(context.Context, json.RawMessage) (any, error) { return iotest.ErrReader(offload.ErrWithheld), nil },
		"invalid":  func(context.Context, json.RawMessage) (any, error) { return nil, errors.New("file \xff") },
		"echo":     func(_ context.Context, arguments json.RawMessage) (any, error) { return string(arguments), nil },
	}
	for name, f := range funcs {
		if err := w.Register(Tool{Name: name, Func: f}); err != nil {
			t.Fatal(err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx             context.Context
		tool, arguments string
		want            string
		isError         bool
	}{
		{t.Context(), "double", `{"N":4}`, `{"n":8}`, false},
		{t.Context(), "double", `{"N":`, `{"n":0}`, true},
		{t.Context(), "echo", ` `, `{}`, false},
		{t.Context(), "fails", ``, "no such file", true},
		{t.Context(), "both", ``, "FAIL: TestX", true},
		{t.Context(), "panics", ``, "tool panics panicked: index out of range", true},
		{t.Context(), "nil", ``, "", false},
		{t.Context(), "typed", ``, "no output", true},
		{t.Context(), "channel", ``, "json: unsupported type: chan int", true},
		{t.Context(), "broken", ``, "tool broken panicked: reader", true},
		{t.Context(), "withheld", ``, "output withheld", true},
		{t.Context(), "invalid", ``, "file \uFFFD", true},
		{t.Context(), "dobule", ``, `there is no tool "dobule"; there are: inspect, `, true},
		{ended, "echo", ``, "tool echo was not run: context canceled", true},
		{t.Context(), "inspect", `{"blob_id":"00000000-0000-7000-8000-000000000000"}`, "not found", true},
	} {
		call := calls("c", c.tool, c.arguments)
		mustAppend(t, w, call)
		a, err := w.Call(c.ctx, call)
		if err != nil || a.IsError != c.isError || a.Kind != offload.Inline || a.Base64 || a.Text != c.want && (c.want == "" || !strings.Contains(a.Text, c.want)) {
			t.Errorf("%s %s: %v, %+v, want %q", c.tool, c.arguments, err, a, c.want)
		}
	}
	results := 0
	for _, it := range must(w.BuildRequest(t.Context())).Items {
		if it.Kind == history.Result {
			results++
		}
	}
	if results != 15 {
		t.Errorf("%d results of 15 calls", results)
	}
}

// panicking is a reader of a tool that has a fault.
type panicking struct{}

func (panicking) Read([]byte) (int, error) { panic("reader") }

func TestRegister(t *testing.T) {
	w := must(New(Options{Store: storetest.NewMemory()}))
	f := func(context.Context, json.RawMessage) (any, error) { return nil, nil }
	for _, tool := range []Tool{
		{Func: f},
		{Name: "x"},
		{Name: "x", Func: f, Schema: json.RawMessage(`[]`)},
		{Name: "x", Func: f, Schema: json.RawMessage(`null`)},
		{Name: "x", Func: f, Schema: json.RawMessage(`{`)},
		{Name: "inspect", Func: f},
	} {
		if err := w.Register(tool); err == nil {
			t.Errorf("%+v is taken", tool)
		}
	}
	for _, name := range []string{"b", "a"} {
		if err := w.Register(Tool{Name: name, Func: f}); err != nil {
			t.Error(err)
		}
	}
	var names []string
	for _, tool := range w.Tools() {
		names = append(names, tool.Name)
		if !json.Valid(tool.Schema) || tool.Func == nil {
			t.Errorf("%s: %s", tool.Name, tool.Schema)
		}
	}
	if want := []string{"inspect", "b", "a"}; !slices.Equal(names, want) {
		t.Errorf("tools %v, want %v", names, want)
	}
}

func TestAppendTakesAllOrNothing(t *testing.T) {
	w := must(New(Options{}))
	for _, bad := range []Item{user("\xff"), calls("\xff", "x", ""), calls("c", "\xff", ""), {Kind: history.Result}} {
		if err := w.Append(user("good"), bad); err == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
	for _, bad := range []string{``, `{`, `[]`, `[{"type":"message"}]`, `1`, `{} {}`, `null`, "{\"a\":\"\xff\"}"} {
		if err := w.AppendRecord(json.RawMessage(bad)); err == nil {
			t.Errorf("record %q is taken", bad)
		}
	}
	if _, err := w.AddToolResult(t.Context(), ToolResult{CallID: "\xff"}); err == nil {
		t.Error("a call id that is not UTF-8 is taken")
	}
	if got := saved(t, w); got != "" {
		t.Errorf("added %q", got)
	}
	if _, err := New(Options{Limits: summarize.Limits{Bytes: 10}}); err == nil {
		t.Error("limits of 10 bytes are taken")
	}
	if err := w.SetPruneConfig(prune.Config{}); err == nil {
		t.Error("an invalid configuration is taken")
	}
}

// The history of an agent is not one of items: it would load as nothing.
func TestLoadRefusesOtherFormats(t *testing.T) {
	for name, log := range map[string]string{
		"anthropic":   `{"messages":[{"role":"user","content":"a"}]}`,
		"claude-code": `{"type":"user","uuid":"u","message":{"role":"user","content":"a"}}`,
	} {
		if _, err := Load(strings.NewReader(log), Options{}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if err := must(New(Options{})).Append(Item{Text: "of nobody"}); err == nil {
		t.Error("a message of no role is taken")
	}
}

func TestLoad(t *testing.T) {
	for name, c := range map[string]struct {
		log   string
		items int
	}{
		"nothing":            {"", 0},
		"blank":              {"\n", 0},
		"no last line feed":  {`{"type":"message","role":"user","content":"a"}`, 1},
		"CRLF":               {"{\"type\":\"message\",\"role\":\"user\",\"content\":\"a\"}\r\n", 1},
		"byte order mark":    {"\ufeff{\"type\":\"message\",\"role\":\"user\",\"content\":\"a\"}\n", 1},
		"spacing":            {"{ \"type\" :\t\"message\", \"role\":\"user\",\n \"content\": \"\\u0061\\ud800\" } {\"x\":1e400}\n\n", 1},
		"an unknown number":  {`{"type":"tool_result","call_id":12345678901234567890,"output":"\u0000"}`, 1},
		"other values after": {"{}\n17\nnull\n\"x\"", 0},
	} {
		w, err := Load(strings.NewReader(c.log), Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		r := must(w.BuildRequest(t.Context()))
		if saved(t, w) != c.log || string(r.JSONL) != c.log || len(r.Items) != c.items {
			t.Errorf("%s: saved %q, request %q with %d items", name, saved(t, w), r.JSONL, len(r.Items))
		}
		mustAppend(t, w, user("more"))
		between := ""
		if c.log != "" && !strings.HasSuffix(c.log, "\n") {
			between = "\n"
		}
		want := c.log + between + `{"type":"message","role":"user","content":"more"}` + "\n"
		if r := must(w.BuildRequest(t.Context())); len(r.Items) != c.items+1 || saved(t, w) != want {
			t.Errorf("%s: appended to it is %q", name, saved(t, w))
		}
	}
	for _, bad := range []string{"[]", `[{"type":"message","role":"user","content":"a"}]`, "17", "{\"a\":1}\n{\"b\"", "\ufeff[", "{\"a\":\"\xff\"}"} {
		if _, err := Load(strings.NewReader(bad), Options{}); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	var torn *history.MalformedError
	if _, err := Load(strings.NewReader("{\"a\":1}\n{\"b\""), Options{}); !errors.As(err, &torn) || !torn.Torn || torn.Line != 2 {
		t.Errorf("got %v, want that line 2 is torn", err)
	}
	if _, err := Load(iotest.ErrReader(errDisk), Options{}); !errors.Is(err, errDisk) {
		t.Errorf("got %v", err)
	}
	if err := must(New(Options{})).Save(failingWriter{}); !errors.Is(err, errDisk) {
		t.Errorf("got %v", err)
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errDisk }

func TestBuildRequestStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := must(New(Options{})).BuildRequest(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func TestCounterThatFails(t *testing.T) {
	w := must(New(Options{}))
	c := prune.DefaultConfig()
	c.Tokens = prune.Tokens{Command: []string{"/nonexistent/counter"}}
	if err := w.SetPruneConfig(c); err != nil {
		t.Fatal(err)
	}
	addTurns(t, w, 0, 1)
	if _, err := w.BuildRequest(t.Context()); err == nil {
		t.Error("no error")
	}
}

// counting is a counter that notes what it is asked about.
type counting struct {
	tokens.Bytes
	asked *[]string
}

func (c counting) Count(ctx context.Context, contents iter.Seq[tokens.Content]) ([]int, error) {
	return c.Bytes.Count(ctx, func(yield func(tokens.Content) bool) {
		for content := range contents {
			*c.asked = append(*c.asked, fmt.Sprintf("%s %s %s", content.Kind, content.Tool, content.Text))
			if !yield(content) {
				return
			}
		}
	})
}

// A counter that is slow is asked about each text once, and one text for several uses is several.
func TestTextsAreCountedOnce(t *testing.T) {
	var asked []string
	r := remembering{counting{asked: &asked}, map[textKey]int{}}
	contents := []tokens.Content{
		{Kind: "message", Text: []byte("12345678")}, {Kind: "message", Text: []byte("1234")}, {Kind: "message", Text: []byte("12345678")},
		{Kind: "tool_call", Tool: "a", Text: []byte("b")}, {Kind: "tool_call", Text: []byte("ab")}, {Kind: "tool_call", Tool: "ab"},
	}
	for range 2 {
		counts, err := r.Count(t.Context(), slices.Values(contents))
		if want := []int{2, 1, 2, 0, 0, 0}; err != nil || !slices.Equal(counts, want) {
			t.Errorf("%v, %v, want %v", err, counts, want)
		}
	}
	if want := []string{"message  12345678", "message  1234", "tool_call a b", "tool_call  ab", "tool_call ab "}; !slices.Equal(asked, want) {
		t.Errorf("asked %q, want %q", asked, want)
	}
}

// A result may have a summary of its own, which stays when its content is left out.
func TestResultsWithASummary(t *testing.T) {
	for omit, want := range map[prune.Omit]string{prune.OmitDrop: "40 lines", prune.OmitSummary: "40 lines\n[blob:"} {
		w := must(New(Options{Store: storetest.NewMemory()}))
		c := aggressive()
		c.Omit = omit
		if err := w.SetPruneConfig(c); err != nil {
			t.Fatal(err)
		}
		content := strings.Repeat("a line of it\n", 40)
		record := fmt.Sprintf(`{"type":"tool_result","call_id":"c","summary":"40 lines","content":%q}`, content)
		mustAppend(t, w, calls("c", "read", "{}"))
		if err := w.AppendRecord(json.RawMessage(record)); err != nil {
			t.Fatal(err)
		}
		if got := must(w.BuildRequest(t.Context())).Items[1].Text; got != "40 lines\n"+content {
			t.Errorf("%s, whole: %q", omit, got)
		}
		mustAppend(t, w, says("ok"))
		got := must(w.BuildRequest(t.Context())).Items[1].Text
		if got != want && (omit == prune.OmitDrop || !strings.HasPrefix(got, want)) {
			t.Errorf("%s: %q, want %q", omit, got, want)
		}
	}
}

// What is not to be stored as it is stays, or is left out without a summary.
func TestContentsWithoutASummary(t *testing.T) {
	w := must(New(Options{Store: storetest.NewMemory()}))
	c := aggressive()
	c.Omit = prune.OmitSummary
	if err := w.SetPruneConfig(c); err != nil {
		t.Fatal(err)
	}
	record := `{"type":"tool_result","call_id":"c","output":"\ud800` + strings.Repeat("x", 1000) + `"}`
	if err := w.AppendRecord(json.RawMessage(record)); err != nil {
		t.Fatal(err)
	}
	must(w.AddToolResult(t.Context(), ToolResult{CallID: "i", Tool: "inspect", Output: strings.Repeat("x", 1000)}))
	mustAppend(t, w, says("ok"), user("go on"))
	r := must(w.BuildRequest(t.Context()))
	if !slices.Equal(r.Decision.Indices, []int{1}) || r.Items[1].Text != "[tool result omitted: 1000 bytes]" || string(r.Record(0)) != record {
		t.Errorf("%v, %v", r.Decision.Indices, r.Items)
	}
}

// A pause in the times that Now told makes the cache cold.
func TestTimesOfRecords(t *testing.T) {
	now := time.UnixMilli(1_700_000_000_000)
	w := must(New(Options{Now: func() time.Time { return now }}))
	c := prune.DefaultConfig()
	c.ProtectedTokens, c.CacheTTL = 0, 5*time.Minute
	if err := w.SetPruneConfig(c); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, w, user("x"), calls("c", "read", "{}"))
	must(w.AddToolResult(t.Context(), ToolResult{CallID: "c", Output: strings.Repeat("x", 100)}))
	mustAppend(t, w, says(strings.Repeat("a long answer ", 1000)), user("y"), says("z"))
	if r := must(w.BuildRequest(t.Context())); len(r.Decision.Indices) != 0 {
		t.Errorf("before the pause: %v", r.Decision.Indices)
	}
	now = now.Add(time.Hour)
	mustAppend(t, w, user("are you there?"))
	if r := must(w.BuildRequest(t.Context())); !slices.Equal(r.Decision.Indices, []int{2}) {
		t.Errorf("after it: %v", r.Decision.Indices)
	}
}

func TestMessages(t *testing.T) {
	w := must(New(Options{}))
	mustAppend(t, w, Item{Kind: history.Message, Role: history.System, Text: "be brief"}, user("a < b?"), Item{Kind: history.Reasoning, Text: "unsigned"})
	if err := w.AppendRecord(json.RawMessage(`{"type":"reasoning","text":"signed","signature":"c2ln"}`)); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, w, says("I look."), calls("c1", "read", `{"n": 1.0}`), calls("c2", "run", "ls"), calls("c3", "none", ""))
	for _, r := range []ToolResult{{CallID: "c1", Output: "one"}, {CallID: "c2", Output: "two", IsError: true}, {CallID: "c3"}} {
		must(w.AddToolResult(t.Context(), r))
	}
	mustAppend(t, w, user("and?"), says(""), calls("c4", "read", "[1]"))
	r := must(w.BuildRequest(t.Context()))
	system, messages := r.AnthropicMessages()
	want := `[{"role":"user","content":[{"type":"text","text":"a < b?"}]},` +
		`{"role":"assistant","content":[{"type":"thinking","thinking":"signed","signature":"c2ln"},{"type":"text","text":"I look."},` +
		`{"type":"tool_use","id":"c1","name":"read","input":{"n":1.0}},{"type":"tool_use","id":"c2","name":"run","input":{"arguments":"ls"}},` +
		`{"type":"tool_use","id":"c3","name":"none","input":{}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"one"},{"type":"tool_result","tool_use_id":"c2","content":"two","is_error":true},` +
		`{"type":"tool_result","tool_use_id":"c3","content":""},{"type":"text","text":"and?"}]},` +
		`{"role":"assistant","content":[{"type":"tool_use","id":"c4","name":"read","input":{"arguments":"[1]"}}]}]`
	if system != "be brief" || string(messages) != want {
		t.Errorf("got %q\n%s\nwant\n%s", system, messages, want)
	}
	want = `[{"role":"system","content":"be brief"},{"role":"user","content":"a < b?"},` +
		`{"role":"assistant","content":"I look.","tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{\"n\": 1.0}"}},` +
		`{"id":"c2","type":"function","function":{"name":"run","arguments":"ls"}},{"id":"c3","type":"function","function":{"name":"none","arguments":"{}"}}]},` +
		`{"role":"tool","tool_call_id":"c1","content":"one"},{"role":"tool","tool_call_id":"c2","content":"two"},{"role":"tool","tool_call_id":"c3","content":""},` +
		`{"role":"user","content":"and?"},{"role":"assistant","content":"","tool_calls":[{"id":"c4","type":"function","function":{"name":"read","arguments":"[1]"}}]}]`
	if got := r.OpenAIMessages(); string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	empty := must(must(New(Options{})).BuildRequest(t.Context()))
	if _, messages := empty.AnthropicMessages(); string(messages) != "[]" || string(empty.OpenAIMessages()) != "[]" {
		t.Errorf("nothing is %s", messages)
	}
}

// What is said while a call runs comes behind its result, and nothing is sent that a provider refuses.
func TestMessagesThatProvidersTake(t *testing.T) {
	w := must(New(Options{}))
	mustAppend(t, w, user("go"), Item{Kind: history.Call, CallID: "c1", Tool: "ls"}, Item{Kind: history.Call, CallID: "c2", Tool: "ls"})
	must(w.AddToolResult(t.Context(), ToolResult{CallID: "c1", Output: "one"}))
	mustAppend(t, w, user("hurry"), user(" \n"))
	must(w.AddToolResult(t.Context(), ToolResult{CallID: "c2", Output: "two"}))
	r := must(w.BuildRequest(t.Context()))
	_, got := r.AnthropicMessages()
	if want := `[{"role":"user","content":[{"type":"text","text":"go"}]},` +
		`{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"ls","input":{}},{"type":"tool_use","id":"c2","name":"ls","input":{}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"one"},{"type":"tool_result","tool_use_id":"c2","content":"two"},{"type":"text","text":"hurry"}]}]`; string(got) != want {
		t.Errorf("anthropic: got\n%s, want\n%s", got, want)
	}
	if got, want := string(r.OpenAIMessages()), `[{"role":"user","content":"go"},`+
		`{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"ls","arguments":"{}"}},{"id":"c2","type":"function","function":{"name":"ls","arguments":"{}"}}]},`+
		`{"role":"tool","tool_call_id":"c1","content":"one"},{"role":"tool","tool_call_id":"c2","content":"two"},{"role":"user","content":"hurry"},{"role":"user","content":" \n"}]`; got != want {
		t.Errorf("openai: got\n%s, want\n%s", got, want)
	}
}

// A tool whose output never ends is not read once the context is done.
func TestCallEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	w := must(New(Options{}))
	reads := 0
	endless := readerFunc(func(p []byte) (int, error) {
		if reads++; reads == 3 {
			cancel()
		}
		return copy(p, "more"), nil
	})
	added := must(w.AddToolResult(ctx, ToolResult{CallID: "c", Output: endless}))
	if !errors.Is(added.ReadErr, context.Canceled) || added.Text != "moremoremore" {
		t.Errorf("got %q, %v", added.Text, added.ReadErr)
	}
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
