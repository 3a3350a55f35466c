package history

import (
	"bytes"
	"fmt"
	"unicode/utf8"

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
		if err != nil && !p.lenient || err == nil && d.ask(rec) {
			break // what is wrong is told when the records are read
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

// values yields the values of records, whatever white space or commas are between them, and in place of a line that is no JSON an
// error. After it comes the next line.
func (p *parser) values(records Span) func(yield func(value, *MalformedError) bool) {
	return func(yield func(value, *MalformedError) bool) {
		inArray := records.End < len(p.data) && p.data[records.End] == ']'
		data := p.data[:records.End]
		lines := p.Lines()
		tight := 0 // before this offset a record is taken to end on its line, for one did not
		for at := jsonscan.SkipSpace(data, records.Start); at < len(data); at = jsonscan.SkipSpace(data, at) {
			within := data
			if at < tight {
				within = data[:lineEnd(data, at)]
			}
			rec, end, ok := p.tape.Parse(within, at)
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
			tight = max(tight, end)
			if !yield(value{}, p.malformed(data, at, end, lines(at))) {
				return
			}
			at = min(lineEnd(data, at)+1, len(data))
		}
	}
}

// malformed tells of the value at start, which is on this line and of which a fault was met at an offset.
func (p *parser) malformed(data []byte, start, fault, line int) *MalformedError {
	e := &MalformedError{Msg: p.tape.Msg()}
	ownEnd := lineEnd(data, start)
	truncated := p.tape.Truncated(fault)
	switch {
	case ownEnd < len(data) && (fault > ownEnd || truncated) && data[start] == '{' && isRecordLine(data, ownEnd):
		// A record that lacks its end takes in those that follow: the fault is its own where the next is good by itself.
		e.Msg = "the record does not end on its line"
		fault = ownEnd
	case truncated && fault >= ownEnd && ownEnd < len(data):
		e.Msg = "the record does not end on its line"
	case truncated:
		e.Torn = true
	}
	lineStart := bytes.LastIndexByte(data[:fault], '\n') + 1
	e.Line = line + bytes.Count(data[start:max(start, lineStart)], []byte("\n"))
	e.Column = 1 + utf8.RuneCount(data[lineStart:fault])
	return e
}

// lineEnd is where the line ends that an offset is on: its line feed, or the end of the data.
func lineEnd(data []byte, at int) int {
	if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(data)
}

// isRecordLine reports whether the line behind a line feed is an object and nothing else.
func isRecordLine(data []byte, lineFeed int) bool {
	line, _, _ := bytes.Cut(data[min(lineFeed+1, len(data)):], []byte("\n"))
	doc, err := jsonscan.Scan(line, 0)
	return err == nil && doc.Kind == jsonscan.Object
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
