package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"sync/atomic"
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
	pipe    *drainablePipe
	signals chan os.Signal
	now     func() time.Time
	started time.Time
	exited  chan struct{} // closed when waitErr is set
	waitErr error
}

// What is read of the output once a command has ended after a signal that was passed on: what lies in the pipe. A process
// that it left and that still writes is not waited for.
const (
	drainTime  = 200 * time.Millisecond // without a byte
	drainBytes = 1 << 20                // the most that a pipe holds
)

func startCommand(a *app, argv []string, passStderr bool) (captureSource, error) {
	if argv[0] == "" {
		return nil, &statusError{exitNoCommand, usageErrorf("run \"\": no command")}
	}
	out, in, err := os.Pipe()
	if err != nil {
		return nil, &statusError{exitSelf, err}
	}
	defer in.Close()
	s := &commandSource{signals: make(chan os.Signal, 4), now: a.now, started: a.now(), exited: make(chan struct{})}
	s.cmd = command(argv)
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = a.stdin, in, in
	if passStderr {
		s.cmd.Stderr = a.stderr
	}
	// Signals are caught before there is a command that they could miss.
	notify(s.signals)
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
	s.pipe = &drainablePipe{f: out}
	s.Reader = newAsyncReader(s.pipe, nil)
	go func() {
		s.waitErr = s.cmd.Wait()
		close(s.exited)
	}()
	go s.passSignals()
	return s, nil
}

func command(argv []string) *exec.Cmd { return exec.Command(argv[0], argv[1:]...) }

// startStatus is the status that shells give a command they cannot run; where the system has no room for one it is ours.
func startStatus(err error) int {
	for _, full := range []error{syscall.EMFILE, syscall.ENFILE, syscall.EAGAIN, syscall.ENOMEM} {
		if errors.Is(err, full) {
			return exitSelf
		}
	}
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
			signal.Stop(s.signals) // the next one means it
			s.pipe.drain()
			return
		}
	}
}

// drainablePipe reads a pipe to its end, or once it is to be drained, to where no more is in it.
type drainablePipe struct {
	f        *os.File
	draining atomic.Bool
	drained  int
}

// drain wakes a Read that waits. The file is a pipe, which takes deadlines.
func (p *drainablePipe) drain() {
	p.draining.Store(true)
	_ = p.f.SetReadDeadline(time.Now().Add(drainTime))
}

func (p *drainablePipe) Read(b []byte) (int, error) {
	for {
		draining := p.draining.Load()
		if draining {
			if p.drained >= drainBytes {
				return 0, io.EOF
			}
			_ = p.f.SetReadDeadline(time.Now().Add(drainTime))
		}
		n, err := p.f.Read(b)
		if draining {
			p.drained += n
		}
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		if draining {
			return n, io.EOF
		}
	}
}

func (s *commandSource) finish() (int, *runFacts) {
	_ = s.pipe.f.Close() // who still writes learns that nobody reads
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

// filterGrace is how long a filter may go on after the signal that ends its input.
const filterGrace = 2 * time.Second

// runFilter passes r through a shell command and returns its output, once the command has succeeded. All of r is read,
// also where the filter needs only its beginning.
func runFilter(a *app, text string, r io.Reader) (*content.Content, error) {
	filter := command([]string{"sh", "-c", text})
	ownGroup(filter) // an interrupt from the terminal is not for it
	filter.Stderr = a.stderr
	in, err := filter.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := filter.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := filter.Start(); err != nil {
		return nil, err
	}
	defer killOnSignal(filter)()
	fed := make(chan struct{})
	go func() {
		defer close(fed)
		_, _ = io.Copy(in, r) // it may have enough
		_ = in.Close()
		_, _ = io.Copy(io.Discard, r)
	}()
	c, err := content.Read(out)
	if err != nil {
		_ = out.Close()
		killGroup(filter)
		return nil, errors.Join(err, filter.Wait())
	}
	if err := filter.Wait(); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	<-fed
	return c, nil
}

// killOnSignal kills a command that does not end soon after a signal: one to end, or a second interrupt.
func killOnSignal(cmd *exec.Cmd) (stop func()) {
	signals := make(chan os.Signal, 4)
	done := make(chan struct{})
	notify(signals)
	go func() {
		for interrupts := 0; interrupts < 2; {
			select {
			case sig := <-signals:
				if interrupts++; sig != os.Interrupt {
					interrupts = 2
				}
			case <-done:
				return
			}
		}
		select {
		case <-time.After(filterGrace):
			killGroup(cmd)
		case <-done:
		}
	}()
	return func() {
		signal.Stop(signals)
		close(done)
	}
}
