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
		return fmt.Sprintf("history: line %d is torn, its end is missing: %s", e.Line, e.Msg)
	}
	return fmt.Sprintf("history: line %d, column %d: %s", e.Line, e.Column, e.Msg)
}

// byteOrderMark may stand before a history as some editors write it.
const byteOrderMark = "\ufeff"

// Parse finds the items of a history: records as JSON Lines, several on one line or one on several, or one JSON document
// that holds them. It keeps data, which must not change. The error is a *MalformedError. Where no dialect fits, Format is
// empty and there are no items.
func Parse(data []byte, o Options) (*History, error) {
	p := parser{builder: builder{History: History{data: data, behind: o.Behind}}, lenient: o.Lenient}
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
	return &p.History, nil
}

// parser goes over the records.
type parser struct {
	builder
	tape    jsonscan.Tape
	dialect *dialect
	lenient bool
}

// detect asks the first records which dialect they are of.
func (p *parser) detect(records Span, d detector) *dialect {
	for rec, err := range p.values(records) {
		if err == nil && d.ask(rec) {
			break
		}
	}
	return d.dialect()
}

// records finds the items of all records.
func (p *parser) records(records Span) error {
	for rec, malformed := range p.values(records) {
		switch {
		case malformed != nil && !p.lenient:
			return malformed
		case malformed != nil:
			p.Malformed = append(p.Malformed, malformed)
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

// values yields the values of records, whatever white space or commas are between them, and in place of a line that is no JSON an
// error. After it comes the next line.
func (p *parser) values(records Span) func(yield func(value, *MalformedError) bool) {
	return func(yield func(value, *MalformedError) bool) {
		inArray := records.End < len(p.data) && p.data[records.End] == ']'
		data := p.data[:records.End]
		for at := jsonscan.SkipSpace(data, records.Start); at < len(data); at = jsonscan.SkipSpace(data, at) {
			rec, end, ok := p.tape.Parse(data, at)
			if ok {
				if !yield(rec, nil) {
					return
				}
				at = end
				if inArray && at < len(data) {
					if at = jsonscan.SkipSpace(data, at); at < len(data) && data[at] == ',' {
						at++
					}
				}
				continue
			}
			malformed, next := p.malformed(data, at, end)
			if !yield(value{}, malformed) {
				return
			}
			at = next
		}
	}
}

// malformed tells of the value at start, of which a fault was met at an offset, and where to go on: at the next line.
func (p *parser) malformed(data []byte, start, fault int) (*MalformedError, int) {
	at := p.tape.Err(fault)
	e := &MalformedError{Msg: at.Msg}
	lineEnd := len(data)
	if i := bytes.IndexByte(data[start:], '\n'); i >= 0 {
		lineEnd = start + i
	}
	next := min(lineEnd+1, len(data))
	switch {
	case lineEnd < len(data) && (fault > lineEnd || p.tape.Truncated(fault)) && data[start] == '{' && isRecordLine(data, lineEnd):
		// A record that lacks its end takes in those that follow: the fault is its own where the next is good by itself.
		e.Msg = "the record does not end on its line"
		fault = lineEnd
	case p.tape.Truncated(fault):
		e.Torn = true
	}
	e.Line, e.Column = place(data, fault)
	return e, next
}

// isRecordLine reports whether the line behind a line feed is an object and nothing else.
func isRecordLine(data []byte, lineFeed int) bool {
	line, _, _ := bytes.Cut(data[min(lineFeed+1, len(data)):], []byte("\n"))
	doc, err := jsonscan.Scan(line, 0)
	return err == nil && doc.Kind == jsonscan.Object
}

// place is the line and the column of an offset.
func place(data []byte, off int) (line, column int) {
	before := data[:off]
	start := bytes.LastIndexByte(before, '\n') + 1
	return 1 + bytes.Count(before, []byte("\n")), 1 + len(bytes.Runes(before[start:]))
}

// Lines returns a function that tells the number of the line that an offset is on, from 1. The offsets it is asked for must
// not go down.
func (h *History) Lines() func(off int) int {
	at, line := 0, 1
	return func(off int) int {
		line += bytes.Count(h.data[at:off], []byte("\n"))
		at = off
		return line
	}
}
