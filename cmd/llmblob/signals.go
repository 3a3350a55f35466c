package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// signalWatch ends the reading of input at a signal, so that what came is not lost.
type signalWatch struct {
	done chan struct{} // closed when reading must end

	mu     sync.Mutex
	caught os.Signal // the one that ended it
}

// watchSignals watches from now on. Of interrupts the first ones, before the given count, are ignored.
func watchSignals(interrupts int) *signalWatch {
	w := &signalWatch{done: make(chan struct{})}
	ch := make(chan os.Signal, 4)
	notify(ch)
	go func() {
		for sig := range ch {
			if sig == os.Interrupt {
				if interrupts--; interrupts > 0 {
					continue
				}
			}
			w.mu.Lock()
			w.caught = sig
			w.mu.Unlock()
			signal.Stop(ch) // the next one means it
			close(w.done)
			return
		}
	}()
	return w
}

// notify asks for the signals that end a run, those aside that we were started to ignore, as by nohup.
func notify(ch chan<- os.Signal) {
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(sig) {
			signal.Notify(ch, sig)
		}
	}
}

// signal returns the signal that ended the reading, or nil.
func (w *signalWatch) signal() os.Signal {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.caught
}

// status is the exit status after the signal.
func (w *signalWatch) status() int {
	if sig, ok := w.signal().(syscall.Signal); ok {
		return 128 + int(sig)
	}
	return exitInterrupted
}

// context returns a context that ends with the signal.
func (w *signalWatch) context(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(parent)
	go func() {
		select {
		case <-w.done:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// open is os.Open that the signal ends too, for to open a pipe is to wait for its writer.
func (w *signalWatch) open(name string) (*os.File, error) {
	type result struct {
		f   *os.File
		err error
	}
	opened := make(chan result, 1)
	go func() {
		f, err := openFile(name)
		opened <- result{f, err}
	}()
	select {
	case r := <-opened:
		return r.f, r.err
	case <-w.done:
		return nil, context.Canceled
	}
}

// reader returns a reader that ends with f, or with endErr at the signal, whichever is first. A regular file is read as it
// is, for reading it does not wait.
func (w *signalWatch) reader(f *os.File, endErr error) io.Reader {
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		return f
	}
	return newAsyncReader(f, w.done, endErr)
}
