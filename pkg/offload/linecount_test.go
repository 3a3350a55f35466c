package offload

import (
	"bytes"
	"strings"
	"testing"

	"github.com/llmblob/llmblob/internal/lines"
	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/storetest"
	"github.com/llmblob/llmblob/pkg/summarize"
)

// However a large content begins and is taken, its lines are counted as those of the whole.
func TestLinesOfLargeContents(t *testing.T) {
	text := strings.Repeat("a line\n", countStep/5)
	for name, content := range map[string]string{
		"text":                      text,
		"a last line without feed":  text + "end",
		"white space, then text":    strings.Repeat(" \n", 600) + text,
		"like JSON, but not":        "{\n" + text,
		"like JSON, as text":        "[1,2]\n" + text,
		"one step to the byte":      strings.Repeat("123456\n\n", countStep/8),
		"one line":                  strings.Repeat("x", countStep+1),
		"less than a step":          text[:countStep-8],
		"white space alone":         strings.Repeat("\n", countStep+1),
		"text, then JSON as a line": text + `{"a":1}`,
	} {
		for _, as := range []summarize.As{summarize.Auto, summarize.AsText} {
			want := lines.Count([]byte(content))
			o := options()
			o.As = as
			o.NewID = func(blob.Type, []byte) (blob.ID, error) { return blob.NewID() }
			st := storetest.NewMemory()
			stored, err := o.Store(t.Context(), st, strings.NewReader(content))
			if err != nil || stored.Lines == nil || *stored.Lines != want {
				t.Errorf("%s, %s: stored %+v, %v, want %d lines", name, as, stored, err, want)
			}
			captured := o.Capture(t.Context(), func() (blob.Store, error) { return st, nil }, bytes.NewReader([]byte(content)))
			if got := captured.Record.Lines; captured.StoreErr != nil || got == nil || *got != want {
				t.Errorf("%s, %s: captured %+v, want %d lines", name, as, captured.Record, want)
			}
		}
	}
}
