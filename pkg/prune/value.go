package prune

import (
	"bytes"
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/llmblob/llmblob/internal/jsonscan"
)

// value is one of a document that has been validated.
type value struct {
	field  string // the one that it belongs to
	source []byte // the document as written
	json   []byte // the document without comments, every byte in its place
	start  int
}

// literal returns the value as written.
func (v value) literal() []byte {
	doc, _, _ := jsonscan.Next(v.json, v.start, 0) // it is valid
	return doc.Value
}

func (v value) kind() jsonscan.Kind { return jsonscan.KindOf(v.json[v.start:]) }

// text returns what a string holds.
func (v value) text() string { return string(jsonscan.Text(v.literal())) }

func (v value) is(want string) bool { return v.kind() == jsonscan.String && v.text() == want }

// integer returns a number without a fraction, however it is written, from least to maxNumber.
func (v value) integer(least int) (int, bool) {
	if v.kind() != jsonscan.Number {
		return 0, false
	}
	n, err := strconv.ParseFloat(string(v.literal()), 64)
	if err != nil || n < float64(least) || n > maxNumber || n != float64(int(n)) {
		return 0, false
	}
	return int(n), true
}

// after returns the value that comes after v, over one colon or comma.
func (v value) after() value {
	v.start = jsonscan.SkipSpace(v.json, v.start+len(v.literal()))
	if c := v.json[v.start]; c == ',' || c == ':' {
		v.start = jsonscan.SkipSpace(v.json, v.start+1)
	}
	return v
}

// inner returns the first value in an array or object.
func (v value) inner() value {
	v.start = jsonscan.SkipSpace(v.json, v.start+1)
	return v
}

// elements yields those of an array.
func (v value) elements() iter.Seq[value] {
	return func(yield func(value) bool) {
		for e := v.inner(); v.json[e.start] != ']' && yield(e); {
			e = e.after()
		}
	}
}

// members yields the keys and values of an object.
func (v value) members() iter.Seq2[value, value] {
	return func(yield func(key, v value) bool) {
		for key := v.inner(); v.json[key.start] != '}'; {
			member := key.after()
			if !yield(key, member) {
				return
			}
			key = member.after()
		}
	}
}

// mustBe is the error of a value that is none of those allowed.
func (v value) mustBe(allowed string) *ConfigError {
	return v.fail("must be " + allowed + ", not " + v.shown())
}

// fail is an error at the value.
func (v value) fail(msg string) *ConfigError {
	before := v.source[:v.start]
	lineStart := bytes.LastIndexByte(before, '\n') + 1
	return &ConfigError{
		Line:   bytes.Count(before, []byte("\n")) + 1,
		Column: utf8.RuneCount(before[lineStart:]) + 1,
		Field:  v.field,
		Msg:    msg,
	}
}

// shown is the value as messages show it.
func (v value) shown() string { return clip(string(v.literal())) }

// shownBytes bounds what a message shows of a value or a name.
const shownBytes = 60

func clip(s string) string {
	if len(s) <= shownBytes {
		return s
	}
	return strings.ToValidUTF8(s[:shownBytes], "") + "…"
}
