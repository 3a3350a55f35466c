package offload

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"
	"testing/quick"

	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/history"
	"github.com/llmblob/llmblob/pkg/storetest"
	"github.com/llmblob/llmblob/pkg/summarize"
)

func contentIDs(t blob.Type, data []byte) (blob.ID, error) { return blob.ContentID(t, data), nil }

func options() CaptureOptions {
	return CaptureOptions{
		Options:     Options{As: summarize.Auto, Limits: summarize.DefaultLimits(), NewID: contentIDs},
		InlineBytes: DefaultInlineBytes,
	}
}

func opener(st blob.Store) func() (blob.Store, error) {
	return func() (blob.Store, error) { return st, nil }
}

func text(t *testing.T, out *ToolOutput) string {
	t.Helper()
	data, err := io.ReadAll(out.Text())
	if err := errors.Join(err, out.Close()); err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// What is captured is in the history, or what is in the history leads to it.
func TestNothingIsLost(t *testing.T) {
	st := storetest.NewMemory()
	law := func(seed []byte, repeat uint8, oneByte bool) bool {
		data := bytes.Repeat(seed, 1+int(repeat))
		var r io.Reader = bytes.NewReader(data)
		if oneByte {
			r = iotest.OneByteReader(r)
		}
		out := options().Capture(t.Context(), opener(st), r)
		kind, id := out.Kind, out.Record.ID
		shown := text(t, out)
		if kind == Inline {
			return shown == string(data) && len(data) <= DefaultInlineBytes
		}
		parsed, err := blob.ParseID(id)
		if err != nil || !strings.HasPrefix(shown, "[blob:"+id+"] ") || len(shown) > summarize.DefaultBytes+1 {
			return false
		}
		b, err := st.Open(t.Context(), parsed)
		if err != nil {
			return false
		}
		stored, err := blob.Bytes(b)
		return err == nil && bytes.Equal(stored, data)
	}
	if err := quick.Check(law, nil); err != nil {
		t.Error(err)
	}
}

// failing is a store of which one step fails.
type failing struct {
	blob.Store
	stage, commit bool
	bytes         bool
	writeAfter    int // bytes that are taken before a write fails; -1: none fails
}

var errDisk = errors.New("disk full")

func (f failing) Stage(ctx context.Context) (blob.Stage, error) {
	if f.stage {
		return nil, errDisk
	}
	s, err := f.Store.Stage(ctx)
	return &failingStage{Stage: s, f: f, left: f.writeAfter}, err
}

type failingStage struct {
	blob.Stage
	f    failing
	left int
}

func (s *failingStage) Write(p []byte) (int, error) {
	if s.f.writeAfter < 0 || len(p) <= s.left {
		s.left -= len(p)
		return s.Stage.Write(p)
	}
	n, _ := s.Stage.Write(p[:s.left])
	s.left = 0
	return n, errDisk
}

func (s *failingStage) Bytes() ([]byte, error) {
	if s.f.bytes {
		return nil, errDisk
	}
	return s.Stage.Bytes()
}

func (s *failingStage) Commit(t blob.Type, id blob.ID) (blob.Info, error) {
	if s.f.commit {
		return blob.Info{}, errDisk
	}
	return s.Stage.Commit(t, id)
}

func TestAFailingStoreLeavesTheOutputWhole(t *testing.T) {
	data := strings.Repeat("some line of output\n", 100_000)
	memory := storetest.NewMemory()
	for name, open := range map[string]func() (blob.Store, error){
		"open":             func() (blob.Store, error) { return nil, errDisk },
		"stage":            opener(failing{Store: memory, stage: true, writeAfter: -1}),
		"write at once":    opener(failing{Store: memory, writeAfter: 0}),
		"no bytes":         opener(failing{Store: memory, bytes: true, writeAfter: -1}),
		"write midway":     opener(failing{Store: memory, writeAfter: 300_001}),
		"write at the end": opener(failing{Store: memory, writeAfter: len(data) - 1}),
		"commit":           opener(failing{Store: memory, commit: true, writeAfter: -1}),
	} {
		out := options().Capture(t.Context(), open, strings.NewReader(data))
		if out.Kind != Inline || !errors.Is(out.StoreErr, errDisk) {
			t.Errorf("%s: %s, %v", name, out.Kind, out.StoreErr)
		}
		if got := text(t, out); got != data {
			t.Errorf("%s: got %d bytes, want %d", name, len(got), len(data))
		}
	}
	for info := range memory.List(t.Context()) {
		t.Errorf("stored %v", info)
	}
}

func TestAFailingSourceKeepsWhatCame(t *testing.T) {
	errCut := errors.New("connection cut")
	for name, data := range map[string]string{"small": "small", "large": strings.Repeat("line\n", 10_000)} {
		st := storetest.NewMemory()
		r := io.MultiReader(strings.NewReader(data), iotest.ErrReader(errCut))
		out := options().Capture(t.Context(), opener(st), r)
		if !errors.Is(out.ReadErr, errCut) || out.StoreErr != nil {
			t.Errorf("%s: %v, %v", name, out.ReadErr, out.StoreErr)
		}
		if name == "small" && text(t, out) != data || name == "large" && out.Record.Bytes != len(data) {
			t.Errorf("%s: %+v", name, out.Record)
		}
	}
}

func TestAWithheldOutputLeavesNothing(t *testing.T) {
	for name, data := range map[string]string{"small": "secret", "large": strings.Repeat("secret\n", 10_000)} {
		st := storetest.NewMemory()
		r := io.MultiReader(strings.NewReader(data), iotest.ErrReader(fmt.Errorf("filter: %w", ErrWithheld)))
		out := options().Capture(t.Context(), opener(st), r)
		if !errors.Is(out.ReadErr, ErrWithheld) || out.Kind != Inline || text(t, out) != "" {
			t.Errorf("%s: %s, %v", name, out.Kind, out.ReadErr)
		}
		for info := range st.List(t.Context()) {
			t.Errorf("%s: stored %v", name, info)
		}
	}
}

func TestWhenAnOutputIsStored(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*CaptureOptions)
		data   string
		want   Kind
	}{
		{"at the limit", func(*CaptureOptions) {}, strings.Repeat("x", 800), Inline},
		{"above it", func(*CaptureOptions) {}, strings.Repeat("x", 801), Stored},
		{"the largest limit", func(o *CaptureOptions) { o.InlineBytes = math.MaxInt }, strings.Repeat("x", maxInMemory+9), Inline},
		{"above a large limit", func(o *CaptureOptions) { o.InlineBytes = maxInMemory + 8 }, strings.Repeat("x", maxInMemory+9), Stored},
		{"empty, no limit", func(o *CaptureOptions) { o.InlineBytes = 0 }, "", Inline},
		{"shorter than its summary", func(o *CaptureOptions) { o.InlineBytes = 0 }, "short\n", Inline},
		{"as long as its summary", func(o *CaptureOptions) { o.Limits.Bytes = 2000 }, strings.Repeat("x", 900), Inline},
		{"exempt", func(o *CaptureOptions) { o.Exempt = true }, strings.Repeat("x", 5000), Inline},
		{"no UTF-8", func(o *CaptureOptions) { o.UTF8 = true }, "\xff", Stored},
		{"UTF-8", func(o *CaptureOptions) { o.UTF8 = true }, "é", Inline},
	} {
		o := options()
		c.change(&o)
		out := o.Capture(t.Context(), opener(storetest.NewMemory()), strings.NewReader(c.data))
		if out.Kind != c.want || out.StoreErr != nil {
			t.Errorf("%s: got %s, %v, want %s", c.name, out.Kind, out.StoreErr, c.want)
		}
		if got := text(t, out); c.want == Inline && got != c.data {
			t.Errorf("%s: got %q", c.name, got)
		}
	}
}

func TestSmallOutputsNeedNoStore(t *testing.T) {
	open := func() (blob.Store, error) {
		t.Error("the store was opened")
		return nil, errDisk
	}
	if got := text(t, options().Capture(t.Context(), open, strings.NewReader("small"))); got != "small" {
		t.Errorf("got %q", got)
	}
}

func TestASmallOutputThatMustBeJSON(t *testing.T) {
	o := options()
	o.As = summarize.AsJSON
	for data, valid := range map[string]bool{`{"a":1}`: true, `42`: true, `{bad`: false, ``: false} {
		out := o.Capture(t.Context(), opener(storetest.NewMemory()), strings.NewReader(data))
		if (out.StoreErr == nil) != valid || text(t, out) != data {
			t.Errorf("%q: %v", data, out.StoreErr)
		}
	}
}

func TestStoreRefusesInvalidJSON(t *testing.T) {
	st := storetest.NewMemory()
	o := options().Options
	o.As = summarize.AsJSON
	_, err := o.Store(t.Context(), st, strings.NewReader("[1,]"))
	var invalid *summarize.InvalidJSONError
	if !errors.As(err, &invalid) || invalid.Column != 4 {
		t.Errorf("got %v, want an InvalidJSONError at column 4", err)
	}
	for info := range st.List(t.Context()) {
		t.Errorf("stored %v", info)
	}
}

// What was cut off by the end of its context is not stored, at whatever byte that comes.
func TestStoreStopsWithItsContext(t *testing.T) {
	for _, n := range []int{0, 10, 2 * copyStep} {
		ctx, cancel := context.WithCancel(t.Context())
		r := io.MultiReader(strings.NewReader(strings.Repeat("x", n)), readerFunc(func([]byte) (int, error) { cancel(); return 0, io.EOF }))
		st := storetest.NewMemory()
		if _, err := options().Store(ctx, st, r); !errors.Is(err, context.Canceled) {
			t.Errorf("after %d bytes: got %v, want context.Canceled", n, err)
		}
		for info := range st.List(t.Context()) {
			t.Errorf("after %d bytes: stored %v", n, info)
		}
	}
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestInspectToolNames(t *testing.T) {
	for name, want := range map[string]bool{
		"inspect": true, "mcp__llmblob__inspect": true, "mcp__x__inspect": true, "llmblob_inspect": true, "my-llmblob.inspect": true, "llmblob/inspect": true, "mcp__a/b__inspect": true,
		"": false, "inspector": false, "Inspect": false, "mcp__inspect": false, "read": false, "code_inspect": false,
	} {
		if got := IsInspectTool(name); got != want {
			t.Errorf("%q: got %v, want %v", name, got, want)
		}
	}
}

func TestRunsInspect(t *testing.T) {
	for arguments, want := range map[string]bool{
		`llmblob inspect 01a2 lines:1-9`:                          true,
		`llmblob  inspect x`:                                      true,
		`llmblob --store /s inspect x`:                            true,
		`cd /w && /usr/bin/llmblob --store "$S" inspect x | head`: true,
		`{"command":"llmblob inspect x"}`:                         true,
		`{"command":["llmblob","inspect","01a22e8f"]}`:            true,
		`{"command":"cd llmblob \n inspect code"}`:                false,
		"cd llmblob\ninspect x":                                   false,
		`cat llmblob; inspect x`:                                  false,
		`llmblob capture --tool bash sh -c 'inspect'`:             true, // so close that it stays
		`grep llmblob a b c d e f g h i j inspect`:                false,
		`myllmblob inspect x`:                                     false,
		`inspect llmblob`:                                         false,
		``:                                                        false,
		strings.Repeat("llmblob ", 100_000):                       false,
		strings.Repeat("llmblob", 100_000):                        false,
	} {
		if got := RunsInspect([]byte(arguments)); got != want {
			t.Errorf("%.60q: got %v, want %v", arguments, got, want)
		}
	}
}

// A text that only begins like one that stands for something is stored.
func TestStandIns(t *testing.T) {
	for size, want := range map[int]int{maxStandIn - 100: 0, maxStandIn + 100: 1} {
		text := "<persisted-output>" + strings.Repeat("x", size)
		h, err := history.Parse([]byte(`{"type":"tool_result","call_id":"c","output":"`+text+`"}`), history.Options{})
		if err != nil {
			t.Fatal(err)
		}
		edits, err := HistoryOptions{Limits: summarize.DefaultLimits()}.Offload(t.Context(), opener(storetest.NewMemory()), h)
		if err != nil || len(edits) != want {
			t.Errorf("%d bytes: %d edits, %v, want %d", len(text), len(edits), err, want)
		}
	}
}
