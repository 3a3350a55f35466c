package historytest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// raw is JSON as it is written.
type raw string

// lone stands in a text for half a surrogate pair, which is written as an escape; no text can hold it.
const lone = '\uE000'

// gen writes one history.
type gen struct {
	r        *rand.Rand
	spacing  int // 0: none, 1: as Python writes, 2: anything
	breaks   bool
	shuffles bool // members in any order
	ascii    bool
	marks    bool // that agents write around a text are written as they are
	truth    []Truth
	// rewritten tells that a record takes something back of those before it.
	rewritten bool
	compacted int
	ids       int
}

func (g *gen) n(n int) int     { return g.r.IntN(n) }
func (g *gen) one(of int) bool { return g.r.IntN(of) == 0 }
func (g *gen) name(s string) string {
	g.ids++
	return s + strconv.Itoa(g.ids)
}

func pick[T any](g *gen, of ...T) T { return of[g.n(len(of))] }

// space is white space between two tokens.
func (g *gen) space() string {
	switch {
	case g.spacing == 0, g.spacing == 1 && g.n(3) > 0:
		return ""
	case g.spacing == 1:
		return " "
	case g.breaks:
		return pick(g, "", " ", "\t", "\n", "\r\n  ", "  ")
	}
	return pick(g, "", " ", "\t", "  ")
}

// value writes a string, an int, a bool or raw JSON.
func (g *gen) value(v any) raw {
	switch v := v.(type) {
	case raw:
		return v
	case string:
		return g.str(v)
	case int:
		return raw(strconv.Itoa(v))
	case int64:
		return raw(strconv.FormatInt(v, 10))
	case bool:
		return raw(strconv.FormatBool(v))
	case []raw:
		return g.list(v...)
	}
	panic(fmt.Sprintf("historytest: %T", v))
}

// plain writes an object with exactly these members: keys and values in turn; those that are nil are left out.
func (g *gen) plain(pairs ...any) raw {
	var members []string
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != nil {
			members = append(members, string(g.str(pairs[i].(string)))+g.space()+":"+g.space()+string(g.value(pairs[i+1])))
		}
	}
	if g.shuffles {
		g.r.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	}
	return g.wrap('{', members, '}')
}

// obj writes an object, at times with members that nobody knows.
func (g *gen) obj(pairs ...any) raw {
	if g.one(20) {
		pairs = append(pairs, "x_extra", g.odd())
		if g.one(2) {
			pairs = append(pairs, "x_extra", g.odd())
		}
	}
	return g.plain(pairs...)
}

func (g *gen) list(elements ...raw) raw {
	texts := make([]string, len(elements))
	for i, e := range elements {
		texts[i] = string(e)
	}
	return g.wrap('[', texts, ']')
}

func (g *gen) wrap(open byte, inner []string, closing byte) raw {
	var b strings.Builder
	b.WriteByte(open)
	b.WriteString(g.space())
	for i, s := range inner {
		if i > 0 {
			b.WriteString("," + g.space())
		}
		b.WriteString(s)
		b.WriteString(g.space())
	}
	b.WriteByte(closing)
	return raw(b.String())
}

// odd is JSON that is legal and seldom.
func (g *gen) odd() raw {
	return pick[raw](g, `1.0`, `1e2`, `-0`, `12345678901234567890`, `0.0035250000000000003`, `1E+400`, `null`, `{"a":1,"a":2}`, `[[],{}]`,
		`"\u003c\ud83d\ude00\/"`, `"\ud800"`, `""`, `"[blob:0198c0de-0000-7000-8000-000000000000]"`, `{"type":"tool_result","content":"x"}`)
}

// number spells a count in one of many ways.
func (g *gen) number(n int) raw {
	s := strconv.Itoa(n)
	if n == 0 {
		return pick[raw](g, "0", "0.0", "-0", "0e5")
	}
	return pick(g, raw(s), raw(s), raw(s), raw(s+".0"), raw(s+"e0"), raw(s+"0E-1"))
}

// str writes a string in one of many spellings.
func (g *gen) str(s string) raw {
	style := 0
	if g.ascii {
		style = 1
	} else if g.one(8) {
		style = 1 + g.n(2)
	}
	b := make([]byte, 0, len(s)+len(s)/16+2)
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == lone:
			b = append(b, `\ud800`...)
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, '\\', 'n')
		case r == '\t' && style != 2:
			b = append(b, '\\', 't')
		case r == '/' && style == 2 && !g.marks:
			b = append(b, '\\', '/')
		case r < 0x20, style == 1 && r > 0x7e, style == 2 && (!g.marks && (r == '<' || r == '>') || r == 'a' || r == 0x2028):
			if hi, lo := utf16.EncodeRune(r); hi != 0xFFFD {
				b = fmt.Appendf(b, `\u%04x\u%04X`, hi, lo)
			} else {
				b = fmt.Appendf(b, `\u%04x`, r)
			}
		default:
			b = append(b, string(r)...)
		}
	}
	return raw(append(b, '"'))
}

// decoded is a text as it is read back.
func decoded(s string) string { return strings.ReplaceAll(s, string(lone), "\uFFFD") }

// node is a value of a history as the rules see it.
type node struct {
	key        string
	start, end int
	kind       byte   // the first byte; '0' of a number
	raw        []byte // of a string
	kids       []*node
}

// text is that of a string, "" of another value.
func (n *node) text() string {
	if n.kind != '"' {
		return ""
	}
	if bytes.IndexByte(n.raw, '\\') < 0 {
		return string(n.raw[1 : len(n.raw)-1])
	}
	var s string
	if err := json.Unmarshal(n.raw, &s); err != nil {
		panic(err) // the decoder has passed it
	}
	return s
}

// parse reads all values of data, which white space separates.
func parse(data []byte) (values []*node, err error) {
	defer func() {
		if p := recover(); p != nil { // the reader takes what it reads for JSON
			err = fmt.Errorf("cut off: %v", p)
		}
	}()
	p := reader{data, 0}
	for p.at = p.space(0); p.at < len(data); p.at = p.space(p.at) {
		v := p.value()
		if !json.Valid(data[v.start:v.end]) {
			return nil, fmt.Errorf("at %q", clip(data[v.start:]))
		}
		values = append(values, v)
	}
	return values, nil
}

// reader goes over JSON that is valid.
type reader struct {
	data []byte
	at   int
}

func (p *reader) space(at int) int {
	for at < len(p.data) && strings.IndexByte(" \t\r\n", p.data[at]) >= 0 {
		at++
	}
	return at
}

func (p *reader) skip() byte {
	for strings.IndexByte(" \t\r\n,:", p.data[p.at]) >= 0 {
		p.at++
	}
	return p.data[p.at]
}

func (p *reader) value() *node {
	c := p.skip()
	n := &node{start: p.at, kind: c}
	switch c {
	case '{', '[':
		p.at++
		for {
			if next := p.skip(); next == '}' || next == ']' {
				p.at++
				break
			}
			key := ""
			if c == '{' {
				key = p.value().text()
			}
			kid := p.value()
			kid.key = key
			n.kids = append(n.kids, kid)
		}
	case '"':
		for p.at++; p.data[p.at] != '"'; p.at++ {
			if p.data[p.at] == '\\' {
				p.at++
			}
		}
		p.at++
		n.raw = p.data[n.start:p.at]
	case ',', ':', ']', '}':
		panic("no value")
	default:
		if c == '-' || c >= '0' && c <= '9' {
			n.kind = '0'
		}
		for p.at < len(p.data) && strings.IndexByte(" \t\r\n,:]}", p.data[p.at]) < 0 {
			p.at++
		}
	}
	n.end = p.at
	return n
}

// get is the member under a path, the last of several; nil where there is none.
func (n *node) get(path ...string) *node {
	for _, key := range path {
		if n == nil || n.kind != '{' {
			return nil
		}
		var found *node
		for _, kid := range n.kids {
			if kid.key == key {
				found = kid
			}
		}
		n = found
	}
	return n
}

// is reports whether a member is one of these strings.
func (n *node) is(key string, texts ...string) bool {
	v := n.get(key)
	return v != nil && v.kind == '"' && slices.Contains(texts, v.text())
}

// str is the text under a path, "" where there is none.
func (n *node) str(path ...string) string {
	if v := n.get(path...); v != nil {
		return v.text()
	}
	return ""
}

// elements are those of the array under a path.
func (n *node) elements(path ...string) []*node {
	if v := n.get(path...); v != nil && v.kind == '[' {
		return v.kids
	}
	return nil
}
