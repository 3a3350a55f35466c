package jsonscan

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestScanFindsHeadsAndCounts(t *testing.T) {
	in := " {\"a\" : [1,2, [3,4]] ,\"b\":{\"x\":1,\"x\":2},\"c\":\"s\\\"\",\"d\":-1.50E+3, \"e\":[ ], \"a\":null}\n"
	doc, err := Scan([]byte(in), 5)
	if err != nil {
		t.Fatal(err)
	}
	if doc.Kind != Object || doc.Count != 6 || string(doc.Value) != strings.TrimSpace(in) {
		t.Errorf("got %v, %d members, %q", doc.Kind, doc.Count, doc.Value)
	}
	want := []struct {
		key, value string
		count      int
	}{
		{`"a"`, `[1,2, [3,4]]`, 3}, {`"b"`, `{"x":1,"x":2}`, 2}, {`"c"`, `"s\""`, 0}, {`"d"`, `-1.50E+3`, 0}, {`"e"`, `[ ]`, 0},
	}
	if len(doc.Heads) != len(want) {
		t.Fatalf("got %d heads, want %d", len(doc.Heads), len(want))
	}
	for i, w := range want {
		if h := doc.Heads[i]; string(h.Key) != w.key || string(h.Value) != w.value || h.Count != w.count {
			t.Errorf("head %d: got %s %s %d, want %+v", i, h.Key, h.Value, h.Count, w)
		}
	}
}

func TestScanErrorsHaveAPlace(t *testing.T) {
	for _, c := range []struct {
		in           string
		line, column int
		msg          string
	}{
		{"", 1, 1, "unexpected end of input"},
		{"[1,\n 2,]", 2, 4, "unexpected ']', expected a value"},
		{"{\"é\":1 \"b\":2}", 1, 8, "unexpected '\"', expected ',' or '}'"},
		{"[1]\n\nx", 3, 1, "unexpected 'x' after the value"},
		{"\uFEFF{}", 1, 1, "unexpected byte order mark, expected a value"},
		{"[01]", 1, 3, "invalid number: a leading zero"},
		{"[-]", 1, 3, "invalid number: expected a digit"},
		{"[1.]", 1, 4, "invalid number: expected a digit after the point"},
		{"[1e]", 1, 4, "invalid number: expected a digit in the exponent"},
		{"[tru]", 1, 2, "invalid literal, expected true"},
		{"[\"a\tb\"]", 1, 4, "control character 0x09 in a string, it must be escaped"},
		{"[\"\\x\"]", 1, 3, "invalid escape in a string"},
		{"[\"\\u12g4\"]", 1, 3, `invalid escape: \u needs four hexadecimal digits`},
		{"[\"a\xff\"]", 1, 4, "byte 0xff is not UTF-8"},
		{"[\"abc", 1, 2, "string without a closing quote"},
		{"{a:1}", 1, 2, "unexpected 'a', expected a key in double quotes"},
		{"{\"a\" 1}", 1, 6, "unexpected '1', expected ':'"},
		{strings.Repeat("[", MaxDepth+1), 1, MaxDepth + 1, "nested deeper than 10000 levels"},
	} {
		_, err := Scan([]byte(c.in), 3)
		e, ok := err.(*Error)
		if !ok || e.Line != c.line || e.Column != c.column || e.Msg != c.msg {
			t.Errorf("%.20q: got %v, want line %d, column %d: %s", c.in, err, c.line, c.column, c.msg)
		}
	}
}

func TestLastWins(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":1, "b":2 , "a" : 3}`:                                     `{"b":2 , "a" : 3}`,
		`{"a":{"x":1,"x":2},"b":[{"y":1,"\u0079":[2,3]},"y"],"c":"a"}`: `{"a":{"x":2},"b":[{"\u0079":[2,3]},"y"],"c":"a"}`,
		`{"a":{"x":1,"x":2},"a":{"x":3,"x":4},"a":[5]}`:                `{"a":[5]}`,
		` [ 1 , "a" ] `: ` [ 1 , "a" ] `,
		`"{"`:           `"{"`,
	} {
		if got := string(LastWins([]byte(in))); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

// A large member under many levels of equal keys is gone over once, not once a level.
func TestLastWinsIsLinear(t *testing.T) {
	const levels = 3000
	in := strings.Repeat(`{"a":`, levels) + "[" + strings.Repeat("1,", 500_000) + "1]" + strings.Repeat(`,"a":1}`, levels)
	if got := string(LastWins([]byte(in))); got != `{"a":1}` {
		t.Errorf("got %d bytes", len(got))
	}
}

func TestScanTakesTheWholeDepth(t *testing.T) {
	in := strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth)
	if doc, err := Scan([]byte(in), 2); err != nil || doc.Depth != MaxDepth {
		t.Fatal(doc.Depth, err)
	}
}

// FuzzScan holds Scan to encoding/json, which differs in three known ways: it takes invalid UTF-8, and it counts depth
// up to 10000 as we do but reports it otherwise.
func FuzzScan(f *testing.F) {
	for _, s := range []string{
		`{"a":[1,2,{"b":null}],"c":"é😀\ud83d\ude00\ud83d"}`, `[]`, ` [ 1.0e-5 , true , false ] `, `"x"`, `-0`, `[1 2]`, `{"a":1,}`,
		"[\"\xff\"]", `"\u00e9\u00e9\ud83d\ude00abc\n"`, `["        aaaaaaaaaaaaaaaaaaaaaaaa\\\"bbbbbbbbbbbbbbbbbbb"]`, "{\n        \"k\":\n                1}", `[1]]`, `nul`, `[-]`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		doc, err := Scan(in, 4)
		if valid := json.Valid(in) && utf8.Valid(in); valid != (err == nil) {
			t.Fatalf("valid is %v, got error %v", valid, err)
		}
		if err != nil {
			return
		}
		if !bytes.Equal(doc.Value, bytes.Trim(in, " \t\r\n")) {
			t.Fatalf("value %q", doc.Value)
		}
		checkChildren(t, doc)
		checkLastWins(t, doc.Value)
		var compact bytes.Buffer
		if err := json.Compact(&compact, in); err != nil {
			t.Fatal(err)
		}
		if got := AppendCompact(nil, doc.Value, len(in)); !bytes.Equal(got, compact.Bytes()) {
			t.Fatalf("compact: got %q, want %q", got, compact.Bytes())
		}
		if doc.Kind == String {
			var want string
			if err := json.Unmarshal(in, &want); err != nil {
				t.Fatal(err)
			}
			for _, limit := range []int{0, 1, len(want) / 2, len(want), len(want) + 1} {
				got := string(AppendTextPrefix([]byte("x"), doc.Value, limit))[1:]
				if len(want) <= limit && got != want || len(want) > limit && (len(got) <= limit || len(got) > limit+utf8.UTFMax) || !strings.HasPrefix(want, got) {
					t.Fatalf("prefix of more than %d: got %q of %q", limit, got, want)
				}
			}
			if got := string(Text(doc.Value)); got != want || TextLen(doc.Value) != len(want) {
				t.Fatalf("text: got %q of length %d, want %q", got, TextLen(doc.Value), want)
			}
		}
	})
}

func checkChildren(t *testing.T, doc Doc) {
	t.Helper()
	n := 0
	for c := range Children(doc.Value) {
		child, err := Scan(c.Value, 0)
		if err != nil {
			t.Fatalf("child %d %q: %v", n, c.Value, err)
		}
		if c.Key != nil {
			if _, err := Scan(c.Key, 0); err != nil {
				t.Fatalf("key %q: %v", c.Key, err)
			}
		}
		if n < len(doc.Heads) {
			h := doc.Heads[n]
			if !bytes.Equal(h.Key, c.Key) || !bytes.Equal(h.Value, c.Value) || h.Count != child.Count {
				t.Fatalf("head %d is %q %q %d, child is %q %q %d", n, h.Key, h.Value, h.Count, c.Key, c.Value, child.Count)
			}
		}
		n++
	}
	if n != doc.Count || CountChildren(doc.Value) != n || len(doc.Heads) != min(n, 4) {
		t.Fatalf("%d children, counted %d, %d heads", n, doc.Count, len(doc.Heads))
	}
}

// FuzzSequence states that Next and Values see the same values.
func FuzzSequence(f *testing.F) {
	for _, s := range []string{"1 2", "truefalse", "1-2", "nullnull[3]", `{"a":1}{"b":2}`, `[1]"x"2 3`, "1\n\n2\n", `""""`, "1[2]"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var want []string
		for off := 0; SkipSpace(in, off) < len(in); {
			doc, end, err := Next(in, off, 0)
			if err != nil {
				return
			}
			want = append(want, string(doc.Value))
			off = end
		}
		var got []string
		for _, v := range Values(in) {
			got = append(got, string(v))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}

// checkLastWins holds LastWins to encoding/json, which takes the last of equal keys too.
func checkLastWins(t *testing.T, value []byte) {
	t.Helper()
	got := LastWins(value)
	var x, y any
	if err := errors.Join(json.Unmarshal(value, &x), json.Unmarshal(got, &y)); err != nil {
		return // a number that float64 cannot hold
	}
	if !reflect.DeepEqual(x, y) || !bytes.Equal(LastWins(got), got) {
		t.Fatalf("%s became %s", value, got)
	}
}

func BenchmarkScan(b *testing.B) {
	doc := []byte("[" + strings.Repeat(`{"id":123,"name":"a name of some length","tags":["x","y"],"ok":true,"score":0.25},`, 10000) + "{}]")
	b.SetBytes(int64(len(doc)))
	for b.Loop() {
		if _, err := Scan(doc, 2); err != nil {
			b.Fatal(err)
		}
	}
}
