package jsonscan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestTape(t *testing.T) {
	var tape Tape
	data := []byte(`  {"a": [1, "x\u0041", {"b": null}], "k\u0065y": true, "a": "last", "": {}} rest`)
	v, end, ok := tape.Parse(data, 0)
	if !ok || string(data[end:]) != " rest" || string(v.Raw()) != string(data[2:end]) {
		t.Fatalf("ends at %d, %v", end, ok)
	}
	if got := v.Get("a"); !got.Is("last") || string(got.Text()) != "last" {
		t.Errorf("of equal keys the last: got %q", got.Raw())
	}
	if !v.Get("key").IsTrue() || v.Get("key").Text() != nil {
		t.Error("an escaped key is not found, or its value is not true")
	}
	if !v.Get("").Has(Object) || v.Get("none").Exists() || v.Get("none").Get("x").Has(Null) {
		t.Error("an empty key, or one that is not there")
	}
	var kinds []string
	for key, member := range v.Members() {
		kinds = append(kinds, string(key))
		for element := range member.Elements() {
			kinds = append(kinds, string(element.Raw()))
		}
	}
	want := []string{`"a"`, `1`, `"x\u0041"`, `{"b": null}`, `"k\u0065y"`, `"a"`, `""`}
	if !slices.Equal(kinds, want) {
		t.Errorf("got %q, want %q", kinds, want)
	}
	inside := 0
	for range v.Inside() {
		inside++
	}
	if inside != 8 {
		t.Errorf("%d values inside, want 8", inside)
	}
}

// What a Tape takes and where it sees a fault is what Next says.
func FuzzTape(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2.5e-3,"\ud83d\ude00"],"b":{}}`, `[[],[[]]]`, `tru`, `"\ud83d"`, `{"a"1}`, `[1,]`, `1x`, `-`, "\"\n\"", `{"":0,"":1}`, `["\ud83d\ud83d\ude00\ude00 \\ud83d\ude00\ud83d\\ude00 \ud83d\u0041\n\/"]`, strings.Repeat("[", MaxDepth+1)} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		data = data[:min(len(data), 2*MaxDepth)] // checkMembers takes the square of the depth
		var tape Tape
		v, end, ok := tape.Parse(data, 0)
		doc, wantEnd, err := Next(data, 0, 0)
		if ok != (err == nil) || end != wantEnd {
			t.Fatalf("ends at %d, %v; Next at %d, %v", end, ok, wantEnd, err)
		}
		if !ok {
			if got := tape.Err(end); got.Error() != err.Error() {
				t.Fatalf("got %v, Next says %v", got, err)
			}
			return
		}
		if !bytes.Equal(v.Raw(), doc.Value) {
			t.Fatalf("got %q, Next says %q", v.Raw(), doc.Value)
		}
		checkMembers(t, v)
	})
}

// checkMembers holds a value to encoding/json.
func checkMembers(t *testing.T, v Value) {
	t.Helper()
	var members map[string]json.RawMessage
	if v.Has(Object) && json.Unmarshal(v.Raw(), &members) == nil {
		for key, want := range members {
			if got := v.Get(key); !strings.ContainsRune(key, '\uFFFD') && !bytes.Equal(got.Raw(), want) {
				t.Fatalf("%q: got %q, want %q", key, got.Raw(), want)
			}
		}
	}
	for inner := range v.Inside() {
		if inner.Has(String) && inner.TextLen() != len(inner.Text()) {
			t.Fatalf("%q: its text has %d bytes, not %d", inner.Raw(), len(inner.Text()), inner.TextLen())
		}
	}
	var elements []json.RawMessage
	if v.Has(Array) && json.Unmarshal(v.Raw(), &elements) == nil {
		n := 0
		for element := range v.Elements() {
			if !bytes.Equal(element.Raw(), elements[n]) {
				t.Fatalf("element %d: got %q, want %q", n, element.Raw(), elements[n])
			}
			n++
		}
		if n != len(elements) {
			t.Fatalf("%d elements, want %d", n, len(elements))
		}
	}
	for inner := range v.Inside() {
		if start, end := inner.Span(); !json.Valid(v.t.data[start:end]) && !strings.Contains(string(inner.Raw()), `\u`) && end-start < MaxDepth {
			t.Fatalf("%q is no value", inner.Raw())
		}
	}
}

func TestHasLoneSurrogate(t *testing.T) {
	for literal, want := range map[string]bool{
		`"plain"`: false, `"\ud83d\ude00"`: false, `"\ud83d"`: true, `"\ude00"`: true, `"\ude00\ud83d"`: true,
		`"\ud83d\ud83d\ude00"`: true, `"\ufffd"`: false, `"\\ud83d"`: false, `"x\n\ud83dy"`: true, `"\uD83D\uDE00"`: false,
		`"\ud83d\\ude00"`: true, `""`: false,
	} {
		if got := HasLoneSurrogate([]byte(literal[1 : len(literal)-1])); got != want {
			t.Errorf("%s: got %v, want %v", literal, got, want)
		}
	}
}

func BenchmarkTape(b *testing.B) {
	data := []byte(`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"` + strings.Repeat(`some text\nof a file, `, 200) + `"}]}}`)
	var tape Tape
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, _, ok := tape.Parse(data, 0); !ok {
			b.Fatal("no JSON")
		}
	}
}

// To look a key up among long ones decodes none of them.
func TestLongKeysAreNotDecoded(t *testing.T) {
	var tape Tape
	data := []byte(`{"` + strings.Repeat(`\u0041`, 1_000_000) + `":1,"k\u0065y":2}`)
	v, _, ok := tape.Parse(data, 0)
	if !ok || string(v.Get("key").Raw()) != "2" {
		t.Fatal("the key is not found")
	}
	// Each decoded key of this length would be an allocation.
	if n := testing.AllocsPerRun(10, func() { v.Get("name") }); n > 1 {
		t.Errorf("%v allocations to look up a key", n)
	}
}

// A literal has a text where it decodes to that, also where the text looks like what an escape is written as.
func TestIsText(t *testing.T) {
	parts := []string{"", "a", "n", `\n`, `\\`, `\\n`, `\u0061`, `\\u0061`, `\ud83d\ude00`, `\ud83d`, "é"}
	for _, x := range parts {
		for _, y := range parts {
			literal := []byte(`"` + x + y + `"`)
			for _, v := range parts {
				for _, w := range parts {
					for _, text := range []string{v + w, string(Unescape([]byte(v + w)))} {
						want := string(Text(literal)) == text
						if got := IsText(literal, text); got != want {
							t.Errorf("%s is %q: got %v", literal, text, got)
						}
						if doc, err := ScanFor(fmt.Appendf(nil, "{%s:1}", literal), Want{Member: &text}); err != nil || (doc.Member != nil) != want {
							t.Errorf("key %q of {%s:1}: got %q, %v", text, literal, doc.Member, err)
						}
					}
				}
			}
		}
	}
}
