package history

import (
	"bytes"
	"iter"
	"unicode/utf8"

	"github.com/llmblob/llmblob/internal/jsonscan"
)

// reader takes the records of a history apart.
type reader struct {
	data    []byte
	records Span
	tape    jsonscan.Tape
}

// values yields the values of records, whatever white space or commas are between them, and in place of a line that is no JSON an
// error. After it comes the next line. A value is good until the next.
func (r *reader) values() iter.Seq2[value, *MalformedError] {
	return r.each(func(data []byte, at int) (*jsonscan.Tape, value, int, bool) {
		rec, end, ok := r.tape.Parse(data, at)
		return &r.tape, rec, end, ok
	})
}

// parseFunc takes the value at an offset apart, as Tape.Parse does, and tells on which tape.
type parseFunc func(data []byte, at int) (tape *jsonscan.Tape, rec value, end int, ok bool)

func (r *reader) each(parse parseFunc) iter.Seq2[value, *MalformedError] {
	return func(yield func(value, *MalformedError) bool) {
		inArray := r.records.End < len(r.data) && r.data[r.records.End] == ']'
		data := r.data[:r.records.End]
		lines := linesOf(r.data)
		tight := 0 // before this offset a record is taken to end on its line, for one did not
		for at := jsonscan.SkipSpace(data, r.records.Start); at < len(data); at = jsonscan.SkipSpace(data, at) {
			within := data
			if at < tight {
				within = data[:lineEnd(data, at)]
			}
			tape, rec, end, ok := parse(within, at)
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
			if !yield(value{}, malformed(tape, data, at, end, lines(at))) {
				return
			}
			at = min(lineEnd(data, at)+1, len(data))
		}
	}
}

// malformed tells of the value at start, which is on this line and of which a fault was met at an offset.
func malformed(tape *jsonscan.Tape, data []byte, start, fault, line int) *MalformedError {
	e := &MalformedError{Msg: tape.Msg()}
	ownEnd := lineEnd(data, start)
	truncated := tape.Truncated(fault)
	switch {
	case ownEnd < len(data) && (fault > ownEnd || truncated) && data[start] == '{' && isRecordLine(data, ownEnd):
		// A record that lacks its end takes in those that follow: the fault is its own where the next is good by itself.
		e.Msg = "the record does not end on its line"
		fault = ownEnd
	case truncated && fault >= ownEnd && ownEnd < len(data):
		e.Msg = "the record does not end on its line"
		fault = len(bytes.TrimRight(data[:fault], " \t\r\n")) // the lines that are empty have no fault
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
