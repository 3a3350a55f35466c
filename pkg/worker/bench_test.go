package worker

import (
	"fmt"
	"strings"
	"testing"

	"github.com/llmblob/llmblob/pkg/history"
	"github.com/llmblob/llmblob/pkg/prune"
	"github.com/llmblob/llmblob/pkg/storetest"
)

// long returns a worker after a session of so many results, of about 700 bytes each.
func long(tb testing.TB, results int) *Worker {
	w, err := New(Options{Store: storetest.NewMemory()})
	if err != nil {
		tb.Fatal(err)
	}
	for i := range results {
		id := fmt.Sprint("call_", i)
		if i%20 == 0 {
			err = w.Append(Item{Kind: history.Message, Role: history.User, Text: "Go on with the next file, and say what is in it."})
		}
		if err == nil {
			err = w.Append(Item{Kind: history.Call, CallID: id, Tool: "read", Text: fmt.Sprintf(`{"path":"pkg/file%d.go"}`, i)})
		}
		if err == nil {
			output := strings.Repeat(fmt.Sprintf("line of file %d\n\tand \"more\"\n", i), 20+i%10*3)
			_, err = w.AddToolResult(tb.Context(), ToolResult{CallID: id, Output: output})
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	return w
}

func BenchmarkBuildRequest(b *testing.B) {
	for name, change := range map[string]func(w *Worker, c *prune.Config){
		"bytes":   func(*Worker, *prune.Config) {},
		"o200k":   func(_ *Worker, c *prune.Config) { c.Tokens = prune.Tokens{Name: prune.TokensO200k} },
		"summary": func(_ *Worker, c *prune.Config) { c.Omit = prune.OmitSummary },
		"estimator": func(w *Worker, _ *prune.Config) {
			w.SetSavingsEstimator(func(_ []Item, c []int) int { return 200 * len(c) })
		},
	} {
		b.Run(name, func(b *testing.B) {
			w := long(b, 10_000)
			c := prune.DefaultConfig()
			change(w, &c)
			if err := w.SetPruneConfig(c); err != nil {
				b.Fatal(err)
			}
			if _, err := w.BuildRequest(b.Context()); err != nil { // what the ones after it know
				b.Fatal(err)
			}
			b.SetBytes(int64(len(w.log)))
			for b.Loop() {
				if _, err := w.BuildRequest(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAddToolResult(b *testing.B) {
	w := long(b, 10_000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.AddToolResult(b.Context(), ToolResult{CallID: "c", Tool: "read", Output: "package main\n"}); err != nil {
			b.Fatal(err)
		}
	}
}
