package jsonscan

import (
	"iter"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// Children yields the elements or members of a valid array or object, in order. Of any other value there are none.
func Children(value []byte) iter.Seq[Child] {
	return func(yield func(Child) bool) {
		if len(value) == 0 || value[0] != '{' && value[0] != '[' {
			return
		}
		object := value[0] == '{'
		i := skipSpace(value, 1)
		for i < len(value) && value[i] != '}' && value[i] != ']' {
			var c Child
			if object {
				end := skip(value, i)
				c.Key = value[i:end:end]
				i = skipSpace(value, skipSpace(value, end)+1) // over the colon
			}
			end := skip(value, i)
			c.Value = value[i:end:end]
			if !yield(c) {
				return
			}
			i = skipSpace(value, end)
			if i < len(value) && value[i] == ',' {
				i = skipSpace(value, i+1)
			}
		}
	}
}

// Values yields the values of a valid sequence up to its end or a closing bracket: those of JSON Lines, with white space
// between them, or the elements of an array from one of them on, with commas. Beside each value is its offset.
func Values(data []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		for i := skipSpace(data, 0); i < len(data) && data[i] != ']'; i = skipSpace(data, i) {
			if data[i] == ',' {
				i++
				continue
			}
			end := skip(data, i)
			if !yield(i, data[i:end:end]) {
				return
			}
			i = end
		}
	}
}

// CountChildren counts the elements or members of a valid array or object.
func CountChildren(value []byte) int {
	n := 0
	for range Children(value) {
		n++
	}
	return n
}

// skip returns the offset after the valid value that starts at i; never more than len(data).
func skip(data []byte, i int) int {
	depth := 0
	for i < len(data) {
		switch data[i] {
		case '"':
			i = skipString(data, i)
			if depth == 0 {
				return i
			}
		case '{', '[':
			depth++
			i++
		case '}', ']':
			depth--
			i++
			if depth <= 0 {
				return i
			}
		case ',', ' ', '\n', '\t', '\r', ':':
			i++
		default:
			for i < len(data) && isAtom(data[i]) {
				i++
			}
			if depth == 0 {
				return i
			}
		}
	}
	return len(data)
}

// isAtom tells the bytes that numbers and literals are made of, and whatever else is no structure.
func isAtom(c byte) bool {
	switch c {
	case '"', '{', '}', '[', ']', ',', ':', ' ', '\n', '\t', '\r':
		return false
	}
	return true
}

func skipString(data []byte, i int) int {
	i++
	for i < len(data) {
		if i+8 <= len(data) {
			w := load64(data, i)
			quote, slash := w^(ones*'"'), w^(ones*'\\')
			m := ((quote-ones)&^quote | (slash-ones)&^slash) & highs
			if m == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(m) >> 3
		}
		switch data[i] {
		case '"':
			return i + 1
		case '\\':
			i += 2
		default:
			i++
		}
	}
	return len(data)
}

// AppendTextPrefix appends the text of a valid string literal to dst and stops once more than limit bytes are appended. An
// escaped lone surrogate, which no text can hold, becomes U+FFFD.
func AppendTextPrefix(dst, literal []byte, limit int) []byte {
	return appendText(dst, literal[1:len(literal)-1], limit)
}

// Text returns the text of a valid string literal: a part of it where nothing is escaped, else a copy.
func Text(literal []byte) []byte { return Unescape(literal[1 : len(literal)-1]) }

// IsText reports whether a string literal has this text. One that is too long for that is not decoded.
func IsText(literal []byte, text string) bool { return sameText(literal, text) }

// Unescape is Text of what stands between the quotes, or of a part of it that no escape reaches out of.
func Unescape(inner []byte) []byte {
	if nextSlash(inner, 0) == len(inner) {
		return inner
	}
	return appendText(make([]byte, 0, len(inner)), inner, -1)
}

// HasLoneSurrogate reports whether what Unescape takes escapes half a surrogate pair by itself, which no text can hold.
func HasLoneSurrogate(inner []byte) bool {
	for i := nextSlash(inner, 0); i < len(inner); i = nextSlash(inner, i) {
		r, end := unescape(inner, i)
		if r == utf8.RuneError && inner[i+1] == 'u' && hex4(inner, i+2) != utf8.RuneError {
			return true
		}
		i = end
	}
	return false
}

// TextLen returns the length in bytes of the text of a valid string literal.
func TextLen(literal []byte) int { return UnescapedLen(literal[1 : len(literal)-1]) }

// UnescapedLen returns the length in bytes of what Unescape returns.
func UnescapedLen(inner []byte) int {
	n := 0
	for i := 0; ; {
		j := nextSlash(inner, i)
		n += j - i
		if j == len(inner) {
			return n
		}
		r, next := unescape(inner, j)
		n += utf8.RuneLen(r)
		i = next
	}
}

// appendText appends all where limit is -1.
func appendText(dst, inner []byte, limit int) []byte {
	base := len(dst)
	for i := 0; ; {
		j := nextSlash(inner, i)
		if room := limit + 1 - (len(dst) - base); limit >= 0 && j-i >= room {
			return append(dst, inner[i:i+max(0, room)]...)
		}
		dst = append(dst, inner[i:j]...)
		if j == len(inner) {
			return dst
		}
		r, next := unescape(inner, j)
		dst = utf8.AppendRune(dst, r)
		i = next
	}
}

// nextSlash returns the place of the first backslash at or after i, or the length.
func nextSlash(b []byte, i int) int {
	for i < len(b) {
		if i+8 <= len(b) {
			slash := load64(b, i) ^ (ones * '\\')
			m := (slash - ones) &^ slash & highs
			if m == 0 {
				i += 8
				continue
			}
			return i + bits.TrailingZeros64(m)>>3
		}
		if b[i] == '\\' {
			return i
		}
		i++
	}
	return len(b)
}

// unescape decodes the valid escape at i: one character, of one escape or of a surrogate pair.
func unescape(b []byte, i int) (rune, int) {
	switch c := b[i+1]; c {
	case 'b':
		return '\b', i + 2
	case 'f':
		return '\f', i + 2
	case 'n':
		return '\n', i + 2
	case 'r':
		return '\r', i + 2
	case 't':
		return '\t', i + 2
	case 'u':
		r := hex4(b, i+2)
		if !utf16.IsSurrogate(r) {
			return r, i + 6
		}
		if i+12 <= len(b) && b[i+6] == '\\' && b[i+7] == 'u' {
			if pair := utf16.DecodeRune(r, hex4(b, i+8)); pair != utf8.RuneError {
				return pair, i + 12
			}
		}
		return utf8.RuneError, i + 6
	default: // a quote, a backslash or a slash
		return rune(c), i + 2
	}
}

func hex4(b []byte, i int) rune {
	return rune(unhex(b[i])<<12 | unhex(b[i+1])<<8 | unhex(b[i+2])<<4 | unhex(b[i+3]))
}

// AppendCompact appends a valid value without the white space between its tokens, every token as it is written. It
// stops once more than limit bytes are appended.
func AppendCompact(dst, value []byte, limit int) []byte {
	base := len(dst)
	for i := 0; i < len(value) && len(dst)-base <= limit; {
		switch c := value[i]; {
		case c == '"':
			end := skipString(value, i)
			room := limit + 1 - (len(dst) - base)
			dst = append(dst, value[i:min(end, i+room)]...)
			i = end
		case c <= ' ':
			i = skipSpace(value, i)
		default:
			dst = append(dst, c)
			i++
		}
	}
	return dst
}
