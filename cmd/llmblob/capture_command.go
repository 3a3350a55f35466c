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
)

// commandSource is the output of a command that runs.
type commandSource struct {
	io.Reader
	cmd     *exec.Cmd
	pipe    *drainablePipe
	signals chan os.Signal
	now     func() time.Time
	started time.Time
	exited  chan struct{} // closed at its end
}

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
		signal.Stop(s.signals)
		_ = out.Close()
		return nil, &statusError{startStatus(err), fmt.Errorf("run %s: %w", argv[0], reason(err))}
	}
	s.pipe = &drainablePipe{f: out}
	s.Reader = newAsyncReader(s.pipe, nil, nil)
	go func() {
		_ = s.cmd.Wait() // its state says all
		close(s.exited)
	}()
	go s.passSignals()
	return s, nil
}

// command is a command found as a shell finds it, in the directory of now too where PATH says so.
func command(argv []string) *exec.Cmd {
	cmd := exec.Command(argv[0], argv[1:]...)
	if errors.Is(cmd.Err, exec.ErrDot) {
		cmd.Err = nil
	}
	return cmd
}

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
