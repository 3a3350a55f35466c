package main

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
	"time"
)

// What is read of the output once a command has ended after a signal that was passed on: what lies in the pipe. A process
// that it left and that still writes is not waited for.
const (
	drainTime  = 200 * time.Millisecond // without a byte
	drainBytes = 1 << 20                // the most that a pipe holds
)

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
