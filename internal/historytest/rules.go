package historytest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// shape is what the content of a result must be.
type shape int

const (
	textParts    shape = iota // a string, or a list of parts {"type":"text","text":…}
	inputText                 // the same with {"type":"input_text"}, or one such part
	shellEntries              // a list of {stdout, stderr, outcome}
	screenshot                // what must not be changed
	object                    // an object
	bedrockParts              // a list of {"text":…} or {"json":…}
	aiOutput                  // an object with a type and a value
	anyText                   // a string, whatever was there
	nullable                  // a string or null
	observation               // as textParts, but what an agent writes around a string stays
)

// Change is what became of the content of a result.
type Change struct {
	Result int      // its number among the results
	Texts  []string // those in its content now
	Null   bool     // it is null now
}

// Check compares a history with what was made of it, and tells which contents of results are others now and what breaks a
// rule of the interface: it may differ nowhere but in the contents of results, which are of the shape that they were. A text there
// is as it was, or as replaced allows.
func (h History) Check(after []byte, replaced func(result int, text string) bool) (changes []Change, broken []string) {
	report := func(format string, args ...any) { broken = append(broken, fmt.Sprintf(format, args...)) }
	was, err := h.find(h.Data)
	if err != nil {
		return nil, []string{"the original is no JSON: " + err.Error()}
	}
	is, err := h.find(after)
	if err != nil {
		return nil, []string{"not JSON: " + err.Error()}
	}
	if len(was.slots) != len(h.Results) {
		report("the original has %d results, %d were written", len(was.slots), len(h.Results))
	}
	if len(is.slots) != len(was.slots) || !slices.Equal(is.perRecord, was.perRecord) {
		report("results in each record: %v, were %v", is.perRecord, was.perRecord)
		return nil, broken
	}
	if !slices.Equal(is.calls, was.calls) {
		report("calls %q, were %q", is.calls, was.calls)
	}
	if a, b := was.masked(h.Data), is.masked(after); !bytes.Equal(a, b) {
		at := 0
		for at < len(a) && at < len(b) && a[at] == b[at] {
			at++
		}
		report("outside the contents of results, after %q: %q, was %q", clip(b[max(0, at-80):at]), clip(b[at:]), clip(a[at:]))
	}
	for i, w := range was.slots {
		s := is.slots[i]
		if s.id != w.id {
			report("result %d is of call %q, was of %q", i, s.id, w.id)
		}
		if (s.content == nil) != (w.content == nil) {
			report("result %d: content %v, was %v", i, s.content != nil, w.content != nil)
			continue
		}
		if s.content == nil || bytes.Equal(h.Data[w.content.start:w.content.end], after[s.content.start:s.content.end]) {
			continue
		}
		c := comparison{i, h.Data, after, replaced, Change{Result: i}, report}
		c.content(w.shape, w.content, s.content)
		changes = append(changes, c.change)
	}
	return changes, broken
}

// Pairs tells which results of a history have no call before them, and which calls have more than one result or, the last ones aside, none.
func (h History) Pairs(data []byte) []string {
	found, err := h.find(data)
	if err != nil {
		return []string{err.Error()}
	}
	var broken []string
	calls, results := map[string]int{}, map[string]int{}
	for _, id := range found.calls {
		calls[id]++
	}
	for _, s := range found.slots {
		if results[s.id]++; results[s.id] > calls[s.id] {
			broken = append(broken, fmt.Sprintf("result of %q without a call", s.id))
		}
	}
	return broken
}

// foundAll are the calls and results of all records.
type foundAll struct {
	found
	perRecord []int
}

func (h History) find(data []byte) (foundAll, error) {
	values, err := parse(data)
	if err != nil {
		return foundAll{}, err
	}
	records := values
	switch h.Frame {
	case Array:
		records = values[0].kids
	case Document:
		records = values[0].elements(h.dialect.list)
	}
	var f foundAll
	for _, record := range records {
		before := len(f.slots)
		h.dialect.results(record, &f.found)
		f.perRecord = append(f.perRecord, len(f.slots)-before)
	}
	return f, nil
}

// masked is data without the contents of results.
func (f foundAll) masked(data []byte) []byte {
	var out []byte
	at := 0
	for _, s := range f.slots {
		if s.content != nil && s.content.start >= at {
			out = append(append(out, data[at:s.content.start]...), 0)
			at = s.content.end
		}
	}
	return append(out, data[at:]...)
}

func clip[T ~string | ~[]byte](s T) string { return string(s[:min(len(s), 160)]) }

// comparison is of one content that has changed.
type comparison struct {
	result   int
	was, is  []byte
	replaced func(result int, text string) bool
	change   Change
	report   func(format string, args ...any)
}

func (c *comparison) content(s shape, was, is *node) {
	wrong := func() {
		c.report("result %d: %s was %s", c.result, clip(c.is[is.start:is.end]), clip(c.was[was.start:was.end]))
	}
	switch s {
	case nullable:
		if is.kind == 'n' {
			c.change.Null = true
			return
		}
		c.text(nil, is)
	case anyText:
		c.text(nil, is)
	case screenshot:
		wrong()
	case observation:
		if was.kind != '"' || is.kind != '"' {
			c.content(textParts, was, is)
			return
		}
		before, _, after := unwrapped(was.text())
		text := is.text()
		if !strings.HasPrefix(text, before) || !strings.HasSuffix(text, after) || len(text) < len(before)+len(after) {
			wrong()
			return
		}
		c.said(text[len(before) : len(text)-len(after)])
	case textParts, inputText:
		switch {
		case was.kind == '"' && is.kind == '"':
			c.text(was, is)
		case was.kind == '[' && is.kind == '[':
			c.parts(was.kids, is.kids, func(was, is *node) *node {
				if is.str("type") != was.str("type") {
					wrong()
				}
				return is.get("text")
			})
		case was.kind == '{' && is.kind == '{' && s == inputText && is.is("type", "input_text"):
			c.text(was.get("text"), is.get("text"))
		default:
			wrong()
		}
	case bedrockParts:
		if is.kind != '[' {
			wrong()
			return
		}
		c.parts(was.kids, is.kids, func(_, is *node) *node {
			if is.get("type") != nil {
				wrong()
			}
			return is.get("text")
		})
	case object:
		c.object(was, is, wrong)
	case aiOutput:
		failed := strings.HasPrefix(was.str("type"), "error-")
		switch {
		case failed && !is.is("type", "error-text"), !failed && !is.is("type", "text", "content"):
			wrong()
		case is.is("type", "content"):
			c.parts(was.elements("value"), is.elements("value"), func(_, is *node) *node { return is.get("text") })
		default:
			c.text(nil, is.get("value"))
		}
	case shellEntries:
		c.shell(was.kids, is.kids, wrong)
	}
}

// text takes a string that may be a replacement, or the one it was.
func (c *comparison) text(was, is *node) {
	switch {
	case is == nil || is.kind != '"':
		c.report("result %d has no text in %s", c.result, clip(c.is))
	case was != nil && was.text() == is.text():
		c.change.Texts = append(c.change.Texts, is.text())
	default:
		c.said(is.text())
	}
}

// said takes a text that is a replacement.
func (c *comparison) said(text string) {
	c.change.Texts = append(c.change.Texts, text)
	if strings.TrimSpace(text) == "" {
		c.report("result %d has a blank text", c.result)
	}
	if !c.replaced(c.result, text) {
		c.report("result %d: nothing allows %q", c.result, clip(text))
	}
}

// unwrapped parts what a command printed from what agents without tools write around it.
func unwrapped(text string) (before, printed, after string) {
	between := func(begin, end string) bool {
		i, j := strings.Index(text, begin), strings.LastIndex(text, end)
		if i < 0 || j < i+len(begin) {
			return false
		}
		i += len(begin)
		before, printed, after = text[:i], text[i:j], text[j:]
		return true
	}
	if strings.HasPrefix(text, "<returncode>") && (between("<output>\n", "\n</output>") || between("<output>", "</output>")) {
		return before, printed, after
	}
	if printed, ok := strings.CutPrefix(text, "OBSERVATION:\n"); ok {
		return "OBSERVATION:\n", printed, ""
	}
	return "", text, ""
}

// parts takes a list: as many as there were, or one that stands for all.
func (c *comparison) parts(was, is []*node, text func(was, is *node) *node) {
	if len(is) != len(was) && len(is) != 1 {
		c.report("result %d has %d parts, had %d", c.result, len(is), len(was))
		return
	}
	for i, part := range is {
		before := was[len(was)-1]
		if len(is) == len(was) {
			before = was[i]
		}
		if bytes.Equal(c.was[before.start:before.end], c.is[part.start:part.end]) && len(is) == len(was) {
			continue
		}
		c.text(before.get("text"), text(before, part))
	}
}

func (c *comparison) object(was, is *node, wrong func()) {
	if is.kind != '{' {
		wrong()
		return
	}
	if len(is.kids) == 1 && is.kids[0].key == "output" { // it stands for all
		c.text(nil, is.kids[0])
		return
	}
	if len(is.kids) != len(was.kids) {
		wrong()
		return
	}
	for i, member := range is.kids {
		before := was.kids[i]
		if member.key != before.key {
			wrong()
		} else if !bytes.Equal(c.was[before.start:before.end], c.is[member.start:member.end]) {
			c.text(nil, member)
		}
	}
}

func (c *comparison) shell(was, is []*node, wrong func()) {
	if len(is) == 0 || len(is) != len(was) && len(is) != 1 {
		wrong()
		return
	}
	for i, entry := range is {
		before := was[len(was)-1]
		if len(is) == len(was) {
			before = was[i]
		}
		a, b := before.get("outcome"), entry.get("outcome")
		if b == nil || !bytes.Equal(c.was[a.start:a.end], c.is[b.start:b.end]) {
			wrong()
		}
		for _, key := range []string{"stdout", "stderr"} {
			if text := entry.get(key); text == nil || text.kind != '"' {
				wrong()
			} else if text.text() != "" && (len(is) != len(was) || text.text() != before.str(key)) {
				c.text(nil, text)
			}
		}
	}
}
