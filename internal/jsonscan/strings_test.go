package jsonscan

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"strings"
	"testing"
	"unicode/utf8"
)

// plainString is scanString, byte by byte.
func plainString(data []byte) (ok bool, textLen int) {
	for i := 1; i < len(data); i++ {
		switch data[i] {
		case '"':
			var text string
			ok := utf8.Valid(data[:i+1]) && json.Unmarshal(data[:i+1], &text) == nil
			return ok, len(text)
		case '\\':
			i++
		}
	}
	return false, 0
}

// What is marked lies at every place of a block, and at its edges.
func TestStringsAtEveryOffset(t *testing.T) {
	for _, piece := range []string{`\n`, `\\`, `\"`, `\u0041`, `\u00e9`, `\u6f22`, `\ud83d\ude00`, `\ud83d`, `\ude00`, `\ud83d\n`, `\ud83d\ud83d\ude00`, "é", "漢", "👍", "漢字漢字", "\x01", "\n", "\xff",
		"\xe6\xbc", `\x`, `\u12g4`, `"`, "\x7f", " ", `\`} {
		for before := range 2*64 + 3 {
			for _, after := range []int{0, 1, 7, 62, 63, 64, 65, 130} {
				in := []byte(`"` + strings.Repeat("a", before) + piece + strings.Repeat("b", after) + `"`)
				for _, rest := range []string{"", ",", strings.Repeat("x", 100)} {
					data := append(in[:len(in):len(in)], rest...)
					end, shorter, msg := scanString(data, 0)
					ok, textLen := plainString(data)
					if ok != (msg == "") || ok && end-2-shorter != textLen {
						t.Fatalf("%q: ends at %d, %d shorter, %q; want %v, %d bytes", data, end, shorter, msg, ok, textLen)
					}
				}
			}
		}
	}
}

func TestMarksAreExact(t *testing.T) {
	for c := range 256 {
		want := c == '"' || c == '\\' || c < 0x20 || c >= 0x80
		for at := range 8 {
			for _, other := range []byte{'a', '!', '#', '"', 0x21, 0x7f, 0x1f, '[', ']'} {
				w := uint64(0)
				for k := range 8 {
					b := other
					if k == at {
						b = byte(c)
					}
					w |= uint64(b) << (8 * k)
				}
				if got := marked(w)>>at&1 == 1; got != want {
					t.Fatalf("0x%02x among 0x%02x: marked is %v", c, other, got)
				}
				if first := special(w); first != 0 && bits.TrailingZeros64(first)>>3 != bits.TrailingZeros64(marked(w)) {
					t.Fatalf("0x%02x among 0x%02x: special says %x, marked %x", c, other, first, marked(w))
				}
			}
		}
		block := []byte(strings.Repeat("a", 3*blockLen))
		for at := range blockLen {
			block[at+blockLen] = byte(c)
			start, marks := nextMarks(block, 0)
			wantStart, wantMarks := 3*blockLen, uint64(0)
			if want {
				wantStart, wantMarks = blockLen, 1<<at
			}
			if start != wantStart || marks != wantMarks {
				t.Fatalf("0x%02x at %d: block %d, marks %x", c, at, start, marks)
			}
			block[at+blockLen] = 'a'
		}
	}
}

func BenchmarkStrings(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"plain", strings.Repeat("a line of words and more words, as people write them", 2000)},
		{"source", strings.Repeat("\tif err := step(ctx, \"item\"); err != nil {\n\t\treturn fmt.Errorf(\"step: %w\", err)\n\t}\n", 1000)},
		{"log", strings.Repeat("2026-01-02T03:04:05Z INFO request served path=/a/b/c status=200 bytes=1234 duration=12ms id=0193b2c4\n", 1000)},
		{"han", strings.Repeat("漢字かな交じり文。", 4000)},
		{"french", strings.Repeat("où l'été s'achève à la forêt, ", 4000)},
	} {
		literal, _ := json.Marshal(c.text)
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(literal)))
			for b.Loop() {
				scanString(literal, 0)
			}
		})
	}
	for _, n := range []int{4, 12, 40} {
		literal := []byte(fmt.Sprintf("%q:1,", strings.Repeat("k", n)) + strings.Repeat(" ", 64))
		b.Run(fmt.Sprint("key of ", n), func(b *testing.B) {
			for b.Loop() {
				scanString(literal, 0)
			}
		})
	}
}
