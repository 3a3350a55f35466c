package history

import "github.com/llmblob/llmblob/internal/jsonscan"

// outline is the top of a JSON document: where its members are. Of an array it is the array itself.
type outline struct {
	doc     Span
	members map[string]Span // by key, the last of equal ones; nil of an array
}

// outline validates the history as one JSON document, an object or an array. It looks at one value at a time, so that a
// large document needs no more memory than its largest part. ok is false where the history is something else, or no JSON.
func (p *parser) outline(start int) (o outline, ok bool) {
	at := jsonscan.SkipSpace(p.data, start)
	if at == len(p.data) {
		return o, false
	}
	end := at
	switch p.data[at] {
	case '[':
		end, ok = p.elements(at)
	case '{':
		o.members = map[string]Span{}
		end, ok = p.members(at, o.members)
	}
	o.doc = Span{at, end}
	return o, ok && jsonscan.SkipSpace(p.data, end) == len(p.data)
}

// value validates the value at an offset; an array by its elements.
func (p *parser) value(at int) (end int, ok bool) {
	if at < len(p.data) && p.data[at] == '[' {
		return p.elements(at)
	}
	_, end, ok = p.tape.Parse(p.data, at)
	p.pass(end)
	return end, ok
}

// elements validates the array that opens at an offset.
func (p *parser) elements(at int) (end int, ok bool) {
	return p.list(at, ']', func(at int) (int, bool) {
		_, end, ok := p.tape.Parse(p.data, at)
		p.pass(end)
		return end, ok
	})
}

// members validates the object that opens at an offset.
func (p *parser) members(at int, members map[string]Span) (end int, ok bool) {
	return p.list(at, '}', func(at int) (int, bool) {
		key, end, ok := p.tape.Parse(p.data, at)
		if !ok || !key.Has(jsonscan.String) {
			return end, false
		}
		const longestName = 256 // as written; no name that means something is so long, and it is not worth the memory
		name := ""
		if len(key.Raw()) <= longestName {
			name = string(key.Text())
		}
		if end = jsonscan.SkipSpace(p.data, end); end == len(p.data) || p.data[end] != ':' {
			return end, false
		}
		start := jsonscan.SkipSpace(p.data, end+1)
		end, ok = p.value(start)
		members[name] = Span{start, end}
		return end, ok
	})
}

// list goes over what is between a bracket and its closing one, with commas between.
func (p *parser) list(at int, closing byte, one func(at int) (end int, ok bool)) (end int, ok bool) {
	at = jsonscan.SkipSpace(p.data, at+1)
	if at < len(p.data) && p.data[at] == closing {
		return at + 1, true
	}
	for at < len(p.data) {
		if at, ok = one(at); !ok {
			return at, false
		}
		if at = jsonscan.SkipSpace(p.data, at); at == len(p.data) {
			break
		}
		switch p.data[at] {
		case closing:
			return at + 1, true
		case ',':
			at = jsonscan.SkipSpace(p.data, at+1)
		default:
			return at, false
		}
	}
	return at, false
}
