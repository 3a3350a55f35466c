package history

import (
	"bytes"
	"runtime"
	"strings"
	"testing"
)

// A string with escapes that is too long to be decoded is no text; as an item's it is as written. One without escapes is a text
// however long it is, for it is decoded already.
func TestTextsTooLongToDecode(t *testing.T) {
	for _, c := range []struct {
		body string
		ok   bool
	}{{`\n`, false}, {"xx", true}} {
		inner := strings.Repeat(c.body, MaxDecoded/2+1)
		data := []byte(`{"role":"tool","tool_call_id":"c","content":"` + inner + `"}`)
		h, err := Parse(data, Options{})
		if err != nil || len(h.Items) != 1 {
			t.Fatalf("%d items, %v", len(h.Items), err)
		}
		for s := range h.Strings(0) {
			text, ok := h.Text(s)
			if ok != c.ok || ok && len(text) != len(inner) {
				t.Errorf("%q: %d bytes, %v", c.body, len(text), ok)
			}
		}
		for text := range h.Texts(0) {
			if !bytes.Equal(text, []byte(inner)) {
				t.Errorf("%q: %d bytes, want %d as written", c.body, len(text), len(inner))
			}
		}
	}
}

// Of lines that are no JSON all are counted and the first are told.
func TestMalformedLinesAreCounted(t *testing.T) {
	for _, n := range []int{1, MostMalformed, MostMalformed + 1, 10 * MostMalformed} {
		data := `{"role":"user","content":"a"}` + "\n" + strings.Repeat("{\n", n) + `{"role":"user","content":"b"}` + "\n"
		h, err := Parse([]byte(data), Options{Lenient: true})
		if err != nil || h.Passed != n || len(h.Malformed) != min(n, MostMalformed) || h.Records != n+2 || len(h.Items) == 0 {
			t.Errorf("%d lines: %d passed, %d told, %d records, %v", n, h.Passed, len(h.Malformed), h.Records, err)
		}
	}
}

// A name of a document that nobody knows costs no memory.
func TestDocumentsWithLongNames(t *testing.T) {
	data := []byte(`{"` + strings.Repeat(`k\u0041`, 100_000) + `":1,"messages":[{"role":"user","content":"a"}]}`)
	h, err := Parse(data, Options{})
	if err != nil || len(h.Items) != 1 {
		t.Errorf("%d items, %v", len(h.Items), err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _ = Parse(data, Options{})
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 50_000 {
		t.Errorf("%d bytes are allocated", n)
	}
}
