// Package summarize tells what a tool output is and stands for it in a few bytes: content in, at most N bytes of
// summary out. It does no I/O and decodes nothing it does not show.
package summarize

import (
	"fmt"
	"io"
	"strings"

	"github.com/llmblob/llmblob/internal/jsonscan"
	"github.com/llmblob/llmblob/internal/lines"
)

// Type is what a content is.
type Type string

// The types of content. Everything but Text is exactly one valid JSON value.
const (
	Text       Type = "text"
	JSONArray  Type = "json_array"
	JSONObject Type = "json_object"
	JSON       Type = "json" // a JSON value that is neither array nor object
)

// As says how Scan takes the bytes.
type As string

// Auto takes bytes as JSON where the whole of them is one valid array or object, AsText never, AsJSON always.
const (
	Auto   As = "auto"
	AsText As = "text"
	AsJSON As = "json"
)

// InvalidJSONError says why and where (offset, line, column) bytes are not one JSON value.
type InvalidJSONError = jsonscan.Error

// Limits bound a summary.
type Limits struct {
	Bytes     int // of the whole summary, reference, markers and line feeds included: MinBytes to MaxBytes
	HeadLines int // first lines shown of a text: 0 or more
	TailLines int // last lines shown of a text: 1 or more
}

// The least and the most that Limits.Bytes may be, and what it is where nobody says otherwise.
const (
	MinBytes     = 160
	MaxBytes     = 64 << 10
	DefaultBytes = 400
)

// DefaultLimits are those a summary has where nobody says otherwise.
func DefaultLimits() Limits {
	return Limits{Bytes: DefaultBytes, HeadLines: 5, TailLines: 3}
}

// Validate reports the first field that is out of its range.
func (l Limits) Validate() error {
	switch {
	case l.Bytes < MinBytes || l.Bytes > MaxBytes:
		return fmt.Errorf("summary bytes %d: must be from %d to %d", l.Bytes, MinBytes, MaxBytes)
	case l.HeadLines < 0:
		return fmt.Errorf("head lines %d: must not be negative", l.HeadLines)
	case l.TailLines < 1:
		return fmt.Errorf("tail lines %d: must be at least 1, for the last line is always shown", l.TailLines)
	}
	return nil
}

// Facts are what Scan found. They refer to the scanned bytes, which must not change while the Facts are in use.
type Facts struct {
	Type  Type
	Bytes int
	Count int // lines of a text, entries of an array, keys of an object as written; 0 of another JSON value

	data   []byte
	doc    jsonscan.Doc
	limits Limits
}

// Unit names what Count counts: "lines", "entries" or "keys"; "" for a JSON value that has none.
func (f Facts) Unit() string {
	switch f.Type {
	case Text:
		return "lines"
	case JSONArray:
		return "entries"
	case JSONObject:
		return "keys"
	}
	return ""
}

// Value returns the JSON value without the white space around it; nil of a text.
func (f Facts) Value() []byte { return f.doc.Value }

// Scan classifies and counts data in one pass, in time linear in its length, and keeps what a summary within l needs.
// The error, with AsJSON alone, is an *InvalidJSONError.
func Scan(data []byte, as As, l Limits) (Facts, error) {
	return ScanReader(data, nil, as, l)
}

// ScanReader is Scan of mapped data that r reads too, where it is not nil: a large text is counted faster by reading it.
// Errors are those of r too.
func ScanReader(data []byte, r io.ReaderAt, as As, l Limits) (Facts, error) {
	if r == nil {
		return ScanCounting(data, func() (int, error) { return lines.Count(data), nil }, as, l)
	}
	return ScanCounting(data, func() (int, error) { return lines.CountReader(r, int64(len(data))) }, as, l)
}

// ScanCounting is Scan of data whose lines count counts, or has counted, where it is a text. Errors are those of count too.
func ScanCounting(data []byte, count func() (int, error), as As, l Limits) (Facts, error) {
	f := Facts{Type: Text, Bytes: len(data), data: data, limits: l}
	if as == AsJSON || as == Auto && startsContainer(data) {
		// A key line has at least the six bytes of ": null".
		doc, err := jsonscan.Scan(data, max(2, l.Bytes/6))
		if err == nil {
			f.doc, f.Count, f.Type = doc, doc.Count, typeOf(doc.Kind)
			return f, nil
		}
		if as == AsJSON {
			return Facts{}, err
		}
	}
	n, err := count()
	f.Count = n
	return f, err
}

func typeOf(k jsonscan.Kind) Type {
	switch k {
	case jsonscan.Array:
		return JSONArray
	case jsonscan.Object:
		return JSONObject
	}
	return JSON
}

func startsContainer(data []byte) bool {
	for _, c := range data {
		switch c {
		case ' ', '\t', '\r', '\n':
		default:
			return c == '{' || c == '['
		}
	}
	return false
}

// Summary returns the summary of the content under the blob's id, or without a reference where id is "". It is valid
// UTF-8, never longer than the limits given to Scan, and has no trailing line feed.
func (f Facts) Summary(id string) string {
	head := reference(id) + string(f.Type)
	if unit := f.Unit(); unit != "" {
		head = fmt.Sprintf("%s | %d %s", head, f.Count, unit)
	} else {
		head = fmt.Sprintf("%s | %s", head, f.doc.Kind)
	}
	room := f.limits.Bytes - len(head)
	var body []byte
	switch {
	case f.Type == Text && f.Count > 0:
		body = textBody(f.data, f.Count, room, f.limits)
	case f.Type == JSONArray && f.Count > 0:
		body = arrayBody(f.doc, room)
	case f.Type == JSONObject && f.Count > 0:
		body = objectBody(f.doc, room)
	case f.Type == JSON:
		body = scalarBody(f.doc, room)
	}
	return head + neutral(string(body))
}

// Custom returns text, given by someone who knows better, as the summary of the blob: cleaned, behind the reference, and
// clipped to limit bytes.
func Custom(id, text string, limit int) string {
	return clipText(reference(id)+neutral(cleanLines(text, limit)), limit)
}

func reference(id string) string {
	if id == "" {
		return ""
	}
	return "[blob:" + id + "] "
}

// neutral keeps shown text from being taken for a reference.
func neutral(text string) string { return strings.ReplaceAll(text, "[blob:", "(blob:") }
