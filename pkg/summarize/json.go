package summarize

import (
	"fmt"

	"github.com/llmblob/llmblob/internal/cleantext"
	"github.com/llmblob/llmblob/internal/jsonscan"
	"github.com/llmblob/llmblob/internal/jsonshow"
)

const (
	schemaMarker = "── schema ──"
	keysMarker   = "── keys ──"
)

// arrayBody shows the schema of the first element and the first two elements, compact.
func arrayBody(doc jsonscan.Doc, room int) []byte {
	room -= section(schemaMarker, 1)
	lines := [][]byte{jsonshow.Schema(doc.Heads[0].Value, room)}
	elements := doc.Heads[:min(2, len(doc.Heads))]
	room -= section(headMarker, len(elements))
	for _, e := range elements {
		compact := jsonscan.AppendCompact(nil, e.Value, room)
		lines = append(lines, cleantext.Append(nil, compact, room))
	}
	lengths := make([]int, len(lines))
	for i, line := range lines {
		lengths[i] = len(line)
	}
	shares, _ := share(lengths, room)
	out := appendSection(nil, schemaMarker, lines[:1], shares)
	return appendSection(out, headMarker, lines[1:], shares[1:])
}

// objectBody lists as many members with type and size as fit.
func objectBody(doc jsonscan.Doc, room int) []byte {
	room -= 1 + len(keysMarker)
	var lines []byte
	best := fmt.Appendf(nil, "\n… %d more keys", doc.Count)
	for i, c := range doc.Heads {
		lines = append(append(lines, '\n'), jsonshow.Member(c, jsonshow.SummaryKeyBytes)...)
		if len(lines) > room {
			break
		}
		more := lines
		if rest := doc.Count - i - 1; rest > 0 {
			more = fmt.Appendf(lines[:len(lines):len(lines)], "\n… %d more keys", rest)
		}
		if len(more) <= room {
			best = more
		}
	}
	return append(append([]byte{'\n'}, keysMarker...), best...)
}

// scalarBody shows the value itself.
func scalarBody(doc jsonscan.Doc, room int) []byte {
	shown := cleantext.Append(nil, doc.Value, room-1)
	return append([]byte{'\n'}, cleantext.Clip(shown, room-1)...)
}
