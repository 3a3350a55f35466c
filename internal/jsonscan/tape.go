package jsonscan

import (
	"bytes"
	"iter"
	"strings"
	"unicode/utf8"
)

// Tape are JSON values taken apart: where each value in them begins and ends. It is filled anew for the next, so that many
// small ones cost no memory. Its Values are good until then.
type Tape struct {
	data  []byte
	nodes []node // in the order of the text, a container before what is in it
	msg   string // what is wrong, where a fault was met
}

// node is a value on a tape. Those of a container lie between it and its next.
type node struct {
	start, end       int
	keyStart, keyEnd int // of a member's key, quotes included
	textLen          int // of a string, decoded
	next             int32
	keyEscapes       bool // the key has escapes
}

// maxNodes bounds the values on a tape.
const maxNodes = 1<<31 - 1

// Parse validates, as Next does, the value that starts at or after off and takes it apart; those before are gone. It returns where
// the value ends, or the place of a fault, and reports whether there is none. All places are offsets in data.
func (t *Tape) Parse(data []byte, off int) (v Value, end int, ok bool) {
	t.Reset()
	return t.Add(data, off)
}

// Reset makes the tape ready for other values.
func (t *Tape) Reset() {
	const most = 1 << 20 // nodes to keep room for
	if cap(t.nodes) > most {
		t.nodes = nil
	}
	t.nodes = t.nodes[:0]
}

// Add is Parse of one more value. It may be of a part of the data that the others are of, which begins with it.
func (t *Tape) Add(data []byte, off int) (v Value, end int, ok bool) {
	first := int32(len(t.nodes))
	t.data, t.msg = data, ""
	start := skipSpace(data, off)
	end = t.value(start, node{}, 0)
	if t.msg == "" && KindOf(data[start:]) <= Number && end < len(data) && isAtom(data[end]) {
		t.msg = "unexpected " + describe(data, end) + " after the value"
	}
	if t.msg != "" {
		t.nodes = t.nodes[:first]
		return Value{}, end, false
	}
	return Value{t, first}, end, true
}

// Truncated reports whether the fault that Parse met at an offset is that the data ended before the value did.
func (t *Tape) Truncated(at int) bool {
	return at >= len(t.data) || t.msg == msgUnclosed || len(t.data)-at < utf8.UTFMax && !utf8.FullRune(t.data[at:])
}

// Msg says what is wrong where Parse met a fault.
func (t *Tape) Msg() string { return t.msg }

// Err tells of the fault that Parse met at an offset. Its line is counted from the beginning of the data.
func (t *Tape) Err(at int) *Error { return errorAt(t.data, at, t.msg) }

// value takes the value at i apart; key has but the key of a member. It returns the offset after it, or the place of the fault that it leaves in msg.
func (t *Tape) value(i int, key node, depth int) int {
	data := t.data
	if i >= len(data) {
		t.msg = msgEnd
		return i
	}
	at := len(t.nodes)
	if at == maxNodes {
		t.msg = "more values than fit"
		return i
	}
	key.start = i
	t.nodes = append(t.nodes, key)
	switch c := data[i]; c {
	case '"':
		var shorter int
		i, shorter, t.msg = scanString(data, i)
		t.nodes[at].textLen = i - t.nodes[at].start - len(`""`) - shorter
	case '{', '[':
		if depth == MaxDepth {
			t.msg = msgDepth
			return i
		}
		i = t.children(i, depth+1)
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		i, t.msg = scanNumber(data, i)
	case 't':
		i, t.msg = scanLiteral(data, i, "true")
	case 'f':
		i, t.msg = scanLiteral(data, i, "false")
	case 'n':
		i, t.msg = scanLiteral(data, i, "null")
	default:
		t.msg = "unexpected " + describe(data, i) + ", expected a value"
	}
	if t.msg == "" {
		t.nodes[at].end, t.nodes[at].next = i, int32(len(t.nodes))
	}
	return i
}

// children takes apart what is in the container that opens at i.
func (t *Tape) children(i, depth int) int {
	data := t.data
	object := data[i] == '{'
	closing := data[i] + 2 // '}' is '{' + 2 and ']' is '[' + 2
	i = skipSpace(data, i+1)
	if i < len(data) && data[i] == closing {
		return i + 1
	}
	for {
		var key node
		if object {
			if i >= len(data) {
				t.msg = msgEnd
				return i
			}
			if data[i] != '"' {
				t.msg = "unexpected " + describe(data, i) + ", expected a key in double quotes"
				return i
			}
			key.keyStart = i
			var shorter int
			if i, shorter, t.msg = scanString(data, i); t.msg != "" {
				return i
			}
			key.keyEnd, key.keyEscapes = i, shorter > 0
			if i = skipSpace(data, i); i >= len(data) {
				t.msg = msgEnd
				return i
			}
			if data[i] != ':' {
				t.msg = "unexpected " + describe(data, i) + ", expected ':'"
				return i
			}
			i = skipSpace(data, i+1)
		}
		if i = t.value(i, key, depth); t.msg != "" {
			return i
		}
		if i < len(data) && data[i] <= ' ' {
			i = skipSpace(data, i)
		}
		switch {
		case i >= len(data):
			t.msg = msgEnd
			return i
		case data[i] == closing:
			return i + 1
		case data[i] != ',':
			t.msg = "unexpected " + describe(data, i) + ", expected ',' or '" + string(closing) + "'"
			return i
		}
		i = skipSpace(data, i+1)
	}
}

// Value is a value on a tape. The zero Value is the one that is not there: it has no kind, no text and no children.
type Value struct {
	t *Tape
	i int32
}

// Exists reports whether there is such a value; null is one.
func (v Value) Exists() bool { return v.t != nil }

// Span returns where the value begins and ends.
func (v Value) Span() (start, end int) {
	if v.t == nil {
		return 0, 0
	}
	n := &v.t.nodes[v.i]
	return n.start, n.end
}

// Raw returns the value as written.
func (v Value) Raw() []byte {
	if v.t == nil {
		return nil
	}
	start, end := v.Span()
	return v.t.data[start:end:end]
}

// Has reports whether the value is there and of this kind.
func (v Value) Has(k Kind) bool { return v.t != nil && KindOf(v.t.data[v.t.nodes[v.i].start:]) == k }

// Text returns the text of a string as of Text; of any other value there is none.
func (v Value) Text() []byte {
	if !v.Has(String) {
		return nil
	}
	return Text(v.Raw())
}

// TextLen returns the length of Text in bytes.
func (v Value) TextLen() int {
	if v.t == nil {
		return 0
	}
	return v.t.nodes[v.i].textLen
}

// Is reports whether the value is a string with this text.
func (v Value) Is(text string) bool {
	return v.Has(String) && v.TextLen() == len(text) && sameText(v.Raw(), text)
}

// IsTrue reports whether the value is true.
func (v Value) IsTrue() bool { return v.t != nil && v.t.data[v.t.nodes[v.i].start] == 't' }

// sameText reports whether a string literal has this text.
func sameText(literal []byte, text string) bool {
	inner := literal[1 : len(literal)-1]
	if len(inner) == len(text) { // every escape is longer than what it stands for
		return string(inner) == text && strings.IndexByte(text, '\\') < 0
	}
	const longest = len(`\u0000`) // for one byte of text
	return len(inner) > len(text) && len(inner) <= longest*len(text) && bytes.IndexByte(inner, '\\') >= 0 && string(Text(literal)) == text
}

// Get returns the member of an object with this key, the last of several.
func (v Value) Get(key string) (found Value) {
	if !v.Has(Object) {
		return found
	}
	nodes := v.t.nodes
	for i := v.i + 1; i < nodes[v.i].next; i = nodes[i].next {
		n := &nodes[i]
		literal := v.t.data[n.keyStart:n.keyEnd]
		if n.keyEscapes && sameText(literal, key) || !n.keyEscapes && string(literal[1:len(literal)-1]) == key {
			found = Value{v.t, i}
		}
	}
	return found
}

// Members yields the members of an object, in order, each with its key as written. Of any other value there are none.
func (v Value) Members() iter.Seq2[[]byte, Value] {
	return func(yield func([]byte, Value) bool) {
		if !v.Has(Object) {
			return
		}
		t := v.t
		for i := v.i + 1; i < t.nodes[v.i].next; i = t.nodes[i].next {
			if !yield(t.data[t.nodes[i].keyStart:t.nodes[i].keyEnd], Value{t, i}) {
				return
			}
		}
	}
}

// Elements yields the elements of an array, in order. Of any other value there are none.
func (v Value) Elements() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if !v.Has(Array) {
			return
		}
		t := v.t
		for i := v.i + 1; i < t.nodes[v.i].next; i = t.nodes[i].next {
			if !yield(Value{t, i}) {
				return
			}
		}
	}
}

// Inside yields all values within a container, however deep, in the order of the text.
func (v Value) Inside() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if v.t == nil {
			return
		}
		for i := v.i + 1; i < v.t.nodes[v.i].next; i++ {
			if !yield(Value{v.t, i}) {
				return
			}
		}
	}
}
