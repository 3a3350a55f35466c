package selector

import (
	"io"
	"iter"

	"github.com/llmblob/llmblob/internal/jsonscan"
)

// elements yields the elements of the list as stored.
func (l list) elements() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		left := l.n
		for _, v := range jsonscan.Values(l.data) {
			if left == 0 || !yield(v) {
				return
			}
			left--
		}
	}
}

// at returns an element, nil where there is none.
func (l list) at(i int) []byte {
	for v := range l.elements() {
		if i == 0 {
			return v
		}
		i--
	}
	return nil
}

// writeTo writes the list as an array.
func (l list) writeTo(w io.Writer) (int64, error) {
	b := &batch{w: w}
	b.writeString("[")
	first := true
	for v := range l.elements() {
		if !first {
			b.writeString(",")
		}
		first = false
		b.write(v)
		if b.err != nil {
			break
		}
	}
	b.writeString("]")
	return b.flush()
}

// batch gathers small writes. After an error it takes no more.
type batch struct {
	w   io.Writer
	buf []byte
	n   int64
	err error
}

const batchSize = 32 << 10

func (b *batch) writeString(s string) {
	b.buf = append(b.buf, s...)
	b.spill()
}

func (b *batch) write(p []byte) {
	if len(p) < batchSize {
		b.buf = append(b.buf, p...)
		b.spill()
		return
	}
	b.flushBuffer()
	if b.err == nil {
		var n int64
		n, b.err = writeAll(b.w, p)
		b.n += n
	}
}

func (b *batch) spill() {
	if len(b.buf) >= batchSize {
		b.flushBuffer()
	}
}

func (b *batch) flushBuffer() {
	if b.err == nil {
		var n int
		n, b.err = b.w.Write(b.buf)
		b.n += int64(n)
	}
	b.buf = b.buf[:0]
}

// flush writes what is left and returns how much was written in all.
func (b *batch) flush() (int64, error) {
	b.flushBuffer()
	return b.n, b.err
}
