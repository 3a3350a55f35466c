package cleantext

import (
	"fmt"
	"io"
	"unicode/utf8"
)

// VisibleWriter writes text to a terminal such that none of it can steer the terminal: a control character, line feed
// and tab aside, is written as \x1b, \r, \u009b, and a byte that is not UTF-8 as \xff. Close writes what is held back of
// a character that did not end.
type VisibleWriter struct {
	w    io.Writer
	held []byte
}

// NewVisibleWriter returns a VisibleWriter on w.
func NewVisibleWriter(w io.Writer) *VisibleWriter { return &VisibleWriter{w: w} }

// visibleStep is how much is made visible at once, for that takes memory.
const visibleStep = 64 << 10

func (v *VisibleWriter) Write(p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		step := p[n:min(n+visibleStep, len(p))]
		err = v.write(step)
		n += len(step)
	}
	return n, err
}

func (v *VisibleWriter) write(p []byte) error {
	text := p
	if len(v.held) > 0 {
		text = append(v.held, p...)
	}
	cut := len(text)
	for back := 1; back < utf8.UTFMax && back <= len(text); back++ {
		if c := text[len(text)-back]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(text[len(text)-back:]) {
				cut = len(text) - back
			}
			break
		}
	}
	_, err := v.w.Write(AppendVisible(nil, text[:cut]))
	v.held = append([]byte(nil), text[cut:]...)
	return err
}

// Close writes the bytes held back; it does not close the writer below.
func (v *VisibleWriter) Close() error {
	_, err := v.w.Write(AppendVisible(nil, v.held))
	v.held = nil
	return err
}

// AppendVisible appends text such that none of it can steer a terminal, as VisibleWriter writes it.
func AppendVisible(dst, text []byte) []byte {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		switch {
		case r == '\n' || r == '\t':
			dst = append(dst, byte(r))
		case r == '\r':
			dst = append(dst, `\r`...)
		case r < ' ' || r == 0x7f:
			dst = fmt.Appendf(dst, `\x%02x`, r)
		case r == utf8.RuneError && size == 1:
			dst = fmt.Appendf(dst, `\x%02x`, text[i])
		case r >= 0x80 && r < 0xa0:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		default:
			dst = append(dst, text[i:i+size]...)
		}
		i += size
	}
	return dst
}
