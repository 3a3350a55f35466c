package projection_test

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/prune"
	"github.com/llmblob/llmblob/pkg/storetest"
)

// everything leaves out all that the model has seen.
func everything() prune.Config {
	c := prune.DefaultConfig()
	c.ProtectedTokens, c.MinSavings = 0, 0
	return c
}

func TestDetected(t *testing.T) {
	for _, test := range []struct{ name, format, data string }{
		{"logged items", "items", `{"kind":"message","role":"user","content":[{"kind":"text","text":"hi"}]}
{"kind":"tool_call","call_id":"c1","name":"ls","arguments":"{}"}
{"kind":"tool_result","call_id":"c1","summary":"3 files","content":"a b c"}`},
		{"a segment log of one entry", "items", `{"kind":"segment_start","ts":1,"history":[{"kind":"tool_call","call_id":"c1","name":"ls","arguments":"{}"},{"kind":"tool_result","call_id":"c1","summary":"s","content":"a"}]}`},
		{"responses after a developer's message", "openai-responses", `{"type":"message","role":"developer","content":"Be brief."}
{"type":"function_call","call_id":"c1","name":"ls","arguments":"{}"}
{"type":"function_call_output","call_id":"c1","output":"a"}`},
		{"responses after a developer's message without a type", "openai-responses", `{"role":"developer","content":"Be brief."}
{"type":"function_call","call_id":"c1","name":"ls","arguments":"{}"}
{"type":"function_call_output","call_id":"c1","output":"a"}`},
		{"responses after a developer's message in a bare array", "openai-responses", `[{"role":"developer","content":"Be brief."},{"type":"function_call","call_id":"c1","name":"ls","arguments":"{}"},{"type":"function_call_output","call_id":"c1","output":"a"}]`},
		{"a model message with an image", "ai-sdk", `{"role":"user","content":[{"type":"text","text":"look"},{"type":"image","image":"data:image/png;base64,iVBO"}]}
{"role":"assistant","content":[{"type":"tool-call","toolCallId":"t1","toolName":"read","input":{}}]}
{"role":"tool","content":[{"type":"tool-result","toolCallId":"t1","toolName":"read","output":{"type":"text","value":"body"}}]}`},
		{"mini-swe-agent written with escapes", "swe-agent", `[{"role":"system","content":"s"},{"role":"user","content":"task"},{"role":"assistant","content":"ls"},{"role":"user","content":"\u003creturncode\u003e0\u003c/returncode\u003e\n\u003coutput\u003ea\u003c/output\u003e"}]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := parseAs(t, []byte(test.data), "").Format; string(got) != test.format {
				t.Errorf("detected as %q, not as %q", got, test.format)
			}
		})
	}
}

// A message that is written again, whose calls have no ids or the same one.
func TestCopiesOfOneID(t *testing.T) {
	call := func(text string) string {
		return fmt.Sprintf(`{"name":"ls","args":{},"status":"success","result":[{"functionResponse":{"name":"ls","response":{"output":%q}}}]}`, strings.Repeat(text, 60))
	}
	message := `{"id":"m2","timestamp":"2026-01-01T00:00:00Z","type":"gemini","content":"","toolCalls":[` + call("a") + `,` + call("b") + `]}`
	data := `{"sessionId":"s","projectHash":"h"}` + "\n" + message + "\n" + message + "\n" + `{"id":"m3","timestamp":"2026-01-01T00:00:00Z","type":"gemini","content":"done"}` + "\n"
	_, out := projectAs(t, []byte(data), "", everything(), nil)
	if n := strings.Count(string(out), "tool result omitted"); n != 4 || len(out) > len(data) {
		t.Errorf("%d results are left out, of 4; %d bytes of %d:\n%s", n, len(out), len(data), out)
	}
}

// The members of an entry in any order.
func TestOffloadStderrFirst(t *testing.T) {
	data := fmt.Sprintf(`{"type":"shell_call_output","call_id":"c1","output":[{"stderr":%q,"stdout":%q,"outcome":{"type":"exit","exit_code":0}}]}`+"\n",
		strings.Repeat("e", 900), strings.Repeat("o", 900))
	o := historyOptions()
	st := storetest.NewMemory()
	out := offloaded(t, o, st, []byte(data), "openai-responses")
	parsed := parseAs(t, out, "openai-responses")
	edits, _, err := o.Restore(t.Context(), func() (blob.Store, error) { return st, nil }, parsed, false)
	if err != nil {
		t.Fatal(err)
	}
	if back := written(t, func(w io.Writer) error { return parsed.Splice(w, slices.Values(edits)) }); string(back) != data {
		t.Errorf("restored: %.300s", back)
	}
}

// What is written in the place of a content is no longer than it.
func TestNeverLonger(t *testing.T) {
	for _, test := range []struct {
		name, format, result string
		omit                 prune.Omit
	}{
		{"null for one letter", "items", `{"type":"tool_result","call_id":"c1","summary":"s","content":"a"}`, prune.OmitDrop},
		{"an object with an output", "gemini", `{"role":"user","parts":[{"functionResponse":{"name":"ls","response":{"a":["1234567890","12345"],"b":3}}}]}`, prune.OmitDrop},
		{"a summary with quotes", "gemini", `{"role":"user","parts":[{"functionResponse":{"name":"ls","response":{` + strings.TrimSuffix(strings.Repeat(`"k":"`+strings.Repeat("\\\"", 1)+`",`, 36), ",") + `}}}]}`, prune.OmitSummary},
	} {
		t.Run(test.name, func(t *testing.T) {
			answer := map[string]string{
				"items":  `{"type":"message","role":"assistant","content":[{"type":"text","text":"done"}]}`,
				"gemini": `{"role":"model","parts":[{"text":"done"}]}`,
			}[test.format]
			data := test.result + "\n" + answer + "\n"
			// The model must have answered after it saw the result.
			first := strings.Replace(answer, "done", "call", 1)
			data = first + "\n" + data
			c := everything()
			c.Omit = test.omit
			_, out := projectAs(t, []byte(data), test.format, c, storetest.NewMemory())
			if len(out) > len(data) {
				t.Errorf("%d bytes came out of %d:\n%s", len(out), len(data), out)
			}
		})
	}
}

// Messages for a page that have no ids are answers of their own.
func TestPageMessagesWithoutIDs(t *testing.T) {
	part := `{"type":"tool-ls","toolCallId":"t1","state":"output-available","input":{},"output":"` + strings.Repeat("a", 200) + `"}`
	data := `{"role":"assistant","parts":[` + part + `]}
{"role":"user","parts":[{"type":"text","text":"go on"}]}
{"role":"assistant","parts":[{"type":"text","text":"done"}]}
`
	parsed := parseAs(t, []byte(data), "ai-sdk")
	if n := len(parsed.Points); n != 3 {
		t.Errorf("%d request points, want 3: %+v", n, parsed.Points)
	}
}

// After a pause, what was passed over before a compaction is not there to be chosen.
func TestColdAfterCompaction(t *testing.T) {
	line := func(time, kind, payload string) string {
		return `{"timestamp":"2026-01-01T` + time + `:00Z","type":"` + kind + `","payload":` + payload + "}\n"
	}
	data := line("00:00", "response_item", `{"type":"function_call","call_id":"c1","name":"ls","arguments":"{}"}`) +
		line("00:01", "response_item", `{"type":"function_call_output","call_id":"c1","output":"`+strings.Repeat("a", 100)+`"}`) +
		line("00:02", "response_item", `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"one"}]}`) +
		line("00:03", "response_item", `{"type":"message","role":"user","content":[{"type":"input_text","text":"two"}]}`) +
		line("00:04", "response_item", `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"three"}]}`) +
		line("00:05", "compacted", `{"message":"","replacement_history":[{"type":"message","role":"user","content":[{"type":"input_text","text":"sum"}]}]}`) +
		line("00:06", "response_item", `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"four"}]}`) +
		line("09:00", "response_item", `{"type":"message","role":"user","content":[{"type":"input_text","text":"five"}]}`)
	c := prune.DefaultConfig()
	c.ProtectedTokens = 0
	c.CacheTTL = 300e9
	p, out := projectAs(t, []byte(data), "", c, nil)
	if d := p.Decision; d.Outcome != prune.NoCandidates || d.First != -1 || string(out) != data {
		t.Errorf("decision %q, first change at item %d of %d, %d chosen", d.Outcome, d.First, len(p.History.Items), len(d.Indices))
	}
}

// Every result has its line in the explanation, where calls and results stand in one record too.
func TestExplainedLines(t *testing.T) {
	part := func(id string) string {
		return `{"type":"tool","callID":"` + id + `","tool":"ls","state":{"status":"completed","input":{},"output":"` + strings.Repeat("a", 200) + `"}}`
	}
	data := `{"info":{"role":"assistant","id":"m1"},"parts":[` + part("c1") + `,` + part("c2") + `]}` + "\n" +
		`{"info":{"role":"assistant","id":"m2"},"parts":[` + part("c3") + `]}` + "\n"
	c := everything()
	for protected := range 160 {
		c.ProtectedTokens = protected
		p, _ := projectAs(t, []byte(data), "opencode", c, nil)
		for r := range p.Explain().Results {
			if want := 1 + bytes.Count([]byte(data[:p.History.Items[r.Item].Offset]), []byte("\n")); r.Line != want {
				t.Fatalf("with %d protected tokens result %s is on line %d, not %d", protected, r.CallID, want, r.Line)
			}
		}
	}
}
