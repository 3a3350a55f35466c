package inspect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/llmblob/llmblob/pkg/selector"
	"github.com/llmblob/llmblob/pkg/summarize"
)

func parse(t *testing.T, exprs ...string) []selector.Selector {
	t.Helper()
	sels, err := selector.ParseAll(exprs)
	if err != nil {
		t.Fatal(err)
	}
	return sels
}

// contents are of every kind that pages differently.
func contents() map[string]selector.Source {
	lines, rows := strings.Builder{}, strings.Builder{}
	for i := range 500 {
		fmt.Fprintf(&lines, "line %d %s\n", i+1, strings.Repeat("漢", i%40))
		fmt.Fprintf(&rows, `,{"id":%d,"name": "%s"}`, i, strings.Repeat("n", i%50))
	}
	text := func(s string) selector.Source { return selector.Source{Data: []byte(s), Kind: selector.Text} }
	doc := func(s string) selector.Source { return selector.Source{Data: []byte(s), Kind: selector.JSON} }
	encoded, _ := json.Marshal(lines.String())
	return map[string]selector.Source{
		"lines":          text(lines.String()),
		"one line":       text(strings.Repeat("漢字 ", 3000)),
		"mixed lines":    text("short\n" + strings.Repeat("x", 5000) + "\nend"),
		"invalid":        text(strings.Repeat("\xff\xfe", 2000)),
		"rows":           doc("[" + rows.String()[1:] + "]"),
		"large elements": doc("[[" + strings.Repeat("1,", 3000) + "1],2,[" + strings.Repeat("1,", 3000) + "3],4,5]"),
		"object":         doc(`{"log":` + string(encoded) + `,"rows":[` + rows.String()[1:] + `]}`),
	}
}

// Page after page, each within its bound, gives the whole: nothing is lost and nothing comes twice.
func TestPagesGiveTheWhole(t *testing.T) {
	followed := 0
	defer func() {
		if followed < 40 {
			t.Errorf("%d chains were followed", followed)
		}
	}()
	for name, src := range contents() {
		for _, chain := range [][]string{
			{}, {"lines:2-400"}, {"tail:300"}, {"bytes:1..9000"}, {"grep:1"}, {"slice:1..400"}, {"slice:-3.."}, {"key:log"}, {"key:log", "lines:3-"},
			{"key:rows"}, {"key:rows", "slice:5.."}, {"keys"}, {"path:rows"}, {"head:450"},
		} {
			sels := parse(t, chain...)
			var whole bytes.Buffer
			if err := Write(&whole, src, sels, Options{Raw: true, Context: 1}); err != nil {
				continue // it does not fit this content
			}
			followed++
			for _, limit := range []int{MinBytes, 700, 5000, 16 << 10} {
				t.Run(fmt.Sprintf("%s %s in %d", name, Join(sels), limit), func(t *testing.T) {
					if got := followPages(t, src, sels, limit); !samePages(got, whole.Bytes()) {
						t.Errorf("got %d bytes, want %d", len(got), whole.Len())
					}
					if got := followJSON(t, src, sels, limit); !samePages(got, whole.Bytes()) {
						t.Errorf("as JSON: got %d bytes, want %d", len(got), whole.Len())
					}
				})
			}
		}
	}
}

// samePages compares what pages gave with the whole: arrays by their elements, all else byte for byte.
func samePages(got, want []byte) bool {
	if bytes.Equal(bytes.TrimSuffix(got, []byte("\n")), bytes.TrimSuffix(want, []byte("\n"))) {
		return true
	}
	var a, b []json.RawMessage
	joined := bytes.ReplaceAll(got, []byte("]\n["), []byte(","))
	if json.Unmarshal(joined, &a) != nil || json.Unmarshal(want, &b) != nil {
		return false
	}
	return reflect.DeepEqual(a, b)
}

// followPages reads the next page from the last line of each answer, as a model would.
func followPages(t *testing.T, src selector.Source, sels []selector.Selector, limit int) []byte {
	t.Helper()
	var got []byte
	for range 10_000 {
		var page bytes.Buffer
		if err := Write(&page, src, sels, Options{Raw: true, Context: 1, MaxBytes: limit}); err != nil {
			t.Fatalf("%s: %v", Join(sels), err)
		}
		if page.Len() > limit {
			t.Fatalf("%s: %d bytes", Join(sels), page.Len())
		}
		a, content, err := Get(src, sels, Options{Raw: true, Context: 1, MaxBytes: limit})
		if err != nil {
			t.Fatal(err)
		}
		i := bytes.LastIndex(page.Bytes(), []byte("… "))
		_, next, cut := strings.Cut(page.String()[max(0, i):], ", next: ")
		if i < 0 || !cut || !strings.HasSuffix(next, "\n") {
			if a.Truncated && len(content) < page.Len()-1 {
				t.Fatalf("%s: no notice after %d of %d bytes", Join(sels), len(content), page.Len())
			}
			return append(got, page.Bytes()...)
		}
		body := page.Bytes()[:i]
		if strings.Contains(page.String()[i:], " more bytes, ") || strings.Contains(page.String()[i:], "… 1 more byte, ") {
			body = body[:len(body)-1] // the line feed before the notice
		}
		got = append(got, body...)
		sels = parse(t, shellWords(next)...)
	}
	t.Fatal("the pages do not end")
	return nil
}

// shellWords takes what Join wrote apart.
func shellWords(s string) []string {
	var words []string
	for _, w := range strings.Fields(s) {
		words = append(words, strings.Trim(w, "'"))
	}
	return words
}

// followJSON reads the next page from the answer's own field.
func followJSON(t *testing.T, src selector.Source, sels []selector.Selector, limit int) []byte {
	t.Helper()
	var got []byte
	for range 10_000 {
		a, content, err := Get(src, sels, Options{Raw: true, Context: 1, MaxBytes: limit})
		if err != nil {
			t.Fatalf("%s: %v", Join(sels), err)
		}
		if len(content) > limit {
			t.Fatalf("%s: %d bytes", Join(sels), len(content))
		}
		got = append(got, content...)
		if !a.Truncated {
			return got
		}
		if a.Range.Unit == selector.EntriesUnit {
			got = append(got, '\n') // each page is an array of its own
		}
		if a.Range.To > a.Total || a.Range.Len() < 1 {
			t.Fatalf("%s: %+v of %d", Join(sels), a.Range, a.Total)
		}
		sels = a.Next
	}
	t.Fatal("the pages do not end")
	return nil
}

func TestAPageIsCutBetweenCharacters(t *testing.T) {
	src := selector.Source{Data: []byte(strings.Repeat("漢", 5000))}
	for limit := MinBytes; limit < MinBytes+8; limit++ {
		a, content, err := Get(src, parse(t, "bytes:0.."), Options{MaxBytes: limit})
		if err != nil || !utf8.Valid(content) || !a.Truncated || len(content) > limit || len(content) < limit-3 {
			t.Errorf("%d: %d bytes, %v", limit, len(content), err)
		}
	}
}

// A JSON string that does not fit is paged through as its text, and an array that fits only when white space is left out
// is not taken for whole.
func TestWhatIsCutSaysSo(t *testing.T) {
	for name, c := range map[string]struct {
		doc, expr string
		unit      string
		total     int
	}{
		"the text fits and the literal does not": {`{"s":"` + strings.Repeat(`\n`, 140) + `"}`, "key:s", selector.LinesUnit, 140},
		"one line of text":                       {`{"s":"` + strings.Repeat(`\u0041`, 250) + `"}`, "key:s", selector.BytesUnit, 250},
		"spaces between elements":                {`[` + strings.Repeat(`1 , `, 100) + `1]`, "slice:..", selector.EntriesUnit, 101},
		"stored with spaces":                     {`{"r":[` + strings.Repeat(`1 , `, 100) + `1]}`, "key:r", selector.EntriesUnit, 101},
	} {
		src := selector.Source{Data: []byte(c.doc), Kind: selector.JSON}
		a, content, err := Get(src, parse(t, c.expr), Options{MaxBytes: MinBytes})
		if name == "spaces between elements" {
			if err != nil || a.Truncated || len(content) != 203 {
				t.Errorf("%s: %d bytes, %v", name, len(content), err)
			}
			continue
		}
		if err != nil || !a.Truncated || a.Range.Unit != c.unit || a.Total != c.total {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
	}
}

func TestABoundThatIsTooSmall(t *testing.T) {
	src := selector.Source{Data: []byte("{}"), Kind: selector.JSON}
	var bound *BoundError
	if err := Write(&bytes.Buffer{}, src, parse(t, "key:"+strings.Repeat("k", 500)), Options{MaxBytes: MinBytes}); !errors.As(err, &bound) {
		t.Errorf("got %v, want a BoundError", err)
	}
}

func TestJoinQuotesForTheShell(t *testing.T) {
	sels := parse(t, "lines:2-5", "key:it's here", "grep:a|b", "bytes:0..")
	if got, want := Join(sels), `lines:2-5 'key:it'\''s here' 'grep:a|b' bytes:0..`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestOverview(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"text", "a\nb", "file: f\ntype: text\nbytes: 3\nlines: 2\n\na\nb\n"},
		{"empty", "", "file: f\ntype: text\nbytes: 0\nlines: 0\n"},
		{"long text", strings.Repeat("x\n", 70), "file: f\ntype: text\nbytes: 140\nlines: 70\n\n" + strings.Repeat("x\n", 50) + "\nnext: llmblob inspect f lines:51-70\n"},
		{"array", "[1,2,3,4,5,6]", "file: f\ntype: json_array\nbytes: 13\nentries: 6\n\n[1,2,3,4,5]\n\nnext: llmblob inspect f slice:5..6\n"},
		{"object", `{"a b":1}`, "file: f\ntype: json_object\nbytes: 9\nkeys: 1\n\na b: number\n\nnext: llmblob inspect f 'key:a b'\n"},
		{"empty object", `{}`, "file: f\ntype: json_object\nbytes: 2\nkeys: 0\n"},
	} {
		facts, err := summarize.Scan([]byte(c.in), summarize.Auto, summarize.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		err = Overview(&got, Subject{Name: "f", Command: "llmblob inspect f", Facts: facts, Data: []byte(c.in)}, Options{})
		if err != nil || got.String() != c.want {
			t.Errorf("%s: got %q, %v, want %q", c.name, got.String(), err, c.want)
		}
	}
}

func TestAnOverviewIsBounded(t *testing.T) {
	const id = "0193b2c4-0000-7000-8000-000000000000"
	for name, in := range map[string]string{
		"one line":    strings.Repeat("x", 1<<20),
		"short lines": strings.Repeat("x\n", 200),
		"200 bytes":   strings.Repeat("x", 200),
		"elements":    "[" + strings.Repeat("[1,2,3],", 1000) + "1]",
		"keys":        `{"` + strings.Repeat("k", 3000) + `":1,"a":"` + strings.Repeat("v", 100_000) + `"}`,
	} {
		facts, err := summarize.Scan([]byte(in), summarize.Auto, summarize.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		path := "d/" + strings.Repeat("e", 200)
		var got bytes.Buffer
		if err := Overview(&got, Subject{Name: path, Command: "llmblob inspect " + path, Facts: facts, Data: []byte(in)}, Options{MaxBytes: MinBytes}); err != nil || got.Len() > MinBytes {
			t.Errorf("%s of a long path: %d bytes, %v", name, got.Len(), err)
		}
		s := Subject{Name: id, Command: "llmblob inspect " + id, IsBlob: true, Created: "2026-01-02T03:04:05.678Z", Facts: facts, Data: []byte(in)}
		for _, limit := range []int{MinBytes, 300, 400, 1000, 16 << 10, 0} {
			var got bytes.Buffer
			if err := Overview(&got, s, Options{MaxBytes: limit}); err != nil {
				t.Fatal(err)
			}
			if bound := cmp.Or(limit, OverviewBytes); got.Len() > bound || !strings.HasPrefix(got.String(), "id: "+id+"\n") {
				t.Errorf("%s in %d: %d bytes: %q", name, limit, got.Len(), got.String())
			}
		}
		got.Reset()
		if err := Overview(&got, s, Options{}); err != nil || name == "one line" && !strings.Contains(got.String(), "\nnext: llmblob inspect "+id+" lines:1-50 bytes:") {
			t.Errorf("%s: %v, end %q", name, err, got.String()[got.Len()-100:])
		}
	}
}
