package projection_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/history"
	"github.com/llmblob/llmblob/pkg/offload"
	"github.com/llmblob/llmblob/pkg/projection"
	"github.com/llmblob/llmblob/pkg/prune"
	"github.com/llmblob/llmblob/pkg/storetest"
	"github.com/llmblob/llmblob/pkg/summarize"
)

var update = flag.Bool("update", false, "rewrite the expected outputs in testdata/history")

const goldens = "../../testdata/history"

// The limits are low, so that the inputs can be small.
const (
	inlineBytes  = 40
	summaryBytes = 160
)

// TestGoldens has a folder a format, in it the inputs, and beside each what is to come of it.
func TestGoldens(t *testing.T) {
	for _, format := range history.Formats() {
		t.Run(string(format), func(t *testing.T) {
			inputs, err := filepath.Glob(filepath.Join(goldens, string(format), "*.json*"))
			if err != nil || len(inputs) == 0 {
				t.Fatalf("no cases: %v", err)
			}
			for _, input := range inputs {
				t.Run(filepath.Base(input), func(t *testing.T) { testGolden(t, format, input) })
			}
		})
	}
}

// TestGoldensAreOfInputs finds what no test reads: folders of no format, and goldens whose input is gone.
func TestGoldensAreOfInputs(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(goldens, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if format := history.Format(filepath.Base(filepath.Dir(path))); !slices.Contains(history.Formats(), format) {
			t.Errorf("%s: there is no format %s", path, format)
		}
		inputs, err := filepath.Glob(strings.TrimSuffix(path, filepath.Ext(path)) + ".json*")
		if err != nil || len(inputs) != 1 {
			t.Errorf("%s: has the inputs %q, %v", path, inputs, err)
		}
	}
}

func testGolden(t *testing.T, format history.Format, input string) {
	data, err := os.ReadFile(input)
	if err != nil {
		t.Fatal(err)
	}
	golden := func(ending string, got []byte) {
		t.Helper()
		compare(t, strings.TrimSuffix(input, filepath.Ext(input))+ending, got)
	}
	h := parse(t, data)
	if h.Format != format {
		t.Errorf("detected as %q", h.Format)
	}
	golden(".items", listing(h))

	untouched := prune.DefaultConfig()
	untouched.ProtectedTokens = 1 << 20
	if got := project(t, data, untouched); !bytes.Equal(got, data) {
		t.Errorf("nothing is chosen, and yet it is another:\n%s", got)
	}
	config := prune.DefaultConfig()
	config.ProtectedTokens, config.MinSavings = 0, 0
	projected := project(t, data, config)
	golden(".projected", projected)
	again(t, projected, config)
	staysTheSame(t, h, projected)

	config.Omit = prune.OmitSummary
	summarized := project(t, data, config)
	golden(".summarized", summarized)
	again(t, summarized, config)
	staysTheSame(t, h, summarized)

	st := storetest.NewMemory()
	offloaded := edit(t, h, func() ([]history.Edit, error) { return options().Offload(t.Context(), opener(st), h) })
	golden(".offloaded", offloaded)
	staysTheSame(t, h, offloaded)
	restored := restore(t, offloaded, st)
	if want, got := values(t, data), values(t, restored); !reflect.DeepEqual(want, got) {
		t.Errorf("restored is not what was offloaded:\n%s", restored)
	}
}

// compare compares with a golden, or writes it.
func compare(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(want, got) {
		return
	}
	wantLines, gotLines := bytes.SplitAfter(want, []byte("\n")), bytes.SplitAfter(got, []byte("\n"))
	for i, line := range wantLines {
		if i >= len(gotLines) || !bytes.Equal(line, gotLines[i]) {
			t.Errorf("%s, line %d\nwant %s\n got %s", path, i+1, line, slices.Concat(gotLines[min(i, len(gotLines)):min(i+1, len(gotLines))]...))
			return
		}
	}
	t.Errorf("%s: more comes: %s", path, slices.Concat(gotLines[len(wantLines):]...))
}

func parse(t *testing.T, data []byte) *history.History {
	t.Helper()
	h, err := history.Parse(data, history.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func options() offload.HistoryOptions {
	limits := summarize.DefaultLimits()
	limits.Bytes = summaryBytes
	return offload.HistoryOptions{Limits: limits, InlineBytes: func(string) int { return inlineBytes }}
}

func opener(st blob.Store) func() (blob.Store, error) {
	return func() (blob.Store, error) { return st, nil }
}

func project(t *testing.T, data []byte, c prune.Config) []byte {
	t.Helper()
	p, err := projection.Make(t.Context(), parse(t, data), projection.Options{
		Config: c, Offload: options(), Store: opener(storetest.NewMemory()),
	})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := p.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// again checks that to project twice is to project once.
func again(t *testing.T, projected []byte, c prune.Config) {
	t.Helper()
	if twice := project(t, projected, c); !bytes.Equal(twice, projected) {
		t.Errorf("projected twice it is another:\n%s", twice)
	}
}

// staysTheSame checks that all items are where they were, whatever became of contents.
func staysTheSame(t *testing.T, h *history.History, edited []byte) {
	t.Helper()
	after := parse(t, edited)
	if h.Format != after.Format || h.Records != after.Records || len(h.Items) != len(after.Items) {
		t.Errorf("%d items in %d records of %s became %d in %d of %s",
			len(h.Items), h.Records, h.Format, len(after.Items), after.Records, after.Format)
		return
	}
	for i, want := range h.Items {
		got := after.Items[i]
		if want.Kind != got.Kind || want.Role != got.Role || want.Record != got.Record || want.CallID != got.CallID ||
			want.Tool != got.Tool || want.IsError != got.IsError || want.Turn != got.Turn || want.Outside != got.Outside {
			t.Errorf("item %d was %+v and became %+v", i, want, got)
		}
	}
}

func edit(t *testing.T, h *history.History, edits func() ([]history.Edit, error)) []byte {
	t.Helper()
	list, err := edits()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := h.Splice(&out, slices.Values(list)); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func restore(t *testing.T, offloaded []byte, st blob.Store) []byte {
	t.Helper()
	h := parse(t, offloaded)
	return edit(t, h, func() ([]history.Edit, error) {
		edits, _, err := options().Restore(t.Context(), opener(st), h, false)
		return edits, err
	})
}

// values are the JSON values of a history, numbers as they are written.
func values(t *testing.T, data []byte) []any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	d.UseNumber()
	var list []any
	for {
		var v any
		if err := d.Decode(&v); errors.Is(err, io.EOF) {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, v)
	}
}

// listing shows the items of a history, where the model was called, and where the context began anew.
func listing(h *history.History) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s, %d records\n", h.Format, h.Records)
	for i, it := range h.Items {
		fmt.Fprintf(&out, "%3d  record %d  %s %s", i, it.Record, it.Role, it.Kind)
		if it.Kind == history.Call || it.Kind == history.Result {
			fmt.Fprintf(&out, " %q of %q", h.Name(it.CallID), h.Name(it.Tool))
		}
		fmt.Fprintf(&out, "  %d bytes", it.Bytes)
		if it.Kind == history.Result {
			fmt.Fprintf(&out, ", content %d", it.ContentBytes)
		}
		for _, mark := range []struct {
			is   bool
			name string
		}{{it.Turn, "turn"}, {it.IsError, "error"}, {it.Media, "media"}, {it.Nullable, "nullable"}, {it.Outside, "outside"}} {
			if mark.is {
				fmt.Fprintf(&out, ", %s", mark.name)
			}
		}
		fmt.Fprintln(&out)
	}
	for _, p := range h.Points {
		fmt.Fprintf(&out, "request before %d", p.Item)
		if p.Usage > 0 {
			fmt.Fprintf(&out, ", %d tokens", p.Usage)
		}
		if p.Time > 0 {
			fmt.Fprintf(&out, ", %s", time.UnixMilli(p.Time).UTC().Format(offload.TimeFormat))
		}
		fmt.Fprintln(&out)
	}
	for _, r := range h.Resets {
		fmt.Fprintf(&out, "reset at %d, context from %d\n", r.At, r.Start)
	}
	return out.Bytes()
}
