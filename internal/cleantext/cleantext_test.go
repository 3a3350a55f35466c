package cleantext

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestAppendLine(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "a\tb", "a\tb"},
		{"colours", "\x1b[31mred\x1b[0m", "red"},
		{"hyperlink", "\x1b]8;;https://x.test/\x1b\\link\x1b]8;;\x07", "link"},
		{"charset", "\x1b(Bx\x1b=y", "xy"},
		{"cut sequence", "x\x1b[31", "x\uFFFD[31"},
		{"unended string", "x\x1b]0;title", "x\uFFFD]0;title"},
		{"carriage return line feed", "a\r", "a"},
		{"progress", "10%\r50%\r100%", "100%"},
		{"progress with its end", "10%\r100%\r\r", "100%"},
		{"erased at the end", "50%\r\x1b[K", "50%"},
		{"nul, bell, delete", "a\x00b\x07c\x7f", "a\uFFFDb\uFFFDc\uFFFD"},
		{"second control set", "a\u009bb", "a\uFFFDb"},
		{"invalid bytes each", "a\xff\xfeb\xe6\xbc", "a\uFFFD\uFFFDb\uFFFD\uFFFD"},
		{"encoded surrogate", "\xed\xa0\xbd", "\uFFFD\uFFFD\uFFFD"},
		{"empty", "", ""},
	} {
		if got := string(AppendLine(nil, []byte(c.in), 100)); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestClipCutsBetweenCharacters(t *testing.T) {
	for n, want := range map[int]string{3: "…", 5: "…", 6: "漢…", 8: "漢…", 9: "漢字…", 10: "漢字…", 12: "漢字漢字"} {
		if got := string(Clip([]byte("漢字漢字"), n)); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}

// FuzzLine states what the shown form of a line promises, and that its end is found from the end.
func FuzzLine(f *testing.F) {
	for _, s := range []string{"a\x1b[31mb", "\x1b]0;t\x07x", "漢字\xe6\xbc", "1\r2\r3", strings.Repeat("\x1b[0m", 200) + "x",
		strings.Repeat("x", 300) + "\x1b]0;" + strings.Repeat("y", 300) + "\x07z"} {
		f.Add([]byte(s), uint8(20))
	}
	f.Fuzz(func(t *testing.T, line []byte, limit uint8) {
		line = bytes.ReplaceAll(line, []byte("\n"), nil)
		n := int(limit)
		whole := AppendLine(nil, line, 3*len(line))
		if !utf8.Valid(whole) || bytes.ContainsFunc(whole, func(r rune) bool { return r != '\t' && unicode.IsControl(r) }) {
			t.Fatalf("not clean: %q", whole)
		}
		if start := AppendLine(nil, line, n); !bytes.HasPrefix(whole, start) || len(start) <= n && len(start) < len(whole) {
			t.Fatalf("start %q of %q", start, whole)
		}
		end := LineEnd(line, n)
		if !bytes.HasSuffix(whole, end) || len(end) > n || len(whole) > n && len(end) < n-utf8.UTFMax {
			t.Fatalf("end %q of %q", end, whole)
		}
	})
}

func FuzzVisible(f *testing.F) {
	f.Add([]byte("a\x1b[31m\r\n漢\xff"), 3)
	f.Fuzz(func(t *testing.T, text []byte, cut int) {
		cut = max(0, min(cut, len(text)))
		var whole, parts bytes.Buffer
		for _, w := range []struct {
			to    *bytes.Buffer
			parts [][]byte
		}{{&whole, [][]byte{text}}, {&parts, [][]byte{text[:cut], text[cut:]}}} {
			v := NewVisibleWriter(w.to)
			for _, p := range w.parts {
				if n, err := v.Write(p); n != len(p) || err != nil {
					t.Fatal(n, err)
				}
			}
			if err := v.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(whole.Bytes(), parts.Bytes()) {
			t.Fatalf("in one %q, in two %q", whole.Bytes(), parts.Bytes())
		}
		if bytes.ContainsFunc(whole.Bytes(), func(r rune) bool { return r != '\t' && r != '\n' && unicode.IsControl(r) }) {
			t.Fatalf("not visible: %q", whole.Bytes())
		}
	})
}
