package projection_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/prune"
	"github.com/llmblob/llmblob/pkg/storetest"
)

// A replacement that has more tokens than the content, though fewer bytes, makes the context larger.
func TestReplacementOfMoreTokens(t *testing.T) {
	var data strings.Builder
	for i := range 8 {
		fmt.Fprintf(&data, `{"role":"assistant","content":null,"tool_calls":[{"id":"c%d","type":"function","function":{"name":"ls","arguments":"{}"}}]}`+"\n", i)
		fmt.Fprintf(&data, `{"role":"tool","tool_call_id":"c%d","content":%q}`+"\n", i, strings.Repeat(" ", 64))
	}
	data.WriteString(`{"role":"assistant","content":"done"}` + "\n")
	c := everything()
	c.Tokens.Name = prune.TokensO200k
	for _, c.ProtectedTokens = range []int{0, 20} {
		first, out := projectAs(t, []byte(data.String()), "", c, nil)
		second, _ := projectAs(t, out, "", c, nil)
		if d := second.Decision; d.Before > first.Decision.Before {
			t.Errorf("the projection has %d tokens, the history %d; told were %d", d.Before, first.Decision.Before, first.Decision.After)
		}
	}
}

// survive makes a panic a failure of one test.
func survive(t *testing.T) {
	if p := recover(); p != nil {
		t.Errorf("panic: %v", p)
	}
}

// roundTrip offloads a history and restores it.
func roundTrip(t *testing.T, data, format string) (out []byte) {
	t.Helper()
	st := storetest.NewMemory()
	o := historyOptions()
	parsed := parseAs(t, offloaded(t, o, st, []byte(data), format), format)
	edits, _, err := o.Restore(t.Context(), func() (blob.Store, error) { return st, nil }, parsed, false)
	if err != nil {
		t.Fatal(err)
	}
	return written(t, func(w io.Writer) error { return parsed.Splice(w, slices.Values(edits)) })
}

// ran is a history of mini-swe-agent in which a command printed something, its text given as JSON without quotes.
func ran(content string) string {
	return `[{"role":"system","content":"s"},{"role":"user","content":"task"},{"role":"assistant","content":"ls"},{"role":"user","content":"` + content +
		`"},{"role":"assistant","content":"done"}]`
}

// A backslash and an n before the end of what a command printed are no line feed, though they are written like one.
func TestOutputEndsInABackslashN(t *testing.T) {
	defer survive(t)
	data := ran(`<returncode>0</returncode>\n<output>\n` + strings.Repeat("0123456789", 100) + `\\n</output>`)
	if back := roundTrip(t, data, "swe-agent"); string(back) != data {
		t.Errorf("restored:\n%s, want\n%s", back, data)
	}
	_, projected := projectAs(t, []byte(data), "swe-agent", everything(), nil)
	if want := `<output>\n[tool result omitted: 1002 bytes]</output>`; !strings.Contains(string(projected), want) {
		t.Errorf("projected:\n%s", projected)
	}
}

// Marks that are written with escapes are found also where what stands between them is not.
func TestMarksWithEscapes(t *testing.T) {
	data := ran(`\u003creturncode\u003e0\u003c/returncode\u003e\n\u003coutput\u003e\n` + strings.Repeat(`\u003cb\u003e 0123456789`, 100) + `\n\u003c/output\u003e`)
	back := roundTrip(t, data, "swe-agent")
	if !jsonEqual(t, back, []byte(data)) {
		t.Errorf("restored:\n%s", back)
	}
}
