package projection_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/history"
	"github.com/llmblob/llmblob/pkg/offload"
	"github.com/llmblob/llmblob/pkg/projection"
	"github.com/llmblob/llmblob/pkg/prune"
	"github.com/llmblob/llmblob/pkg/storetest"
	"github.com/llmblob/llmblob/pkg/summarize"
)

// BenchmarkProjection takes histories through everything that project does.
func BenchmarkProjection(b *testing.B) {
	session := func(turns, textBytes int) []byte {
		var log bytes.Buffer
		text := strings.Repeat(`\tx := y\n`, textBytes/9)
		for n := range turns {
			fmt.Fprintf(&log, `{"type":"assistant","uuid":"a%d","message":{"id":"m%d","role":"assistant","content":[{"type":"tool_use","id":"c%d","name":"Read","input":{}}]}}`+"\n", n, n, n)
			fmt.Fprintf(&log, `{"type":"user","uuid":"u%d","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c%d","content":"%s"}]}}`+"\n", n, n, text)
		}
		return log.Bytes()
	}
	summary := prune.DefaultConfig()
	summary.Omit = prune.OmitSummary
	for _, c := range []struct {
		name   string
		data   []byte
		config prune.Config
	}{
		{"long results", session(1000, 5000), prune.DefaultConfig()},
		{"small results", session(10_000, 400), prune.DefaultConfig()},
		{"summaries", session(1000, 5000), summary},
	} {
		b.Run(c.name, func(b *testing.B) {
			st := storetest.NewMemory()
			o := projection.Options{Config: c.config, Offload: offload.HistoryOptions{Limits: summarize.DefaultLimits()}}
			o.Store = func() (blob.Store, error) { return st, nil }
			b.ReportAllocs()
			b.SetBytes(int64(len(c.data)))
			for b.Loop() {
				h, err := history.Parse(c.data, history.Options{})
				if err != nil {
					b.Fatal(err)
				}
				p, err := projection.Make(b.Context(), h, o)
				if err != nil || len(p.Decision.Indices) == 0 {
					b.Fatal(len(p.Decision.Indices), err)
				}
				if err := p.Write(io.Discard); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
