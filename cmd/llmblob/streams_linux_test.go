package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// failingInput is an open file that gives some bytes and then fails with EIO: the memory of this process where a file is mapped,
// read beyond the end of the file.
func failingInput(t *testing.T, text string) *os.File {
	t.Helper()
	page := os.Getpagesize()
	size := (len(text) + page - 1) / page * page
	backing, err := os.Create(filepath.Join(t.TempDir(), "backing"))
	if err != nil {
		t.Fatal(err)
	}
	defer backing.Close()
	if _, err := backing.Write(append(make([]byte, size-len(text)), text...)); err != nil {
		t.Fatal(err)
	}
	mapping, err := unix.Mmap(int(backing.Fd()), 0, size+page, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(mapping) })
	f, err := os.Open("/proc/self/mem")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if _, err := f.Seek(int64(uintptr(unsafe.Pointer(unsafe.SliceData(mapping))))+int64(size-len(text)), io.SeekStart); err != nil {
		t.Fatal(err)
	}
	return f
}

// Standard input that fails midway, or that is a directory, is a fault that every command tells with its status. Nothing is made of
// what came but by capture, which loses nothing.
func TestStandardInputThatFails(t *testing.T) {
	manyProcesses(t)
	lines := strings.Repeat("a line of some length\n", 100)
	record := `{"role":"tool","tool_call_id":"c","content":` + quote(lines) + "}\n"
	call := `{"type":"tool_use","id":"t","name":"inspect","input":{"blob_id":"` + goodID + `","selector":"lines:1"}}` + "\n"
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n"
	for _, size := range []struct {
		name  string
		times int
	}{{"directory", 0}, {"at once", 0}, {"soon", 1}, {"late", 1500}} { // late: it does not fit into memory, where a stream is held first
		for _, c := range []struct {
			text   string
			args   []string
			status int
			stdout string // for each copy of the text that came
		}{
			{lines, []string{"store"}, 1, ""},
			{lines, []string{"inspect", "-"}, 1, ""},
			{lines, []string{"inspect", "-", "lines:1"}, 1, ""},
			{lines, []string{"summarize"}, 1, ""},
			{lines, []string{"capture", "--inline-bytes", "100000000"}, 1, lines},
			{"[blob:" + goodID + "]\n", []string{"refs"}, 1, ""},
			{record, []string{"project"}, 1, ""},
			{record, []string{"offload"}, 1, ""},
			{record, []string{"restore"}, 1, ""},
			{`{} //` + lines, []string{"project", "--config", "-", "/dev/null"}, 1, ""},
			{goodID + "\n", []string{"rm", "-"}, 1, ""},
			{goodID + "\n", []string{"verify", "-"}, 1, ""},
			{goodID + "\n", []string{"gc", "--older-than", "0s", "-"}, 1, ""},
			{call, []string{"tool", "call"}, 1, `{"type":"tool_result","tool_use_id":"t","content":"good\n"}` + "\n"},
			{ping, []string{"mcp"}, 1, ""},
			{ping, []string{"hook", "claude-code"}, 0, ""},
		} {
			dir := t.TempDir()
			store := filepath.Join(dir, "store")
			put(t, filepath.Join(store, goodID+".txt"), goodText)
			cmd := ownCommand(t, c.args...)
			cmd.Env = append(cmd.Environ(), "LLMBLOB_STORE="+store, "TMPDIR="+dir)
			if size.name == "directory" {
				f, err := os.Open(dir)
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				cmd.Stdin = f
			} else {
				cmd.Stdin = failingInput(t, strings.Repeat(c.text, size.times))
			}
			got := finish(t, cmd, "")
			want := strings.Repeat(c.stdout, size.times)
			if c.args[0] == "mcp" { // one answer each
				want = strings.Repeat(`{"jsonrpc":"2.0","id":1,"result":{}}`+"\n", size.times)
			}
			fault := "input/output error"
			if size.name == "directory" {
				fault = "is a directory"
			}
			if got.status != c.status || got.stdout != want || !strings.Contains(got.stderr, fault) {
				// A config that is too long is refused before the fault.
				if c.args[0] != "project" || size.name != "late" || got.status != 2 || got.stdout != "" {
					t.Errorf("%s: %q: status %d, %.300q, %.300q, want %d, %.300q", size.name, c.args, got.status, got.stdout, got.stderr, c.status, want)
				}
			}
			if entries, err := os.ReadDir(store); err != nil || len(entries) != 1 {
				t.Errorf("%s: %q: %d entries are in the store, %v", size.name, c.args, len(entries), err)
			}
			if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
				t.Errorf("%s: %q: a temporary file is left, %v", size.name, c.args, entries)
			}
		}
	}
}

// What capture cannot print inline it has stored when its input fails: the summary of what came.
func TestCaptureOfInputThatFails(t *testing.T) {
	lines := strings.Repeat("a line of some length\n", 1000)
	store := filepath.Join(t.TempDir(), "store")
	cmd := ownCommand(t, "capture", "--ids", "content")
	cmd.Env = append(cmd.Environ(), "LLMBLOB_STORE="+store)
	cmd.Stdin = failingInput(t, lines)
	got := finish(t, cmd, "")
	if got.status != 1 || !strings.Contains(got.stdout, "] text | 1000 lines") || !strings.Contains(got.stderr, "input/output error") {
		t.Fatalf("%+v", got)
	}
	if whole := runWithin(t, store, "", "cat", got.stdout[:len("[blob:]")+36]); whole.stdout != lines {
		t.Errorf("%d bytes are stored of %d", len(whole.stdout), len(lines))
	}
}

// A standard output that takes nothing is status 1 and a message; one that is closed ends the program as it ends cat.
func TestStandardOutputThatFails(t *testing.T) {
	manyProcesses(t)
	dir := t.TempDir()
	store := filepath.Join(dir, "store")
	history := filepath.Join(dir, "history")
	put(t, history, `{"role":"tool","tool_call_id":"c","content":`+quote(strings.Repeat("line\n", 1000))+"}\n[blob:"+goodID+"]\n")
	put(t, filepath.Join(dir, "home", ".claude", "settings.json"), "{}")
	for _, c := range []struct {
		stdin string
		args  []string
		quiet bool // nothing is to be printed, or whatever fails changes nothing
	}{
		{"", []string{"cat", goodID}, false},
		{"", []string{"stat", goodID}, false},
		{"", []string{"inspect", goodID}, false},
		{"", []string{"inspect", goodID, "lines:1"}, false},
		{"", []string{"inspect", goodID, "--json"}, false},
		{"", []string{"summarize", goodID}, false},
		{"", []string{"ls"}, false},
		{"", []string{"ls", "-q"}, false},
		{"", []string{"path"}, false},
		{"", []string{"path", goodID}, false},
		{"", []string{"refs", history}, false},
		{"", []string{"verify", plantedID}, false},
		{"", []string{"gc", "--dry-run", "--unreferenced-ok", "--older-than", "0s"}, false},
		{"x", []string{"store"}, false},
		{"x", []string{"store", "-q"}, false},
		{"x", []string{"capture"}, false},
		{"x", []string{"capture", "--json"}, false},
		{strings.Repeat("line\n", 1000), []string{"capture"}, false},
		{"", []string{"project", "--lenient", history}, false},
		{"", []string{"project", "--lenient", "--indices", history}, false},
		{"", []string{"project", "--print-config"}, false},
		{"", []string{"offload", "--lenient", history}, false},
		{"", []string{"restore", "--lenient", history}, false},
		{`{"type":"tool_use","id":"t","name":"inspect","input":{}}`, []string{"tool", "call"}, false},
		{"", []string{"tool", "schema", "--for", "mcp"}, false},
		{"", []string{"tool", "prompt"}, false},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, []string{"mcp"}, false},
		{"", []string{"setup", "claude-code"}, false},
		{"", []string{"schema", "prune"}, false},
		{"", []string{"--help"}, false},
		{"", []string{"--version"}, false},
		{"", []string{"help", "inspect"}, false},
		{`{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_response":{"stdout":` + quote(strings.Repeat("line\n", 1000)) + `}}`, []string{"hook", "claude-code"}, true},
	} {
		put(t, filepath.Join(store, goodID+".txt"), goodText)
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		r, closed, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		for _, out := range []*os.File{full, closed} {
			cmd := ownCommand(t, c.args...)
			cmd.Env = append(cmd.Environ(), "LLMBLOB_STORE="+store, "HOME="+filepath.Join(dir, "home"))
			cmd.Stdout = out
			got := finish(t, cmd, c.stdin)
			state := cmd.ProcessState.Sys().(syscall.WaitStatus)
			switch {
			case out == closed && (!state.Signaled() || state.Signal() != syscall.SIGPIPE):
				t.Errorf("%q into a closed pipe: %v, %q", c.args, cmd.ProcessState, got.stderr)
			case out == full && c.quiet && got.status != 0:
				t.Errorf("%q into a full device: status %d, %q", c.args, got.status, got.stderr)
			case out == full && !c.quiet && (got.status != 1 || !strings.Contains(got.stderr, "no space left on device")):
				t.Errorf("%q into a full device: status %d, %q", c.args, got.status, got.stderr)
			}
			out.Close()
		}
	}
}

// A file that shrinks while its bytes are in use is status 4 and a message, wherever the bytes are: given to the kernel, copied,
// searched or parsed.
func TestFilesThatShrink(t *testing.T) {
	manyProcesses(t)
	const lines = 3_000_000
	for _, c := range []struct {
		name string
		text string
		args []string
	}{
		{goodID + ".txt", strings.Repeat("some line\n", lines), []string{"cat", goodID}},
		{goodID + ".txt", strings.Repeat("some line\n", lines), []string{"inspect", goodID, "lines:2-"}},
		{goodID + ".txt", strings.Repeat("some line\n", lines), []string{"inspect", goodID, "grep:line"}},
		{goodID + ".json", "[1" + strings.Repeat(",1234567890", lines) + "]", []string{"inspect", goodID, "slice:1.."}},
		{goodID + ".txt", strings.Repeat(`{"role":"user","content":"0123456789"}`+"\n", lines/4), []string{"project", "./FILE"}},
		{goodID + ".txt", strings.Repeat(`{"role":"user","content":"0123456789"}`+"\n", lines/4), []string{"offload", "./FILE"}},
		{goodID + ".txt", strings.Repeat("no line\n", lines), []string{"project", "--lenient", "./FILE"}},
	} {
		store := filepath.Join(t.TempDir(), "store")
		file := filepath.Join(store, c.name)
		put(t, file, c.text)
		args := append([]string{}, c.args...)
		for i := range args {
			if args[i] == "./FILE" {
				args[i] = file
			}
		}
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd := ownCommand(t, args...)
		cmd.Env = append(cmd.Environ(), "LLMBLOB_STORE="+store)
		cmd.Stdout = w
		ends := make(chan ended, 1)
		go func() {
			defer w.Close()
			ends <- finish(t, cmd, "")
		}()
		// The first byte says that it prints, and a pipe that nobody reads holds it there.
		if _, err := r.Read(make([]byte, 1)); err != nil {
			t.Errorf("%q: %v", c.args, err)
		}
		if err := os.Truncate(file, 0); err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 1<<20)
		for err == nil {
			_, err = r.Read(buf)
		}
		r.Close()
		if got := <-ends; got.status != 4 || !strings.Contains(got.stderr, "a file became shorter while it was read") {
			t.Errorf("%q: %+v", c.args, got)
		}
	}
}
