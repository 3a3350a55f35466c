package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The agent in shell finds the one line of a long output, and its history holds a summary of it.
func TestShellAgent(t *testing.T) {
	if _, err := exec.LookPath("jq"); err != nil {
		t.Skip("there is no jq here")
	}
	dir := t.TempDir()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(exe, filepath.Join(dir, "llmblob")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "../../examples/shell/agent.sh")
	cmd.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"), "LLMBLOB_STORE="+filepath.Join(dir, "store"))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	var messages []struct{ Role, Content string }
	for line := range strings.Lines(string(out)) {
		messages = append(messages, struct{ Role, Content string }{})
		if err := json.Unmarshal([]byte(line), &messages[len(messages)-1]); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
	}
	if len(messages) != 6 || len(out) > 2000 {
		t.Fatalf("%d messages of %d bytes:\n%s", len(messages), len(out), out)
	}
	if s := messages[2].Content; !strings.HasPrefix(s, "[blob:") || !strings.Contains(s, "text | 5000 lines") {
		t.Errorf("the command: got %q", s)
	}
	if got, want := messages[5].Content, "Found: 4001:FATAL: disk full"; got != want {
		t.Errorf("the answer: got %q, want %q", got, want)
	}
}
