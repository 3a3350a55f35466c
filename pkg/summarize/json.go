package summarize

import (
	"fmt"

	"github.com/llmblob/llmblob/internal/cleantext"
	"github.com/llmblob/llmblob/internal/jsonscan"
)

const (
	schemaMarker = "── schema ──"
	keysMarker   = "── keys ──"
	maxKeyBytes  = 60 // of a key as shown
)

// arrayBody shows the schema of the first element and the first two elements, compact.
func arrayBody(doc jsonscan.Doc, room int) []byte {
	room -= section(schemaMarker, 1)
	lines := [][]byte{schema(doc.Heads[0].Value, room)}
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

// schema lists the members of an object with their types, or names the type of another value. It stops where more
// than limit bytes are written.
func schema(value []byte, limit int) []byte {
	kind := jsonscan.KindOf(value)
	if kind != jsonscan.Object {
		return []byte(kind.String())
	}
	out := []byte("{")
	for c := range jsonscan.Children(value) {
		if len(out) > limit {
			return out
		}
		if len(out) > 1 {
			out = append(out, ", "...)
		}
		out = fmt.Appendf(out, "%s: %s", ShownKey(c.Key), jsonscan.KindOf(c.Value))
	}
	return append(out, '}')
}

// objectBody lists as many members with type and size as fit.
func objectBody(doc jsonscan.Doc, room int) []byte {
	room -= 1 + len(keysMarker)
	var lines []byte
	best := fmt.Appendf(nil, "\n… %d more keys", doc.Count)
	for i, c := range doc.Heads {
		lines = append(append(lines, '\n'), KeyLine(c)...)
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

// KeyLine shows a member as "name: type(size)": the bytes of a string's text, the entries of an array, the keys of an
// object.
func KeyLine(c jsonscan.Child) string {
	kind := jsonscan.KindOf(c.Value)
	switch kind {
	case jsonscan.String:
		return fmt.Sprintf("%s: %s(%d)", ShownKey(c.Key), kind, jsonscan.TextLen(c.Value))
	case jsonscan.Array, jsonscan.Object:
		return fmt.Sprintf("%s: %s(%d)", ShownKey(c.Key), kind, c.Count)
	}
	return fmt.Sprintf("%s: %s", ShownKey(c.Key), kind)
}

// ShownKey returns a key, given as written, decoded, cleaned and clipped to 60 bytes.
func ShownKey(literal []byte) string {
	// Escape sequences take room and show nothing: sixteen times the room is enough for any key that people write.
	text := jsonscan.AppendTextPrefix(nil, literal, 16*maxKeyBytes)
	return string(cleantext.Clip(cleantext.Append(nil, text, maxKeyBytes), maxKeyBytes))
}

// scalarBody shows the value itself.
func scalarBody(doc jsonscan.Doc, room int) []byte {
	shown := cleantext.Append(nil, doc.Value, room-1)
	return append([]byte{'\n'}, cleantext.Clip(shown, room-1)...)
}
