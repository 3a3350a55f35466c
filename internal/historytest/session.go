// Package historytest makes random histories of agents in every dialect, and knows the rules that interfaces publish for
// them. It is for tests alone and does not use the packages that they test.
package historytest

import (
	"math/rand/v2"
	"strings"
)

// FromBytes is a source of random numbers that a fuzzer steers: each byte decides one number; once they are used up the rest follows from
// them.
func FromBytes(data []byte) *rand.Rand {
	var sum uint64
	for _, c := range data {
		sum = (sum ^ uint64(c)) * 1099511628211
	}
	return rand.New(&byteSource{data, rand.NewPCG(sum, uint64(len(data)))})
}

type byteSource struct {
	data []byte
	rest *rand.PCG
}

// Uint64 returns a number whose upper byte is the next.
func (s *byteSource) Uint64() uint64 {
	n := s.rest.Uint64()
	if len(s.data) > 0 {
		n = n>>8 | uint64(s.data[0])<<56
		s.data = s.data[1:]
	}
	return n
}

// session is what happened, before any dialect writes it.
type session struct {
	system string
	steps  []step
}

// step is one of what its fields are.
type step struct {
	time    int64 // in ms since 1970
	user    *said
	answer  *answer
	compact string // a summary that everything before was replaced by
	noise   bool   // a record that says nothing to the model
}

type said struct {
	text  string
	image bool
}

// answer is one of the model, with the results of its calls.
type answer struct {
	id       string
	thoughts []thought
	text     string
	calls    []*call
	results  []*result // in the order they came; of an answer that was interrupted some are missing
	prompt   int       // tokens that the provider counted; 0: it did not
}

type thought struct{ text, signature string }

type call struct {
	id, tool string
	args     raw
}

type result struct {
	call   *call
	time   int64
	failed bool
	texts  []string // one, several, or none where there was no output
	image  bool
	parts  bool // as a list even where it is one text
}

func (g *gen) session() *session {
	s := &session{system: g.text(300)}
	now := int64(1_767_225_600_000) + int64(g.n(1_000_000_000))
	idStyle := g.n(6)
	var used []*call
	total := len(s.system) / 4
	steps := 1 + g.n(14)
	for i := range steps {
		now += int64(g.n(20_000))
		if g.one(12) {
			now += 3_600_000 * int64(1+g.n(5))
		}
		switch {
		case i == 0 || g.one(4):
			u := &said{text: g.filled(400), image: g.one(10)}
			total += len(u.text) / 4
			s.steps = append(s.steps, step{time: now, user: u})
			continue
		case g.one(14):
			s.steps = append(s.steps, step{time: now, compact: g.filled(600)})
			total = 100
			continue
		case g.one(8):
			s.steps = append(s.steps, step{time: now, noise: true})
			continue
		}
		a := &answer{id: g.name("msg_")}
		if !g.one(4) {
			a.prompt = max(1, total+g.n(50))
		}
		for range g.n(3) {
			a.thoughts = append(a.thoughts, thought{g.filled(200), g.signature()})
		}
		if g.one(2) {
			a.text = g.filled(300)
		}
		calls := []int{0, 1, 1, 1, 1, 2, 3, 5}[g.n(8)]
		if calls == 0 && a.text == "" {
			a.text = "Done."
		}
		for range calls {
			c := &call{id: g.callID(idStyle), tool: pick(g, "bash", "read", "mcp__fs__read_file", "web/search", "inspect", "Größe", "grep", "grep"), args: g.args()}
			if len(used) > 0 && g.one(15) {
				c.id, c.tool = used[g.n(len(used))].id, used[len(used)-1].tool
			}
			for _, before := range a.calls { // one answer has no two calls of one id
				if before.id == c.id {
					c.id = g.callID(idStyle)
				}
			}
			used = append(used, c)
			a.calls = append(a.calls, c)
			r := &result{call: c, time: now + 100, failed: g.one(8), image: g.one(14), parts: g.one(5)}
			for range []int{0, 1, 1, 1, 1, 1, 1, 1, 2, 3}[g.n(10)] {
				r.texts = append(r.texts, g.text(20_000))
			}
			for _, text := range r.texts {
				total += len(text) / 4
			}
			a.results = append(a.results, r)
		}
		if i == steps-1 && g.one(2) {
			a.results = a.results[:g.n(len(a.results)+1)]
		}
		total += len(a.text) / 4
		s.steps = append(s.steps, step{time: now, answer: a})
		now += 200
	}
	return s
}

func (g *gen) callID(style int) string {
	return g.name([]string{"toolu_01", "call_", "tooluse_-", "a/b\"c ü\u2028", "0", "write_file-1768510312836-c85b"}[style])
}

func (g *gen) signature() string {
	return pick(g, "c2lnbmF0dXJl+/==", "EqEvCk4B", "gAAAAABm_x-y=", "\u2028opaque<&>")
}

func (g *gen) args() raw {
	return g.obj("path", g.text(30), "n", g.odd(), "nested", pick[raw](g, `{"content":"x","tool_result":[1.0]}`, `[]`, `null`))
}

// filled is a text that says something.
func (g *gen) filled(most int) string { return "so " + g.text(most) }

// pieces are what texts are made of.
var pieces = [...]string{
	"line of output\n", "ok\n", "    if err != nil {\n", "\"quoted\\n\" <&> 'text' ", "日本語の行\n", "emoji 😀 👩‍👩‍👧\n", "\x00", "\u2028\u2029", "\r\n", "\x1b[31mred\x1b[0m ",
	"C:\\path\\file ", "\t", "é́ ", "{\"a\":[1,2]}\n", "0123456789", "\x7f\uFFFD\uFEFF", "a/b/c ", "the quick brown fox jumps over the lazy dog. ",
}

// heads are how some texts begin.
var heads = [...]string{
	"[tool result omitted: 12 bytes]", "[tool result omitted: ", "[blob:0198c0de-0000-7000-8000-000000000000] text | 3 lines", "[blob:", "<persisted-output>\n",
	"[Old tool result content cleared]", "<returncode>0</returncode>\n<output>", " ", "OBSERVATION:\n", "{\"output\":\"a\\nb\",\"metadata\":{\"exit_code\":0}}", "see [blob:0198c0de-0000-7000-8000-000000000000] ",
}

// text is one of at most about so many bytes.
func (g *gen) text(most int) string {
	n := 0
	switch {
	case most <= 400:
		n = g.n(most)
	case g.one(6):
		n = g.n(40)
	case g.one(2):
		n = g.n(600)
	case g.one(6):
		n = g.n(most)
	default:
		n = 300 + g.n(1500)
	}
	var b strings.Builder
	if most > 400 && g.one(12) {
		b.WriteString(heads[g.n(len(heads))])
		if g.one(2) {
			return b.String()
		}
	}
	if most > 400 && g.one(16) {
		return g.jsonText(n)
	}
	for b.Len() < n {
		b.WriteString(strings.Repeat(pieces[g.n(len(pieces))], 1+g.n(1+n/100)))
	}
	if most > 400 && g.one(30) {
		b.WriteRune(lone)
	}
	return b.String()
}

// jsonText is a JSON array or object as a text.
func (g *gen) jsonText(n int) string {
	if g.one(2) {
		return "[" + strings.Repeat(`{"id":1.0,"name":"x\"y"},`, n/24) + "null]"
	}
	return `{"rows":[` + strings.Repeat("1e2,", n/4) + `2],"ok":true}`
}
