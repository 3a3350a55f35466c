package history

import (
	"io"
	"iter"
	"slices"
	"unicode/utf8"
)

// Edit puts other bytes in the place of some of a history.
type Edit struct {
	Span
	Text []byte
	// Load gives the text when it is written, where that is not nil, so that large ones are in memory one at a time.
	Load func() ([]byte, error)
}

// SortEdits puts edits in the order that Splice wants: items may stand in another order than their bytes.
func SortEdits(edits []Edit) {
	slices.SortStableFunc(edits, func(a, b Edit) int { return a.Start - b.Start })
}

// Shrinks reports whether a history has fewer bytes with a replacement than without.
func (h *History) Shrinks(r Replacement) bool {
	const most, around = 6, 64 // a character becomes at most so many bytes, and so many stand around a text
	it := &h.Items[r.Item]
	if it.ContentBytes > most*len(r.Text)+around {
		return true
	}
	saved := 0
	var buf [256]byte
	for _, s := range h.slots[it.slots:it.slotsEnd] {
		span := s.span()
		saved += span.End - span.Start - len(form(s.form()).append(buf[:0], r.Text))
	}
	return saved > 0
}

// form is how a replacement is written in a slot, which is a place to edit where the content of a result is left out.
type form uint8

const (
	asString    form = iota // a string
	asNothing               // the bytes go
	asEmpty                 // an empty string: the replacement is elsewhere
	asWithin                // a part of a string
	asOutput                // an object with an output
	asError                 // an object with an error
	asTextValue             // the AI SDK's output of type text
	asErrorText             // the AI SDK's output of type error-text
	asTextParts             // a list of one part {"text"}
	asNull                  // null where nothing takes its place, else a string
)

var forms = [...]struct{ before, after string }{
	asOutput:    {`{"output":`, `}`},
	asError:     {`{"error":`, `}`},
	asTextValue: {`{"type":"text","value":`, `}`},
	asErrorText: {`{"type":"error-text","value":`, `}`},
	asTextParts: {`[{"text":`, `}]`},
	asNull:      {},
}

// Replacement is a text to put in the place of the content of a result. With no text a Nullable result has null there.
type Replacement struct {
	Item int // its index
	Text string
}

// Replace appends the edits that a replacement takes.
func (h *History) Replace(edits []Edit, r Replacement) []Edit {
	edits, _ = h.replace(edits, nil, r)
	return edits
}

// replace is Replace with the texts in a buffer, as far as it has room.
func (h *History) replace(edits []Edit, buf []byte, r Replacement) ([]Edit, []byte) {
	it := &h.Items[r.Item]
	for _, s := range h.slots[it.slots:it.slotsEnd] {
		start := len(buf)
		buf = form(s.form()).append(buf, r.Text)
		edits = append(edits, Edit{Span: s.span(), Text: buf[start:len(buf):len(buf)]})
	}
	return edits, buf
}

// append writes a replacement.
func (f form) append(dst []byte, text string) []byte {
	switch {
	case f == asNothing:
		return dst
	case f == asEmpty:
		return append(dst, `""`...)
	case f == asNull && text == "":
		return append(dst, "null"...)
	case f == asWithin:
		return appendWithin(dst, text)
	}
	dst = append(dst, forms[f].before...)
	dst = AppendString(dst, text)
	return append(dst, forms[f].after...)
}

// InOrder yields the edits of replacements in the order that Splice wants, made as they are taken: the edits of a large history
// take more memory than its items. The text of an edit is good until the next edit. The replacements are put in the order of their
// records.
func (h *History) InOrder(replacements []Replacement) iter.Seq[Edit] {
	record := func(r Replacement) int { return h.Items[r.Item].Record }
	slices.SortStableFunc(replacements, func(a, b Replacement) int { return record(a) - record(b) })
	return func(yield func(Edit) bool) {
		var edits []Edit // of one record, in which the places of several items may be mixed
		var buf []byte   // their texts, which are written before the next record
		for i, r := range replacements {
			edits, buf = h.replace(edits, buf, r)
			if i+1 < len(replacements) && record(replacements[i+1]) == record(r) {
				continue
			}
			SortEdits(edits)
			for _, e := range edits {
				if !yield(e) {
					return
				}
			}
			edits, buf = edits[:0], buf[:0]
		}
	}
}

// Put is the edit that puts another text in the place of a string.
func (s String) Put(text []byte) Edit {
	if s.form == within {
		return Edit{Span: s.Span, Text: appendWithin(nil, text)}
	}
	return Edit{Span: s.Span, Text: AppendString(nil, text)}
}

// PutLater is Put of a text that is loaded when it is written: load hands it to dst, which copies it.
func (s String) PutLater(load func(dst func(text []byte)) error) Edit {
	return Edit{Span: s.Span, Load: func() (written []byte, err error) {
		err = load(func(text []byte) { written = s.Put(text).Text })
		return written, err
	}}
}

// appendWithin appends a text as AppendString does, without the quotes.
func appendWithin[T string | []byte](dst []byte, text T) []byte {
	n := len(dst)
	dst = AppendString(dst, text)
	copy(dst[n:], dst[n+1:len(dst)-1])
	return dst[:len(dst)-2]
}

// Splice writes the history with the edits, which are in order and do not overlap. Bytes outside them are as they were.
func (h *History) Splice(w io.Writer, edits iter.Seq[Edit]) error {
	at := 0
	for e := range edits {
		if err := h.copy(w, at, e.Start); err != nil {
			return err
		}
		text := e.Text
		if e.Load != nil {
			var err error
			if text, err = e.Load(); err != nil {
				return err
			}
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
		at = e.End
	}
	return h.copy(w, at, len(h.data))
}

// copy writes bytes as they are.
func (h *History) copy(w io.Writer, at, end int) error {
	for at < end {
		next := min(end, at+behindStep-at%behindStep)
		if _, err := w.Write(h.data[at:next]); err != nil {
			return err
		}
		at = next
		h.pass(at)
	}
	return nil
}

// AppendString appends a text as a JSON string: only what must be is escaped (RFC 8259, section 7), and what is not UTF-8
// becomes U+FFFD.
func AppendString[T string | []byte](dst []byte, text T) []byte {
	const hex = "0123456789abcdef"
	dst = slices.Grow(dst, len(text)+len(text)/16+2) // some escapes
	dst = append(dst, '"')
	start := 0
	valid := isUTF8(text)
	for i := 0; i < len(text); {
		c := text[i]
		if c >= 0x20 && c != '"' && c != '\\' && (c < utf8.RuneSelf || valid) {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(string(text[i:min(len(text), i+utf8.UTFMax)]))
			if r == utf8.RuneError && size == 1 {
				dst = append(append(dst, text[start:i]...), "\uFFFD"...)
				start = i + 1
			}
			i += size
			continue
		}
		dst = append(dst, text[start:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, `\n`...)
		case '\t':
			dst = append(dst, `\t`...)
		case '\r':
			dst = append(dst, `\r`...)
		default:
			dst = append(dst, `\u00`...)
			dst = append(dst, hex[c>>4], hex[c&15])
		}
		i++
		start = i
	}
	dst = append(dst, text[start:]...)
	return append(dst, '"')
}

func isUTF8[T string | []byte](text T) bool {
	switch text := any(text).(type) {
	case string:
		return utf8.ValidString(text)
	case []byte:
		return utf8.Valid(text)
	}
	return false
}
