package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/llmblob/llmblob/internal/faultfs"
	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/fsstore"
)

// stepMain is llmblob that sends itself a signal before the step that LLMBLOB_TEST_STEP says, and then writes into the
// file LLMBLOB_TEST_REACHED that it came to that.
func stepMain() {
	n, err := strconv.Atoi(os.Getenv("LLMBLOB_TEST_STEP"))
	if err != nil {
		panic(err)
	}
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		panic(err)
	}
	counter := &faultfs.Counter{N: n, At: func(_ *faultfs.Call, do func() error) error {
		if err := os.WriteFile(os.Getenv("LLMBLOB_TEST_REACHED"), nil, 0o600); err != nil {
			panic(err)
		}
		if os.Getenv("LLMBLOB_TEST_SIGNAL") == "TERM" {
			err = self.Signal(syscall.SIGTERM)
		} else if err = self.Kill(); err == nil {
			select {}
		}
		if err != nil {
			panic(err)
		}
		return do()
	}}
	a := newApp()
	a.disk = faultfs.New(counter.Hook, unsynced)
	os.Exit(run(os.Args[1:], a))
}

// unsynced is the Hook of a disk that nobody need wait for.
func unsynced(c *faultfs.Call, do func() error) error {
	if c.Op == faultfs.Sync || c.Op == faultfs.SyncDir {
		return nil
	}
	return do()
}

// deed is a command that changes the store, and what is true of it however it ends. Ids are made of the contents.
type deed struct {
	args   []string
	stdin  func() string
	status int                                                              // of success
	before func(t *testing.T, st *fsstore.Store)                            // what the store has been through
	ended  func(t *testing.T, st *fsstore.Store, stdout string, status int) // however it ended of itself
	killed func(t *testing.T, st *fsstore.Store, stdout string)             // however it ended
	done   func(t *testing.T, st *fsstore.Store, stdout string)             // when it succeeded
	again  func(t *testing.T, st *fsstore.Store) (args []string)            // the second run, where it is another
	dies   bool                                                             // of SIGTERM
}

func textOf(name string) string {
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, "%s %d\n", name, i)
	}
	return b.String()
}

func idOf(name string) blob.ID { return blob.ContentID(blob.Text, []byte(textOf(name))) }

// put stores the texts of names, stored before now.
func putBlobs(t *testing.T, st *fsstore.Store, before time.Duration, names ...string) {
	t.Helper()
	for _, name := range names {
		s, err := st.Stage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Write([]byte(textOf(name))); err != nil {
			t.Fatal(err)
		}
		info, err := s.Commit(blob.Text, idOf(name))
		if err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-before)
		if err := os.Chtimes(st.BlobPath(info), at, at); err != nil {
			t.Fatal(err)
		}
	}
}

// checkHas requires that a store has the texts of names, whole.
func checkHas(t *testing.T, st *fsstore.Store, names ...string) {
	t.Helper()
	for _, name := range names {
		checkResolves(t, st, idOf(name), textOf(name))
	}
}

func checkResolves(t *testing.T, st *fsstore.Store, id blob.ID, want string) {
	t.Helper()
	b, err := st.Open(t.Context(), id)
	if err != nil {
		t.Errorf("open: %v", err)
		return
	}
	defer b.Close()
	if got, err := blob.Bytes(b); err != nil || want != "" && string(got) != want {
		t.Errorf("%s is not whole: %d bytes, %v", id, len(got), err)
	}
}

func checkGone(t *testing.T, st *fsstore.Store, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := st.Stat(t.Context(), idOf(name)); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("%s: %v, want ErrNotFound", name, err)
		}
	}
}

var references = regexp.MustCompile(`\[blob:([0-9a-f-]{36})\]`)

// checkReferences requires that whatever is printed as a reference resolves.
func checkReferences(t *testing.T, st *fsstore.Store, stdout string) {
	t.Helper()
	for _, m := range references.FindAllStringSubmatch(stdout, -1) {
		id, err := blob.ParseID(m[1])
		if err != nil {
			t.Fatal(err)
		}
		checkResolves(t, st, id, "")
	}
}

// given requires that an output is in the history, or its reference.
func given(t *testing.T, st *fsstore.Store, stdout string, status int) {
	t.Helper()
	switch {
	case strings.HasPrefix(stdout, "[blob:"+idOf("output").String()+"]"):
		checkHas(t, st, "output")
	case stdout != textOf("output"):
		t.Errorf("status %d, and the output is lost: got %q", status, stdout)
	}
}

func summarized(t *testing.T, st *fsstore.Store, stdout string) {
	t.Helper()
	if !strings.HasPrefix(stdout, "[blob:"+idOf("output").String()+"]") {
		t.Errorf("got %q, want the summary", stdout)
	}
	checkHas(t, st, "output")
}

// session is a history with two results, in a form of no name but that of llmblob itself.
func session() string {
	line := func(id, text string) string {
		return fmt.Sprintf(`{"type":"tool_result","call_id":%q,"output":%q}`, id, text) + "\n"
	}
	return line("1", textOf("first")) + line("2", textOf("second")) + `{"type":"message","role":"assistant","content":"seen"}` + "\n"
}

func deeds(t *testing.T) map[string]deed {
	dir := t.TempDir()
	file, history := filepath.Join(dir, "output"), filepath.Join(dir, "history")
	if err := errors.Join(os.WriteFile(file, []byte(textOf("output")), 0o600), os.WriteFile(history, []byte("[blob:"+idOf("referenced").String()+"]"), 0o600)); err != nil {
		t.Fatal(err)
	}
	earlier := func(t *testing.T, st *fsstore.Store) { putBlobs(t, st, 0, "earlier") }
	printed := func(t *testing.T, st *fsstore.Store, stdout string) {
		if stdout == idOf("output").String()+"\n" {
			checkHas(t, st, "output")
		} else if stdout != "" {
			t.Errorf("got %q", stdout)
		}
	}
	storeDone := func(t *testing.T, st *fsstore.Store, stdout string) {
		if stdout == "" {
			t.Error("no id is printed")
		}
		checkHas(t, st, "output")
	}
	return map[string]deed{
		"store, the first": {args: []string{"store", "-q", "--ids", "content", file}, killed: printed, done: storeDone},
		"store":            {args: []string{"store", "-q", "--ids", "content", file}, before: earlier, killed: printed, done: storeDone},
		"store, of what is there": {
			args: []string{"store", "-q", "--ids", "content", file}, killed: printed, done: storeDone,
			before: func(t *testing.T, st *fsstore.Store) { putBlobs(t, st, 48*time.Hour, "output", "earlier") },
		},
		"capture, of standard input": {
			args: []string{"capture", "--ids", "content"}, stdin: func() string { return textOf("output") },
			before: earlier, ended: given, killed: checkReferences, done: summarized,
		},
		"capture, of a command": {
			args: []string{"capture", "--ids", "content", "sh", "-c", "cat " + file + "; exit 3"}, status: 3,
			before: earlier, ended: given, killed: checkReferences, done: summarized,
		},
		"offload": {
			args: []string{"offload"}, stdin: session, before: earlier, dies: true,
			ended: func(t *testing.T, st *fsstore.Store, stdout string, status int) {
				if status == 1 && stdout != session() {
					t.Errorf("the history is not as it came: %q", stdout)
				}
			},
			killed: func(t *testing.T, st *fsstore.Store, stdout string) {
				checkReferences(t, st, stdout)
				if n := len(references.FindAllString(stdout, -1)); stdout != "" && stdout != session() && n != 2 {
					t.Errorf("the history is neither as it came nor offloaded: %q", stdout)
				}
			},
			done: func(t *testing.T, st *fsstore.Store, stdout string) {
				if n := len(references.FindAllString(stdout, -1)); n != 2 {
					t.Errorf("%d references, want 2: %q", n, stdout)
				}
				checkHas(t, st, "first", "second")
			},
		},
		"project": {
			args:  []string{"project", "--set", "omit=summary", "--set", "protected_tokens=0", "--set", "min_savings=0"},
			stdin: session, before: earlier, dies: true,
			killed: func(t *testing.T, st *fsstore.Store, stdout string) {
				checkReferences(t, st, stdout)
				if n := len(references.FindAllString(stdout, -1)); stdout != "" && n != 2 {
					t.Errorf("the projection is printed and not complete: %q", stdout)
				}
			},
			done: func(t *testing.T, st *fsstore.Store, stdout string) {
				if n := len(references.FindAllString(stdout, -1)); n != 2 {
					t.Errorf("%d references, want 2: %q", n, stdout)
				}
				checkHas(t, st, "first", "second")
			},
		},
		"rm": {
			args: []string{"rm", idOf("first").String(), idOf("second").String()}, dies: true,
			before: func(t *testing.T, st *fsstore.Store) { putBlobs(t, st, 0, "earlier", "first", "second") },
			killed: func(*testing.T, *fsstore.Store, string) {},
			done:   func(t *testing.T, st *fsstore.Store, _ string) { checkGone(t, st, "first", "second") },
			again: func(t *testing.T, st *fsstore.Store) []string {
				args := []string{"rm"}
				for _, name := range []string{"first", "second"} {
					if _, err := st.Stat(t.Context(), idOf(name)); err == nil {
						args = append(args, idOf(name).String())
					}
				}
				if len(args) == 1 {
					return nil
				}
				return args
			},
		},
		"gc": {
			args: []string{"gc", history},
			before: func(t *testing.T, st *fsstore.Store) {
				putBlobs(t, st, 48*time.Hour, "referenced", "first", "second")
				putBlobs(t, st, 0, "earlier")
				left := filepath.Join(st.Path(), ".tmp-left")
				at := time.Now().Add(-48 * time.Hour)
				if err := errors.Join(os.WriteFile(left, nil, 0o600), os.Chtimes(left, at, at)); err != nil {
					t.Fatal(err)
				}
			},
			killed: func(t *testing.T, st *fsstore.Store, stdout string) {
				checkHas(t, st, "referenced")
				for _, name := range []string{"first", "second"} {
					if strings.Contains(stdout, idOf(name).String()) {
						checkGone(t, st, name)
					}
				}
			},
			done: func(t *testing.T, st *fsstore.Store, _ string) { checkGone(t, st, "first", "second") },
		},
	}
}

// checkStore requires what is true of a store whatever befell it: the earlier blob is there, all that is there is whole,
// and what is left over is but temporary files, which are collected.
func checkStore(t *testing.T, st *fsstore.Store, d deed) {
	t.Helper()
	if d.before != nil {
		checkHas(t, st, "earlier")
	}
	names := []string{"earlier", "output", "first", "second", "referenced"}
	for info, err := range st.List(t.Context()) {
		i := slices.IndexFunc(names, func(name string) bool { return idOf(name) == info.ID })
		if err != nil || i < 0 {
			t.Fatalf("listed: %+v, %v", info, err)
		}
		checkHas(t, st, names[i])
	}
	for f, err := range st.Audit(t.Context()) {
		if err != nil || !strings.HasPrefix(f.Name, ".tmp-") {
			t.Errorf("left: %+v, %v", f, err)
		}
	}
}

func openUnsynced(t *testing.T, path string) *fsstore.Store {
	t.Helper()
	st, err := fsstore.New(path, fsstore.Options{FS: faultfs.New(unsynced)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	return st
}

// finish does a deed once more, and requires that it succeeds and that nothing is left over.
func finishDeed(t *testing.T, d deed, st *fsstore.Store) {
	t.Helper()
	args := d.args
	if d.again != nil {
		args = d.again(t, st)
	}
	if args != nil {
		stdout, stderr, status := runHere(t, st.Path(), args, d.stdin, faultfs.New(unsynced))
		if status != d.status || stderr != "" && args[0] != "gc" {
			t.Errorf("again: status %d, want %d\n%s", status, d.status, stderr)
		}
		d.done(t, st, stdout)
	}
	if _, _, err := st.CollectStaged(t.Context(), time.Now().Add(time.Hour), false); err != nil {
		t.Error(err)
	}
	for f, err := range st.Audit(context.Background()) {
		t.Errorf("left: %+v, %v", f, err)
	}
}

// runHere runs a command in this process.
func runHere(t *testing.T, store string, args []string, stdin func() string, disk *faultfs.FS) (stdout, stderr string, status int) {
	t.Helper()
	dir := faultfs.TempDir(t)
	in, err := os.Create(filepath.Join(dir, "in"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if stdin != nil {
		if _, err := io.WriteString(in, stdin()); err != nil {
			t.Fatal(err)
		}
		if _, err := in.Seek(0, io.SeekStart); err != nil {
			t.Fatal(err)
		}
	}
	a := &app{stdin: in, now: time.Now, newID: blob.NewID, disk: disk}
	a.getenv = func(name string) string { return map[string]string{"LLMBLOB_STORE": store}[name] }
	var outs [2][]byte
	files := make([]*os.File, 2)
	for i, name := range []string{"out", "err"} {
		if files[i], err = os.Create(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		defer files[i].Close()
	}
	a.stdout, a.stderr = files[0], files[1]
	status = run(args, a)
	for i, name := range []string{"out", "err"} {
		if outs[i], err = os.ReadFile(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return string(outs[0]), string(outs[1]), status
}

// Each step of each command fails in each way that it can. The exit status says so, and whose the data are has them.
func TestCommandsMeetFaults(t *testing.T) {
	count := 0
	for name, d := range deeds(t) {
		t.Run(name, func(t *testing.T) {
			clean := &faultfs.Counter{}
			meet(t, d, clean)
			for i, step := range clean.Steps() {
				for _, fault := range faultfs.Faults() {
					if fault.Befalls(step.Op) {
						t.Run(fmt.Sprintf("%d %s %s", i+1, step.Op, fault.Name), func(t *testing.T) { meet(t, d, fault.At(i+1)) })
						count++
					}
				}
			}
		})
	}
	t.Attr("steps-x-faults", fmt.Sprint(count))
}

func meet(t *testing.T, d deed, counter *faultfs.Counter) {
	path := filepath.Join(faultfs.TempDir(t), "a", "store")
	st := openUnsynced(t, path)
	if d.before != nil {
		d.before(t, st)
	}
	before := faultfs.OpenFiles()
	stdout, stderr, status := runHere(t, path, d.args, d.stdin, faultfs.New(counter.Hook, unsynced))
	for _, file := range before.Left() {
		t.Errorf("left open: %s", file)
	}
	if counter.N > 0 && len(counter.Failed()) == 0 {
		t.Fatal("the fault was not reached")
	}
	d.killed(t, st, stdout)
	if d.ended != nil {
		d.ended(t, st, stdout, status)
	}
	complete := status == d.status && !strings.Contains(stderr, "warning")
	switch {
	case complete:
		d.done(t, st, stdout)
	case d.status != 0 && status == d.status: // that of the command, and a warning
	case status != exitFailed || !strings.Contains(stderr, "llmblob: error: "):
		t.Errorf("status %d, and on standard error %q", status, stderr)
	}
	if counter.N == 0 && !complete {
		t.Errorf("without a fault: status %d, %q", status, stderr)
	}
	checkStore(t, st, d)
	finishDeed(t, d, st)
}

// A process is killed, or asked to end, before each of its steps. What it had printed resolves, what is visible is whole,
// and the command can be given again. Asked to end it gives what it has, or keeps it.
func TestProcessesEndBeforeEachStep(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	kills := 0
	for name, d := range deeds(t) {
		for _, signal := range []string{"KILL", "TERM"} {
			t.Run(name+" "+signal, func(t *testing.T) {
				for n, reached := 1, true; reached; n++ {
					t.Run(strconv.Itoa(n), func(t *testing.T) { reached = end(t, exe, d, signal, n) })
					if reached {
						kills++
					} else if n == 1 {
						t.Error("there are no steps")
					}
				}
			})
		}
	}
	t.Attr("kills", fmt.Sprint(kills))
}

// end does a deed in a process that gets a signal before step n, and reports whether it came to that.
func end(t *testing.T, exe string, d deed, signal string, n int) (reached bool) {
	dir := faultfs.TempDir(t)
	path, mark := filepath.Join(dir, "a", "store"), filepath.Join(dir, "reached")
	st := openUnsynced(t, path)
	if d.before != nil {
		d.before(t, st)
	}
	cmd := exec.Command(exe, d.args...)
	cmd.Args[0] = "llmblob-step"
	// The race detector would wait a second at the end of each.
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0", "LLMBLOB_STORE="+path, "LLMBLOB_TEST_STEP="+strconv.Itoa(n), "LLMBLOB_TEST_SIGNAL="+signal, "LLMBLOB_TEST_REACHED="+mark)
	if d.stdin != nil {
		cmd.Stdin = strings.NewReader(d.stdin())
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	_, markErr := os.Stat(mark)
	reached = markErr == nil
	status := cmd.ProcessState.ExitCode()
	d.killed(t, st, stdout.String())
	switch {
	case status == d.status:
		d.done(t, st, stdout.String())
	case !reached:
		t.Errorf("it ended of itself: status %d\n%s", status, stderr.String())
	case signal == "TERM" && status != 143 && !(d.dies && status < 0):
		t.Errorf("asked to end: status %d\n%s", status, stderr.String())
	case signal == "KILL" && status >= 0:
		t.Errorf("killed: status %d\n%s", status, stderr.String())
	}
	if d.ended != nil && status >= 0 {
		d.ended(t, st, stdout.String(), status)
	}
	checkStore(t, st, d)
	finishDeed(t, d, st)
	return reached
}
