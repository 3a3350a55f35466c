// Package cleantext makes bytes from tools fit to be shown: valid UTF-8, without escape sequences and control characters.
package cleantext

import (
	"bytes"
	"unicode/utf8"
)

const (
	esc         = 0x1b
	replacement = "\uFFFD"
	// Ellipsis marks the place where something was cut.
	Ellipsis = "…"
)

// Append appends text to dst as a summary shows it and stops once more than limit bytes are appended: complete ANSI
// escape sequences (ECMA-48) are dropped, every other control character (tab aside) and every byte that is not UTF-8
// becomes U+FFFD.
func Append(dst, text []byte, limit int) []byte {
	base := len(dst)
	for i := 0; i < len(text) && len(dst)-base <= limit; {
		c := text[i]
		switch {
		case c >= ' ' && c < 0x7f || c == '\t':
			dst = append(dst, c)
			i++
		case c == esc:
			if end := escapeEnd(text, i); end > 0 {
				i = end
				continue
			}
			dst = append(dst, replacement...)
			i++
		case c < utf8.RuneSelf:
			dst = append(dst, replacement...)
			i++
		default:
			r, size := utf8.DecodeRune(text[i:])
			if r == utf8.RuneError || r < 0xa0 {
				dst = append(dst, replacement...)
			} else {
				dst = append(dst, text[i:i+size]...)
			}
			i += size
		}
	}
	return dst
}

// AppendLine is Append for one line, given without its line feed: a carriage return before the line feed belongs to the
// line end, and of a line that overwrote itself with carriage returns the last state that shows something is kept.
func AppendLine(dst, line []byte, limit int) []byte {
	return Append(dst, lastState(line), limit)
}

// LineEnd returns the last bytes, at most limit, of what AppendLine would show of the whole line.
func LineEnd(line []byte, limit int) []byte {
	line = lastState(line)
	for window := 4*limit + 64; ; window *= 2 {
		start := afterEscape(line, len(line)-window)
		shown := Append(nil, line[start:], 3*window) // a byte becomes at most three
		// A start inside a character can put a few wrong bytes in front.
		if start > 0 && len(shown) < limit+4*utf8.UTFMax {
			continue
		}
		cut := max(0, len(shown)-limit)
		for cut < len(shown) && !utf8.RuneStart(shown[cut]) {
			cut++
		}
		return shown[cut:]
	}
}

// lastState returns the part of a line that is left on a terminal.
func lastState(line []byte) []byte {
	for {
		cr := bytes.LastIndexByte(line, '\r')
		state := line[cr+1:]
		if cr < 0 || len(Append(nil, state, 0)) > 0 {
			return state
		}
		line = line[:cr]
	}
}

// afterEscape returns the first offset at or after start that is not inside an escape sequence.
func afterEscape(text []byte, start int) int {
	if start <= 0 {
		return 0
	}
	if i := bytes.LastIndexByte(text[:start], esc); i >= 0 {
		return max(start, escapeEnd(text, i))
	}
	return start
}

// escapeEnd returns the offset after the complete escape sequence that starts at i, or -1 where there is none.
func escapeEnd(text []byte, i int) int {
	i++
	if i >= len(text) {
		return -1
	}
	switch c := text[i]; {
	case c == '[': // CSI: parameters, intermediates, final byte
		i = skipRange(text, i+1, 0x30, 0x3f)
		i = skipRange(text, i, 0x20, 0x2f)
		return finalByte(text, i, 0x40)
	case c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_': // OSC, DCS, SOS, PM, APC: a string up to BEL or ST
		for i++; i < len(text); i++ {
			switch c := text[i]; {
			case c == 0x07:
				return i + 1
			case c == esc:
				if i+1 < len(text) && text[i+1] == '\\' {
					return i + 2
				}
				return -1
			case c < ' ' && c != '\t':
				return -1
			}
		}
		return -1
	default: // intermediates, final byte
		i = skipRange(text, i, 0x20, 0x2f)
		return finalByte(text, i, 0x30)
	}
}

func skipRange(text []byte, i int, low, high byte) int {
	for i < len(text) && text[i] >= low && text[i] <= high {
		i++
	}
	return i
}

func finalByte(text []byte, i int, low byte) int {
	if i < len(text) && text[i] >= low && text[i] <= 0x7e {
		return i + 1
	}
	return -1
}

// Clip returns text, which is clean, if it has at most n bytes; else its beginning, cut between characters and ending
// in an ellipsis, with at most n bytes. n is at least the three bytes of the ellipsis.
func Clip(text []byte, n int) []byte {
	if len(text) <= n {
		return text
	}
	cut := n - len(Ellipsis)
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return append(text[:cut:cut], Ellipsis...)
}
