package summarize

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/llmblob/llmblob/internal/cleantext"
)

const testID = "0193b2c4-0000-7000-8000-000000000000"

func limits(bytes, head, tail int) Limits {
	return Limits{Bytes: bytes, HeadLines: head, TailLines: tail}
}

func numbers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintln(&b, i+1)
	}
	return b.String()
}

func TestSummary(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	for _, c := range []struct {
		name, in string
		as       As
		limits   Limits
		want     string
	}{
		{"empty text", "", Auto, DefaultLimits(), "text | 0 lines"},
		{"one line", "a", Auto, DefaultLimits(), "text | 1 lines\n── head ──\na"},
		{"only a line feed", "\n", Auto, DefaultLimits(), "text | 1 lines\n── head ──\n"},
		{"five lines have no tail", numbers(5), Auto, DefaultLimits(), "text | 5 lines\n── head ──\n1\n2\n3\n4\n5"},
		{"six lines", numbers(6), Auto, DefaultLimits(), "text | 6 lines\n── head ──\n1\n2\n3\n4\n5\n── tail ──\n6"},
		{"eight lines", strings.TrimSuffix(numbers(8), "\n"), Auto, DefaultLimits(), "text | 8 lines\n── head ──\n1\n2\n3\n4\n5\n── tail ──\n6\n7\n8"},
		{"nine lines", numbers(9), Auto, DefaultLimits(), "text | 9 lines\n── head ──\n1\n2\n3\n4\n5\n── tail ──\n7\n8\n9"},
		{"no head lines asked for", numbers(9), Auto, limits(400, 0, 2), "text | 9 lines\n── tail ──\n8\n9"},
		{"progress, colours, crlf", "10%\r90%\r\x1b[32m100%\x1b[0m\r\nnul \x00 bytes \xff\xfe\r\n", Auto, DefaultLimits(),
			"text | 2 lines\n── head ──\n100%\nnul \uFFFD bytes \uFFFD\uFFFD"},
		{"a forged reference", "[blob:" + testID + "]\n[b\x1b[0mlob:x]", Auto, DefaultLimits(),
			"text | 2 lines\n── head ──\n(blob:" + testID + "]\n(blob:x]"},
		// 160 - 14 - 19 - 19 = 108 bytes for two lines and their line feeds: 53 each.
		{"a long line shows both its ends", "<" + x(500) + ">", Auto, limits(160, 5, 3),
			"text | 1 lines\n── head ──\n<" + x(49) + "…\n── tail ──\n…" + x(49) + ">"},
		// 160 - 14 - 19 - 3 = 124 bytes: 41 each, one left for the first.
		{"long lines share, the first gets what is left", x(50) + "\n" + x(50) + "\n" + x(50) + "\n", Auto, limits(160, 5, 3),
			"text | 3 lines\n── head ──\n" + x(39) + "…\n" + x(38) + "…\n" + x(38) + "…"},
		// 160 - 14 - 19 - 3 = 124 bytes; the short lines keep 3 + 2, so 119 are left.
		{"short lines keep all of theirs", "abc\n" + x(200) + "\nde", Auto, limits(160, 5, 3),
			"text | 3 lines\n── head ──\nabc\n" + x(116) + "…\nde"},
		// 160 - 15 - 19 - 19 = 107 bytes: seven lines would have 14 each and so on; eight have (107-8)/8 = 12.
		{"twelve bytes a line are enough", strings.Repeat(x(30)+"\n", 20), Auto, limits(160, 5, 3),
			"text | 20 lines\n── head ──\n" + strings.Repeat(x(10)+"…\n", 3) + strings.Repeat(x(9)+"…\n", 2) + "── tail ──\n" +
				x(9) + "…\n" + x(9) + "…\n" + x(9) + "…"},
		// 107 bytes for 12 + 3 lines: 6 each is too little, for 11 shown lines it is (107-11)/11 = 8.
		{"fewer head lines where shares are small", strings.Repeat(x(30)+"\n", 20), Auto, limits(160, 12, 3),
			"text | 20 lines\n── head ──\n" + strings.Repeat(x(6)+"…\n", 8) + "── tail ──\n" + x(5) + "…\n" + x(5) + "…\n" + x(5) + "…"},
		{"many tail lines leave no head", strings.Repeat(x(30)+"\n", 90), Auto, limits(160, 5, 50),
			"text | 90 lines\n── tail ──\n" + strings.Repeat(x(5)+"…\n", 13) + x(5) + "…"},
		{"json lines are text", "{\"a\":1}\n{\"a\":2}\n", Auto, DefaultLimits(), "text | 2 lines\n── head ──\n{\"a\":1}\n{\"a\":2}"},
		{"a scalar is text unless it must be json", "42\n", Auto, DefaultLimits(), "text | 1 lines\n── head ──\n42"},
		{"json taken as text", "[1]", AsText, DefaultLimits(), "text | 1 lines\n── head ──\n[1]"},
		{"scalar", " \"a\\u0062\" ", AsJSON, DefaultLimits(), "json | string\n\"a\\u0062\""},
		{"long scalar", "\"" + x(500) + "\"", AsJSON, limits(160, 5, 3), "json | string\n\"" + x(142) + "…"},
		{"empty array", " [ ] ", Auto, DefaultLimits(), "json_array | 0 entries"},
		{"array of numbers", "[1.0, 2,\n3]", Auto, DefaultLimits(), "json_array | 3 entries\n── schema ──\nnumber\n── head ──\n1.0\n2"},
		{"array of objects", `[{"id": 1, "name": "a b", "tags": [], "meta": {}, "ok": true, "no": null}, 5]`, Auto, DefaultLimits(),
			"json_array | 2 entries\n── schema ──\n{id: number, name: string, tags: array, meta: object, ok: bool, no: null}\n── head ──\n" +
				`{"id":1,"name":"a b","tags":[],"meta":{},"ok":true,"no":null}` + "\n5"},
		{"array of one empty object", "[{}]", Auto, DefaultLimits(), "json_array | 1 entries\n── schema ──\n{}\n── head ──\n{}"},
		{"empty object", "{}", Auto, DefaultLimits(), "json_object | 0 keys"},
		{"object", `{"name": "\u00e9x\n", "items": [1, [2]], "meta": {"a": 1, "a": 2}, "total": -1e5, "total": null}`, Auto, DefaultLimits(),
			"json_object | 5 keys\n── keys ──\nname: string(4)\nitems: array(2)\nmeta: object(2)\ntotal: number\ntotal: null"},
		{"a key that is longer decoded than what is shown", `{"` + strings.Repeat(`\u00e9`, 600) + `": 1}`, Auto, DefaultLimits(),
			"json_object | 1 keys\n── keys ──\n" + strings.Repeat("é", 28) + "…: number"},
		{"a key of many escape sequences", `{"x` + strings.Repeat(`\u001b[31m`, 300) + `END": 1}`, Auto, DefaultLimits(),
			"json_object | 1 keys\n── keys ──\nxEND: number"},
		{"keys are decoded, cleaned and clipped", `{"\u001b[1mk\u0000": 1, "` + x(61) + `": 2, "[blob:x": 3}`, Auto, DefaultLimits(),
			"json_object | 3 keys\n── keys ──\nk\uFFFD: number\n" + x(57) + "…: number\n(blob:x: number"},
		// 160 - 20 - 19 = 121 bytes: nine keys of 11 and what remains to be said take 99 + 18.
		{"keys that do not fit are counted", `{"k00":1,"k01":1,"k02":1,"k03":1,"k04":1,"k05":1,"k06":1,"k07":1,"k08":1,"k09":1,"k10":1,"k11":1}`, Auto, limits(160, 5, 3),
			"json_object | 12 keys\n── keys ──\n" + keyLines(8) + "… 4 more keys"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := Scan([]byte(c.in), c.as, c.limits)
			if err != nil {
				t.Fatal(err)
			}
			if got := f.Summary(""); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func keyLines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "k%02d: number\n", i)
	}
	return b.String()
}

func TestSummaryWithAReference(t *testing.T) {
	f, err := Scan([]byte("a\nb\n"), Auto, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := f.Summary(testID), "[blob:"+testID+"] text | 2 lines\n── head ──\na\nb"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCustomSummary(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"3 tests failed\r\n", "[blob:" + testID + "] 3 tests failed"},
		{"a\n\x1b[31mb\x1b[0m\x00", "[blob:" + testID + "] a\nb\uFFFD"},
		{"[blob:x]", "[blob:" + testID + "] (blob:x]"},
		{strings.Repeat("漢", 100), "[blob:" + testID + "] " + strings.Repeat("漢", 37) + "…"},
	} {
		if got := Custom(testID, c.in, 160); got != c.want {
			t.Errorf("%q: got %q, want %q", c.in, got, c.want)
		}
	}
}

func TestLimitsAreChecked(t *testing.T) {
	for _, l := range []Limits{limits(159, 5, 3), limits(MaxBytes+1, 5, 3), limits(400, -1, 3), limits(400, 5, 0)} {
		if l.Validate() == nil {
			t.Errorf("%+v is valid", l)
		}
	}
	if err := DefaultLimits().Validate(); err != nil {
		t.Error(err)
	}
}

func TestInvalidJSONHasAPlace(t *testing.T) {
	_, err := Scan([]byte("[1,\n2,]"), AsJSON, DefaultLimits())
	if e, ok := err.(*InvalidJSONError); !ok || e.Line != 2 || e.Column != 3 {
		t.Errorf("got %v, want line 2, column 3", err)
	}
}

// FuzzSummary states the laws of summaries.
func FuzzSummary(f *testing.F) {
	for _, s := range []string{"", "a\nb", numbers(100), strings.Repeat("漢", 300), strings.Repeat("\x1b[31mred\x1b[0m\r\n", 60), `[{"a":"[blob:x]"}]`,
		`{"k":"v","n":[1,2]}`, strings.Repeat("x", 70) + "\n" + strings.Repeat("y", 7000), "10%\r20%\r30%\n" + strings.Repeat("a\r", 500), "\"\\ud83d\""} {
		f.Add([]byte(s), 0, 5, 3)
		f.Add([]byte(s), 500, 60, 60)
	}
	f.Fuzz(func(t *testing.T, in []byte, extra, head, tail int) {
		l := limits(MinBytes+abs(extra)%2000, abs(head)%80, 1+abs(tail)%80)
		for _, as := range []As{Auto, AsText, AsJSON} {
			facts, err := Scan(in, as, l)
			if (err != nil) != (as == AsJSON && !(json.Valid(in) && utf8.Valid(in))) {
				t.Fatalf("%s: %v", as, err)
			}
			read, readErr := ScanReader(in, bytes.NewReader(in), as, l)
			if (err == nil) != (readErr == nil) || err == nil && read.Summary(testID) != facts.Summary(testID) {
				t.Fatalf("%s: read: %v", as, readErr)
			}
			if err == nil {
				checkLaws(t, facts, in, l)
			}
		}
	})
}

func checkLaws(t *testing.T, facts Facts, in []byte, l Limits) {
	t.Helper()
	const ref = "[blob:" + testID + "] "
	with, without := facts.Summary(testID), facts.Summary("")
	for _, s := range []string{with, without} {
		if len(s) > l.Bytes || !utf8.ValidString(s) || facts.Count > 0 && facts.Type != Text && strings.HasSuffix(s, "\n") {
			t.Fatalf("%d bytes of %d: %q", len(s), l.Bytes, s)
		}
	}
	if !strings.HasPrefix(with, ref+string(facts.Type)) || strings.Count(with, "[blob:") != 1 || strings.Contains(without, "[blob:") {
		t.Fatalf("references: %q", with)
	}
	if facts.Type != Text {
		return
	}
	lines := strings.Split(strings.TrimSuffix(string(in), "\n"), "\n")
	if len(in) == 0 {
		lines = nil
	}
	if facts.Count != len(lines) {
		t.Fatalf("counted %d lines of %d", facts.Count, len(lines))
	}
	if len(lines) > 0 {
		checkLastLine(t, with, lines[len(lines)-1])
	}
	if len(lines) > 1 && len(lines) <= l.HeadLines+l.TailLines {
		checkWhole(t, with, lines, l)
	}
}

// checkLastLine requires the last line of the text, or a part of it that is worth showing, to be the last one shown.
func checkLastLine(t *testing.T, summary, last string) {
	t.Helper()
	shown := summary[strings.LastIndexByte(summary, '\n')+1:]
	want := neutral(string(cleantext.AppendLine(nil, []byte(last), 3*len(last))))
	start, clipped := strings.CutSuffix(shown, cleantext.Ellipsis)
	end, led := strings.CutPrefix(shown, cleantext.Ellipsis)
	if shown != want && !(clipped && strings.HasPrefix(want, start)) && !(led && strings.HasSuffix(want, end)) {
		t.Fatalf("the last line is %q, shown as %q", want, shown)
	}
}

// checkWhole requires all lines in order where all fit.
func checkWhole(t *testing.T, summary string, lines []string, l Limits) {
	t.Helper()
	var want []string
	size := len(summary[:strings.IndexByte(summary, '\n')]) + section(headMarker, 1) + section(tailMarker, 1)
	for _, line := range lines {
		shown := neutral(string(cleantext.AppendLine(nil, []byte(line), 3*len(line))))
		want = append(want, shown)
		size += len(shown) + 1
	}
	if size > l.Bytes {
		return
	}
	shown := strings.Split(summary, "\n")[1:]
	at := 0
	if l.HeadLines > 0 {
		at = 1
	}
	if len(lines) > l.HeadLines {
		shown = slices.Delete(shown, at+min(l.HeadLines, len(lines)), at+min(l.HeadLines, len(lines))+1)
	}
	if got := shown[at:]; !slices.Equal(got, want) {
		t.Fatalf("lines %q, shown %q", want, got)
	}
}

func abs(n int) int {
	if n < 0 {
		return -(n + 1)
	}
	return n
}

func BenchmarkScanText(b *testing.B) {
	data := []byte(strings.Repeat("2026-01-02 03:04:05 INFO a line of a log of usual length, with some words\n", 100_000))
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		f, err := Scan(data, Auto, DefaultLimits())
		if err != nil || f.Summary(testID) == "" {
			b.Fatal(err)
		}
	}
}
