package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"time"

	"github.com/llmblob/llmblob/internal/content"
)

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
		return nil, errors.Join(err, c.Close(), filter.Wait())
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

// tee copies what is read to a writer, whose failures change nothing.
type tee struct {
	r io.Reader
	w io.Writer
}

func (t *tee) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	_, _ = t.w.Write(p[:n])
	return n, err
}
