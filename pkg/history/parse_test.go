package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/quick"
	"unicode/utf8"
)

func parse(t *testing.T, data string, o Options) *History {
	t.Helper()
	h, err := Parse([]byte(data), o)
	if err != nil {
		t.Fatalf("%q: %v", data, err)
	}
	return h
}

func spliced(t *testing.T, h *History, edits []Edit) string {
	t.Helper()
	var b bytes.Buffer
	if err := h.Splice(&b, slices.Values(edits)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const (
	userLine   = `{"role":"user","content":"go"}`
	callLine   = `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"ls","arguments":"{}"}}]}`
	resultLine = `{"role":"tool","tool_call_id":"c1","content":"a\nb"}`
)

// However records are laid out, the items are the same and the bytes come back.
func TestLayouts(t *testing.T) {
	lines := []string{userLine, callLine, resultLine}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, []byte("["+strings.Join(lines, ",")+"]"), "", "  "); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{
		"lines":                   strings.Join(lines, "\n") + "\n",
		"no final line feed":      strings.Join(lines, "\n"),
		"CRLF":                    strings.Join(lines, "\r\n") + "\r\n",
		"blank lines":             "\n\n" + strings.Join(lines, "\n\n\n") + "\n\n",
		"all on one line":         strings.Join(lines, ""),
		"two on one line":         userLine + " " + callLine + "\n" + resultLine + "\n",
		"byte order mark":         "\ufeff" + strings.Join(lines, "\n"),
		"array":                   "[" + strings.Join(lines, ",") + "]",
		"pretty array":            pretty.String(),
		"request":                 `{"model":"m","messages":[` + strings.Join(lines, ",") + `],"stream":false}`,
		"request, twice messages": `{"messages":[1],"messages":[` + strings.Join(lines, ",") + `]}`,
		"escaped key":             `{"mess\u0061ges":[` + strings.Join(lines, ",") + `]}`,
		"records on many lines":   strings.ReplaceAll(strings.Join(lines, "\n"), `,"`, ",\n\t\""),
	} {
		h := parse(t, data, Options{})
		if h.Format != "openai-chat" || h.Records != 3 || len(h.Items) != 3 {
			t.Errorf("%s: %s, %d records, %d items", name, h.Format, h.Records, len(h.Items))
			continue
		}
		if it := h.Items[2]; it.Kind != Result || h.Name(it.Tool) != "ls" || h.Name(it.CallID) != "c1" || it.ContentBytes != 3 || it.Record != 2 {
			t.Errorf("%s: %+v", name, it)
		}
		if spliced(t, h, nil) != data {
			t.Errorf("%s: the bytes changed", name)
		}
		want := strings.Replace(data, `"a\nb"`, `"gone"`, 1)
		if got := spliced(t, h, h.Replace(nil, Replacement{2, "gone"})); got != want {
			t.Errorf("%s: got %s", name, got)
		}
	}
}

func TestMalformed(t *testing.T) {
	for _, c := range []struct {
		name, data   string
		line, column int
		torn         bool
	}{
		{"a word", userLine + "\nx\n" + userLine, 2, 1, false},
		{"a raw line feed", "{\"a\":\"b\nc\"}\n" + userLine, 1, 8, false},
		{"a line without its end", "{\"a\":[1\n" + userLine + "\n", 1, 8, false},
		{"torn", userLine + "\n{\"role\":\"us", 2, 9, true},
		{"open at a line feed", userLine + "\n{\n", 2, 2, false},
		{"open at empty lines", userLine + "\n{\"a\":[1, \r\n\n\n", 2, 9, false},
		{"open over two lines", userLine + "\n{\"a\":\n[1,\n\n", 3, 4, false},
		{"torn in a literal", userLine + "\n{\"a\":tr", 2, 8, true},
		{"torn in an escape", userLine + "\n{\"a\":\"\\u00", 2, 6, true},
		{"torn after a key", userLine + "\n{\"a\"", 2, 5, true},
		{"a document", "{\n  \"messages\": [\n    {\"role\" 1}\n  ]\n}", 3, 13, false},
		{"not UTF-8", userLine + "\n{\"a\":\"\xff\"}\n", 2, 7, false},
		{"columns are characters", "{\"漢\":x}", 1, 6, false},
		{"too deep", strings.Repeat("[", 20000), 1, 10001, false},
		{"a stray comma", userLine + ",\n" + userLine, 1, len(userLine) + 1, false},
		{"only a brace", "{", 1, 2, true},
	} {
		_, err := Parse([]byte(c.data), Options{})
		var m *MalformedError
		if !errors.As(err, &m) || m.Line != c.line || m.Column != c.column || m.Torn != c.torn {
			t.Errorf("%s: got %+v, want line %d, column %d, torn %v", c.name, m, c.line, c.column, c.torn)
		}
		h := parse(t, c.data, Options{Lenient: true})
		if spliced(t, h, nil) != c.data || len(h.Malformed) == 0 {
			t.Errorf("%s: lenient: %d malformed, or the bytes changed", c.name, len(h.Malformed))
		}
	}
}

// A broken line costs no record before or behind it.
func TestLenientGoesOn(t *testing.T) {
	h := parse(t, userLine+"\n{broken\n"+callLine+"\n{\"torn\":\n"+resultLine+"\n", Options{Lenient: true})
	if len(h.Items) != 3 || len(h.Malformed) != 2 || h.Malformed[0].Line != 2 || h.Malformed[1].Line != 4 {
		t.Errorf("%d items, %v", len(h.Items), h.Malformed)
	}
	if h.Name(h.Items[2].Tool) != "ls" || h.Items[2].Record != 4 {
		t.Errorf("%+v", h.Items[2])
	}
}

func TestRequestPoints(t *testing.T) {
	points := func(data string) (items []int) {
		for _, p := range parse(t, data, Options{}).Points {
			items = append(items, p.Item)
		}
		return items
	}
	assistant := `{"role":"assistant","content":"so"}`
	for _, c := range []struct {
		name, data string
		want       []int
	}{
		{"nothing", "", []int{0}},
		{"not answered", userLine, []int{1}},
		{"one run", strings.Join([]string{userLine, callLine, resultLine}, "\n"), []int{1, 3}},
		{"a run of several records", strings.Join([]string{userLine, assistant, assistant, callLine, resultLine}, "\n"), []int{1, 5}},
		{"two runs", strings.Join([]string{userLine, callLine, resultLine, assistant, userLine}, "\n"), []int{1, 3, 5}},
		{"one message id is one run", `{"type":"user","uuid":"u","message":{"role":"user","content":"go"}}
{"type":"assistant","uuid":"a","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"ls","input":{}}]}}
{"type":"user","uuid":"b","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"a"}]}}
{"type":"assistant","uuid":"c","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"t2","name":"ls","input":{}}]}}
{"type":"user","uuid":"d","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","content":"b"}]}}
{"type":"assistant","uuid":"e","message":{"id":"n","role":"assistant","content":[{"type":"text","text":"done"}]}}`, []int{1, 5, 6}},
	} {
		if got := points(c.data); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func TestUnknownFormats(t *testing.T) {
	for _, data := range []string{"", " \n", "{}", "[]", "1 2 3", `{"a":{"b":[1]}}`, `[{"x":1},[2]]`, `"role"`} {
		h := parse(t, data, Options{})
		if h.Format != "" || len(h.Items) != 0 || len(h.Points) != 1 || spliced(t, h, nil) != data {
			t.Errorf("%q: %s, %d items, %d points", data, h.Format, len(h.Items), len(h.Points))
		}
	}
}

func TestReference(t *testing.T) {
	const id = "0193b2c4-0000-7000-8000-000000000000"
	for text, want := range map[string]bool{
		"[blob:" + id + "]": true, "[blob:" + id + "] text | 3 lines": true,
		"": false, "[blob:" + id: false, " [blob:" + id + "]": false, "(blob:" + id + "]": false,
		"[blob:" + strings.ToUpper(id) + "]": false, "[blob:0193b2c4]": false, "[blob:" + id[:35] + "x]": false,
		"[blob:" + strings.Replace(id, "-", "0", 1) + "]": false, "[blob:" + id + "}": false,
	} {
		got, ok := Reference([]byte(text))
		if ok != want || ok && got != id {
			t.Errorf("%q: got %q, %v", text, got, ok)
		}
	}
}

// What is written as a string is read back as the text, in the spelling with the fewest escapes.
func TestAppendStringIsItsInverse(t *testing.T) {
	law := func(raw []byte, text string) bool {
		for _, s := range []string{string(raw), text, text + "\x00\x1f\"\\\u2028</script>\ufeff"} {
			var back string
			literal := AppendString(nil, s)
			want := strings.ToValidUTF8(s, "\uFFFD")
			if !utf8.ValidString(s) { // each byte by itself, as encoding/json does it
				want = string([]rune(s))
			}
			if json.Unmarshal(literal, &back) != nil || back != want || !bytes.Equal(literal, AppendString(nil, []byte(s))) {
				return false
			}
		}
		return true
	}
	if err := quick.Check(law, nil); err != nil {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{userLine + "\n" + callLine + "\n" + resultLine, `{"messages":[` + resultLine + `]}`, `[{"lc":1,"type":"constructor","kwargs":{"type":"tool","content":["a","b"]}}]`, `{"type":"shell_call_output","call_id":"c","output":[{"stderr":"a","stdout":"b"}]}`, `{"$set":{"messages":[{"id":"a","timestamp":"","type":"gemini","toolCalls":[{"result":"x"}]}]}}`, "{\"a\":\n{}\n"} {
		for i := range dialects {
			f.Add([]byte(seed), uint8(i), true)
		}
		f.Add([]byte(seed), uint8(len(dialects)), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, format uint8, lenient bool) {
		o := Options{Lenient: lenient}
		if int(format) < len(dialects) {
			o.Format = dialects[format].name
		}
		h, err := Parse(data, o)
		if err != nil {
			var m *MalformedError
			if lenient || !errors.As(err, &m) || m.Line < 1 || m.Column < 1 {
				t.Fatalf("%v", err)
			}
			return
		}
		if got := spliced(t, h, nil); got != string(data) {
			t.Fatalf("the bytes changed: %q", got)
		}
		var edits []Edit
		for i := range h.Items {
			if h.Items[i].Kind == Result && !h.Items[i].Media {
				edits = h.Replace(edits, Replacement{i, "gone"})
			}
		}
		at := 0
		for _, e := range edits {
			if e.Start < at || e.End < e.Start || e.End > len(data) {
				t.Fatalf("edits overlap or are out of order: %v", edits)
			}
			at = e.End
		}
		again, err := Parse([]byte(spliced(t, h, edits)), Options{Format: o.Format, Lenient: lenient})
		if err != nil || again.Records != h.Records || len(again.Items) != len(h.Items) {
			t.Fatalf("after the edits: %v", err)
		}
	})
}
