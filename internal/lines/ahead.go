package lines

import "io"

// Ahead counts the lines of a file while it is written, behind the writer, on a goroutine of its own.
type Ahead struct {
	r     io.ReaderAt
	ends  chan int64
	count chan result
	ended bool
}

type result struct {
	lines int
	err   error
}

// NewAhead begins to count what r has from its beginning on, until Lines or Stop. Both and Written are for one goroutine.
func NewAhead(r io.ReaderAt) *Ahead {
	a := &Ahead{r: r, ends: make(chan int64, 1), count: make(chan result, 1)}
	go a.run()
	return a
}

// Written tells that the bytes before an offset are written and stay.
func (a *Ahead) Written(end int64) {
	select {
	case <-a.ends: // not heard yet, and further now
	default:
	}
	a.ends <- end
}

// Lines is CountReader of the size bytes that were written in all. It is called once.
func (a *Ahead) Lines(size int64) (int, error) {
	a.Written(size)
	got := a.end()
	return got.lines, got.err
}

// Stop gives the counting up; after Lines it does nothing. Nothing is read once it returns.
func (a *Ahead) Stop() {
	if !a.ended {
		a.end()
	}
}

func (a *Ahead) end() result {
	a.ended = true
	close(a.ends)
	return <-a.count
}

func (a *Ahead) run() {
	var got result
	off := int64(0)
	buf := make([]byte, countBuffer)
	last := byte('\n')
	for end := range a.ends {
		for off < end && got.err == nil {
			var n int
			n, got.err = a.r.ReadAt(buf[:min(int64(len(buf)), end-off)], off)
			if n > 0 {
				got.lines += Feeds(buf[:n])
				last = buf[n-1]
				off += int64(n)
			}
			if off == end {
				got.err = nil // io.EOF comes with the last bytes, or not
			}
		}
	}
	if got.err == io.EOF {
		got.err = io.ErrUnexpectedEOF
	}
	if last != '\n' {
		got.lines++
	}
	a.count <- got
}
