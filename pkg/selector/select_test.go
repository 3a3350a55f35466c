package selector

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// choose applies selectors, given as text, and returns what is written.
func choose(src Source, context int, exprs ...string) (string, error) {
	sels, err := ParseAll(exprs)
	if err != nil {
		return "", err
	}
	sel, err := Select(src, Options{Context: context}, sels...)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	_, err = sel.WriteTo(&b)
	return b.String(), err
}

// splitLines is the plain meaning of lines.
func splitLines(data string) []string {
	lines := strings.SplitAfter(data, "\n")
	return lines[:len(lines)-len(lines[len(lines)-1:])+min(1, len(lines[len(lines)-1]))]
}

func TestSplitLinesCountsAsPeopleDo(t *testing.T) {
	for in, want := range map[string]int{"": 0, "\n": 1, "a": 1, "a\n": 1, "a\nb": 2, "\n\n": 2} {
		if got := len(splitLines(in)); got != want {
			t.Errorf("%q: got %d, want %d", in, got, want)
		}
	}
}

// FuzzText holds the selectors on bytes to their plain meaning.
func FuzzText(f *testing.F) {
	for _, s := range []string{"", "a", "a\nb\n", "\n\n\n", "x\r\ny\r\nz", strings.Repeat("line\n", 20_000), strings.Repeat("y", 70_000) + "\nend"} {
		f.Add([]byte(s), 1, 2)
		f.Add([]byte(s), 19_990, 30)
	}
	f.Fuzz(func(t *testing.T, in []byte, from, n int) {
		from, n = 1+abs(from)%30_000, 1+abs(n)%30_000
		data, lines := string(in), splitLines(string(in))
		check := func(expr, want string) {
			t.Helper()
			got, err := choose(Source{Data: in}, 0, expr)
			var empty *EmptyError
			if want == "" && !errors.As(err, &empty) || want != "" && (err != nil || got != want) {
				t.Fatalf("%s: got %q, %v, want %q", expr, got, err, want)
			}
		}
		at := func(i int) int { return min(i, len(lines)) }
		check(fmt.Sprintf("lines:%d-%d", from, from+n-1), strings.Join(lines[at(from-1):at(from+n-1)], ""))
		check(fmt.Sprintf("lines:%d-", from), strings.Join(lines[at(from-1):], ""))
		check(fmt.Sprintf("lines:%d", from), strings.Join(lines[at(from-1):at(from)], ""))
		check(fmt.Sprintf("head:%d", n), strings.Join(lines[:at(n)], ""))
		check(fmt.Sprintf("tail:%d", n), strings.Join(lines[len(lines)-at(n):], ""))
		check(fmt.Sprintf("bytes:%d..%d", from, from+n), data[min(from, len(data)):min(from+n, len(data))])
		check(fmt.Sprintf("bytes:%d..", from), data[min(from, len(data)):])
		if len(lines) > 0 { // any split of the lines gives the whole
			cut := 1 + n%len(lines)
			first, err := choose(Source{Data: in}, 0, fmt.Sprintf("lines:1-%d", cut))
			rest, _ := choose(Source{Data: in}, 0, fmt.Sprintf("lines:%d-", cut+1))
			if err != nil || first+rest != data {
				t.Fatalf("cut at %d: %q and %q", cut, first, rest)
			}
		}
	})
}

func abs(n int) int {
	if n < 0 {
		return -(n + 1)
	}
	return n
}

// plainGrep is what grep -n -C gives, written plainly.
func plainGrep(lines []string, first int, re *regexp.Regexp, context int) string {
	match := make([]bool, len(lines))
	for i, line := range lines {
		match[i] = re.MatchString(strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"))
	}
	var b strings.Builder
	last := -1
	for i, line := range lines {
		near := false
		for j := max(0, i-context); j <= min(len(lines)-1, i+context); j++ {
			near = near || match[j]
		}
		if !near {
			continue
		}
		if context > 0 && last >= 0 && last < i-1 {
			b.WriteString("--\n")
		}
		last = i
		mark := '-'
		if match[i] {
			mark = ':'
		}
		fmt.Fprintf(&b, "%d%c%s\n", first+i, mark, strings.TrimSuffix(line, "\n"))
	}
	return b.String()
}

func FuzzGrep(f *testing.F) {
	f.Add([]byte("a\nb\na b\nc\nd\na"), "a", 1, 1)
	f.Add([]byte("error one\r\nx\r\nan error\r\n"), "error$", 2, 2)
	f.Add([]byte(strings.Repeat("x\n", 50)+"hit\n"+strings.Repeat("y\n", 50)), "^hit", 3, 20)
	f.Add([]byte("\n\na\n\n"), "^$", 0, 1)
	f.Add([]byte("aXb\nX"), "X|\\n", 0, 1)
	f.Fuzz(func(t *testing.T, in []byte, pattern string, context, from int) {
		re, err := regexp.Compile(pattern)
		if err != nil || len(in) == 0 {
			return
		}
		context, from = abs(context)%5, 1+abs(from)%5
		lines := splitLines(string(in))
		exprs := []string{"lines:" + fmt.Sprint(from) + "-", "grep:" + pattern}
		want := plainGrep(lines[min(from-1, len(lines)):], from, re, context)
		got, err := choose(Source{Data: in}, context, exprs...)
		if want == "" {
			var empty *EmptyError
			if !errors.As(err, &empty) {
				t.Fatalf("got %q, %v, want nothing", got, err)
			}
			return
		}
		if err != nil || got != want {
			t.Fatalf("got %q, %v, want %q", got, err, want)
		}
	})
}

// FuzzJSON holds the selectors on JSON to what encoding/json makes of the document.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{`[1, 2.50,"x" , {"a":[ ]},null]`, `{"a":1,"b":{"c":[true]},"a":1e2}`, `[[],[1],[[2]]]`, `{"":"\u00e9\n"}`, `"text\nmore"`, `[]`} {
		f.Add([]byte(s), 1, 3)
		f.Add([]byte(s), -2, -1)
	}
	f.Fuzz(func(t *testing.T, in []byte, from, to int) {
		if len(in) > 16<<10 || !json.Valid(in) || !utf8.Valid(in) { // every key is looked for in the whole
			return
		}
		src := Source{Data: in, Kind: JSON}
		var elements []json.RawMessage
		var members map[string]json.RawMessage
		switch bytes.TrimLeft(in, " \t\r\n")[0] {
		case '[':
			if err := json.Unmarshal(in, &elements); err != nil {
				t.Fatal(err)
			}
			checkSlice(t, src, elements, from%8, to%8)
			whole, err := choose(src, 0, "slice:..")
			if len(elements) > 0 && (err != nil || !sameJSON(t, []byte(whole), in)) {
				t.Fatalf("the whole slice is %s, %v", whole, err)
			}
		case '{':
			if err := json.Unmarshal(in, &members); err != nil {
				t.Fatal(err)
			}
			for key, want := range members {
				got, err := choose(src, 0, "key:"+key)
				if err != nil || got != string(want)+"\n" {
					t.Fatalf("key %q: got %q, %v, want %q", key, got, err, want)
				}
			}
			if _, err := choose(src, 0, "keys"); (err == nil) != (len(members) > 0) {
				t.Fatalf("keys: %v", err)
			}
		}
		// Whatever the path, it gives JSON or an error.
		if got, err := choose(src, 0, "path:"+string(in)); err == nil && !gjson.Valid(got) {
			t.Fatalf("path gives %q", got)
		}
	})
}

func checkSlice(t *testing.T, src Source, elements []json.RawMessage, from, to int) {
	t.Helper()
	resolve := func(i int) int {
		if i < 0 {
			i += len(elements)
		}
		return max(0, min(i, len(elements)))
	}
	got, err := choose(src, 0, fmt.Sprintf("slice:%d..%d", from, to))
	lo, hi := resolve(from), resolve(to)
	if lo >= hi {
		if err == nil {
			t.Fatalf("slice %d..%d of %d: got %q", from, to, len(elements), got)
		}
		return
	}
	parts := make([]string, hi-lo)
	for i := range parts {
		parts[i] = string(elements[lo+i])
	}
	if want := "[" + strings.Join(parts, ",") + "]\n"; err != nil || got != want {
		t.Fatalf("slice %d..%d: got %q, %v, want %q", from, to, got, err, want)
	}
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	if err := errors.Join(json.Unmarshal(a, &x), json.Unmarshal(b, &y)); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(x, y)
}

func TestChains(t *testing.T) {
	doc := `{"log":"one\ntwo\nthree\n","rows":[{"id":1},{"id":2},{"id":3.0}],"inner":"{\"a\": [1, 2]}","lines":"{\"n\":1}\n{\"n\":2}\n"}`
	for _, c := range []struct {
		exprs []string
		want  string
	}{
		{[]string{"key:rows", "slice:1..", "slice:1..", "path:0.id"}, "3.0\n"},
		{[]string{"key:rows", "tail:2", "head:1"}, "[{\"id\":2}]\n"},
		{[]string{"key:rows", "slice:1..", "bytes:0..5"}, "[{\"id"},
		{[]string{"key:log", "lines:2-", "grep:t"}, "2:two\n3:three\n"},
		{[]string{"key:log", "tail:1", "grep:t"}, "3:three\n"},
		{[]string{"key:log", "grep:t", "lines:2"}, "3:three\n"},
		{[]string{"key:log", "bytes:5..", "grep:e"}, "3:three\n"},
		{[]string{"key:inner", "json", "key:a", "slice:..1"}, "[1]\n"},
		{[]string{"key:lines", "json", "slice:1..", "path:0"}, "{\"n\":2}\n"},
		{[]string{"key:lines", "lines:2", "json"}, "{\"n\":2}\n"},
		{[]string{"key:rows", "json"}, "[{\"id\":1},{\"id\":2},{\"id\":3.0}]\n"},
		{[]string{"keys", "lines:1"}, "log: string(14)\n"},
	} {
		if got, err := choose(Source{Data: []byte(doc), Kind: JSON}, 0, c.exprs...); err != nil || got != c.want {
			t.Errorf("%v: got %q, %v, want %q", c.exprs, got, err, c.want)
		}
	}
}

func TestPaths(t *testing.T) {
	doc := `{"a":1,"b":[{"x":1,"x":2.0},{"x":[3]}],"a":1e2,"deep":{"c":{"d":null}},"0":"zero","with.dot":5}`
	for path, want := range map[string]string{
		"a": "1e2", "b.0.x": "2.0", "b.1.x.0": "3", "deep.c.d": "null", "0": `"zero"`, `with\.dot`: "5",
		"b.#.x": "[2.0,[3]]", "b.#(x>1).x": "2.0", "{a,0}": `{"a":1e2,"0":"zero"}`, "b.#": "2", "deep|c|d": "null", "b.0|@this": `{"x":2.0}`,
	} {
		if got, err := choose(Source{Data: []byte(doc), Kind: JSON}, 0, "path:"+path); err != nil || got != want+"\n" {
			t.Errorf("%s: got %q, %v, want %s", path, got, err, want)
		}
	}
	for path, want := range map[string]string{
		"b.2":         `"2" is not there; there are 2 entries`,
		"deep.c.dd":   `no such key among 1 key; nearest: "d"`,
		"deep.c.d.e":  `"e" is not there; it is the JSON value null`,
		"b.#(x>9).x":  `nothing there; the keys are "a", "b", "deep", "0", "with.dot"`,
		"b.1.x.first": `"first" is not there; there is 1 entry`,
	} {
		_, err := choose(Source{Data: []byte(doc), Kind: JSON}, 0, "path:"+path)
		var empty *EmptyError
		if !errors.As(err, &empty) || empty.Msg != want {
			t.Errorf("%s: got %v, want %s", path, err, want)
		}
	}
}

// A path that would grow without bound is refused.
func TestPathsThatGrowAreRefused(t *testing.T) {
	deep := strings.Repeat("[", 1000) + strings.Repeat("]", 1000)
	for path, doc := range map[string]string{
		strings.Repeat("[@this,@this]|", 30) + "@this": `{"a":1}`,
		strings.Repeat("@tostr|", 40) + "@this":        `{"a":1}`,
		"[a,a]|[0,0]|[0,0]":                            `{"a":1}`,
		"[" + strings.Repeat("a,", 20) + "a]":          `{"a":1}`,
		"@pretty":                                      deep,
		"@dig:a":                                       deep,
	} {
		var syntax *SyntaxError
		if _, err := choose(Source{Data: []byte(doc), Kind: JSON}, 0, "path:"+path); !errors.As(err, &syntax) {
			t.Errorf("%s: got %v, want a SyntaxError", path, err)
		}
	}
}

func TestTheTextOfAStringBehindWhiteSpace(t *testing.T) {
	doc := strings.Repeat(" ", 70) + `"a\nb"`
	for expr, want := range map[string]string{"bytes:0..2": "a\n", "grep:b": "2:b\n", "lines:2": "b"} {
		if got, err := choose(Source{Data: []byte(doc), Kind: JSON}, 0, expr); err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", expr, got, err, want)
		}
	}
}

func TestAutoKind(t *testing.T) {
	for in, want := range map[string]bool{`[1]`: true, ` {"a":1} `: true, `{"a":1}{"a":2}`: false, `"x"`: false, `1`: false, `[1`: false, ``: false} {
		sel, err := Select(Source{Data: []byte(in), Kind: Auto}, Options{})
		if err != nil || sel.IsJSON() != want {
			t.Errorf("%q: JSON is %v, %v", in, sel.IsJSON(), err)
		}
	}
}

func TestDamagedJSONIsAnError(t *testing.T) {
	for _, expr := range []string{"slice:0..1", "keys", "path:0", "key:a"} {
		_, err := choose(Source{Data: []byte(`[1,{"a"`), Kind: JSON}, 0, expr)
		var invalid *InvalidJSONError
		if !errors.As(err, &invalid) {
			t.Errorf("%s: got %v, want an InvalidJSONError", expr, err)
		}
	}
	for _, text := range []string{"truefalse", "1-2", "nullnull[3]", "1 2x"} {
		_, err := choose(Source{Data: []byte(text)}, 0, "json")
		var invalid *InvalidJSONError
		if !errors.As(err, &invalid) {
			t.Errorf("%s: got %v, want an InvalidJSONError", text, err)
		}
	}
}

// The tools that people know give the same.
func TestKnownTools(t *testing.T) {
	files, err := filepath.Glob("../../testdata/blobs/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in testdata/blobs: %v", err)
	}
	for _, c := range []struct {
		expr string
		args []string
	}{
		{"lines:2-3", []string{"sed", "-n", "2,3p"}},
		{"lines:2-", []string{"sed", "-n", "2,$p"}},
		{"head:2", []string{"head", "-n", "2"}},
		{"tail:2", []string{"tail", "-n", "2"}},
		{"bytes:3..10", []string{"dd", "bs=1", "skip=3", "count=7", "status=none"}},
		{"bytes:7..", []string{"tail", "-c", "+8"}},
		{"grep:e", []string{"grep", "-an", "e"}},
	} {
		if _, err := exec.LookPath(c.args[0]); err != nil {
			t.Logf("%s is not here: not compared with %s", c.args[0], c.expr)
			continue
		}
		for _, file := range files {
			data := readFile(t, file)
			cmd := exec.Command(c.args[0], c.args[1:]...)
			cmd.Stdin = bytes.NewReader(data)
			cmd.Env = []string{"LC_ALL=C"}
			want, _ := cmd.Output() // grep exits with 1 where it finds nothing
			got, err := choose(Source{Data: data}, 0, c.expr)
			if len(want) == 0 && err != nil {
				continue
			}
			// sed and grep end a last line that had no line feed.
			if err != nil || got != string(want) && got+"\n" != string(want) {
				t.Errorf("%s of %s: got %.60q, %v, want %.60q", c.expr, filepath.Base(file), got, err, want)
			}
		}
	}
}

// jq gives the same values; their spelling is ours to keep.
func TestKnownToolForJSON(t *testing.T) {
	jq, err := exec.LookPath("jq")
	if err != nil {
		t.Skip("jq is not here to be compared with")
	}
	doc := `{"a":[1,2.50,"x\u00e9",{"b":[ ]},null,true,[1,[2,{"c":"d"}]]],"twice":1,"twice":{"k":[3]},"s":"line\nline"}`
	for _, c := range []struct{ exprs, filter string }{
		{"key:a", ".a"}, {"key:a slice:1..3", ".a[1:3]"}, {"key:a slice:-2..", ".a[-2:]"}, {"key:a slice:..-3", ".a[:-3]"},
		{"key:a head:2", ".a[:2]"}, {"key:a tail:2", ".a[-2:]"}, {"path:a.6.1.1.c", ".a[6][1][1].c"}, {"key:twice", ".twice"},
		{"path:twice.k.0", ".twice.k[0]"}, {"key:s", ".s"}, {"path:a.#", ".a|length"},
	} {
		cmd := exec.Command(jq, "-c", c.filter)
		cmd.Stdin = strings.NewReader(doc)
		want, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		got, err := choose(Source{Data: []byte(doc), Kind: JSON}, 0, strings.Fields(c.exprs)...)
		if err != nil || !sameJSON(t, []byte(got), want) {
			t.Errorf("%s: got %s, %v, jq %s gives %s", c.exprs, got, err, c.filter, want)
		}
	}
}

// A selector behind one that changes nothing finds what it finds alone.
func TestSelectorsBehindJSON(t *testing.T) {
	for _, c := range []struct{ data, expr string }{
		{`{"a":1,"b":[2,3]}`, "key:b"},
		{`{"a":1,"b":[2,3]}`, "keys"},
		{`[1,2,3]`, "slice:1.."},
		{`[1,2,3]`, "tail:1"},
	} {
		src := Source{Data: []byte(c.data), Kind: JSON}
		want, err := choose(src, 0, c.expr)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := choose(src, 0, "json", c.expr); got != want || err != nil {
			t.Errorf("%s of %s behind json: got %q, %v, want %q", c.expr, c.data, got, err, want)
		}
	}
}

// However many entries there are, a slice begins where it is to begin.
func TestSlicesOfManyEntries(t *testing.T) {
	for _, n := range []int{1, 2047, 2048, 2049, 4096, 4097, 9000} {
		var doc strings.Builder
		for i := range n {
			fmt.Fprintf(&doc, "%c %d", "[,"[min(i, 1)], i)
		}
		doc.WriteString(" ]")
		src := Source{Data: []byte(" " + doc.String() + "\n"), Kind: JSON}
		for from := 0; from < n; from += 1 + from/3 {
			for _, expr := range []string{fmt.Sprintf("slice:%d..%d", from, from+1), fmt.Sprintf("slice:%d..%d", from-n, from+1)} {
				if got, err := choose(src, 0, expr); got != fmt.Sprintf("[%d]\n", from) || err != nil {
					t.Fatalf("%s of %d: got %q, %v", expr, n, got, err)
				}
			}
		}
		if got, err := choose(src, 0, "tail:1"); got != fmt.Sprintf("[%d]\n", n-1) || err != nil {
			t.Fatalf("the last of %d: got %q, %v", n, got, err)
		}
	}
}

// A name after key: is a text, not what a string literal is written as.
func TestKeysWithBackslashes(t *testing.T) {
	for _, c := range []struct{ data, expr, want string }{
		{`{"a\nb":1}`, `key:a\nb`, ""},
		{`{"a\nb":1}`, "key:a\nb", "1\n"},
		{`{"a\\nb":1}`, `key:a\nb`, "1\n"},
		{`{"\u0061":1}`, `key:\u0061`, ""},
	} {
		for _, chain := range [][]string{{c.expr}, {"json", c.expr}} {
			var empty *EmptyError
			if got, err := choose(Source{Data: []byte(c.data), Kind: JSON}, 0, chain...); got != c.want || errors.As(err, &empty) != (c.want == "") {
				t.Errorf("%q of %s: got %q, %v, want %q", chain, c.data, got, err, c.want)
			}
		}
	}
}
