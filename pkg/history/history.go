// Package history reads the histories of LLM agents: where in them the messages, tool calls and tool results are. It
// decodes no more than it must and changes nothing but the bytes that it is told to.
package history

import (
	"bytes"
	"iter"
	"strings"

	"github.com/llmblob/llmblob/internal/jsonscan"
)

// Span are the bytes [Start, End) of a history.
type Span struct{ Start, End int }

// Kind is what an item is.
type Kind uint8

// The kinds of items.
const (
	Message   Kind = iota // what a role says
	Reasoning             // what the model thought
	Call                  // of a tool
	Result                // of a call
)

// String names the kind.
func (k Kind) String() string {
	return [...]string{"message", "reasoning", "tool_call", "tool_result"}[k]
}

// Role is who an item comes from.
type Role uint8

// The roles. What the model writes is Assistant.
const (
	System Role = iota + 1
	User
	Assistant
	Tool
)

// String names the role.
func (r Role) String() string { return [...]string{"", "system", "user", "assistant", "tool"}[r] }

// String is a text in a history: a JSON string, a part of one, or other JSON that counts as it is written.
type String struct {
	Span
	form textForm
}

// packed is a place in a history and how it is written there: what a history has most of, in two thirds of the memory.
type packed struct{ startAndForm, end int }

const formBits = 4

func pack(s Span, form uint8) packed { return packed{s.Start<<formBits | int(form), s.End} }

func (p packed) span() Span { return Span{p.startAndForm >> formBits, p.end} }

func (p packed) form() uint8 { return uint8(p.startAndForm & (1<<formBits - 1)) }

func (p packed) text() String { return String{p.span(), textForm(p.form())} }

// textForm is how a text is written.
type textForm uint8

const (
	quoted  textForm = iota // a string, with its quotes
	within                  // a part of a string, without quotes
	written                 // other JSON
)

// Item is one message, tool call, tool result or reasoning block. Text blocks of a message that follow each other are one.
type Item struct {
	Kind    Kind
	Role    Role
	Turn    bool // a message of the user that says something
	IsError bool // a result marked as an error
	Media   bool // not only text: images, documents, blocks that are not understood
	// Outside tells an item that is in the history but in no request: superseded by a later copy, rewound, of a sub-agent.
	Outside bool
	// Nullable tells a result that has a summary beside its content, which may be null then.
	Nullable bool
	Omitted  bool // a result whose content is left out already, by the agent that wrote the history
	side     bool // of a sub-agent

	CallID    Name // of calls and results; 0 where none is told
	Tool      Name // of calls and results
	MessageID Name // of the answer of the model that it is a part of; 0 where none is told

	texts, contentTexts, textsEnd int32 // ranges of History.texts: the content's are the first
	slots, slotsEnd               int32 // range of History.slots
	before                        int32 // number of the time of the last record before its own, in builder.times

	Record int // number of its record, from 0
	Offset int // of its value in the history

	Bytes        int  // UTF-8 bytes of its texts, name and arguments, decoded
	Content      Span // of a result: the JSON value that a projection may leave out; empty where there is none
	ContentBytes int  // UTF-8 bytes of the texts in Content, decoded; of other JSON than text the bytes as written
}

// Point is a place where the model was called: before a run of items that it wrote, or the end of the history.
type Point struct {
	Item  int   // number of items before it
	Time  int64 // of the last record before it, in ms since 1970; 0: not known
	Usage int   // tokens of the prompt as the provider counted them; 0: not known
}

// Reset tells that the context began anew: from the item At on, nothing before Start is in it.
type Reset struct{ At, Start int }

// History are the items of a history and where they are in its bytes.
type History struct {
	Format  Format // "" where none fits
	Records int
	Items   []Item
	Points  []Point // where the model was called, in order; the last is the end
	Resets  []Reset // in order
	// Malformed are the first lines that are no JSON and were passed over, MostMalformed at most, Passed counts all of them.
	Malformed []*MalformedError
	Passed    int

	data   []byte
	behind func(off int)
	passed int // up to where it was told
	names  names
	texts  []packed
	slots  []packed // with a form
}

// MaxDecoded is how long a string with escapes may be, in bytes as written, to be decoded.
const MaxDecoded = 128 << 20

func tooLong(inner []byte) bool { return len(inner) > MaxDecoded && bytes.IndexByte(inner, '\\') >= 0 }

// Texts yields the texts of an item, decoded, each until the next; one that is too long for that as it is written.
func (h *History) Texts(i int) iter.Seq[[]byte] {
	it := &h.Items[i]
	return h.decoded(it.texts, it.textsEnd)
}

// ContentTexts yields those of the content of a result.
func (h *History) ContentTexts(i int) iter.Seq[[]byte] {
	it := &h.Items[i]
	return h.decoded(it.texts, it.contentTexts)
}

func (h *History) decoded(from, to int32) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for _, p := range h.texts[from:to] {
			s := p.text()
			text := h.Bytes(s.Span)
			if s.form != written {
				if text = h.inner(s); !tooLong(text) {
					text = jsonscan.Unescape(text)
				}
			}
			if !yield(text) {
				return
			}
		}
	}
}

// inner returns the bytes of a string without quotes.
func (h *History) inner(s String) []byte {
	if s.form == quoted {
		s.Start++
		s.End--
	}
	return h.Bytes(s.Span)
}

// Strings yields the strings in the content of a result.
func (h *History) Strings(i int) iter.Seq[String] {
	return func(yield func(String) bool) {
		it := &h.Items[i]
		for _, p := range h.texts[it.texts:it.contentTexts] {
			if s := p.text(); s.form != written && !yield(s) {
				return
			}
		}
	}
}

// Bytes returns bytes of the history as they are.
func (h *History) Bytes(s Span) []byte {
	h.pass(s.Start)
	return h.data[s.Start:s.End:s.End]
}

// pass tells up to where bytes are looked at, after each step of a pass over them.
func (h *History) pass(off int) {
	if h.behind == nil {
		return
	}
	if off < h.passed { // another pass
		h.passed = off
	}
	if off >= h.passed+behindStep {
		h.behind(off)
		h.passed = off
	}
}

// TextCount returns how many texts an item has in its content, and in all.
func (h *History) TextCount(i int) (content, all int) {
	it := &h.Items[i]
	return int(it.contentTexts - it.texts), int(it.textsEnd - it.texts)
}

// MayBegin reports whether the first text of the content of a result can begin with one of some bytes. It decodes nothing.
func (h *History) MayBegin(i int, with string) bool {
	it := &h.Items[i]
	if it.texts == it.contentTexts {
		return false
	}
	s := h.texts[it.texts].text()
	raw := h.Bytes(s.Span)
	if s.form == quoted {
		raw = raw[1:]
	}
	return raw[0] == '\\' || strings.IndexByte(with, raw[0]) >= 0
}

// Text returns the text of a string in the history; ok is false where no text can hold it, for it escapes half a surrogate
// pair, or where the text is too long to be decoded in memory: it has escapes and is longer than MaxDecoded.
func (h *History) Text(s String) (text []byte, ok bool) {
	inner := h.inner(s)
	if tooLong(inner) || jsonscan.HasLoneSurrogate(inner) {
		return nil, false
	}
	return jsonscan.Unescape(inner), true
}
