package main

import "io"

// asyncReader reads ahead on a goroutine of its own, so that reading and writing go on side by side, and so that a Read
// that waits can be given up.
type asyncReader struct {
	chunks chan readChunk
	free   chan []byte
	done   <-chan struct{} // given up: what Read says then is endErr
	endErr error
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

func newAsyncReader(r io.Reader, done <-chan struct{}, endErr error) *asyncReader {
	a := &asyncReader{chunks: make(chan readChunk, readAhead), free: make(chan []byte, readAhead), done: done, endErr: endErr}
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
				a.cur = readChunk{err: a.endErr}
			}
		}
		a.pos = 0
	}
	n := copy(p, a.cur.buf[a.pos:a.cur.n])
	a.pos += n
	return n, nil
}
