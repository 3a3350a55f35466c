package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"time"

	"github.com/llmblob/llmblob/pkg/offload"
)

// filterGrace is how long a filter may go on after the signal that ends its input.
const filterGrace = 2 * time.Second

// filtered is the output of a shell command that another output passes through.
type filtered struct {
	text string
	cmd  *exec.Cmd
	out  io.ReadCloser
	fed  chan struct{} // closed when all of the input has been read
	stop func()
	err  error // set at the end
}

// startFilter passes r through a shell command. All of r is read, also where the filter needs only its beginning.
func startFilter(a *app, text string, r io.Reader) (*filtered, error) {
	f := &filtered{text: text, cmd: command([]string{"sh", "-c", text}), fed: make(chan struct{})}
	ownGroup(f.cmd) // an interrupt from the terminal is not for it
	f.cmd.Stderr = a.stderr
	in, err := f.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if f.out, err = f.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := f.cmd.Start(); err != nil {
		return nil, err
	}
	f.stop = killOnSignal(f.cmd)
	go func() {
		defer close(f.fed)
		_, _ = io.Copy(in, r) // it may have enough
		_ = in.Close()
		_, _ = io.Copy(io.Discard, r)
	}()
	return f, nil
}

// Read reads what the filter lets through. The end comes only once the filter has succeeded; else the error is an
// offload.ErrWithheld.
func (f *filtered) Read(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	n, err := f.out.Read(p)
	if err == nil {
		return n, nil
	}
	f.err = io.EOF
	if waitErr := f.cmd.Wait(); waitErr != nil || err != io.EOF {
		f.err = fmt.Errorf("filter %q: %w; %w", f.text, errors.Join(waitErr, unlessEOF(err)), offload.ErrWithheld)
	} else {
		<-f.fed
	}
	f.stop()
	return n, f.err
}

func unlessEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// close ends a filter that was not read to its end.
func (f *filtered) close() {
	if f.err == nil {
		killGroup(f.cmd)
		_ = f.out.Close()
		_ = f.cmd.Wait()
		f.stop()
	}
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
