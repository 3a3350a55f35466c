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

// reader returns a reader that ends with f or with the signal, whichever is first. A regular file is read as it is, for
// reading it does not wait.
func (w *signalWatch) reader(f *os.File) io.Reader {
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		return f
	}
	return newAsyncReader(f, w.done)
}

// asyncReader reads ahead on a goroutine of its own, so that reading and writing go on side by side, and so that a Read
// that waits can be given up.
type asyncReader struct {
	chunks chan readChunk
	free   chan []byte
	done   <-chan struct{}
	cur    readChunk
	pos    int
}

type readChunk struct {
	buf []byte
	n   int
	err error
}

const (
	readAhead     = 3
	readChunkSize = 256 << 10
)

func newAsyncReader(r io.Reader, done <-chan struct{}) *asyncReader {
	a := &asyncReader{chunks: make(chan readChunk, readAhead), free: make(chan []byte, readAhead), done: done}
	for range readAhead {
		a.free <- nil
	}
	go func() {
		for buf := range a.free {
			if buf == nil {
				buf = make([]byte, readChunkSize)
			}
			n, err := r.Read(buf)
			a.chunks <- readChunk{buf, n, err}
			if err != nil {
				return
			}
		}
	}()
	return a
}

func (a *asyncReader) Read(p []byte) (int, error) {
	for a.pos == a.cur.n {
		if a.cur.err != nil {
			return 0, a.cur.err
		}
		if a.cur.buf != nil {
			a.free <- a.cur.buf
			a.cur.buf = nil
		}
		// What has come is taken before the end is heard.
		select {
		case a.cur = <-a.chunks:
		default:
			select {
			case a.cur = <-a.chunks:
			case <-a.done:
				a.cur = readChunk{err: io.EOF}
			}
		}
		a.pos = 0
	}
	n := copy(p, a.cur.buf[a.pos:a.cur.n])
	a.pos += n
	return n, nil
}
