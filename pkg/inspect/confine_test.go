package inspect

import (
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
		{"a torn end", `{"role":"tool","tool_call_id":"c","content":"REF"}` + "\n" + `{"role":"assis`, true},
	} {
		path := filepath.Join(t.TempDir(), "history")
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(c.history, "REF", ref)+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		refs, err := OpenRefs(path)
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
