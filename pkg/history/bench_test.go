package history

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
)

// histories are of about two megabytes each, mostly long results.
func histories() map[string][]byte {
	text := strings.Repeat(`\tif err := step(ctx, \"item\"); err != nil {\n`, 40)
	repeat := func(turn string) string { // with the id of its call, twice
		var b strings.Builder
		for n := range 500 {
			id := fmt.Sprintf("c%d", n)
			fmt.Fprintf(&b, turn, id, id)
		}
		return b.String()
	}
	claude := repeat(`{"type":"assistant","uuid":"a","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"%s","name":"Read","input":{"file_path":"x.go"}}]}}` +
		"\n" + `{"type":"user","uuid":"u","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"%s","content":"` + text + `"}]},"toolUseResult":{"type":"text","file":{"content":"` + text + `"}}}` + "\n")
	openai := repeat(`,{"role":"assistant","content":null,"tool_calls":[{"id":"%s","type":"function","function":{"name":"read","arguments":"{}"}}]},` +
		`{"role":"tool","tool_call_id":"%s","content":"` + text + `"}`)
	items := repeat(`{"type":"tool_call","call_id":"%s","name":"read","arguments":"{}"}` + "\n" + `{"type":"tool_result","call_id":"%s","output":"` + text + `"}` + "\n")
	small := repeat(`{"type":"tool_call","call_id":"%s","name":"read","arguments":"{}"}` + "\n" + `{"type":"tool_result","call_id":"%s","output":"done"}` + "\n")
	return map[string][]byte{
		"claude-code":   []byte(claude),
		"openai body":   []byte(`{"model":"m","messages":[` + openai[1:] + "]}"),
		"items":         []byte(items),
		"items, small":  []byte(strings.Repeat(small, 20)),
		"one long text": []byte(`{"type":"tool_result","call_id":"c","output":"` + strings.Repeat(text, 1000) + `"}` + "\n"),
	}
}

func BenchmarkParse(b *testing.B) {
	for name, data := range histories() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				h, err := Parse(data, Options{})
				if err != nil || len(h.Items) == 0 {
					b.Fatal(len(h.Items), err)
				}
			}
		})
	}
}

// BenchmarkReplace leaves every result out and writes what stays.
func BenchmarkReplace(b *testing.B) {
	for name, data := range histories() {
		b.Run(name, func(b *testing.B) {
			h, err := Parse(bytes.Clone(data), Options{})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				var replacements []Replacement
				for i := range h.Items {
					if h.Items[i].Kind == Result {
						replacements = append(replacements, Replacement{Item: i, Text: "[omitted]"})
					}
				}
				if err := h.Splice(io.Discard, h.InOrder(replacements)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
