package prune

import (
	"fmt"
	"strings"
	"testing"

	"github.com/llmblob/llmblob/pkg/history"
)

func BenchmarkCandidates(b *testing.B) {
	var log strings.Builder
	text := strings.Repeat(`some text of a file\n`, 50)
	for n := range 5000 {
		fmt.Fprintf(&log, `{"type":"tool_call","call_id":"c%d","name":"read","arguments":"{}"}{"type":"tool_result","call_id":"c%d","output":"%s"}`+"\n", n, n, text)
	}
	h, err := history.Parse([]byte(log.String()), history.Options{})
	if err != nil {
		b.Fatal(err)
	}
	patterns := DefaultConfig()
	patterns.ExcludeTools = []string{"mcp__*", "write*"}
	for name, c := range map[string]Config{"default": DefaultConfig(), "patterns": patterns} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(log.Len()))
			for b.Loop() {
				if list, err := Candidates(h, c, 400, nil); err != nil || len(list) != 5000 {
					b.Fatal(len(list), err)
				}
			}
		})
	}
}
