// Package jsonscan reads JSON text as bytes: it validates, counts and says where values are, and decodes nothing that
// it need not. One pass, no recursion, no allocation that grows with the input.
package jsonscan

import (
	"fmt"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxDepth is how deep arrays and objects may nest.
const MaxDepth = 10_000

// Kind is the type of a JSON value.
type Kind uint8

// The kinds of JSON values (RFC 8259, section 3); both literals true and false are Bool.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// String names the kind as summaries and selectors print it.
func (k Kind) String() string {
	return [...]string{"null", "bool", "number", "string", "array", "object"}[k]
}

// KindOf tells the kind of a valid value by its first byte.
func KindOf(value []byte) Kind {
	switch value[0] {
	case '{':
		return Object
	case '[':
		return Array
	case '"':
		return String
	case 't', 'f':
		return Bool
	case 'n':
		return Null
	}
	return Number
}

// Error says why and where bytes are not JSON.
type Error struct {
	Offset       int // in bytes from the start
	Line, Column int // 1-based; the column counts characters
	Msg          string
}

func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Msg)
}

// Child is an element of an array or a member of an object.
type Child struct {
	Key   []byte // as written, quotes included; nil for an element
	Value []byte // as written
	Count int    // entries or keys of Value, where it is an array or object; set by Scan alone
}

// Doc is what one pass over a value finds.
type Doc struct {
	Kind  Kind
	Value []byte  // the value without the white space around it
	Count int     // entries of an array, members of an object as written
	Depth int     // how deep arrays and objects nest; 0 of another value
	Heads []Child // the first children, at most as many as were asked for
	// Member is the value of the key that was asked for, the last of several; nil: there is none.
	Member []byte
	Places Places // of children, where they were asked for
}

// Want is what a pass over a value is to find beside its facts.
type Want struct {
	Heads  int     // the first children, at most so many
	Member *string // the value of this key, where the value is an object
	Places bool    // where children are
}

// Scan validates data as exactly one JSON value (RFC 8259: white space around it allowed, no byte order mark, UTF-8,
// nesting up to MaxDepth) and returns its facts with at most heads children. The error is an *Error.
func Scan(data []byte, heads int) (Doc, error) { return ScanFor(data, Want{Heads: heads}) }

// ScanFor is Scan with more to find.
func ScanFor(data []byte, w Want) (Doc, error) {
	doc, end, err := next(data, 0, w)
	if err != nil {
		return Doc{}, err
	}
	if end = skipSpace(data, end); end < len(data) {
		return Doc{}, errorAt(data, end, "unexpected "+describe(data, end)+" after the value")
	}
	return doc, nil
}

// Next validates the value that starts at or after off and returns where it ends. Another value may follow, after a
// literal or a number only behind white space or where it cannot be taken for a part of it.
func Next(data []byte, off, heads int) (doc Doc, end int, err error) {
	return next(data, off, Want{Heads: heads})
}

func next(data []byte, off int, w Want) (doc Doc, end int, err error) {
	s := scanner{data: data, want: w}
	end, msg := s.scan(skipSpace(data, off))
	if msg != "" {
		return Doc{}, end, errorAt(data, end, msg)
	}
	if s.doc.Kind <= Number && end < len(data) && isAtom(data[end]) {
		return Doc{}, end, errorAt(data, end, "unexpected "+describe(data, end)+" after the value")
	}
	return s.doc, end, nil
}

// SkipSpace returns the offset of what comes at or after off that is not white space.
func SkipSpace(data []byte, off int) int { return skipSpace(data, off) }

type scanner struct {
	data   []byte
	want   Want
	doc    Doc
	nested [MaxDepth/64 + 1]uint64 // one bit a level: is it an object?
}

const (
	msgEnd      = "unexpected end of input"
	msgUnclosed = "string without a closing quote"
	msgDepth    = "nested deeper than 10000 levels"
)

// scan validates one value whose first byte is at i. It returns the offset after it, or the place of a fault and what
// is wrong there.
func (s *scanner) scan(i int) (int, string) {
	data := s.data
	start := i
	depth := 0     // containers open at i
	inner := 0     // children seen of the child of the top value that is open
	var head Child // the child of the top value that is open
	headStart := 0
	wanted := false // it is the member that was asked for
	object := false // the innermost container is an object
	var msg string
	keyStart := 0

value:
	if i >= len(data) {
		return i, msgEnd
	}
	if depth <= 2 {
		if depth == 1 {
			if s.want.Places {
				s.doc.Places.add(s.doc.Count, i-start)
			}
			s.doc.Count++
			inner = 0
			headStart = i
		} else if depth == 2 {
			inner++
		}
	}
	switch c := data[i]; c {
	case '"':
		if i+9 <= len(data) { // most are short: those without a call
			if m := special(load64(data, i+1)); m != 0 {
				if j := i + 1 + bits.TrailingZeros64(m)>>3; data[j] == '"' {
					i = j + 1
					goto ended
				}
			}
		}
		if i, _, msg = scanString(data, i); msg != "" {
			return i, msg
		}
	case '{', '[':
		if depth == MaxDepth {
			return i, msgDepth
		}
		i++
		if i < len(data) && data[i] <= ' ' {
			i = skipSpace(data, i)
		}
		if i >= len(data) {
			return i, msgEnd
		}
		s.doc.Depth = max(s.doc.Depth, depth+1)
		if data[i] == c+2 { // '}' is '{' + 2 and ']' is '[' + 2
			i++
			break
		}
		depth++
		object = c == '{'
		if object {
			s.nested[depth>>6] |= 1 << (depth & 63)
			goto key
		}
		s.nested[depth>>6] &^= 1 << (depth & 63)
		goto value
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		if i, msg = scanNumber(data, i); msg != "" {
			return i, msg
		}
	case 't':
		if i, msg = scanLiteral(data, i, "true"); msg != "" {
			return i, msg
		}
	case 'f':
		if i, msg = scanLiteral(data, i, "false"); msg != "" {
			return i, msg
		}
	case 'n':
		if i, msg = scanLiteral(data, i, "null"); msg != "" {
			return i, msg
		}
	default:
		return i, "unexpected " + describe(data, i) + ", expected a value"
	}

ended: // a value ends before i
	if depth == 1 {
		if len(s.doc.Heads) < s.want.Heads {
			head.Value, head.Count = data[headStart:i:i], inner
			s.doc.Heads = append(s.doc.Heads, head)
		}
		if wanted {
			s.doc.Member = data[headStart:i:i]
			wanted = false
		}
	}
	if depth == 0 {
		s.doc.Value = data[start:i:i]
		s.doc.Kind = KindOf(s.doc.Value)
		return i, ""
	}
	if i < len(data) && data[i] <= ' ' {
		i = skipSpace(data, i)
	}
	if i >= len(data) {
		return i, msgEnd
	}
	if data[i] == ',' {
		i++
		if i < len(data) && data[i] <= ' ' {
			i = skipSpace(data, i)
		}
		if object {
			goto key
		}
		goto value
	}
	if object && data[i] == '}' || !object && data[i] == ']' {
		i++
		depth--
		object = s.nested[depth>>6]&(1<<(depth&63)) != 0
		goto ended
	}
	if object {
		return i, "unexpected " + describe(data, i) + ", expected ',' or '}'"
	}
	return i, "unexpected " + describe(data, i) + ", expected ',' or ']'"

key:
	if i >= len(data) {
		return i, msgEnd
	}
	if data[i] != '"' {
		return i, "unexpected " + describe(data, i) + ", expected a key in double quotes"
	}
	keyStart = i
	if i+9 <= len(data) { // as above
		if m := special(load64(data, i+1)); m != 0 {
			if j := i + 1 + bits.TrailingZeros64(m)>>3; data[j] == '"' {
				i = j + 1
				goto keyEnded
			}
		}
	}
	if i, _, msg = scanString(data, i); msg != "" {
		return i, msg
	}
keyEnded:
	if depth == 1 {
		head.Key = data[keyStart:i:i]
		wanted = s.want.Member != nil && sameText(head.Key, *s.want.Member)
	}
	if i < len(data) && data[i] <= ' ' {
		i = skipSpace(data, i)
	}
	if i >= len(data) {
		return i, msgEnd
	}
	if data[i] != ':' {
		return i, "unexpected " + describe(data, i) + ", expected ':'"
	}
	i++
	if i < len(data) && data[i] <= ' ' {
		i = skipSpace(data, i)
	}
	goto value
}

// shortString is up to which length most keys and many strings are; for them the blocks of nextMarks do not pay.
const shortString = 24

// scanString validates the string whose opening quote is at i and returns the offset after its closing quote, and by how
// many bytes its text is shorter than what stands between the quotes.
func scanString(data []byte, i int) (end, shorter int, msg string) {
	open := i
	i++
	for short := i + shortString; i < short && i+8 <= len(data); i += 8 {
		if m := special(load64(data, i)); m != 0 {
			if i += bits.TrailingZeros64(m) >> 3; data[i] == '"' {
				return i + 1, 0, ""
			}
			break
		}
	}
	high := 0 // where an escape of the first half of a surrogate pair ends
	for i < len(data) {
		at, marks := nextMarks(data, i)
		if marks == 0 {
			marks = lastMarks(data, at)
		}
		for marks != 0 {
			i = at + bits.TrailingZeros64(marks)
			switch c := data[i]; {
			case c == '\\' && i+1 < len(data) && isShortEscape[data[i+1]]:
				i += 2
				shorter++
			case c == '"':
				return i + 1, shorter, ""
			case c == '\\':
				var less int
				less, i, high, msg = scanEscape(data, i, high)
				if msg != "" {
					if i == len(data) {
						i = open
					}
					return i, 0, msg
				}
				shorter += less
			case c < 0x20:
				return i, 0, fmt.Sprintf("control character 0x%02x in a string, it must be escaped", c)
			case isPair(data, i) && (i+2 == len(data) || data[i+2] < utf8.RuneSelf): // a letter with an accent, alone
				i += 2
			default:
				run := i
				for i++; i < len(data) && data[i] >= utf8.RuneSelf; i++ {
				}
				if !utf8.Valid(data[run:i]) {
					i = run + invalidUTF8(data[run:i])
					return i, 0, fmt.Sprintf("byte 0x%02x is not UTF-8", data[i])
				}
			}
			if i >= at+blockLen {
				break
			}
			marks &= ^uint64(0) << (i - at)
		}
		i = max(i, at+blockLen)
	}
	return open, 0, msgUnclosed
}

// isShortEscape tells the bytes that after a backslash are an escape by themselves.
var isShortEscape = [256]bool{'"': true, '\\': true, '/': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}

// isPair reports whether a character of two bytes stands at i.
func isPair(data []byte, i int) bool {
	return i+1 < len(data) && data[i]-0xc2 <= 0xdf-0xc2 && data[i+1]&0xc0 == 0x80
}

// invalidUTF8 returns the place of the first byte that is not UTF-8.
func invalidUTF8(text []byte) int {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(text)
}

// scanEscape validates the escape at i and returns by how many bytes its text is shorter, and where it ends. With high, where the escape of
// the first half of a surrogate pair ends, it makes out pairs. At a fault it returns its place; that is the end where the data ends too early.
func scanEscape(data []byte, i, high int) (shorter, end, newHigh int, msg string) {
	const highSurrogate, lowSurrogate = 0xd800, 0xdc00
	const loneShorter = 6 - 3 // U+FFFD has three bytes
	if i+1 >= len(data) {
		return 0, len(data), 0, msgUnclosed
	}
	if isShortEscape[data[i+1]] {
		return 1, i + 2, 0, ""
	}
	if data[i+1] != 'u' {
		return 0, i, 0, "invalid escape in a string"
	}
	for j := i + 2; j < i+6; j++ {
		if j >= len(data) {
			return 0, len(data), 0, msgUnclosed
		}
		if unhex(data[j]) < 0 {
			return 0, i, 0, `invalid escape: \u needs four hexadecimal digits`
		}
	}
	r, end := hex4(data, i+2), i+6
	switch {
	case !utf16.IsSurrogate(r):
		return 6 - utf8.RuneLen(r), end, 0, ""
	case i == high && utf16.DecodeRune(highSurrogate, r) != utf8.RuneError:
		return 2*6 - utf8.UTFMax - loneShorter, end, 0, "" // the first half was counted as one alone
	case utf16.DecodeRune(r, lowSurrogate) != utf8.RuneError:
		return loneShorter, end, end, ""
	}
	return loneShorter, end, 0, ""
}

func unhex(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

func isDigit(data []byte, i int) bool { return i < len(data) && data[i]-'0' <= 9 }

// scanNumber validates the number that starts at i (RFC 8259, section 6).
func scanNumber(data []byte, i int) (int, string) {
	if data[i] == '-' {
		i++
	}
	if !isDigit(data, i) {
		return i, "invalid number: expected a digit"
	}
	if data[i] == '0' {
		if i++; isDigit(data, i) {
			return i, "invalid number: a leading zero"
		}
	} else {
		for isDigit(data, i) {
			i++
		}
	}
	if i < len(data) && data[i] == '.' {
		if i++; !isDigit(data, i) {
			return i, "invalid number: expected a digit after the point"
		}
		for isDigit(data, i) {
			i++
		}
	}
	if i < len(data) && data[i]|0x20 == 'e' {
		i++
		if i < len(data) && (data[i] == '+' || data[i] == '-') {
			i++
		}
		if !isDigit(data, i) {
			return i, "invalid number: expected a digit in the exponent"
		}
		for isDigit(data, i) {
			i++
		}
	}
	return i, ""
}

func scanLiteral(data []byte, i int, want string) (int, string) {
	for j := range len(want) {
		if i+j >= len(data) {
			return i + j, msgEnd
		}
		if data[i+j] != want[j] {
			return i, "invalid literal, expected " + want
		}
	}
	return i + len(want), ""
}

func skipSpace(data []byte, i int) int {
	if i+1 < len(data) && data[i] == ' ' && data[i+1] > ' ' { // as most encoders write that write any
		return i + 1
	}
	for i < len(data) {
		switch data[i] {
		case ' ':
			// Pretty-printed JSON is indented: eight spaces at a time.
			for i+8 <= len(data) && load64(data, i) == ones*' ' {
				i += 8
			}
			if i < len(data) && data[i] == ' ' {
				i++
			}
		case '\n', '\t', '\r':
			i++
		default:
			return i
		}
	}
	return i
}

func describe(data []byte, i int) string {
	r, size := utf8.DecodeRune(data[i:])
	switch {
	case r == utf8.RuneError && size == 1:
		return fmt.Sprintf("byte 0x%02x", data[i])
	case r == 0xFEFF:
		return "byte order mark"
	case r < 0x20 || r >= 0x7f && r < 0xa0:
		return fmt.Sprintf("control character 0x%02x", r)
	}
	return fmt.Sprintf("'%c'", r)
}

func errorAt(data []byte, off int, msg string) *Error {
	e := &Error{Offset: off, Line: 1, Msg: msg}
	lineStart := 0
	for i, c := range data[:off] {
		if c == '\n' {
			e.Line++
			lineStart = i + 1
		}
	}
	e.Column = utf8.RuneCount(data[lineStart:off]) + 1
	return e
}
