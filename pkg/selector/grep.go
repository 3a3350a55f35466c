package selector

import (
	"bytes"
	"io"
	"regexp"
	"strconv"

	"github.com/llmblob/llmblob/internal/lines"
)

// grep is a search whose first match is known and whose others are found when it is written.
type grep struct {
	re      *regexp.Regexp
	prefix  []byte // every match begins with it; then lines without it need no look
	literal bool   // it is all of the expression
	context int
	data    []byte // what is searched
	before  []byte // what comes before data, for the numbers of lines
	first   int    // offset of the first line that matches
}

// match searches the lines of a text.
func (c Selection) match(s Selector, context int) (Selection, error) {
	g := &grep{re: s.re, context: context, data: c.origin[c.off:c.end], before: c.origin[:c.off]}
	prefix, _ := s.re.LiteralPrefix() // that it is all there is, it says of ^a$ too
	g.prefix, g.literal = []byte(prefix), s.arg == regexp.QuoteMeta(prefix)
	start, _, ok := g.next(0)
	if !ok {
		return Selection{}, &EmptyError{Selector: s.String(), Msg: "no match in " + plural(c.countLines(), "line")}
	}
	g.first = start
	return Selection{form: formGrep, grep: g}, nil
}

// next finds the first line that matches among those that begin at off or later. A match lies within a line, without its
// line end.
func (g *grep) next(off int) (start, end int, ok bool) {
	for off < len(g.data) {
		start = off
		if len(g.prefix) > 0 {
			i := bytes.Index(g.data[off:], g.prefix)
			if i < 0 {
				return 0, 0, false
			}
			start = off + bytes.LastIndexByte(g.data[off:off+i], '\n') + 1
		}
		end = lineEnd(g.data, start)
		line := bytes.TrimSuffix(bytes.TrimSuffix(g.data[start:end], []byte{'\n'}), []byte{'\r'})
		if g.literal && bytes.Contains(line, g.prefix) || !g.literal && g.re.Match(line) {
			return start, end, true
		}
		off = end
	}
	return 0, 0, false
}

func lineEnd(data []byte, start int) int {
	if i := bytes.IndexByte(data[start:], '\n'); i >= 0 {
		return start + i + 1
	}
	return len(data)
}

// writeTo writes "N:line" for each match and, with context, "N-line" for the lines around it and "--" between groups,
// as grep -n does. A last line without a line feed gets one.
func (g *grep) writeTo(w io.Writer) (int64, error) {
	b := &batch{w: w}
	number := lines.Feeds(g.before) + 1 // of the line at done
	done := 0                           // everything before it is written or passed over
	after := 0                          // context lines still to write
	start, end, ok := g.first, lineEnd(g.data, g.first), true
	for wrote := false; ok && b.err == nil; start, end, ok = g.next(end) {
		for done < start && after > 0 {
			done, number = g.writeLine(b, '-', done, number)
			after--
		}
		from := g.linesBack(start, done)
		if wrote && g.context > 0 && from > done {
			b.writeString("--\n")
		}
		number += lines.Feeds(g.data[done:from])
		for done = from; done < start; {
			done, number = g.writeLine(b, '-', done, number)
		}
		done, number = g.writeLine(b, ':', start, number)
		wrote, after = true, g.context
	}
	for done < len(g.data) && after > 0 && b.err == nil {
		done, number = g.writeLine(b, '-', done, number)
		after--
	}
	return b.flush()
}

// writeLine writes the line at start and returns the offset and the number of the line after it.
func (g *grep) writeLine(b *batch, mark byte, start, number int) (int, int) {
	end := lineEnd(g.data, start)
	b.buf = append(strconv.AppendInt(b.buf, int64(number), 10), mark)
	b.write(g.data[start:end])
	if g.data[end-1] != '\n' {
		b.writeString("\n")
	}
	return end, number + 1
}

// linesBack returns the offset of the line that is context lines before start, and not before floor.
func (g *grep) linesBack(start, floor int) int {
	for range g.context {
		if start <= floor {
			break
		}
		start = floor + bytes.LastIndexByte(g.data[floor:start-1], '\n') + 1
	}
	return start
}
