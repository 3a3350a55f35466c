package selector

import (
	"bytes"
	"fmt"
	"io"

	"github.com/llmblob/llmblob/internal/jsonscan"
	"github.com/llmblob/llmblob/internal/lines"
)

// Kind says how Select takes the bytes of a Source.
type Kind uint8

// The kinds of sources.
const (
	Text      Kind = iota
	JSON           // exactly one JSON value; it is validated where a selector needs more than its bytes
	ValidJSON      // exactly one JSON value without white space around it that has been validated
	Auto           // JSON where the whole is one valid array or object, else Text
)

// Source is what the first selector works on.
type Source struct {
	Data []byte
	Kind Kind
}

// Options change what selectors give.
type Options struct {
	Context int // lines around a match of grep
}

// InvalidJSONError says why and where bytes that should be JSON are not.
type InvalidJSONError = jsonscan.Error

// MisfitError says that a selector does not fit what it works on.
type MisfitError struct {
	Selector string
	Have     string   // what it works on
	Fits     []string // names of the selectors that fit that
}

func (e *MisfitError) Error() string {
	return fmt.Sprintf("selector %q does not fit %s", clipped(e.Selector), e.Have)
}

// EmptyError says that a selector chose nothing, and what there is.
type EmptyError struct {
	Selector string
	Msg      string
}

func (e *EmptyError) Error() string {
	return fmt.Sprintf("selector %q: %s", clipped(e.Selector), e.Msg)
}

// form is the shape that a selection has.
type form uint8

const (
	formText  form = iota // bytes [off, end) of origin
	formValue             // one JSON value as stored, raw
	formList              // an array of elements that are stored, though not as this array
	formGrep              // the output of grep, not made yet
	formKeys              // the list of the members of the object in raw, not made yet
)

// Selection is what selectors chose. It refers to the bytes of the Source and reads them when it is written.
type Selection struct {
	form     form
	origin   []byte // what line numbers count in
	off, end int
	raw      []byte
	doc      *jsonscan.Doc // what the pass that validated raw found for the first selector; nil: none did
	list     list
	grep     *grep
	span     span
}

// list is a run of stored elements.
type list struct {
	data []byte // from the first element on
	n    int
}

// span is where a selection lies in what its last selector worked on; unit is "" where that chose no range.
type span struct {
	unit       string
	off, end   int // of the input in origin, for lines and bytes
	from, size int // of the first entry, among how many
}

// Select applies selectors one after the other, each to the result of the one before. With none it gives the whole.
// Errors are a *MisfitError, an *EmptyError, an *InvalidJSONError, or one about a path.
func Select(src Source, opts Options, sels ...Selector) (Selection, error) {
	cur, err := begin(src, sels)
	for _, s := range sels {
		if err != nil {
			break
		}
		cur, err = cur.apply(s, opts)
	}
	if err != nil {
		return Selection{}, err
	}
	return cur, nil
}

func begin(src Source, sels []Selector) (Selection, error) {
	text := Selection{origin: src.Data, end: len(src.Data)}
	first := jsonscan.SkipSpace(src.Data, 0)
	isString := first < len(src.Data) && src.Data[first] == '"'
	onBytes := len(sels) > 0 && sels[0].onBytes()
	switch src.Kind {
	case ValidJSON:
		return Selection{form: formValue, raw: src.Data}, nil
	case JSON:
		if onBytes && !isString {
			return text, nil
		}
		doc, err := jsonscan.ScanFor(src.Data, wanted(sels))
		if err != nil {
			return Selection{}, fmt.Errorf("invalid JSON: %w", err)
		}
		return Selection{form: formValue, raw: doc.Value, doc: &doc}, nil
	case Auto:
		if onBytes || isString {
			return text, nil
		}
		if doc, err := jsonscan.ScanFor(src.Data, wanted(sels)); err == nil && doc.Kind >= jsonscan.Array {
			return Selection{form: formValue, raw: doc.Value, doc: &doc}, nil
		}
	}
	return text, nil
}

// wanted is what the first selector needs to know, which is found while the value is validated: once over the bytes, not twice.
func wanted(sels []Selector) jsonscan.Want {
	if len(sels) == 0 {
		return jsonscan.Want{}
	}
	switch s := sels[0]; s.op {
	case opKey:
		return jsonscan.Want{Member: &s.arg}
	case opSlice, opHead, opTail:
		return jsonscan.Want{Places: true}
	}
	return jsonscan.Want{}
}

func (c Selection) apply(s Selector, opts Options) (Selection, error) {
	kind, isJSON := c.kind()
	switch s.op {
	case opLines, opBytes, opGrep:
		return c.onBytes(s, opts)
	case opHead, opTail:
		if isJSON && kind == jsonscan.Array {
			return c.slice(s)
		}
		if !isJSON || kind == jsonscan.String {
			return c.onBytes(s, opts)
		}
	case opSlice:
		if isJSON && kind == jsonscan.Array {
			return c.slice(s)
		}
	case opKey:
		if isJSON && kind == jsonscan.Object {
			return c.key(s)
		}
	case opKeys:
		if isJSON && kind >= jsonscan.Array {
			return c.keys(s)
		}
	case opPath:
		if isJSON {
			return c.path(s)
		}
	case opJSON:
		if !isJSON || kind == jsonscan.String {
			return c.parse(s)
		}
		c.doc = nil // it has what this selector needs, not the next
		return c, nil
	}
	return Selection{}, &MisfitError{Selector: s.String(), Have: c.describe(), Fits: c.fits()}
}

// kind tells what the selection is, as JSON.
func (c Selection) kind() (jsonscan.Kind, bool) {
	switch c.form {
	case formValue:
		return jsonscan.KindOf(c.raw), true
	case formList:
		return jsonscan.Array, true
	}
	return 0, false
}

func (c Selection) describe() string {
	kind, isJSON := c.kind()
	switch {
	case !isJSON:
		return "text"
	case kind >= jsonscan.Array:
		return "a JSON " + kind.String()
	}
	return "the JSON value " + kind.String()
}

func (c Selection) fits() []string {
	kind, isJSON := c.kind()
	switch {
	case !isJSON:
		return []string{"lines", "head", "tail", "grep", "bytes", "json"}
	case kind == jsonscan.String:
		return []string{"lines", "head", "tail", "grep", "bytes", "json", "path"}
	case kind == jsonscan.Array:
		return []string{"slice", "head", "tail", "keys", "path", "lines", "grep", "bytes"}
	case kind == jsonscan.Object:
		return []string{"key", "keys", "path", "lines", "grep", "bytes"}
	}
	return []string{"path", "lines", "grep", "bytes"}
}

// maxDecoded is how long a string with escapes may be, in bytes as stored, to be decoded in memory.
const maxDecoded = 128 << 20

// asText gives the bytes that selectors on bytes work on: text as it is, of a string its text, of other JSON, and of a string that
// is too long to be decoded, what is stored.
func (c Selection) asText() Selection {
	switch c.form {
	case formText:
		return Selection{origin: c.origin, off: c.off, end: c.end}
	case formValue:
		if c.raw[0] == '"' && (len(c.raw) <= maxDecoded || bytes.IndexByte(c.raw, '\\') < 0) {
			return textOf(jsonscan.Text(c.raw))
		}
		return textOf(c.raw)
	}
	var b bytes.Buffer
	_, _ = c.write(&b) // a Buffer takes all
	return textOf(b.Bytes())
}

func textOf(data []byte) Selection { return Selection{origin: data, end: len(data)} }

func (c Selection) onBytes(s Selector, opts Options) (Selection, error) {
	in := c.asText()
	if in.off == in.end {
		return Selection{}, &EmptyError{Selector: s.String(), Msg: "the content is empty"}
	}
	if s.op == opGrep {
		return in.match(s, opts.Context)
	}
	var out Selection
	var err error
	switch s.op {
	case opLines:
		out, err = in.lines(s, s.from, s.to)
	case opHead:
		if s.to == 0 {
			return Selection{}, &EmptyError{Selector: s.String(), Msg: "no lines asked for of " + plural(in.countLines(), "line")}
		}
		out, err = in.lines(s, 1, s.to)
	case opTail:
		out, err = in.tail(s)
	default:
		out, err = in.bytes(s)
	}
	out.span.off, out.span.end = in.off, in.end
	return out, err
}

func (c Selection) countLines() int { return lines.Count(c.origin[c.off:c.end]) }

// lines selects lines from..to, to the end where to is 0.
func (c Selection) lines(s Selector, from, to int) (Selection, error) {
	data := c.origin[c.off:c.end]
	start, skipped := lines.Skip(data, from-1)
	if start == len(data) {
		return Selection{}, &EmptyError{Selector: s.String(), Msg: thereAre(skipped, "line")}
	}
	end := len(data)
	if to != 0 {
		n, _ := lines.Skip(data[start:], to-from+1)
		end = start + n
	}
	return Selection{origin: c.origin, off: c.off + start, end: c.off + end, span: span{unit: LinesUnit}}, nil
}

func (c Selection) tail(s Selector) (Selection, error) {
	if s.to == 0 {
		return Selection{}, &EmptyError{Selector: s.String(), Msg: "no lines asked for of " + plural(c.countLines(), "line")}
	}
	data := c.origin[c.off:c.end]
	start := len(bytes.TrimSuffix(data, []byte{'\n'}))
	for range s.to {
		if start = bytes.LastIndexByte(data[:start], '\n'); start < 0 {
			break
		}
	}
	return Selection{origin: c.origin, off: c.off + start + 1, end: c.end, span: span{unit: LinesUnit}}, nil
}

func (c Selection) bytes(s Selector) (Selection, error) {
	size := c.end - c.off
	from, to := s.from, s.to
	if !s.hasTo {
		to = size
	}
	if s.hasTo && from == to {
		return Selection{}, &EmptyError{Selector: s.String(), Msg: "an empty range of " + plural(size, "byte")}
	}
	if from >= size {
		return Selection{}, &EmptyError{Selector: s.String(), Msg: thereAre(size, "byte")}
	}
	return Selection{origin: c.origin, off: c.off + from, end: c.off + min(to, size), span: span{unit: BytesUnit}}, nil
}

// array returns the elements of an array, and how many there are.
func (c Selection) array() list {
	if c.form == formList {
		return c.list
	}
	if c.doc != nil {
		return list{data: c.raw[1:], n: c.doc.Count}
	}
	return list{data: c.raw[1:], n: jsonscan.CountChildren(c.raw)}
}

// from returns what stands in an array from an element on.
func (c Selection) from(n int) []byte {
	data := c.array().data
	if c.doc != nil {
		child, offset := c.doc.Places.Before(n)
		data, n = c.raw[max(offset, len("[")):], n-child
	}
	for off := range jsonscan.Values(data) {
		if n == 0 {
			return data[off:]
		}
		n--
	}
	return nil
}

// slice applies slice, head and tail to an array.
func (c Selection) slice(s Selector) (Selection, error) {
	in := c.array()
	from, to := 0, in.n
	switch s.op {
	case opHead:
		to = min(s.to, in.n)
	case opTail:
		from = max(0, in.n-s.to)
	default:
		if s.hasFrom {
			from = fromEnd(s.from, in.n)
		}
		if s.hasTo {
			to = fromEnd(s.to, in.n)
		}
	}
	from, to = max(0, from), min(to, in.n)
	if (s.op == opHead || s.op == opTail) && s.to == 0 {
		return Selection{}, &EmptyError{Selector: s.String(), Msg: "no entries asked for of " + plural(in.n, "entry")}
	}
	if from >= to {
		return Selection{}, &EmptyError{Selector: s.String(), Msg: thereAre(in.n, "entry")}
	}
	return Selection{form: formList, list: list{data: c.from(from), n: to - from}, span: span{unit: EntriesUnit, from: from, size: in.n}}, nil
}

func fromEnd(i, n int) int {
	if i < 0 {
		return n + i
	}
	return i
}

func (c Selection) key(s Selector) (Selection, error) {
	var found []byte
	if c.doc != nil {
		found = c.doc.Member
	} else {
		found = lastMember(c.raw, s.arg)
	}
	if found == nil {
		return Selection{}, &EmptyError{Selector: s.String(), Msg: c.noSuchKey(s.arg)}
	}
	return Selection{form: formValue, raw: found}, nil
}

// parse takes text as JSON: one value, or several as an array.
func (c Selection) parse(s Selector) (Selection, error) {
	in := c.asText()
	data := in.origin[in.off:in.end]
	n := 0
	var one []byte
	for off := 0; jsonscan.SkipSpace(data, off) < len(data); n++ {
		doc, end, err := jsonscan.Next(data, off, 0)
		if err != nil {
			return Selection{}, fmt.Errorf("selector %q: invalid JSON: %w", s.String(), err)
		}
		one, off = doc.Value, end
	}
	switch n {
	case 0:
		return Selection{}, &EmptyError{Selector: s.String(), Msg: "the content is empty"}
	case 1:
		return Selection{form: formValue, raw: one}, nil
	}
	return Selection{form: formList, list: list{data: data, n: n}}, nil
}

// json gives the bytes of a JSON selection.
func (c Selection) json() []byte {
	if c.form == formValue {
		return c.raw
	}
	var b bytes.Buffer
	_, _ = c.write(&b) // a Buffer takes all
	return b.Bytes()
}

// IsJSON reports whether the selection is a JSON value.
func (c Selection) IsJSON() bool { _, isJSON := c.kind(); return isJSON }

// StringText returns the text of a selection that is a JSON string.
func (c Selection) StringText() (Selection, bool) {
	if kind, isJSON := c.kind(); isJSON && kind == jsonscan.String {
		return c.asText(), true
	}
	return Selection{}, false
}

// WriteTo writes the selection: text and bytes exactly, JSON as stored and a line feed. Elements that were chosen stand
// between [ , and ].
func (c Selection) WriteTo(w io.Writer) (int64, error) {
	n, err := c.write(w)
	if err == nil && c.IsJSON() {
		var m int
		m, err = io.WriteString(w, "\n")
		n += int64(m)
	}
	return n, err
}

func (c Selection) write(w io.Writer) (int64, error) {
	switch c.form {
	case formText:
		return writeAll(w, c.origin[c.off:c.end])
	case formValue:
		return writeAll(w, c.raw)
	case formGrep:
		return c.grep.writeTo(w)
	case formKeys:
		return writeKeys(w, c.raw)
	}
	return c.list.writeTo(w)
}

// chunk bounds a single write, so that an interrupt is heard and a counting writer is not handed gigabytes at once.
const chunk = 4 << 20

func writeAll(w io.Writer, data []byte) (int64, error) {
	var total int64
	for len(data) > 0 {
		n, err := w.Write(data[:min(chunk, len(data))])
		total += int64(n)
		if err != nil {
			return total, err
		}
		data = data[n:]
	}
	return total, nil
}

func thereAre(n int, unit string) string {
	if n == 1 {
		return "there is 1 " + unit
	}
	return "there are " + plural(n, unit)
}

func plural(n int, unit string) string {
	switch {
	case n == 1:
		return "1 " + unit
	case unit == "entry":
		return fmt.Sprintf("%d entries", n)
	}
	return fmt.Sprintf("%d %ss", n, unit)
}
