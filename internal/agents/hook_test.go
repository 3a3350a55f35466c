package agents

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/quick"

	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/offload"
	"github.com/llmblob/llmblob/pkg/storetest"
	"github.com/llmblob/llmblob/pkg/summarize"
)

func newHook(agent Agent, st blob.Store) Hook {
	return Hook{
		Agent: agent,
		Capture: offload.CaptureOptions{Options: offload.Options{
			As: summarize.Auto, Limits: summarize.DefaultLimits(),
			NewID: func(t blob.Type, data []byte) (blob.ID, error) { return blob.ContentID(t, data), nil },
		}},
		InlineBytes: func(string) int { return offload.DefaultInlineBytes },
		Open:        func() (blob.Store, error) { return st, nil },
		Sink:        "llmblob capture",
	}
}

// payload is what an agent gives a hook, as docs/agents.md has it.
func payload(t testing.TB, event, tool string, input, response any) []byte {
	t.Helper()
	data, err := json.Marshal(map[string]any{
		"session_id": "s", "cwd": "/work", "hook_event_name": event, "tool_name": tool, "tool_input": input, "tool_response": response,
	})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

var references = regexp.MustCompile(`\[blob:([0-9a-f-]{36})\]`)

// stored are the contents of the blobs that an answer refers to.
func stored(t testing.TB, st blob.Store, answer []byte) []string {
	t.Helper()
	var contents []string
	for _, m := range references.FindAllSubmatch(answer, -1) {
		id, err := blob.ParseID(string(m[1]))
		if err != nil {
			t.Fatal(err)
		}
		b, err := st.Open(t.Context(), id)
		if err != nil {
			t.Fatalf("a reference does not resolve: %v", err)
		}
		data, err := blob.Bytes(b)
		if err != nil {
			t.Fatal(err)
		}
		contents = append(contents, string(data))
	}
	return contents
}

func long(word string) string { return strings.Repeat(word+" of a long output\n", 200) }

func TestWhatIsReplaced(t *testing.T) {
	text := func(s string) any { return map[string]any{"type": "text", "text": s} }
	out := func(stdout, stderr string) any {
		return map[string]any{"stdout": stdout, "stderr": stderr, "interrupted": false, "isImage": false}
	}
	shell := map[string]any{"command": "make"}
	for _, c := range []struct {
		name        string
		agent       Agent
		event, tool string
		input       any
		response    any
		stored      []string
	}{
		{"a command", ClaudeCode, "PostToolUse", "Bash", shell, out(long("a"), ""), []string{long("a")}},
		{"both streams", ClaudeCode, "PostToolUse", "Bash", shell, out(long("a"), long("b")), []string{long("b"), long("a")}},
		{"a short one", ClaudeCode, "PostToolUse", "Bash", shell, out("a", "b"), nil},
		{"an image", ClaudeCode, "PostToolUse", "Bash", shell, map[string]any{"stdout": long("a"), "isImage": true}, nil},
		{"in the background", ClaudeCode, "PostToolUse", "Bash", shell, map[string]any{"stdout": long("a"), "backgroundTaskId": "x"}, nil},
		{"of inspect", ClaudeCode, "PostToolUse", "Bash", map[string]any{"command": "llmblob inspect 123"}, out(long("a"), ""), nil},
		{"a web page", ClaudeCode, "PostToolUse", "WebFetch", nil, map[string]any{"code": 200, "result": long("a")}, []string{long("a")}},
		{"a search", ClaudeCode, "PostToolUse", "WebSearch", nil, map[string]any{"results": []any{map[string]any{"content": long("a")}, long("b")}}, []string{long("b")}},
		{"MCP, content blocks", ClaudeCode, "PostToolUse", "mcp__x__dump", nil, []any{text(long("a")), map[string]any{"type": "image", "data": long("b")}, text("c")}, []string{long("a")}},
		{"MCP, a string", ClaudeCode, "PostToolUse", "mcp__x__dump", nil, long("a"), []string{long("a")}},
		{"MCP, a result", ClaudeCode, "PostToolUse", "mcp__x__dump", nil, map[string]any{"content": []any{text(long("a"))}}, []string{long("a")}},
		{"the inspect tool", ClaudeCode, "PostToolUse", "mcp__llmblob__inspect", nil, []any{text(long("a"))}, nil},
		{"the list tool", ClaudeCode, "PostToolUse", "mcp__llmblob__list", nil, []any{text(long("a"))}, nil},
		{"a list tool of another server", ClaudeCode, "PostToolUse", "mcp__llmblob-docs__list", nil, []any{text(long("a"))}, []string{long("a")}},
		{"another tool of that name", ClaudeCode, "PostToolUse", "mcp__files__read_llmblob", nil, []any{text(long("a"))}, []string{long("a")}},
		{"of inspect, with flags", ClaudeCode, "PostToolUse", "Bash", map[string]any{"command": "/bin/llmblob --store /s inspect 123"}, out(long("a"), ""), nil},
		{"of a tool call", ClaudeCode, "PostToolUse", "Bash", map[string]any{"command": "jq . f | llmblob --store '/s' tool call --refs f"}, out(long("a"), ""), nil},
		{"of a file about it", ClaudeCode, "PostToolUse", "Bash", map[string]any{"command": "cat 'my-llmblob inspect log'; llmblob ls; tool call"}, out(long("a"), ""), []string{long("a")}},
		{"MCP, structured too", ClaudeCode, "PostToolUse", "mcp__x__dump", nil, map[string]any{"content": []any{text(long("a"))}, "structuredContent": map[string]any{"result": long("a")}}, nil},
		{"Gemini, the list tool", GeminiCLI, "AfterTool", "mcp_llmblob_list", nil, map[string]any{"llmContent": long("a")}, nil},
		{"a file", ClaudeCode, "PostToolUse", "Read", nil, map[string]any{"file": map[string]any{"content": long("a")}}, nil},
		{"a search in files", ClaudeCode, "PostToolUse", "Grep", nil, map[string]any{"content": long("a")}, nil},
		{"another event", ClaudeCode, "PostToolUseFailure", "Bash", shell, out(long("a"), ""), nil},
		{"another shape", ClaudeCode, "PostToolUse", "Bash", shell, long("a"), nil},
		{"Codex", Codex, "PostToolUse", "Bash", shell, long("a"), nil},
		{"Gemini, a command", GeminiCLI, "AfterTool", "run_shell_command", shell, map[string]any{"llmContent": long("a")}, []string{long("a")}},
		{"Gemini, parts", GeminiCLI, "AfterTool", "mcp_x_dump", nil, map[string]any{"llmContent": []any{map[string]any{"text": long("a")}, "b"}}, []string{long("a") + "b"}},
		{"Gemini, media", GeminiCLI, "AfterTool", "mcp_x_dump", nil, map[string]any{"llmContent": []any{map[string]any{"text": long("a")}, map[string]any{"inlineData": "b"}}}, nil},
		{"Gemini, an error", GeminiCLI, "AfterTool", "run_shell_command", shell, map[string]any{"llmContent": long("a"), "error": map[string]any{"message": "x"}}, nil},
		{"Gemini, a file", GeminiCLI, "AfterTool", "read_file", nil, map[string]any{"llmContent": long("a")}, nil},
		{"Gemini, inspect", GeminiCLI, "AfterTool", "mcp_llmblob_inspect", nil, map[string]any{"llmContent": long("a")}, nil},
	} {
		st := storetest.NewMemory()
		answer, err := newHook(c.agent, st).Answer(t.Context(), payload(t, c.event, c.tool, c.input, c.response))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if got := stored(t, st, answer); fmt.Sprint(got) != fmt.Sprint(c.stored) {
			t.Errorf("%s: got %d blobs, want %d: %s", c.name, len(got), len(c.stored), answer)
		}
		if (answer == nil) != (c.stored == nil) {
			t.Errorf("%s: got %q", c.name, answer)
		}
	}
}

// An answer keeps the bytes of a result around what it replaces.
func TestTheRestOfAResultKeepsItsBytes(t *testing.T) {
	st := storetest.NewMemory()
	input := `{ "hook_event_name":"PostToolUse", "tool_name":"Bash","tool_response" : { "stdout" : "` + strings.Repeat(`é\n`, 500) + `", "n": 1.50, "z":[ ] } }`
	answer, err := newHook(ClaudeCode, st).Answer(t.Context(), []byte(input))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		HookSpecificOutput struct {
			UpdatedToolOutput json.RawMessage `json:"updatedToolOutput"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal(answer, &got); err != nil {
		t.Fatal(err)
	}
	output := string(got.HookSpecificOutput.UpdatedToolOutput)
	if !strings.HasPrefix(output, `{ "stdout" : "[blob:`) || !strings.HasSuffix(output, `", "n": 1.50, "z":[ ] }`) {
		t.Errorf("got %s", output)
	}
	if c := stored(t, st, answer); len(c) != 1 || c[0] != strings.Repeat("é\n", 500) {
		t.Errorf("stored %q", c)
	}
}

func TestPersistedOutput(t *testing.T) {
	whole := long("whole")
	file := filepath.Join(t.TempDir(), "out.txt")
	if err := os.WriteFile(file, []byte(whole), 0o600); err != nil {
		t.Fatal(err)
	}
	response := func(path string, size int) any {
		return map[string]any{"interrupted": false, "stdout": whole[:1000], "stderr": "", "persistedOutputPath": path, "persistedOutputSize": size}
	}
	st := storetest.NewMemory()
	answer, err := newHook(ClaudeCode, st).Answer(t.Context(), payload(t, "PostToolUse", "Bash", nil, response(file, len(whole))))
	if err != nil || bytes.Contains(answer, []byte("persisted")) || !json.Valid(answer) {
		t.Errorf("%v: %s", err, answer)
	}
	if got := stored(t, st, answer); len(got) != 1 || got[0] != whole {
		t.Errorf("stored %d blobs", len(got))
	}
	dir, err := os.Stat(filepath.Dir(file))
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]any{"missing": response(file+"x", 5), "another size": response(file, 7), "a directory": response(filepath.Dir(file), int(dir.Size()))} {
		answer, err := newHook(ClaudeCode, storetest.NewMemory()).Answer(t.Context(), payload(t, "PostToolUse", "Bash", nil, r))
		if answer != nil || err == nil {
			t.Errorf("%s: got %s, %v", name, answer, err)
		}
	}
}

func TestWrapping(t *testing.T) {
	command := map[string]any{"command": "make", "timeout": 5}
	for _, c := range []struct {
		agent       Agent
		event, tool string
		input       any
		want        string
	}{
		{ClaudeCode, "PreToolUse", "Bash", command, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"set -o pipefail; make 2>&1 | llmblob capture","timeout":5}}}`},
		{Codex, "PreToolUse", "Bash", command, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"set -o pipefail; make | llmblob capture","timeout":5}}}`},
		{GeminiCLI, "BeforeTool", "run_shell_command", command, `{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"command":"set -o pipefail; make | llmblob capture","timeout":5}}}`},
		{ClaudeCode, "PreToolUse", "Bash", map[string]any{"command": "make", "run_in_background": true}, ""},
		{GeminiCLI, "BeforeTool", "run_shell_command", map[string]any{"command": "make", "is_background": true}, ""},
		{ClaudeCode, "PreToolUse", "Bash", map[string]any{"command": "make", "run_in_background": "true"}, ""},
		{GeminiCLI, "BeforeTool", "run_shell_command", map[string]any{"command": "make", "is_background": "true"}, ""},
		{ClaudeCode, "PreToolUse", "Write", command, ""},
		{Codex, "PreToolUse", "apply_patch", command, ""},
		{Codex, "PreToolUse", "Bash", map[string]any{"command": "cd x && make"}, ""},
		{Codex, "PreToolUse", "Bash", map[string]any{"command": []any{"make"}}, ""},
	} {
		h := newHook(c.agent, nil)
		input := payload(t, c.event, c.tool, c.input, nil)
		got, err := h.Answer(t.Context(), input)
		if strings.TrimSuffix(string(got), "\n") != c.want || err != nil {
			t.Errorf("%s: got %s, %v, want %s", c.agent, got, err, c.want)
		}
		if c.agent != Codex && bytes.Contains(got, []byte("allow")) {
			t.Errorf("%s: answers for the user: %s", c.agent, got)
		}
		h.Sink = ""
		if got, err := h.Answer(t.Context(), input); got != nil || err != nil {
			t.Errorf("%s, without --wrap: got %s, %v", c.agent, got, err)
		}
	}
}

// What stands for a blob already, and what inspect answered, stays however often it comes by, and adds no blob.
func TestNoLoop(t *testing.T) {
	st := storetest.NewMemory()
	h := newHook(ClaudeCode, st)
	h.InlineBytes = func(string) int { return 0 }
	h.Capture.Limits.HeadLines = 0 // a summary of a summary would be shorter
	answer, err := h.Answer(t.Context(), payload(t, "PostToolUse", "mcp__x__dump", nil, long("a")))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		HookSpecificOutput struct {
			UpdatedToolOutput string `json:"updatedToolOutput"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal(answer, &got); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		for _, input := range [][]byte{
			payload(t, "PostToolUse", "mcp__x__dump", nil, got.HookSpecificOutput.UpdatedToolOutput),
			payload(t, "PostToolUse", "mcp__llmblob__inspect", nil, long("b")),
			payload(t, "PostToolUse", "inspect", nil, long("b")),
		} {
			if answer, err := h.Answer(t.Context(), input); answer != nil || err != nil {
				t.Errorf("got %s, %v", answer, err)
			}
		}
	}
	blobs := 0
	for range st.List(t.Context()) {
		blobs++
	}
	if blobs != 1 {
		t.Errorf("%d blobs, want 1", blobs)
	}
}

func TestAFailureReplacesNothing(t *testing.T) {
	errDisk := errors.New("disk full")
	input := payload(t, "PostToolUse", "Bash", nil, map[string]any{"stdout": long("a")})
	ended, end := context.WithCancel(t.Context())
	end()
	for name, open := range map[string]func() (blob.Store, error){
		"a store that does not open": func() (blob.Store, error) { return nil, errDisk },
		"a panic":                    func() (blob.Store, error) { panic("x") },
	} {
		h := newHook(ClaudeCode, nil)
		h.Open = open
		if answer, err := h.Answer(ended, input); answer != nil || err == nil {
			t.Errorf("%s: got %s, %v", name, answer, err)
		}
	}
	h := newHook(ClaudeCode, storetest.NewMemory())
	if answer, err := h.Answer(t.Context(), append(input, " {}"...)); answer != nil || err == nil {
		t.Errorf("something behind the value: got %s, %v", answer, err)
	}
	h.InlineBytes = func(string) int { panic("x") }
	if answer, err := h.Answer(t.Context(), input); answer != nil || err == nil {
		t.Errorf("a panic of ours: got %s, %v", answer, err)
	}
}

// For any texts, what is replaced resolves to what was there, and is shorter.
func TestAnswersResolve(t *testing.T) {
	law := func(stdout, stderr string, times uint8, agent uint8) bool {
		st := storetest.NewMemory()
		a := All()[int(agent)%2*2] // those that replace
		stdout = strings.ToValidUTF8(strings.Repeat(stdout, int(times)), "")
		input := payload(t, "PostToolUse", "Bash", nil, map[string]any{"stdout": stdout, "stderr": stderr})
		if a == GeminiCLI {
			input = payload(t, "AfterTool", "run_shell_command", nil, map[string]any{"llmContent": stdout})
		}
		answer, err := newHook(a, st).Answer(t.Context(), input)
		if err != nil || answer != nil && !json.Valid(answer) {
			return false
		}
		contents := stored(t, st, answer)
		if len(stdout) > offload.DefaultInlineBytes != (len(contents) > 0) && len(stderr) <= offload.DefaultInlineBytes {
			return false
		}
		for _, c := range contents {
			if c != stdout && c != stderr || len(c) <= summarize.DefaultBytes {
				return false
			}
		}
		return true
	}
	if err := quick.Check(law, &quick.Config{MaxCount: 300}); err != nil {
		t.Error(err)
	}
}

// Whatever comes in, an answer is one JSON object or nothing, and what it refers to is there.
func FuzzAnswer(f *testing.F) {
	for _, agent := range []uint8{0, 1, 2} {
		f.Add(agent, payload(f, "PostToolUse", "Bash", nil, map[string]any{"stdout": long("a"), "stderr": long("b")}))
		f.Add(agent, payload(f, "PostToolUse", "mcp__a__b", nil, []any{map[string]any{"type": "text", "text": long("a")}}))
		f.Add(agent, payload(f, "AfterTool", "web_fetch", nil, map[string]any{"llmContent": []any{long("a")}}))
		f.Add(agent, payload(f, "PreToolUse", "Bash", map[string]any{"command": "a && b"}, nil))
		f.Add(agent, payload(f, "BeforeTool", "run_shell_command", map[string]any{"command": "a"}, nil))
		f.Add(agent, []byte(`{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_response":{"persistedOutputPath":"/","stdout":"x"}}`))
	}
	f.Fuzz(func(t *testing.T, agent uint8, input []byte) {
		st := storetest.NewMemory()
		h := newHook(All()[int(agent)%3], st)
		h.InlineBytes = func(string) int { return 0 }
		answer, err := h.Answer(t.Context(), input)
		if err != nil && answer != nil || answer != nil && (!json.Valid(answer) || answer[0] != '{') {
			t.Errorf("%q: got %q, %v", input, answer, err)
		}
		if !references.Match(input) { // else a reference may be the input's own
			stored(t, st, answer)
		}
		if bytes.HasPrefix(answer, []byte(`{"hookSpecificOutput":{"hookEventName":"PostToolUse"`)) && len(answer) > len(input)+100 {
			t.Errorf("%q: an answer of %d bytes", input, len(answer))
		}
	})
}
