package agents

import (
	"bytes"
	"slices"
	"strings"

	"github.com/tidwall/jsonc"

	"github.com/llmblob/llmblob/internal/jsonscan"
)

// jsonEntry is what belongs in a JSON file: a member of an object, or an element of an array.
type jsonEntry struct {
	path  []string // the keys that lead to the object or array
	key   string   // of the member; "" for an element
	value string   // as it is written
	// ours tells elements of ours, whatever their value, from those of others.
	ours func(jsonscan.Value) bool
	// list is the key of an array in the element, whose elements ours is asked of: others may have some in it too.
	list    string
	isStore bool // the value is the path of the store
	shared  bool // a user may have the same: it is ours only where other entries are, and then the last one
}

// bom may stand before a text, and stays.
const bom = "\ufeff"

// jsonText is a JSON file taken apart. Comments and commas at the end are as white space to it, in their places.
type jsonText struct {
	text []byte // as it is
	view []byte // as JSON, of the same length
	tape jsonscan.Tape
	root jsonscan.Value
}

func parseJSON(text []byte) (*jsonText, error) {
	t := &jsonText{text: text, view: jsonc.ToJSON(text)}
	start := 0
	if bytes.HasPrefix(text, []byte(bom)) {
		start = len(bom)
	}
	root, end, ok := t.tape.Parse(t.view, start)
	if !ok {
		fault := t.tape.Err(end)
		return nil, &SyntaxError{fault.Line, fault.Column, fault.Msg}
	}
	if rest := jsonscan.SkipSpace(t.view, end); rest < len(t.view) {
		return nil, syntaxError(text, rest, "something follows the JSON value")
	}
	if begin, _ := root.Span(); !root.Has(jsonscan.Object) {
		return nil, syntaxError(text, begin, "no JSON object")
	}
	t.root = root
	return t, nil
}

// setJSON makes sure that a file holds the entries, each once and with its value; known are all that setup may ever have
// written. A text that has them so is not touched. A nil text is a file that does not exist.
func setJSON(text []byte, entries, known []jsonEntry) ([]byte, error) {
	if text != nil {
		if ok, err := hasJSON(text, entries, known); ok || err != nil {
			return text, err
		}
	}
	text, err := removeJSON(text, known)
	for _, e := range entries {
		if err == nil {
			text, err = e.insert(text)
		}
	}
	return text, err
}

// removeJSON takes entries out, the last first, so that it undoes what inserting them did, byte for byte. What is left of a
// file that held nothing else is nil.
func removeJSON(text []byte, known []jsonEntry) ([]byte, error) {
	for _, e := range slices.Backward(known) {
		for text != nil {
			t, err := parseJSON(text)
			if err != nil {
				return nil, err
			}
			left, found := t.remove(e)
			if !found {
				break
			}
			text = left
			if e.shared {
				break
			}
		}
	}
	return text, nil
}

// hasJSON reports whether of the known entries a text holds exactly those that are wanted.
func hasJSON(text []byte, entries, known []jsonEntry) (bool, error) {
	t, err := parseJSON(text)
	if err != nil {
		return false, err
	}
	for _, e := range known {
		var wanted []string
		for _, w := range entries {
			if w.same(e) {
				wanted = append(wanted, w.value)
			}
		}
		found := t.find(e)
		if e.shared && len(wanted) > 0 && len(found) > len(wanted) {
			found = found[:len(wanted)]
		}
		holds := func(c jsonChild, value string) bool { return holds(t.view[c.valueStart:c.end], value) }
		if !slices.EqualFunc(found, wanted, holds) {
			return false, nil
		}
	}
	return true, nil
}

// holds reports whether a value is another, or has all of its members and objects: a user may have added some.
func holds(found []byte, wanted string) bool {
	var have, want jsonscan.Tape
	f, _, _ := have.Parse(found, 0)
	w, _, _ := want.Parse([]byte(wanted), 0)
	return holdsValue(f, w)
}

func holdsValue(f, w jsonscan.Value) bool {
	for key, v := range w.Members() {
		if !holdsValue(f.Get(string(jsonscan.Text(key))), v) {
			return false
		}
	}
	objects := 0
	for v := range w.Elements() {
		if !v.Has(jsonscan.Object) {
			break
		}
		if !slices.ContainsFunc(slices.Collect(f.Elements()), func(e jsonscan.Value) bool { return holdsValue(e, v) }) {
			return false
		}
		objects++
	}
	return w.Has(jsonscan.Object) || objects > 0 || compact(f.Raw()) == compact(w.Raw())
}

// same reports whether two entries have the same place.
func (e jsonEntry) same(o jsonEntry) bool {
	return slices.Equal(e.path, o.path) && e.key == o.key && (e.key != "" || e.value == o.value)
}

func compact(value []byte) string { return string(jsonscan.AppendCompact(nil, value, len(value))) }

// jsonChild is where a child of a container stands, with its key.
type jsonChild struct{ start, valueStart, end int }

// children are those of an object or array.
func (t *jsonText) children(v jsonscan.Value) []jsonChild {
	var all []jsonChild
	for v := range v.Elements() {
		start, end := v.Span()
		all = append(all, jsonChild{start, start, end})
	}
	_, at := v.Span()
	if start, _ := v.Span(); v.Has(jsonscan.Object) {
		at = start + 1
	}
	for key, v := range v.Members() {
		start, end := v.Span()
		keyStart := at + bytes.Index(t.view[at:start], key)
		all = append(all, jsonChild{keyStart, start, end})
		at = end
	}
	return all
}

// container follows a path as far as it leads. rest are the keys that were not found.
func (t *jsonText) container(path []string) (v jsonscan.Value, rest []string) {
	v = t.root
	for i, key := range path {
		child := v.Get(key)
		if !child.Exists() {
			return v, path[i:]
		}
		v = child
	}
	return v, nil
}

// find returns the children that an entry means, one as often as it has something of ours in its list.
func (t *jsonText) find(e jsonEntry) []jsonChild {
	v, rest := t.container(e.path)
	if len(rest) > 0 {
		return nil
	}
	var found []jsonChild
	children := t.children(v)
	i := 0
	for element := range v.Elements() {
		for range e.oursIn(element) {
			found = append(found, children[i])
		}
		i++
	}
	for key := range v.Members() {
		if e.key != "" && string(jsonscan.Text(key)) == e.key {
			found = append(found, children[i])
		}
		i++
	}
	return found
}

// oursIn are the indices of what is ours in the list of an element, or 0 for an element that is ours itself.
func (e jsonEntry) oursIn(element jsonscan.Value) []int {
	switch {
	case e.key != "":
		return nil
	case e.list == "" && e.ours(element):
		return []int{0}
	}
	var found []int
	i := 0
	for v := range element.Get(e.list).Elements() {
		if e.ours(v) {
			found = append(found, i)
		}
		i++
	}
	return found
}

// made reports whether an element has nothing but what is ours: its list has no other element, and it no other member than
// those of the entry, with their values.
func (e jsonEntry) made(element jsonscan.Value) bool {
	var tape jsonscan.Tape
	want, _, _ := tape.Parse([]byte(e.value), 0)
	for key, v := range element.Members() {
		key := string(jsonscan.Text(key))
		if key == e.list {
			if len(slices.Collect(v.Elements())) > 1 {
				return false
			}
		} else if compact(v.Raw()) != compact(want.Get(key).Raw()) {
			return false
		}
	}
	return true
}

// insert adds an entry and the containers that lead to it. The forms it writes differ by what was there before, so that
// remove knows it: see there.
func (e jsonEntry) insert(text []byte) ([]byte, error) {
	if text == nil {
		return []byte("{\n" + indentUnit + e.nested(e.path, "\n"+indentUnit, indentUnit) + "\n}\n"), nil
	}
	t, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	v, rest := t.container(e.path)
	want := jsonscan.Object
	if len(rest) == 0 && e.key == "" {
		want = jsonscan.Array
	}
	if begin, end := v.Span(); v.Has(jsonscan.Null) {
		empty := map[jsonscan.Kind]string{jsonscan.Object: "{}", jsonscan.Array: "[]"}[want]
		return e.insert(splice(text, 0, len(text), []edit{{begin, end, empty}}))
	}
	if !v.Has(want) {
		begin, _ := v.Span()
		return nil, syntaxError(text, begin, "%s is no %v", strings.Join(e.path[:len(e.path)-len(rest)], "."), want)
	}
	start, end := v.Span()
	children := t.children(v)
	unit, lineStart := t.indent(), t.lineIndent(start)
	switch {
	case len(children) > 0:
		last, before := children[len(children)-1], start+1
		if len(children) > 1 {
			before = children[len(children)-2].end
		}
		space := trailingSpace(text[before:last.start])
		if len(children) == 1 && space == "" {
			space = " "
		}
		child := space + e.nested(rest, lineBreak(space, newline(t.text)+lineStart+unit), unit)
		if end := lineEnd(text, last.end); strings.Contains(space, "\n") && startsWith(text[last.end:end], "//") { // it stays with its line
			return splice(text, 0, len(text), []edit{{last.end, last.end, ","}, {end, end, child}}), nil
		}
		return splice(text, 0, len(text), []edit{{last.end, last.end, "," + child}}), nil
	case end-start == len("{}"):
		space := newline(t.text) + lineStart + unit
		return splice(text, 0, len(text), []edit{{start + 1, start + 1, space + e.nested(rest, space, unit)}}), nil
	}
	return splice(text, 0, len(text), []edit{{start + 1, start + 1, e.nested(rest, newline(t.text)+lineStart+unit, unit)}}), nil
}

// indentUnit is that of files which have none.
const indentUnit = "  "

// nested writes an entry within the containers that are missing. line is the line feed and the indent that it stands at.
func (e jsonEntry) nested(missing []string, line, unit string) string {
	if len(missing) == 0 {
		if e.key == "" {
			return e.value
		}
		return jsonString(e.key) + ": " + e.value
	}
	opening, closing := "{", "}"
	if len(missing) == 1 && e.key == "" {
		opening, closing = "[", "]"
	}
	return jsonString(missing[0]) + ": " + opening + line + unit + e.nested(missing[1:], line+unit, unit) + line + closing
}

// remove takes the last child that an entry means out, or of one that is another's too only what is ours. A container that it leaves empty goes too, where the line breaks at
// both ends tell that it was made for the entry: into one that was empty, insert puts none at the end, and into one
// with white space none at the beginning.
func (t *jsonText) remove(e jsonEntry) (left []byte, found bool) {
	children := t.find(e)
	if len(children) == 0 {
		return t.text, false
	}
	ours := children[len(children)-1]
	if e.list != "" {
		v, _ := t.container(e.path)
		group := slices.Collect(v.Elements())[slices.Index(t.children(v), ours)]
		if !e.made(group) {
			list, at := group.Get(e.list), e.oursIn(group)
			all := t.children(list)
			return t.cut(list, all[at[len(at)-1]]), true
		}
	}
	for depth := len(e.path); ; depth-- {
		v, _ := t.container(e.path[:depth])
		start, end := v.Span()
		if len(t.children(v)) > 1 || !isBreak(t.text[start+1:ours.start]) || !isBreak(t.text[ours.end:end-1]) {
			return t.cut(v, ours), true
		}
		if depth == 0 {
			if len(bytes.TrimSpace(t.text[:start]))+len(bytes.TrimSpace(t.text[end:])) > 0 {
				return splice(t.text, 0, len(t.text), []edit{{start + 1, end - 1, ""}}), true // comments, or a mark of the byte order
			}
			return nil, true
		}
		parent, _ := t.container(e.path[:depth-1])
		for _, c := range t.children(parent) {
			if c.valueStart == start {
				ours = c
			}
		}
	}
}

// cut takes a child out of a container, which stays.
func (t *jsonText) cut(v jsonscan.Value, ours jsonChild) []byte {
	if all := t.children(v); len(all) > 1 {
		return t.without(all, ours)
	}
	start, end := v.Span()
	lead, trail := t.text[start+1:ours.start], t.text[ours.end:end-1]
	if len(bytes.TrimSpace(lead)) > 0 {
		lead = nil // comments stay
	}
	return splice(t.text, 0, len(t.text), []edit{{ours.start - len(lead), ours.end + commaAfter(trail), ""}})
}

// without takes one of several children out, with the comma that separates it.
func (t *jsonText) without(all []jsonChild, ours jsonChild) []byte {
	i := slices.Index(all, ours)
	if i == 0 {
		end := all[1].start
		if len(bytes.Trim(t.text[ours.end:end], " \t\r\n,")) > 0 { // comments stay
			end = ours.end + bytes.IndexByte(t.view[ours.end:], ',') + 1
		}
		return splice(t.text, 0, len(t.text), []edit{{ours.start, end, ""}})
	}
	before := all[i-1].end
	cut := []edit{{before, ours.end, ""}}
	if len(bytes.Trim(t.text[before:ours.start], " \t\r\n,")) > 0 { // comments stay
		comma := before + bytes.IndexByte(t.view[before:ours.start], ',')
		start, end := ours.start-len(trailingSpace(t.text[comma+1:ours.start])), ours.end
		cut = nil
		if i+1 < len(all) {
			end += bytes.IndexByte(t.view[end:], ',') + 1
		} else {
			cut = []edit{{comma, comma + 1, ""}}
		}
		if len(bytes.TrimSpace(t.text[end:lineEnd(t.text, end)])) > 0 { // a comment may end with the line before
			start = ours.start
		}
		cut = append(cut, edit{start, end, ""})
	}
	return splice(t.text, 0, len(t.text), cut)
}

// isBreak reports whether a text is white space with a line feed in it.
func isBreak(text []byte) bool {
	return bytes.IndexByte(text, '\n') >= 0 && len(bytes.TrimSpace(text)) == 0
}

// indent is the white space before the first member, where it stands on a line of its own.
func (t *jsonText) indent() string {
	if children := t.children(t.root); len(children) > 0 {
		start, _ := t.root.Span()
		if space := trailingSpace(t.text[start+1 : children[0].start]); strings.Contains(space, "\n") {
			return space[strings.LastIndexByte(space, '\n')+1:]
		}
	}
	return indentUnit
}

// lineIndent is the white space at the beginning of the line of an offset.
func (t *jsonText) lineIndent(off int) string {
	line := t.text[bytes.LastIndexByte(t.text[:off], '\n')+1 : off]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// lineEnd is where the line of an offset ends.
func lineEnd(text []byte, off int) int {
	i := bytes.IndexByte(text[off:], '\n')
	if i < 0 {
		return len(text)
	}
	return off + len(bytes.TrimSuffix(text[off:off+i], []byte("\r")))
}

// startsWith reports whether a text starts with a mark, white space aside.
func startsWith(text []byte, mark string) bool {
	return bytes.HasPrefix(bytes.TrimLeft(text, " \t"), []byte(mark))
}

// trailingSpace is the white space that a text ends with.
func trailingSpace(text []byte) string {
	return string(text[len(bytes.TrimRight(text, " \t\r\n")):])
}

// lineBreak is the last line feed of a white space and what follows it, or else another.
func lineBreak(space, other string) string {
	if i := strings.LastIndexByte(space, '\n'); i > 0 && space[i-1] == '\r' {
		return space[i-1:]
	} else if i >= 0 {
		return space[i:]
	}
	return other
}
