package inspect

import (
	"bytes"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/llmblob/llmblob/pkg/selector"
)

// page is an answer within a bound.
type page struct {
	content []byte
	shown   selector.Range // of content, where it is cut
	left    int            // units left out, 0 where nothing is
	next    []selector.Selector
}

// notice is the last line of a cut answer. Where bytes are left out it stands on a line of its own whatever the content
// ends with: the line feed before it is never the content's.
func (p page) notice() string {
	line := fmt.Sprintf("… %s, next: %s\n", p.more(), Join(p.next))
	if p.shown.Unit == selector.BytesUnit {
		return "\n" + line
	}
	return line
}

// more says how much is left out, as in "3 more lines".
func (p page) more() string {
	unit := p.shown.Unit
	if p.left == 1 {
		unit = map[string]string{selector.LinesUnit: "line", selector.EntriesUnit: "entry", selector.BytesUnit: "byte"}[unit]
	}
	return fmt.Sprintf("%d more %s", p.left, unit)
}

const (
	// noticeRoom is what a notice takes at most beside the selectors that page after page goes on with: its words, and a
	// selector of lines and one of bytes with the largest numbers.
	noticeRoom = 40 + 43 + 45
	// leastContent is the least that a page is worth being given for.
	leastContent = 64
)

// BoundError says that a bound has no room for an answer and the selectors of its next page.
type BoundError struct{ Bytes, Least int }

func (e *BoundError) Error() string {
	return fmt.Sprintf("bound of %d bytes: too small for these selectors, the least is %d", e.Bytes, e.Least)
}

// checkBound holds for all pages of a chain if it does for one.
func checkBound(limit int, sels []selector.Selector) error {
	if least := max(MinBytes, noticeRoom+leastContent+len(Join(base(sels)))); limit != 0 && limit < least {
		return &BoundError{Bytes: limit, Least: least}
	}
	return nil
}

// base returns the part of a chain that its pages have in common: paging moves, or adds, a range of bytes and one of
// lines or elements at the end.
func base(sels []selector.Selector) []selector.Selector {
	for _, unit := range []string{selector.BytesUnit, ""} {
		if n := len(sels); n > 0 && sels[n-1].IsPage(unit) {
			sels = sels[:n-1]
		}
	}
	return sels
}

// gather keeps the first bytes written and counts the rest.
type gather struct {
	keep  int // -1: all
	data  []byte
	total int
	lines int // line feeds among them
}

func (g *gather) Write(p []byte) (int, error) {
	if room := g.keep - len(g.data); g.keep < 0 || len(p) <= room {
		g.data = append(g.data, p...)
	} else if room > 0 {
		g.data = append(g.data, p[:room]...)
	}
	g.total += len(p)
	g.lines += bytes.Count(p, []byte{'\n'})
	return len(p), nil
}

// cut gives at most limit bytes of a selection, or all where limit is 0. With notice there is room left for its line, and
// JSON ends with a line feed. A JSON string that is cut is given as its text, for so it can be paged through.
func cut(sel selector.Selection, sels []selector.Selector, limit int, notice bool) page {
	all := gather{keep: limit}
	if limit == 0 {
		all.keep = -1
	}
	_, _ = sel.WriteTo(&all) // a gather takes all
	if sel.IsJSON() && !notice {
		all.total-- // the added line feed
		all.data = all.data[:min(len(all.data), all.total)]
	}
	if limit == 0 || all.total <= limit {
		return page{content: all.data}
	}
	room := limit
	if notice {
		room -= noticeRoom + len(Join(base(sels)))
	}
	if p, ok := cutEntries(sel, sels, room); ok {
		if !notice {
			p.content = p.content[:len(p.content)-1]
		}
		return p
	}
	if text, ok := sel.StringText(); ok {
		sel = text
		all = gather{keep: room}
		_, _ = sel.WriteTo(&all)
	}
	if sel.IsJSON() && notice {
		all.total--
	}
	// Something is always left out: what seems whole is whole as it is stored.
	data := all.data[:min(room, len(all.data), all.total-1)]
	if sel.IsJSON() {
		return cutBytes(sel, sels, data, all.total)
	}
	return cutText(sel, sels, data, all.total)
}

// cutEntries gives the first elements of an array that fit.
func cutEntries(sel selector.Selection, sels []selector.Selector, room int) (page, bool) {
	content := []byte{'['}
	r := sel.Range()
	n := 0
	for v := range sel.Elements() {
		if len(content)+len(v)+len(",]\n") > room || n == r.Len()-1 {
			break
		}
		if n > 0 {
			content = append(content, ',')
		}
		content = append(content, v...)
		n++
	}
	if n == 0 {
		return page{}, false
	}
	p := page{content: append(content, "]\n"...), shown: r, left: r.Len() - n}
	p.shown.To = r.From + n
	p.next = proceed(sel, sels, selector.Slice(p.shown.To, r.To), selector.Slice(n, 0))
	return p, true
}

// cutText gives the whole lines that fit, or a part of a line that does not. data is the beginning of all.
func cutText(sel selector.Selection, sels []selector.Selector, data []byte, total int) page {
	r := sel.Range()
	end := bytes.LastIndexByte(data, '\n') + 1
	if r.Unit == selector.BytesUnit || end == 0 {
		return cutBytes(sel, sels, data, total)
	}
	data = data[:end]
	n := bytes.Count(data, []byte{'\n'})
	p := page{content: data, shown: r, left: r.Len() - n}
	p.shown.To = r.From + n - 1
	p.next = proceed(sel, sels, selector.Lines(r.From+n, r.To), selector.Lines(n+1, 0))
	return p
}

// cutBytes gives the beginning of the bytes, up to a character.
func cutBytes(sel selector.Selection, sels []selector.Selector, data []byte, total int) page {
	end := len(data)
	for back := 1; back < utf8.UTFMax && back < end; back++ {
		if c := data[end-back]; utf8.RuneStart(c) {
			if !utf8.FullRune(data[end-back:]) {
				data = data[:end-back]
			}
			break
		}
	}
	n := len(data)
	from := 0
	p := page{content: data, left: total - n}
	if r := sel.Range(); sel.IsRange() && r.Unit == selector.BytesUnit {
		from = r.From
		p.next = proceed(sel, sels, selector.Bytes(from+n, r.To), selector.Selector{})
	} else {
		p.next = append(slices.Clone(sels), selector.Bytes(n, 0))
	}
	p.shown = selector.Range{Unit: selector.BytesUnit, From: from, To: from + n}
	return p
}

// proceed returns the chain for what follows: the range of its last selector moved on, or another selector after it.
func proceed(sel selector.Selection, sels []selector.Selector, moved, added selector.Selector) []selector.Selector {
	if sel.IsRange() {
		return append(slices.Clone(sels[:len(sels)-1]), moved)
	}
	return append(slices.Clone(sels), added)
}
