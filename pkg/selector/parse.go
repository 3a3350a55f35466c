// Package selector chooses parts of a content: "lines:20-50" in, those bytes out. It reads no more of the content than
// the parts need, and copies none of it where it can.
package selector

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// op is what a selector does.
type op string

const (
	opLines op = "lines"
	opHead  op = "head"
	opTail  op = "tail"
	opGrep  op = "grep"
	opBytes op = "bytes"
	opSlice op = "slice"
	opKey   op = "key"
	opKeys  op = "keys"
	opPath  op = "path"
	opJSON  op = "json"
)

// forms lists every selector with its forms, as messages show them.
const forms = "lines:A-B head:N tail:N grep:REGEXP bytes:A..B slice:A..B key:NAME keys path:GJSON json"

// Selector is one parsed selector.
type Selector struct {
	op       op
	from, to int // lines: 1-based, end included; bytes and slice: 0-based, end excluded; head and tail: to is the count
	hasFrom  bool
	hasTo    bool
	arg      string // key, path, regular expression
	re       *regexp.Regexp
}

// Lines selects lines, 1-based and both ends included; to the end where to is 0.
func Lines(from, to int) Selector {
	return Selector{op: opLines, from: from, to: to, hasFrom: true, hasTo: to != 0}
}

// Bytes selects bytes, 0-based and the end excluded; to the end where to is 0.
func Bytes(from, to int) Selector {
	return Selector{op: opBytes, from: from, to: to, hasFrom: true, hasTo: to != 0}
}

// Slice selects elements, 0-based and the end excluded; to the end where to is 0.
func Slice(from, to int) Selector {
	return Selector{op: opSlice, from: from, to: to, hasFrom: true, hasTo: to != 0}
}

// Key selects the value of a key.
func Key(name string) Selector { return Selector{op: opKey, arg: name} }

// Keys selects the keys with their types and sizes.
func Keys() Selector { return Selector{op: opKeys} }

// String returns the selector in the form that Parse takes.
func (s Selector) String() string {
	switch s.op {
	case opLines:
		if s.hasTo && s.from == s.to {
			return fmt.Sprintf("lines:%d", s.from)
		}
		return "lines:" + s.bound(s.hasFrom, s.from) + "-" + s.bound(s.hasTo, s.to)
	case opBytes, opSlice:
		return string(s.op) + ":" + s.bound(s.hasFrom, s.from) + ".." + s.bound(s.hasTo, s.to)
	case opHead, opTail:
		return fmt.Sprintf("%s:%d", s.op, s.to)
	case opGrep, opKey, opPath:
		return string(s.op) + ":" + s.arg
	}
	return string(s.op)
}

func (s Selector) bound(has bool, n int) string {
	if !has {
		return ""
	}
	return strconv.Itoa(n)
}

// onBytes reports whether the selector takes the bytes of anything, without asking what they are.
func (s Selector) onBytes() bool { return s.op == opLines || s.op == opGrep || s.op == opBytes }

// ReadsPart reports whether the selector reads no more of a text than it chooses.
func (s Selector) ReadsPart() bool {
	return s.op == opLines || s.op == opBytes || s.op == opHead || s.op == opTail
}

// IsPage reports whether the selector is a range of a unit, or of lines or elements where unit is "".
func (s Selector) IsPage(unit string) bool {
	if unit == BytesUnit {
		return s.op == opBytes
	}
	return s.op == opLines || s.op == opSlice || s.op == opHead || s.op == opTail
}

// IsGrep reports whether the selector is a grep, which alone has context lines.
func (s Selector) IsGrep() bool { return s.op == opGrep }

// SyntaxError says where in a selector what is wrong.
type SyntaxError struct {
	Expr   string
	Offset int // in bytes
	Msg    string
	Hint   string // what to write instead; "" where nothing is plain
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("selector %q: %s", clipped(e.Expr), e.Msg) }

// shownExpr bounds what a message shows of an expression.
const shownExpr = 200

func clipped(expr string) string {
	if len(expr) <= shownExpr {
		return expr
	}
	return strings.ToValidUTF8(expr[:shownExpr], "") + "…"
}

// Caret returns the expression, or what surrounds the place of the fault in a long one, and on a second line a caret
// under that place.
func (e *SyntaxError) Caret() string {
	start, end := 0, len(e.Expr)
	if end > shownExpr {
		start, end = max(0, e.Offset-shownExpr/2), min(end, e.Offset+shownExpr/2)
	}
	visible := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsControl(r) {
				return utf8.RuneError
			}
			return r
		}, s)
	}
	before := visible(e.Expr[start:e.Offset])
	return before + visible(e.Expr[e.Offset:end]) + "\n" + strings.Repeat(" ", utf8.RuneCountInString(before)) + "^"
}

// Parse reads one selector. Spaces around it and around its numbers are allowed; a key, path or regular expression is
// everything after the first colon. The error is a *SyntaxError.
func Parse(expr string) (Selector, error) {
	trimmed := strings.TrimLeft(expr, " \t\n")
	p := parser{expr: expr, pos: len(expr) - len(trimmed)}
	name, arg, hasArg := strings.Cut(trimmed, ":")
	s := Selector{op: op(strings.TrimRight(name, " \t\n")), arg: arg}
	switch s.op {
	case opKeys, opJSON:
		if hasArg {
			return Selector{}, p.fail(p.pos+len(name), fmt.Sprintf("%s takes nothing after its name", s.op), string(s.op))
		}
		return s, nil
	case opLines, opHead, opTail, opGrep, opBytes, opSlice, opKey, opPath:
	default:
		return Selector{}, p.fail(p.pos, "unknown selector", "the selectors are "+forms)
	}
	if !hasArg {
		return Selector{}, p.fail(len(expr), fmt.Sprintf("%s needs a colon and a value", s.op), example(s.op))
	}
	p.pos += len(name) + 1
	var err error
	switch s.op {
	case opGrep:
		s.re, err = p.regexp(arg)
	case opKey, opPath:
	default:
		s.arg = ""
		err = p.numbers(&s)
	}
	if err != nil {
		return Selector{}, err
	}
	return s, nil
}

// ParseAll reads the selectors of a chain.
func ParseAll(exprs []string) ([]Selector, error) {
	var sels []Selector
	for _, expr := range exprs {
		s, err := Parse(expr)
		if err != nil {
			return nil, err
		}
		sels = append(sels, s)
	}
	return sels, nil
}

func example(o op) string {
	return map[op]string{
		opLines: "as in lines:20-50, lines:20- or lines:20",
		opHead:  "as in head:10",
		opTail:  "as in tail:10",
		opGrep:  "as in grep:error|warning",
		opBytes: "as in bytes:0..1000 or bytes:1000..",
		opSlice: "as in slice:3..8, slice:3.., slice:..8 or slice:-3..",
		opKey:   "as in key:results",
		opPath:  "as in path:items.0.name",
	}[o]
}

type parser struct {
	expr string
	pos  int
}

func (p *parser) fail(at int, msg, hint string) error {
	return &SyntaxError{Expr: p.expr, Offset: min(at, len(p.expr)), Msg: msg, Hint: hint}
}

// regexp compiles with RE2 syntax; a fault is placed where the part that the compiler names stands.
func (p *parser) regexp(arg string) (*regexp.Regexp, error) {
	re, err := regexp.Compile(arg)
	if err == nil {
		return re, nil
	}
	msg, at := err.Error(), p.pos
	var e *syntax.Error
	if errors.As(err, &e) {
		msg = string(e.Code)
		if e.Code == syntax.ErrMissingParen {
			at = len(p.expr)
		} else if i := strings.Index(arg, e.Expr); i > 0 {
			at += i
		}
	}
	return nil, p.fail(at, "not a regular expression (RE2): "+msg, "")
}

// numbers reads what follows the colon of a selector that takes numbers, and checks what can be checked without the
// content.
func (p *parser) numbers(s *Selector) error {
	p.spaces()
	first := p.pos
	var err error
	switch s.op {
	case opHead, opTail:
		if s.to, s.hasTo, err = p.number(false); err == nil && !s.hasTo {
			err = p.fail(p.pos, "expected a number", example(s.op))
		}
	case opLines:
		err = p.lines(s)
	case opBytes, opSlice:
		err = p.dots(s, s.op == opSlice)
	}
	if err != nil {
		return err
	}
	p.spaces()
	if p.pos < len(p.expr) {
		return p.fail(p.pos, "expected the end", example(s.op))
	}
	sameSign := s.from < 0 == (s.to < 0)
	if s.hasFrom && s.hasTo && sameSign && s.from > s.to {
		forwards := *s
		forwards.from, forwards.to = s.to, s.from
		return p.fail(first, "the range runs backwards", "write "+forwards.String())
	}
	return nil
}

func (p *parser) lines(s *Selector) error {
	first := p.pos
	var err error
	if s.from, s.hasFrom, err = p.number(false); err != nil {
		return err
	}
	if !s.hasFrom {
		return p.fail(p.pos, "expected a line number", example(s.op)+"; for the first or last lines head:20 or tail:20")
	}
	if s.from == 0 {
		return p.fail(first, "lines count from 1", "")
	}
	p.spaces()
	if !p.literal("-") {
		s.to, s.hasTo = s.from, true
		if strings.HasPrefix(p.expr[p.pos:], "..") {
			return p.fail(p.pos, "a dash joins the ends of lines, for the last one is included", example(s.op))
		}
		return nil
	}
	p.spaces()
	second := p.pos
	if s.to, s.hasTo, err = p.number(false); err != nil {
		return err
	}
	if s.hasTo && s.to == 0 {
		return p.fail(second, "lines count from 1", "")
	}
	return nil
}

func (p *parser) dots(s *Selector, negative bool) error {
	var err error
	if s.from, s.hasFrom, err = p.number(negative); err != nil {
		return err
	}
	p.spaces()
	if !p.literal("..") {
		if strings.HasPrefix(p.expr[p.pos:], "-") {
			if !s.hasFrom {
				return p.fail(p.pos, "bytes count from the start, there are no negative ones", example(s.op))
			}
			return p.fail(p.pos, fmt.Sprintf("two dots join the ends of %s, for the last one is excluded", s.op), example(s.op))
		}
		return p.fail(p.pos, "expected two dots", example(s.op))
	}
	p.spaces()
	s.to, s.hasTo, err = p.number(negative)
	return err
}

// maxDigits keeps numbers, and sums of them, within 64 bits.
const maxDigits = 18

func (p *parser) number(negative bool) (n int, has bool, err error) {
	start := p.pos
	sign := 1
	if negative && p.literal("-") {
		sign = -1
	}
	digits := p.pos
	for p.pos < len(p.expr) && p.expr[p.pos] >= '0' && p.expr[p.pos] <= '9' {
		p.pos++
	}
	if p.pos == digits {
		if sign < 0 {
			return 0, false, p.fail(p.pos, "expected a digit", "")
		}
		return 0, false, nil
	}
	if p.pos-digits > maxDigits {
		return 0, false, p.fail(start, fmt.Sprintf("a number has at most %d digits", maxDigits), "")
	}
	n, err = strconv.Atoi(p.expr[digits:p.pos])
	if err != nil {
		return 0, false, p.fail(start, "the number is too large for this machine", "")
	}
	return sign * n, true, nil
}

func (p *parser) literal(s string) bool {
	if !strings.HasPrefix(p.expr[p.pos:], s) {
		return false
	}
	p.pos += len(s)
	return true
}

func (p *parser) spaces() {
	for p.pos < len(p.expr) && strings.IndexByte(" \t\n", p.expr[p.pos]) >= 0 {
		p.pos++
	}
}
