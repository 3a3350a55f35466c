package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"github.com/llmblob/llmblob/internal/content"
)

// The statuses of capture that are not the command's.
const (
	exitSelf       = 125 // llmblob failed before the command ran, or could not store with --strict
	exitCannotRun  = 126
	exitNoCommand  = 127
	exitSignalBase = 128
)

// captureSource is where output comes from.
type captureSource interface {
	io.Reader
	// finish is called once the output has been read, and waits for the end. It tells the exit status, and of a command
	// the facts of its run.
	finish() (status int, run *runFacts)
}

// stdinSource is standard input. The first interrupt is ignored, as tee -i does: the program before us gets it too, and
// the end of its output decides.
type stdinSource struct {
	io.Reader
	stop *signalWatch
}

func readStdin(a *app) (captureSource, error) {
	f, err := a.input(nil)
	if err != nil {
		return nil, err
	}
	stop := watchSignals(2)
	return &stdinSource{Reader: stop.reader(f), stop: stop}, nil
}

func (s *stdinSource) finish() (int, *runFacts) {
	if s.stop.signal() == nil {
		return exitDone, nil
	}
	return s.stop.status(), nil
}

// commandSource is the output of a command that runs.
type commandSource struct {
	io.Reader
	cmd     *exec.Cmd
	out     *os.File
	signals chan os.Signal
	now     func() time.Time
	started time.Time
	exited  chan struct{} // closed when waitErr is set
	waitErr error
}

// drainTime is how long output is awaited after a command died of a signal that was passed on, from processes it left.
const drainTime = 200 * time.Millisecond

func startCommand(a *app, argv []string, passStderr bool) (captureSource, error) {
	out, in, err := os.Pipe()
	if err != nil {
		return nil, &statusError{exitSelf, err}
	}
	defer in.Close()
	s := &commandSource{out: out, signals: make(chan os.Signal, 4), now: a.now, started: a.now(), exited: make(chan struct{})}
	s.cmd = command(argv)
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = a.stdin, in, in
	if passStderr {
		s.cmd.Stderr = a.stderr
	}
	// Signals are caught before there is a command that they could miss.
	signal.Notify(s.signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err = s.cmd.Start()
	if errors.Is(err, syscall.ENOEXEC) { // a script without a first line that says who reads it
		again := command(append([]string{"sh"}, append([]string{s.cmd.Path}, argv[1:]...)...))
		again.Stdin, again.Stdout, again.Stderr = s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr
		s.cmd = again
		err = s.cmd.Start()
	}
	if err != nil {
		return nil, &statusError{startStatus(err), fmt.Errorf("run %s: %w", argv[0], reason(err))}
	}
	s.Reader = newAsyncReader(untilDeadline{out}, nil)
	go func() {
		s.waitErr = s.cmd.Wait()
		close(s.exited)
	}()
	go s.passSignals()
	return s, nil
}

func command(argv []string) *exec.Cmd { return exec.Command(argv[0], argv[1:]...) }

// startStatus is the status that shells give a command they cannot run.
func startStatus(err error) int {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		return exitNoCommand
	}
	return exitCannotRun
}

// reason takes the name of the command off an error that is told with it.
func reason(err error) error {
	var e *exec.Error
	if errors.As(err, &e) {
		return e.Err
	}
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// passSignals passes signals on to the command. Once one was, the end of the command is the end of the output: what it
// left running is not waited for.
func (s *commandSource) passSignals() {
	for passed := false; ; {
		select {
		case sig := <-s.signals:
			passed = true
			if sig != os.Interrupt || !terminalInterrupts() {
				_ = s.cmd.Process.Signal(sig) // one that has ended needs none
			}
		case <-s.exited:
			if !passed {
				<-s.signals
			}
			_ = s.out.SetReadDeadline(time.Now().Add(drainTime)) // a pipe can
			return
		}
	}
}

// untilDeadline reads a pipe, of which a deadline is the end.
type untilDeadline struct{ f *os.File }

func (u untilDeadline) Read(p []byte) (int, error) {
	n, err := u.f.Read(p)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = io.EOF
	}
	return n, err
}

func (s *commandSource) finish() (int, *runFacts) {
	_ = s.out.Close() // who still writes learns that nobody reads
	<-s.exited
	run := &runFacts{DurationMS: s.now().Sub(s.started).Milliseconds()}
	switch status, _ := s.cmd.ProcessState.Sys().(syscall.WaitStatus); {
	case s.cmd.ProcessState == nil:
		run.Exit = exitSelf
	case status.Signaled():
		run.Exit = exitSignalBase + int(status.Signal())
	default:
		run.Exit = s.cmd.ProcessState.ExitCode()
	}
	return run.Exit, run
}

// runFilter passes r through a shell command and returns its output, once the command has succeeded.
func runFilter(a *app, text string, r io.Reader) (*content.Content, error) {
	filter := command([]string{"sh", "-c", text})
	ownGroup(filter) // an interrupt from the terminal is not for it
	filter.Stdin, filter.Stderr = r, a.stderr
	out, err := filter.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := filter.Start(); err != nil {
		return nil, err
	}
	c, err := content.Read(out)
	if err != nil {
		_ = filter.Process.Kill()
	}
	if waitErr := filter.Wait(); err == nil && waitErr != nil {
		err = errors.Join(waitErr, c.Close())
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}
