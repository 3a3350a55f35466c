package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// endless gives a head, a body over and over, and a tail, of n bytes in all.
func endless(n int, head, body, tail string) io.Reader {
	block := strings.Repeat(body, 1+(64<<10)/len(body))
	times := (n - len(head) - len(tail)) / len(block)
	parts := []io.Reader{strings.NewReader(head)}
	for range times {
		parts = append(parts, strings.NewReader(block))
	}
	return io.MultiReader(append(parts, strings.NewReader(tail))...)
}

// What comes in may be larger than the memory there is: each command takes it, or says that it is too much.
func TestInputsLargerThanMemory(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector needs more memory than the limit")
	}
	const limit, size = 512 << 10, 530 << 20 // KiB and bytes
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text := func() io.Reader { return endless(size, "", "words and words ", "") }
	// What is held on the disk, and what takes longer, is in scripts/hostile.
	for _, c := range []struct {
		args   []string
		stdin  io.Reader
		status int
		stderr string
	}{
		{[]string{"rm", "-"}, text(), 2, "standard input, line 1: longer than 4096 bytes"},
		{[]string{"verify", "-"}, text(), 2, "standard input, line 1: longer than 4096 bytes"},
		{[]string{"tool", "call"}, text(), 4, "calls: line 1: longer than 16777216 bytes"},
		{[]string{"mcp"}, text(), 0, "a message of more than 16777216 bytes"},
		{[]string{"mcp"}, endless(size, "", `{"jsonrpc":"2.0","method":"ping","id":"`+strings.Repeat("i", 15<<20)+"\"}\n", ""), 0, ""},
		{[]string{"hook", "claude-code"}, text(), 0, "the input has more than 67108864 bytes"},
		{[]string{"project", "--config", "-", "/dev/null"}, text(), 2, "more than 1048576 bytes"},
		{[]string{"project", "--lenient"}, endless(16<<20, `{"role":"user","content":"a"}`+"\n", "{\n", ""), 0, "more that are no JSON"},
		// Many small records say nothing of how many the rest has.
		{[]string{"project"}, io.MultiReader(endless(170<<10, "", `{"role":"user","content":"a"}`+"\n", ""), endless(400<<20, `{"role":"user","content":"`, "words and words ", "\"}\n")), 0, ""},
		{[]string{"gc", "--dry-run", "-"}, text(), 0, ""},
	} {
		dir := t.TempDir()
		store := filepath.Join(dir, "store")
		put(t, filepath.Join(store, goodID+".txt"), goodText)
		cmd := exec.Command("bash", append([]string{"-c", `ulimit -d "$0"; exec -a llmblob "$@"`, strconv.Itoa(limit), exe}, c.args...)...)
		cmd.Env = append(cmd.Environ(), "LLMBLOB_STORE="+store, "TMPDIR="+dir, "GOMEMLIMIT=")
		if c.stdin != nil {
			cmd.Stdin = c.stdin
		}
		null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		cmd.Stdout = null
		got := finish(t, cmd, "")
		null.Close()
		if got.status != c.status || !strings.Contains(got.stderr, c.stderr) || c.stderr == "" && got.stderr != "" && c.args[0] != "project" && c.args[0] != "gc" {
			t.Errorf("%q: status %d, %.600q, want %d, %q", c.args, got.status, got.stderr, c.status, c.stderr)
		}
		if err := os.RemoveAll(dir); err != nil { // they are large
			t.Fatal(err)
		}
	}
}
