// Package jsonshow writes the outline of JSON for people and models: keys, types and sizes.
package jsonshow

import (
	"fmt"

	"github.com/llmblob/llmblob/internal/cleantext"
	"github.com/llmblob/llmblob/internal/jsonscan"
)

// SummaryKeyBytes is how much of a key a summary shows.
const SummaryKeyBytes = 60

// maxKeyText bounds what of a key is decoded. Escape sequences in it take room and show nothing.
const maxKeyText = 1 << 20

// Key returns a key, given as written, decoded, cleaned and clipped to limit bytes.
func Key(literal []byte, limit int) string {
	text := jsonscan.AppendTextPrefix(nil, literal, maxKeyText)
	return string(cleantext.Clip(cleantext.Append(nil, text, limit), limit))
}

// Member shows a member as "name: type(size)": the bytes of a string's text, the entries of an array, the keys of an
// object. The count of the child must be set; its key is clipped to limit bytes.
func Member(c jsonscan.Child, limit int) string {
	key, kind := Key(c.Key, limit), jsonscan.KindOf(c.Value)
	switch kind {
	case jsonscan.String:
		return fmt.Sprintf("%s: %s(%d)", key, kind, jsonscan.TextLen(c.Value))
	case jsonscan.Array, jsonscan.Object:
		return fmt.Sprintf("%s: %s(%d)", key, kind, c.Count)
	}
	return fmt.Sprintf("%s: %s", key, kind)
}

// Schema lists the members of an object with their types, or names the type of another value. It stops where more than
// limit bytes are written.
func Schema(value []byte, limit int) []byte {
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
		out = fmt.Appendf(out, "%s: %s", Key(c.Key, SummaryKeyBytes), jsonscan.KindOf(c.Value))
	}
	return append(out, '}')
}
