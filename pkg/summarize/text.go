package summarize

import (
	"bytes"
	"slices"
	"sort"

	"github.com/llmblob/llmblob/internal/cleantext"
)

const (
	headMarker = "── head ──"
	tailMarker = "── tail ──"
)

// textBody lays out the first and last lines of a text of n lines, n > 0, in room bytes.
func textBody(data []byte, n, room int, l Limits) []byte {
	// Every line shown costs its line feed, so more lines than room cannot be.
	heads := firstLines(data, min(l.HeadLines, n, room))
	tails := lastLines(data, min(l.TailLines, n, room))
	headLen, tailLen := shownLengths(heads, room), shownLengths(tails, room)
	if n == 1 && len(heads) == 1 && headLen[0] > room-section(headMarker, 1) {
		return longLineBody(heads[0], room)
	}
	layout := func(h, t int) ([]int, bool) {
		t = tailCount(n, h, t)
		left := room - section(headMarker, h) - section(tailMarker, t)
		return share(slices.Concat(headLen[:h], tailLen[len(tailLen)-t:]), left)
	}
	fits := func(h, t int) bool { _, ok := layout(h, t); return ok }
	h, t := len(heads), len(tails)
	if !fits(h, t) && h > 0 {
		// From here on, each head line less leaves the others more.
		h -= 1 + sort.Search(h-1, func(i int) bool { return fits(h-1-i, t) })
	}
	if h == 0 {
		t -= sort.Search(t-1, func(i int) bool { return fits(0, t-i) })
	}
	shares, _ := layout(h, t)
	t = tailCount(n, h, t)
	out := appendSection(nil, headMarker, heads[:h], shares)
	return appendSection(out, tailMarker, tails[len(tails)-t:], shares[h:])
}

// tailCount is how many lines the tail section shows of n, of which the head section shows h.
func tailCount(n, h, t int) int { return max(0, min(t, n-h)) }

// section is what a section of n lines costs beside the lines themselves.
func section(marker string, n int) int {
	if n == 0 {
		return 0
	}
	return 1 + len(marker) + n
}

func appendSection(dst []byte, marker string, lines [][]byte, shares []int) []byte {
	if len(lines) == 0 {
		return dst
	}
	dst = append(append(dst, '\n'), marker...)
	for i, line := range lines {
		dst = append(append(dst, '\n'), cleantext.Clip(cleantext.AppendLine(nil, line, shares[i]), shares[i])...)
	}
	return dst
}

// longLineBody shows the start and the end of the only line, which is longer than room.
func longLineBody(line []byte, room int) []byte {
	room -= section(headMarker, 1) + section(tailMarker, 1)
	shares, _ := share([]int{room, room}, room)
	out := appendSection(nil, headMarker, [][]byte{line}, shares)
	out = append(append(append(append(out, '\n'), tailMarker...), '\n'), cleantext.Ellipsis...)
	return append(out, cleantext.LineEnd(line, shares[1]-len(cleantext.Ellipsis))...)
}

// shownLengths measures lines as shown; one longer than room counts as room+1 at least.
func shownLengths(lines [][]byte, room int) []int {
	lengths := make([]int, len(lines))
	var shown []byte
	for i, line := range lines {
		shown = cleantext.AppendLine(shown[:0], line, room)
		lengths[i] = len(shown)
	}
	return lengths
}

// firstLines returns the first n lines without their line feeds; data has as many.
func firstLines(data []byte, n int) [][]byte {
	lines := make([][]byte, n)
	for i := range lines {
		end := bytes.IndexByte(data, '\n')
		if end < 0 {
			lines[i] = data
			break
		}
		lines[i], data = data[:end], data[end+1:]
	}
	return lines
}

// lastLines returns the last n lines without their line feeds; data has as many.
func lastLines(data []byte, n int) [][]byte {
	data = bytes.TrimSuffix(data, []byte{'\n'})
	lines := make([][]byte, n)
	for i := n - 1; i >= 0; i-- {
		start := bytes.LastIndexByte(data, '\n') + 1
		lines[i], data = data[start:], data[:max(0, start-1)]
	}
	return lines
}
