//go:build unix

package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// process is llmblob as a process of its own, which reads from stdin and copies what it captures to tee.
type process struct {
	*exec.Cmd
	stdin  io.WriteCloser
	stdout bytes.Buffer
	tee    *bufio.Reader
}

// start runs llmblob, which this test binary is under that name.
func start(t *testing.T, args ...string) *process {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{Cmd: exec.Command(exe, args...)}
	p.Args[0] = "llmblob"
	p.Env = append(os.Environ(), "LLMBLOB_STORE="+filepath.Join(t.TempDir(), "store"))
	p.Cmd.Stdout = &p.stdout
	if p.stdin, err = p.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	stderr, err := p.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.tee = bufio.NewReader(stderr)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Process.Kill() })
	return p
}

// await reads what is captured until a line, so that llmblob is known to be that far.
func (p *process) await(t *testing.T, line string) {
	t.Helper()
	for {
		got, err := p.tee.ReadString('\n')
		if err != nil {
			t.Fatalf("waiting for %q: %v", line, err)
		}
		if got == line+"\n" {
			return
		}
	}
}

func (p *process) signal(t *testing.T, sig os.Signal) {
	t.Helper()
	if err := p.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
}

// end waits for the end and requires the exit status.
func (p *process) end(t *testing.T, status int) string {
	t.Helper()
	watchdog := time.AfterFunc(30*time.Second, func() { _ = p.Process.Kill() })
	defer watchdog.Stop()
	go io.Copy(io.Discard, p.tee)
	_ = p.Wait()
	if got := p.ProcessState.ExitCode(); got != status {
		t.Errorf("exit status %d (%v), want %d", got, p.ProcessState, status)
	}
	return p.stdout.String()
}

func TestASignalKeepsWhatCame(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			p := start(t, "capture", "--tee", "sh", "-c", "seq 1 1000; echo ready; exec sleep 60")
			p.await(t, "ready")
			p.signal(t, sig)
			if out := p.end(t, 128+int(sig)); !strings.Contains(out, "text | 1001 lines") {
				t.Errorf("got %q", out)
			}
		})
	}
}

func TestACommandThatHandlesTheSignal(t *testing.T) {
	p := start(t, "capture", "--tee", "sh", "-c", `trap 'seq 1 200000; exit 3' TERM; echo ready; while :; do sleep 0.02; done`)
	p.await(t, "ready")
	p.signal(t, syscall.SIGTERM)
	if out := p.end(t, 3); !strings.Contains(out, "text | 200001 lines") || !strings.HasSuffix(out, "\n200000\n") {
		t.Errorf("got %q", out)
	}
}

func TestAProcessLeftBehindIsNotWaitedForAfterASignal(t *testing.T) {
	p := start(t, "capture", "--tee", "sh", "-c", "sleep 60 & echo ready; wait")
	p.await(t, "ready")
	p.signal(t, syscall.SIGTERM)
	if out := p.end(t, 143); out != "ready\n" {
		t.Errorf("got %q", out)
	}
}

func TestTheFirstInterruptOfStandardInputIsIgnored(t *testing.T) {
	p := start(t, "capture", "--tee")
	io.WriteString(p.stdin, "one\n")
	p.await(t, "one")
	p.signal(t, os.Interrupt)
	io.WriteString(p.stdin, "two\n")
	p.await(t, "two")
	p.stdin.Close()
	if out := p.end(t, 0); out != "one\ntwo\n" {
		t.Errorf("got %q", out)
	}
}

func TestASecondInterruptEndsStandardInput(t *testing.T) {
	p := start(t, "capture", "--tee")
	io.WriteString(p.stdin, "one\n")
	p.await(t, "one")
	// Two interrupts in short order may be one to a process: lines that are copied between them give it time, and once
	// reading has ended no more of them are.
	ended := false
	for !ended {
		p.signal(t, os.Interrupt)
		for i := 0; i < 200 && !ended; i++ {
			io.WriteString(p.stdin, "more\n")
			_, err := p.tee.ReadString('\n')
			ended = err != nil
		}
	}
	if out := p.end(t, 130); !strings.Contains(out, "one\nmore\n") {
		t.Errorf("got %q", out)
	}
}

func TestATermOfStandardInputKeepsWhatCame(t *testing.T) {
	p := start(t, "capture", "--tee")
	io.WriteString(p.stdin, strings.Repeat("line\n", 1000)+"last\n")
	p.await(t, "last")
	p.signal(t, syscall.SIGTERM)
	if out := p.end(t, 143); !strings.Contains(out, "text | 1001 lines") {
		t.Errorf("got %q", out)
	}
}

// A pipe that nobody writes to does not keep store from being interrupted, and nothing is left in the store.
func TestStoreOfAPipeIsInterrupted(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, "store", fifo)
	w, err := os.OpenFile(fifo, os.O_WRONLY, 0) // waits until llmblob opens it
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	p.signal(t, os.Interrupt)
	if out := p.end(t, 130); out != "" {
		t.Errorf("got %q", out)
	}
}

// Messages are not worth an output: a standard error that nobody reads changes nothing.
func TestStandardErrorThatNobodyReads(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	defer w.Close()
	for _, store := range []string{filepath.Join(t.TempDir(), "store"), exe} {
		cmd := exec.Command(exe, "capture", "--tee", "sh", "-c", "seq 1 1000; exit 3")
		cmd.Args[0] = "llmblob"
		cmd.Env = append(os.Environ(), "LLMBLOB_STORE="+store)
		cmd.Stderr = w
		out, _ := cmd.Output()
		if status := cmd.ProcessState.ExitCode(); status != 3 || !bytes.HasSuffix(out, []byte("\n1000\n")) {
			t.Errorf("store %s: status %d, got %q", store, status, out)
		}
	}
}

func TestASignalIgnoredAtTheStartStaysIgnored(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The command sends the signal to its parent, llmblob, which nohup-like callers made deaf to it.
	cmd := exec.Command("sh", "-c", `trap '' HUP; exec "$0" capture sh -c 'kill -HUP $PPID; echo alive'`, filepath.Join(t.TempDir(), "llmblob"))
	if err := os.Symlink(exe, cmd.Args[3]); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.Output()
	if err != nil || string(out) != "alive\n" {
		t.Errorf("got %q, %v", out, err)
	}
}

// A history that nobody writes to does not keep gc from being interrupted.
func TestGcOfAPipeIsInterrupted(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, "gc", fifo)
	w, err := os.OpenFile(fifo, os.O_WRONLY, 0) // waits until llmblob opens it
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	p.signal(t, os.Interrupt)
	if out := p.end(t, 130); out != "" {
		t.Errorf("got %q", out)
	}
}
