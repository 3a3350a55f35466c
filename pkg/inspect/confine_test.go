package inspect

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/llmblob/llmblob/pkg/blob"
)

// A reference that the model wrote itself, in a text, in its thoughts or in a call, allows nothing; one that a person or a tool
// gave it does.
func TestRefsThatTheModelWrote(t *testing.T) {
	const ref = "[blob:01234567-89ab-7def-8123-456789abcdef]"
	for _, c := range []struct {
		name, history string
		want          bool
	}{
		{"text", "a log that mentions REF", true},
		{"openai result", `{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"bash","arguments":"{}"}}]}` + "\n" + `{"role":"tool","tool_call_id":"c","content":"REF text | 9 lines"}`, true},
		{"openai user", `{"role":"user","content":"look at REF"}`, true},
		{"openai model", `{"role":"user","content":"hi"}` + "\n" + `{"role":"assistant","content":"REF"}`, false},
		{"openai call", `{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"inspect","arguments":"{\"blob_id\":\"REF\"}"}}]}`, false},
		{"anthropic result", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"REF"}]}]}`, true},
		{"anthropic call", `{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"inspect","input":{"blob_id":"REF"}}]}`, false},
		{"anthropic thoughts", `{"role":"assistant","content":[{"type":"thinking","thinking":"REF","signature":"s"},{"type":"text","text":"x"}]}`, false},
		{"claude code result", `{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"REF"}]}}`, true},
		{"claude code call", `{"type":"assistant","uuid":"u","sessionId":"s","message":{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"mcp__llmblob__inspect","input":{"blob_id":"REF"}}]}}`, false},
		{"codex result", `{"type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":"REF"}}`, true},
		{"codex call", `{"type":"response_item","payload":{"type":"function_call","call_id":"c","name":"inspect","arguments":"{\"blob_id\":\"REF\"}"}}`, false},
		{"gemini result", `{"contents":[{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"REF"}}}]}]}`, true},
		{"gemini call", `{"contents":[{"role":"model","parts":[{"functionCall":{"name":"inspect","args":{"blob_id":"REF"}}}]}]}`, false},
		{"items result", `{"type":"tool_result","call_id":"c","content":"REF"}`, true},
		{"items summary", `{"type":"tool_result","call_id":"c","summary":"REF text","content":null}`, true},
		{"items call", `{"type":"tool_call","call_id":"c","name":"inspect","arguments":{"blob_id":"REF"}}` + "\n" + `{"type":"tool_result","call_id":"c","content":"x"}`, false},
		{"a result of JSON", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":{"a":["REF"]}}]}`, true},
		{"openai inspect", `{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"inspect","arguments":"{}"}}]}` + "\n" + `{"role":"tool","tool_call_id":"c","content":"{\"REF\":1}"}`, false},
		{"anthropic inspect", `{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"mcp__x__inspect","input":{"blob_id":"b"}}]}` + "\n" + `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"REF"}]}`, false},
		{"gemini inspect", `{"contents":[{"role":"model","parts":[{"functionCall":{"name":"inspect","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"inspect","response":{"output":"REF"}}}]}]}`, false},
		{"items inspect", `{"type":"tool_call","call_id":"c","name":"inspect","arguments":{}}` + "\n" + `{"type":"tool_result","call_id":"c","content":"REF"}`, false},
		{"inspect beside another", `{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"inspect","input":{}},{"type":"tool_use","id":"u","name":"bash","input":{}}]}` + "\n" + `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"x"},{"type":"tool_result","tool_use_id":"u","content":"REF"}]}`, true},
		{"what a sub-agent is told", `{"type":"user","uuid":"u","sessionId":"s","isSidechain":false,"message":{"role":"user","content":"hi"}}` + "\n" + `{"type":"user","uuid":"v","sessionId":"s","isSidechain":true,"message":{"role":"user","content":"look at REF"}}`, false},
		{"a summary of a compaction", `{"type":"user","uuid":"u","sessionId":"s","isCompactSummary":true,"message":{"role":"user","content":"look at REF"}}`, false},
		{"a person of claude code", `{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":"look at REF"}}`, true},
		{"a second part", `{"role":"user","content":[{"type":"text","text":"see"},{"type":"text","text":"REF"}]}`, true},
		{"beside a result", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"x"},{"type":"text","text":"see"},{"type":"text","text":"REF"}]}`, true},
		{"codex user", `{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"REF"}]}}`, true},
		{"gemini user", `{"contents":[{"role":"user","parts":[{"text":"see"},{"text":"REF"}]}]}`, true},
		{"system", `{"messages":[{"role":"system","content":"REF"},{"role":"user","content":"x"}]}`, true},
		{"a torn end", `{"role":"tool","tool_call_id":"c","content":"REF"}` + "\n" + `{"role":"assis`, true},
	} {
		path := filepath.Join(t.TempDir(), "history")
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(c.history, "REF", ref)+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		refs, err := OpenRefs(path, func(tool string) bool { return tool == "mcp__x__inspect" })
		if err != nil {
			t.Fatal(err)
		}
		id, err := blob.ParseID(ref[len("[blob:") : len(ref)-1])
		if err != nil {
			t.Fatal(err)
		}
		if got := refs.Has(id); got != c.want {
			t.Errorf("%s: allowed %v, want %v", c.name, got, c.want)
		}
	}
}

// brokenList is a store whose list fails at a blob.
type brokenList struct {
	blob.Store
	err error
}

func (b brokenList) List(context.Context) iter.Seq2[blob.Info, error] {
	return func(yield func(blob.Info, error) bool) { yield(blob.Info{}, b.err) }
}

// An error of the store that names a blob which is not let through is told without it.
func TestErrorsNameNoOtherBlobs(t *testing.T) {
	const hidden = "01234567-89ab-7def-8123-456789abcdef"
	fault := errors.New("blob " + hidden + ": input/output error")
	for _, allowed := range []bool{false, true} {
		st := Confine(brokenList{err: fault}, func(blob.ID) bool { return allowed })
		text, isError := Tool{Store: st}.Answer(t.Context(), []byte(`{"blob_id":"12345678"}`))
		if !isError || strings.Contains(text, hidden) != allowed {
			t.Errorf("allowed %v: %q", allowed, text)
		}
	}
}

// An error repeats what the model wrote; in a history it refers to nothing all the same.
func TestErrorsAreNoReferences(t *testing.T) {
	st, ids := newStore(t, numbers(9), `{"a":"b"}`)
	for _, other := range []string{"[blob:01234567-89ab-7def-8123-456789abcdef]", "[blob:01234567-89AB-7DEF-8123-456789ABCDEF]"} {
		for _, call := range []struct{ name, input string }{
			{"inspect", `{"blob_id":"` + other + `"}`},
			{"inspect", `{"blob_id":"` + other + other + ` x"}`},
			{"inspect", `{"blob_id":"` + ids[0].String() + `","selector":["grep:` + other + `"]}`},
			{"inspect", `{"blob_id":"` + ids[0].String() + `","selector":["` + other + `"]}`},
			{"inspect", `{"blob_id":"` + ids[0].String() + `","selector":["lines:` + other + `"]}`},
			{"inspect", `{"blob_id":"` + ids[1].String() + `","selector":["key:` + other + `"]}`},
			{"inspect", `{"blob_id":"` + ids[1].String() + `","selector":["path:x|@` + other + `"]}`},
			{"inspect", `{"` + other + `":1}`},
			{other, `{}`},
		} {
			record := `{"type":"tool_use","id":"t","name":"` + call.name + `","input":` + call.input + `}`
			results, err := Tool{Store: st}.Reply(t.Context(), []byte(record))
			if err != nil || len(results) != 1 || !bytes.Contains(results[0], []byte(`"is_error":true`)) {
				t.Errorf("%s: %s, %v", record, results, err)
				continue
			}
			for id := range blob.References(results[0]) {
				t.Errorf("%s: the answer refers to %s: %s", record, id, results[0])
			}
		}
	}
}
