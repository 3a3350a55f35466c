package agents

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlEntry is what belongs in config.toml of Codex: the table of the MCP server, and a directory in an array.
type tomlEntry struct {
	command, args string // of the server, as TOML writes them
	store         string // the directory that sandboxed commands may write to
}

const (
	tomlServer  = "mcp_servers.llmblob"
	tomlSandbox = "sandbox_workspace_write"
	tomlRoots   = tomlSandbox + ".writable_roots"
	tomlMark    = "# added by llmblob setup"
)

// tomlText is a TOML file taken apart.
type tomlText struct {
	text   []byte
	tables []tomlTable // the first has no header
}

// tomlTable is a header and what follows it, up to the next one.
type tomlTable struct {
	name       string // its keys with dots between them
	start, end int    // of the header
	pairs      []tomlPair
}

// tomlPair is a key and its value.
type tomlPair struct {
	name       string // with that of the table before it
	start, end int
	value      int // where the value starts
	kind       unstable.Kind
	elements   []tomlString // of an array
}

// tomlString is an element of an array. Where it is no string its place is not known.
type tomlString struct {
	start, end int
	kind       unstable.Kind
	text       string
}

func parseTOML(text []byte) (*tomlText, error) {
	t := &tomlText{text: text, tables: []tomlTable{{}}}
	var p unstable.Parser
	start := 0
	if bytes.HasPrefix(text, []byte(bom)) {
		start = len(bom)
	}
	p.Reset(text[start:])
	for p.NextExpression() {
		e := p.Expression()
		name, first, last := tomlKey(e)
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			closing := 1
			if e.Kind == unstable.ArrayTable {
				closing = 2
			}
			header := tomlTable{name: name, start: start + first, end: start + last}
			header.start = bytes.LastIndexByte(text[:header.start], '[') - closing + 1
			header.end += bytes.IndexByte(text[header.end:], ']') + closing
			t.tables = append(t.tables, header)
		case unstable.KeyValue:
			table := &t.tables[len(t.tables)-1]
			end := start + int(e.Raw.Offset+e.Raw.Length)
			pair := tomlPair{name: name, start: start + first, end: len(bytes.TrimRight(text[:end], " \t\r\n")), kind: e.Value().Kind}
			if table.name != "" {
				pair.name = table.name + "." + name
			}
			pair.value = start + last + bytes.IndexByte(text[start+last:], '=') + 1
			pair.value += len(text[pair.value:]) - len(bytes.TrimLeft(text[pair.value:], " \t"))
			if pair.kind == unstable.Array {
				for it := e.Value().Children(); it.Next(); {
					s := tomlString{kind: it.Node().Kind, text: string(it.Node().Data)}
					s.start = start + int(it.Node().Raw.Offset)
					s.end = s.start + int(it.Node().Raw.Length)
					pair.elements = append(pair.elements, s)
				}
			}
			table.pairs = append(table.pairs, pair)
		}
	}
	var fault *unstable.ParserError
	if err := p.Error(); errors.As(err, &fault) {
		at := p.Shape(p.Range(fault.Highlight)).Start
		return nil, &SyntaxError{at.Line, at.Column, fault.Message}
	} else if err != nil {
		return nil, err
	}
	return t, nil
}

// tomlKey returns the keys of an expression, those with dots in quotes, and where the first begins and the last ends.
func tomlKey(e *unstable.Node) (name string, first, last int) {
	var keys []string
	for it := e.Key(); it.Next(); {
		raw := it.Node().Raw
		if len(keys) == 0 {
			first = int(raw.Offset)
		}
		last = int(raw.Offset + raw.Length)
		key := string(it.Node().Data)
		if strings.Contains(key, ".") {
			key = jsonString(key)
		}
		keys = append(keys, key)
	}
	return strings.Join(keys, "."), first, last
}

// within reports whether a name is another, or one inside it.
func within(name, outer string) bool { return name == outer || strings.HasPrefix(name, outer+".") }

// set makes sure that a file holds the entry. A text that has it is not touched. A nil text is a file that does not exist.
func (e tomlEntry) set(text []byte, old string) ([]byte, error) {
	if t, err := parseTOML(text); err == nil && text != nil && t.has(e, old) {
		return text, nil
	}
	text, err := e.remove(text, old)
	if err != nil {
		return nil, err
	}
	server := tomlMark + "\n[" + tomlServer + "]\ncommand = " + e.command + "\nargs = " + e.args
	return e.insertRoot(appendTOML(text, server))
}

// editable refuses a file that writes tables of ours in a form that is not edited here.
func (t *tomlText) editable() error {
	for _, table := range t.tables {
		for _, p := range table.pairs {
			inline := p.kind == unstable.InlineTable && (p.name == "mcp_servers" || p.name == tomlSandbox)
			server := within(p.name, tomlServer) && !within(table.name, tomlServer)
			roots := p.name == tomlRoots && p.kind != unstable.Array
			if inline || server || roots {
				return syntaxError(t.text, p.start, "%s is written in a form that setup does not edit: as a table it does", p.name)
			}
			for _, s := range p.elements {
				if p.name == tomlRoots && s.kind != unstable.String {
					return syntaxError(t.text, p.start, "%s: an element is no string", p.name)
				}
			}
		}
	}
	return nil
}

// has reports whether a file holds the entry, and of old, the directory of an entry before it, nothing.
func (t *tomlText) has(e tomlEntry, old string) bool {
	command, args, store := false, false, false
	for _, table := range t.tables {
		for _, p := range table.pairs {
			value := string(t.text[p.value:p.end])
			switch p.name {
			case tomlServer + ".command":
				command = value == e.command
			case tomlServer + ".args":
				args = value == e.args
			case tomlRoots:
				for _, s := range p.elements {
					store = store || s.text == e.store
					if s.text == old && old != "" && old != e.store {
						return false
					}
				}
			}
		}
	}
	return command && args && store
}

// serverStore is the store that the MCP server of a file is given; "" where there is none.
func (t *tomlText) serverStore() string {
	for _, table := range t.tables {
		for _, p := range table.pairs {
			for i, s := range p.elements {
				if p.name == tomlServer+".args" && s.text == "--store" && i+1 < len(p.elements) {
					return p.elements[i+1].text
				}
			}
		}
	}
	return ""
}

// remove takes the entry out, so that it undoes what set did, byte for byte; old is the directory of an entry before it. What
// is left of a file that held nothing else is nil.
func (e tomlEntry) remove(text []byte, old string) ([]byte, error) {
	for _, store := range []string{e.store, old} {
		t, err := parseTOML(text)
		if err == nil {
			err = t.editable()
		}
		if err != nil {
			return nil, err
		}
		text = t.removeRoot(store)
	}
	for {
		t, err := parseTOML(text)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(t.tables, func(table tomlTable) bool { return within(table.name, tomlServer) })
		if i < 0 {
			return text, nil
		}
		text = t.withoutTable(i)
	}
}

// appendTOML adds a block of lines at the end, after an empty line and before the last line feed. A block in an empty file
// has no line feed behind it: that is how withoutTable tells an empty file from none.
func appendTOML(text []byte, block string) []byte {
	nl := newline(text)
	block = strings.ReplaceAll(block, "\n", nl)
	switch {
	case text == nil:
		return []byte(block + nl)
	case len(text) == 0:
		return []byte(block)
	}
	end := len(text)
	if before, ok := bytes.CutSuffix(text, []byte(nl)); ok && len(before) > 0 {
		end = len(before)
	}
	return splice(text, 0, len(text), []edit{{end, end, nl + nl + block}})
}

// withoutTable takes a table out, with the mark and the empty line before it.
func (t *tomlText) withoutTable(i int) []byte {
	table, nl := t.tables[i], newline(t.text)
	start, end := table.start, table.end
	if n := len(table.pairs); n > 0 {
		end = table.pairs[n-1].end
	}
	before := t.text[:start]
	marked := bytes.HasSuffix(before, []byte(tomlMark+nl))
	before = bytes.TrimSuffix(before, []byte(tomlMark+nl))
	after := t.text[end:]
	if len(before) == 0 && marked {
		switch {
		case string(after) == nl:
			return nil
		case bytes.HasPrefix(after, []byte(nl+nl)):
			after = after[len(nl+nl):]
		}
		return append([]byte{}, after...)
	}
	before = bytes.TrimSuffix(before, []byte(nl+nl))
	return append(bytes.Clone(before), after...)
}

// insertRoot adds the directory to the writable roots: to the array, to the table, or with a table of its own.
func (e tomlEntry) insertRoot(text []byte) ([]byte, error) {
	t, err := parseTOML(text)
	if err != nil {
		return nil, err
	}
	root := jsonString(e.store)
	line := func(off int, name string) []byte { // after the line of an offset
		end := lineEnd(text, off)
		return splice(text, 0, len(text), []edit{{end, end, newline(text) + name + " = [" + root + "] " + tomlMark}})
	}
	for _, table := range t.tables {
		for _, p := range table.pairs {
			if p.name != tomlRoots {
				continue
			}
			return splice(text, 0, len(text), t.withElement(p, root)), nil
		}
	}
	for _, table := range t.tables {
		if table.name == tomlSandbox {
			return line(table.end, "writable_roots"), nil
		}
	}
	for _, p := range t.tables[0].pairs {
		if within(p.name, tomlSandbox) {
			return line(p.end, tomlRoots), nil
		}
	}
	return appendTOML(text, tomlMark+"\n["+tomlSandbox+"]\nwritable_roots = ["+root+"]"), nil
}

// removeRoot takes a directory out of the writable roots, and with it the line or the table that was made for it.
func (t *tomlText) removeRoot(store string) []byte {
	for i, table := range t.tables {
		for _, p := range table.pairs {
			at := slices.IndexFunc(p.elements, func(s tomlString) bool { return s.text == store })
			if p.name != tomlRoots || at < 0 || store == "" {
				continue
			}
			if len(p.elements) == 1 {
				if bytes.HasPrefix(t.text[p.end:], []byte(" "+tomlMark)) {
					start := bytes.LastIndexByte(t.text[:p.start], '\n')
					if start > 0 && t.text[start-1] == '\r' {
						start--
					}
					return splice(t.text, 0, len(t.text), []edit{{start, p.end + len(" "+tomlMark), ""}})
				}
				if len(table.pairs) == 1 && bytes.HasSuffix(t.text[:table.start], []byte(tomlMark+newline(t.text))) {
					return t.withoutTable(i)
				}
			}
			return t.withoutElement(p, at)
		}
	}
	return t.text
}

// withElement returns the edits that add an element to an array, in the form of the last one. Comments stay with their lines.
func (t *tomlText) withElement(p tomlPair, element string) []edit {
	n := len(p.elements)
	if n == 0 {
		return []edit{{p.value + 1, p.value + 1, element}}
	}
	last, before := p.elements[n-1], p.value+1
	if n > 1 {
		before = p.elements[n-2].end
	}
	space := trailingSpace(t.text[before:last.start])
	if n == 1 && space == "" {
		space = " "
	}
	rest, end := t.text[last.end:], lineEnd(t.text, last.end)
	comma := commaAfter(rest)
	switch lines := strings.Contains(space, "\n"); {
	case lines && startsWith(rest, "#"):
		return []edit{{last.end, last.end, ","}, {end, end, space + element}}
	case lines && comma > 0 && last.end+comma <= end && startsWith(rest[comma:], "#"):
		return []edit{{end, end, space + element + ","}}
	}
	return []edit{{last.end, last.end, "," + space + element}}
}

// withoutElement takes an element out of an array, with the comma that separates it.
func (t *tomlText) withoutElement(p tomlPair, at int) []byte {
	s := p.elements[at]
	edits := []edit{{s.start, s.end, ""}}
	switch {
	case at > 0:
		before := p.elements[at-1].end
		edits[0].start = before
		if len(bytes.Trim(t.text[before:s.start], " \t\r\n,")) == 0 {
			break
		}
		start := s.start - len(trailingSpace(t.text[before:s.start])) // comments stay
		if comma := commaAfter(t.text[s.end:]); comma > 0 {
			edits = []edit{{start, s.end + comma, ""}}
		} else {
			comma := before + bytes.IndexByte(t.text[before:], ',')
			edits = []edit{{comma, comma + 1, ""}, {start, s.end, ""}}
		}
	case len(p.elements) > 1:
		edits[0].end = p.elements[1].start
	default:
		edits[0].end += commaAfter(t.text[s.end:])
	}
	return splice(t.text, 0, len(t.text), edits)
}

// commaAfter is how long a text is up to and with a comma that only white space stands before; 0 where there is none.
func commaAfter(text []byte) int {
	if rest := bytes.TrimLeft(text, " \t\r\n"); len(rest) > 0 && rest[0] == ',' {
		return len(text) - len(rest) + 1
	}
	return 0
}
