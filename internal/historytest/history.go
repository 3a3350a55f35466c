package historytest

import (
	"math/rand/v2"
	"slices"
)

// Frame is how the records of a history stand in its bytes.
type Frame int

// The frames.
const (
	Lines    Frame = iota // one record a line
	Array                 // one JSON array of records
	Document              // one JSON object that holds them
)

// String names the frame.
func (f Frame) String() string { return [...]string{"lines", "array", "document"}[f] }

// Truth is what is true of a tool result of a history.
type Truth struct {
	CallID, Tool string
	Failed       bool     // marked as an error
	Media        bool     // not only text
	Texts        []string // what of its content is text, in order, none of them empty
	Opaque       bool     // its content is JSON that is no text, which Texts does not have
}

// History is one that was made.
type History struct {
	Dialect string
	Format  string // its name in --format
	Frame   Frame
	Data    []byte
	Results []Truth // in order
	Calls   int
	// Rewritten tells that some record takes back what those before it say, so that a longer history does not just go on.
	Rewritten bool
	Compacted int // how often it tells that the context began anew

	dialect *dialect
}

// Case is a way of writing histories.
type Case struct {
	Dialect string
	Frame   Frame
}

// Cases are all ways.
func Cases() []Case {
	var cases []Case
	for _, d := range dialects() {
		for _, f := range d.frames {
			cases = append(cases, Case{d.name, f})
		}
	}
	return cases
}

// Make makes a random history.
func (c Case) Make(r *rand.Rand) History {
	all := dialects()
	d := all[slices.IndexFunc(all, func(d *dialect) bool { return d.name == c.Dialect })]
	g := &gen{r: r, spacing: []int{0, 0, 1, 2}[r.IntN(4)], breaks: c.Frame != Lines, shuffles: r.IntN(3) == 0, ascii: r.IntN(6) == 0}
	s := g.session()
	h := History{Dialect: d.name, Format: d.format, Frame: c.Frame, dialect: d}
	for _, st := range s.steps {
		if st.answer != nil {
			h.Calls += len(st.answer.calls)
		}
	}
	records := d.records(g, s)
	switch c.Frame {
	case Lines:
		for i, record := range records {
			h.Data = append(h.Data, record...)
			switch {
			case i == len(records)-1 && g.one(4): // torn or hand-made files lack the last line feed
			case g.one(40): // two on one line
				h.Data = append(h.Data, ' ')
			case g.one(40):
				h.Data = append(h.Data, "\n\n"...)
			case g.one(40):
				h.Data = append(h.Data, "\r\n"...)
			default:
				h.Data = append(h.Data, '\n')
			}
		}
	case Array:
		h.Data = []byte(g.list(records...))
	case Document:
		h.Data = []byte(d.document(g, s, g.list(records...)))
	}
	h.Results, h.Rewritten, h.Compacted = g.truth, g.rewritten, g.compacted
	return h
}

// dialect is one way in which a format is written.
type dialect struct {
	name, format string
	frames       []Frame
	records      func(g *gen, s *session) []raw
	document     func(g *gen, s *session, records raw) raw
	list         string // the key of the records in a document
	// results tells the contents of the results in a record, in order, and the ids of its calls.
	results func(rec *node, f *found)
}

// found are the calls and results of a history.
type found struct {
	slots []slot
	calls []string
	// answered tells, where there is nothing else to tell a result from what a user says, that the model wrote last.
	answered bool
}

func (f *found) call(id string) { f.calls = append(f.calls, id) }

func (f *found) result(id string, content *node, s shape) {
	f.slots = append(f.slots, slot{id, content, s})
}

// slot is where the content of a result stands.
type slot struct {
	id      string
	content *node // nil: there is none
	shape   shape
}

// told notes what is true of a result that is written.
func (g *gen) told(t Truth) {
	texts := t.Texts
	t.Texts = nil
	for _, text := range texts {
		if text != "" {
			t.Texts = append(t.Texts, decoded(text))
		}
	}
	g.truth = append(g.truth, t)
}

// content writes the texts of a result as a string or as a list of parts, and notes what is true of it. part makes a part of
// a text; with image there can be pictures.
func (g *gen) content(r *result, t Truth, part func(text string) raw, image raw) any {
	t.CallID, t.Tool = r.call.id, r.call.tool
	defer func() { g.told(t) }()
	hasImage := r.image && image != ""
	if !hasImage && len(r.texts) == 0 {
		if r.failed || part == nil {
			return ""
		}
		return pick[any](g, "", g.list())
	}
	if part == nil || !hasImage && len(r.texts) == 1 && !r.parts {
		text := ""
		for _, s := range r.texts {
			text += s
		}
		t.Texts = []string{text}
		return text
	}
	var parts []raw
	for _, text := range r.texts {
		text = notBlank(text)
		t.Texts = append(t.Texts, text)
		parts = append(parts, part(text))
	}
	if hasImage {
		t.Media = true
		parts = slices.Insert(parts, g.n(len(parts)+1), image)
	}
	return g.list(parts...)
}

// notBlank is a text that interfaces take in a block of its own.
func notBlank(text string) string {
	for _, r := range text {
		if r > ' ' {
			return text
		}
	}
	return "x"
}

// textPart is a part {"type":kind,"text":…}.
func (g *gen) textPart(kind string) func(string) raw {
	return func(text string) raw { return g.obj("type", kind, "text", text) }
}

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// opt is a value, or at times nothing.
func opt[T any](g *gen, v T) any {
	if g.one(2) {
		return nil
	}
	return v
}

// orString is a list with one text, or at times that text.
func (g *gen) orString(text string, list []raw) any {
	if len(list) == 1 && text != "" && g.one(2) {
		return text
	}
	return list
}
