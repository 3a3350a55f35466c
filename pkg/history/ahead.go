package history

import (
	"iter"
	"runtime"
	"runtime/debug"

	"github.com/llmblob/llmblob/internal/jsonscan"
)

const (
	leastAhead  = 1 << 20    // bytes of records for which another goroutine pays
	batchLen    = 1024 << 10 // bytes of records that are handed over together
	batchValues = 4096
	batches     = 3 // one is filled, one waits, one is used
)

// batch are records taken apart, in order.
type batch struct {
	tape    jsonscan.Tape
	records []record
}

type record struct {
	value     value
	malformed *MalformedError // in place of a value
}

// all yields what values does. The records of a large history are taken apart on another goroutine, ahead of their use, which takes about
// as long. It ends before the iteration does. Unless it is lenient the first that is malformed is the last.
func (r *reader) all(lenient bool) iter.Seq2[value, *MalformedError] {
	if r.records.End-r.records.Start < leastAhead || runtime.GOMAXPROCS(0) == 1 {
		return r.values()
	}
	return func(yield func(value, *MalformedError) bool) {
		full, free := make(chan *batch), make(chan *batch, batches)
		done := make(chan struct{})
		for range batches {
			free <- &batch{}
		}
		var fault any
		go func() {
			defer close(full)
			// The bytes may be of a mapped file that became shorter: who iterates is to hear of it as if it had read them.
			defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
			defer func() { fault = recover() }()
			r.fill(lenient, full, free, done)
		}()
		defer func() {
			close(done)
			for range full { // until it has ended
			}
			if fault != nil {
				panic(fault)
			}
		}()
		for b := range full {
			for _, rec := range b.records {
				if !yield(rec.value, rec.malformed) {
					return
				}
			}
			free <- b
		}
	}
}

// fill takes all records apart, into batches that are free, until there are no more or it is done.
func (r *reader) fill(lenient bool, full chan<- *batch, free <-chan *batch, done <-chan struct{}) {
	b, start := <-free, r.records.Start
	parse := func(data []byte, at int) (*jsonscan.Tape, value, int, bool) {
		rec, end, ok := b.tape.Add(data, at)
		return &b.tape, rec, end, ok
	}
	hand := func() bool {
		select {
		case full <- b:
		case <-done:
			return false
		}
		select {
		case b = <-free:
			b.tape.Reset()
			b.records = b.records[:0]
			return true
		case <-done:
			return false
		}
	}
	for rec, malformed := range r.each(parse) {
		b.records = append(b.records, record{rec, malformed})
		_, end := rec.Span() // 0 where it is malformed
		last := malformed != nil && !lenient
		if end-start >= batchLen || len(b.records) >= batchValues || last {
			if start = max(start, end); !hand() || last {
				return
			}
		}
	}
	hand()
}
