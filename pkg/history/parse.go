package history

import (
	"bytes"
	"fmt"

	"github.com/llmblob/llmblob/internal/jsonscan"
)

// Options say how a history is read.
type Options struct {
	Format  Format // "": found by content
	Lenient bool   // lines that are no JSON are passed over
	// Behind is told, now and then, up to where the bytes will not be looked at for a while; nil: nobody is. With it the History
	// is for one goroutine.
	Behind func(off int)
}

// behindStep is after how many bytes Behind is told.
const behindStep = 8 << 20

// MalformedError tells of a line that is no JSON.
type MalformedError struct {
	Line, Column int // from 1; columns count characters
	Msg          string
	Torn         bool // the last line, cut off while it was written
}

func (e *MalformedError) Error() string {
	if e.Torn {
		return fmt.Sprintf("history: line %d, column %d: torn, its end is missing: %s", e.Line, e.Column, e.Msg)
	}
	return fmt.Sprintf("history: line %d, column %d: %s", e.Line, e.Column, e.Msg)
}

// MostMalformed is how many lines that are no JSON are told of one by one: a file can have millions.
const MostMalformed = 100

// byteOrderMark may stand before a history as some editors write it.
const byteOrderMark = "\ufeff"

// Parse finds the items of a history: records as JSON Lines, several on one line or one on several, or one JSON document
// that holds them. It keeps data, which must not change. The error is a *MalformedError. Where no dialect fits, Format is
// empty and there are no items.
func Parse(data []byte, o Options) (*History, error) {
	p := parser{builder: builder{History: History{data: data, behind: o.Behind, names: newNames()}}, lenient: o.Lenient}
	forced := byName(o.Format)
	start := 0
	if bytes.HasPrefix(data, []byte(byteOrderMark)) {
		start = len(byteOrderMark)
	}
	records := Span{start, len(data)}
	p.dialect = forced
	d := detector{among: dialects[:]}
	if o, ok := p.outline(start); ok {
		if e, ok := o.open(p.data, forced); ok {
			records, p.dialect = Span{e.records.Start + 1, e.records.End - 1}, e.dialect
			d = detector{among: e.among, hint: e.hint}
		}
	}
	if p.dialect == nil {
		p.dialect = p.detect(records, d)
	}
	if err := p.records(records); err != nil {
		return nil, err
	}
	if p.dialect != nil {
		p.Format = p.dialect.name
	}
	p.link()
	p.names.done()
	h := p.History // without the builder around it
	return &h, nil
}

// parser goes over the records.
type parser struct {
	builder
	tape    jsonscan.Tape // of the outline
	dialect *dialect
	lenient bool
}

// detect asks the first records which dialect they are of.
func (p *parser) detect(records Span, d detector) *dialect {
	for rec, err := range p.reader(records).values() {
		if err != nil && !p.lenient || err == nil && d.ask(rec) {
			break // what is wrong is told when the records are read
		}
	}
	return d.dialect()
}

// records finds the items of all records.
func (p *parser) records(records Span) error {
	for rec, malformed := range p.reader(records).all(p.lenient) {
		switch {
		case malformed != nil && !p.lenient:
			return malformed
		case malformed != nil:
			if p.Passed++; len(p.Malformed) < MostMalformed {
				p.Malformed = append(p.Malformed, malformed)
			}
		default:
			p.record()
			if p.dialect != nil {
				p.dialect.items(&p.builder, rec)
			}
		}
		p.Records++
		_, end := rec.Span()
		p.pass(end)
	}
	if p.now != 0 {
		p.before = p.now
	}
	return nil
}

func (p *parser) reader(records Span) *reader { return &reader{data: p.data, records: records} }

// Lines returns a function that tells the number of the line that an offset is on, from 1. The offsets it is asked for must
// not go down.
func (h *History) Lines() func(off int) int { return linesOf(h.data) }

func linesOf(data []byte) func(off int) int {
	at, line := 0, 1
	return func(off int) int {
		line += bytes.Count(data[at:off], []byte("\n"))
		at = off
		return line
	}
}
