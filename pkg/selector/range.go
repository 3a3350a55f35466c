package selector

import (
	"iter"

	"github.com/llmblob/llmblob/internal/jsonscan"
	"github.com/llmblob/llmblob/internal/lines"
)

// The units that a Range counts in.
const (
	LinesUnit   = "lines"   // from 1, To included
	EntriesUnit = "entries" // from 0, To excluded
	BytesUnit   = "bytes"   // from 0, To excluded
)

// Range is where a selection lies in what its last selector worked on, counted as that selector counts.
type Range struct {
	Unit     string
	From, To int
}

// Len returns how many units the range has.
func (r Range) Len() int {
	if r.Unit == LinesUnit {
		return r.To - r.From + 1
	}
	return r.To - r.From
}

// Range tells where the selection lies. Where its last selector chose no range, it is the whole of itself: text in
// lines, an array in entries, other JSON in bytes. It may count through all that comes before it.
func (c Selection) Range() Range {
	switch c.span.unit {
	case LinesUnit:
		from := lines.Feeds(c.origin[c.span.off:c.off]) + 1
		return Range{LinesUnit, from, from + c.countLines() - 1}
	case BytesUnit:
		return Range{BytesUnit, c.off - c.span.off, c.end - c.span.off}
	case EntriesUnit:
		return Range{EntriesUnit, c.span.from, c.span.from + c.list.n}
	}
	if kind, isJSON := c.kind(); isJSON && kind == jsonscan.Array {
		return Range{EntriesUnit, 0, c.array().n}
	} else if isJSON {
		return Range{BytesUnit, 0, len(c.raw)}
	}
	var count lineCounter
	_, _ = c.write(&count) // a counter takes all
	return Range{LinesUnit, 1, count.lines()}
}

// Total counts, in the unit of Range, all that the last selector worked on.
func (c Selection) Total() int {
	switch c.span.unit {
	case LinesUnit:
		return lines.Count(c.origin[c.span.off:c.span.end])
	case BytesUnit:
		return c.span.end - c.span.off
	case EntriesUnit:
		return c.span.size
	}
	return c.Range().Len()
}

// IsRange reports whether the last selector chose a range, which another range of its kind can go on from.
func (c Selection) IsRange() bool { return c.span.unit != "" }

// Elements yields the elements of a selection that is an array, as stored; of another there are none.
func (c Selection) Elements() iter.Seq[[]byte] {
	if kind, isJSON := c.kind(); !isJSON || kind != jsonscan.Array {
		return func(func([]byte) bool) {}
	}
	return c.array().elements()
}

// lineCounter counts the lines written to it.
type lineCounter struct {
	ended int
	open  bool // the last line has no line feed yet
}

func (l *lineCounter) Write(p []byte) (int, error) {
	if len(p) > 0 {
		l.ended += lines.Feeds(p)
		l.open = p[len(p)-1] != '\n'
	}
	return len(p), nil
}

func (l *lineCounter) lines() int {
	if l.open {
		return l.ended + 1
	}
	return l.ended
}
