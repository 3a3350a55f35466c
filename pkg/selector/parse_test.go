package selector

import (
	"errors"
	"strings"
	"testing"
)

func TestParseForms(t *testing.T) {
	for in, want := range map[string]string{
		"lines:20-50": "lines:20-50", "lines:20-": "lines:20-", "lines:20": "lines:20", "lines:7-7": "lines:7",
		" lines : 20 - 50 ": "lines:20-50", "lines: 20-50": "lines:20-50", "lines:020-50": "lines:20-50",
		"head:10": "head:10", "tail: 0": "tail:0", "bytes:0..10": "bytes:0..10", "bytes:5..": "bytes:5..", "bytes:..5": "bytes:..5",
		"slice:3..8": "slice:3..8", "slice:-3..": "slice:-3..", "slice:..-1": "slice:..-1", "slice:-3..-1": "slice:-3..-1",
		"slice:2..-1": "slice:2..-1", "slice:..": "slice:..",
		"key:results": "key:results", "key:": "key:", "key:a:b ": "key:a:b ", "key: x": "key: x",
		"grep:a:b": "grep:a:b", "grep:": "grep:", "path:a.#(b>1).c": "path:a.#(b>1).c", "keys": "keys", " json": "json",
	} {
		s, err := Parse(in)
		if err != nil || s.String() != want {
			t.Errorf("%q: got %q, %v, want %q", in, s.String(), err, want)
		}
	}
}

func TestParseFaultsHaveAPlace(t *testing.T) {
	for _, c := range []struct {
		in     string
		offset int
		msg    string
	}{
		{"", 0, "unknown selector"},
		{"  line:3", 2, "unknown selector"},
		{"lines", 5, "lines needs a colon and a value"},
		{"lines:", 6, "expected a line number"},
		{"lines:-5", 6, "expected a line number"},
		{"lines:0", 6, "lines count from 1"},
		{"lines:1-0", 8, "lines count from 1"},
		{"lines:5-2", 6, "the range runs backwards"},
		{"lines:2..5", 7, "a dash joins the ends of lines, for the last one is included"},
		{"lines:2-5x", 9, "expected the end"},
		{"lines:1234567890123456789", 6, "a number has at most 18 digits"},
		{"head:", 5, "expected a number"},
		{"head:-1", 5, "expected a number"},
		{"head:3-4", 6, "expected the end"},
		{"bytes:5", 7, "expected two dots"},
		{"bytes:-5..", 6, "bytes count from the start, there are no negative ones"},
		{"bytes:1-5", 7, "two dots join the ends of bytes, for the last one is excluded"},
		{"bytes:5..2", 6, "the range runs backwards"},
		{"slice:-1..-3", 6, "the range runs backwards"},
		{"slice:-..", 7, "expected a digit"},
		{"slice:1.5", 7, "expected two dots"},
		{"keys:x", 4, "keys takes nothing after its name"},
		{"grep:a(b", 8, "not a regular expression (RE2): missing closing )"},
		{"grep:*abc*", 5, "not a regular expression (RE2): missing argument to repetition operator"},
		{"slice:1-2", 7, "two dots join the ends of slice, for the last one is excluded"},
		{"grep:ab[z-a]", 8, "not a regular expression (RE2): invalid character class range"},
	} {
		_, err := Parse(c.in)
		var e *SyntaxError
		if !errors.As(err, &e) || e.Offset != c.offset || !strings.HasPrefix(e.Msg, c.msg) {
			t.Errorf("%q: got %v at %d, want %q at %d", c.in, err, e.Offset, c.msg, c.offset)
		}
	}
}

// FuzzParse states that a selector is what its text says, and that a fault has its place in the text.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"lines:20-50", "slice:-3..", "bytes:..7", "key:a b", "grep:^a|b$", "path:a.0", "keys", "lines:5-2", "grep:(", "slice:-0..0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		s, err := Parse(in)
		if err != nil {
			var e *SyntaxError
			if !errors.As(err, &e) || e.Expr != in || e.Offset < 0 || e.Offset > len(in) || strings.Count(e.Caret(), "\n") != 1 {
				t.Fatalf("%q: %#v", in, err)
			}
			return
		}
		again, err := Parse(s.String())
		if err != nil || again.String() != s.String() {
			t.Fatalf("%q is %q, which is %q, %v", in, s, again, err)
		}
	})
}
