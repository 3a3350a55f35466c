package inspect

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/fsstore"
	"github.com/llmblob/llmblob/pkg/selector"
	"github.com/llmblob/llmblob/pkg/storetest"
)

// newStore returns a store with contents, JSON where they begin as an array, an object or a string, under ids that end
// with their numbers.
func newStore(t testing.TB, contents ...string) (*storetest.Memory, []blob.ID) {
	t.Helper()
	st := storetest.NewMemory()
	var ids []blob.ID
	for i, c := range contents {
		id, err := blob.ParseID(fmt.Sprintf("0193b2c4-00%02x-7000-8000-%012x", i, i+1))
		if err != nil {
			t.Fatal(err)
		}
		typ := blob.Text
		if c != "" && strings.Contains(`[{"`, c[:1]) && json.Valid([]byte(c)) {
			typ = blob.JSON
		}
		stage, err := st.Stage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := stage.Write([]byte(c)); err != nil {
			t.Fatal(err)
		}
		if _, err := stage.Commit(typ, id); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	return st, ids
}

func numbers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d\n", i+1)
	}
	return b.String()
}

var nextPattern = regexp.MustCompile(`^… \d+ more (lines?|entries|entry|bytes?), next: (\{.*\})\n$`)

// follow calls the tool and then, call after call, what each answer says comes next. It returns all that was shown.
func follow(t *testing.T, tool Tool, arguments string) []byte {
	t.Helper()
	var got []byte
	for range 20_000 {
		text, isError := tool.Answer(t.Context(), []byte(arguments))
		if isError {
			t.Fatalf("%s: %s", arguments, text)
		}
		if len(text) > tool.Bound() || !utf8.ValidString(text) {
			t.Fatalf("%s: %d bytes of %d, valid UTF-8 %v", arguments, len(text), tool.Bound(), utf8.ValidString(text))
		}
		at := max(0, strings.LastIndex(text, "… "))
		m := nextPattern.FindStringSubmatch(text[at:])
		if m == nil {
			return append(got, text...)
		}
		body := text[:at]
		if !strings.HasPrefix(m[1], "line") {
			if !strings.HasSuffix(body, "\n") {
				t.Fatalf("%s: no line feed before the notice", arguments)
			}
			body = body[:len(body)-1] // which is not the content's
		}
		got = append(got, body...)
		if strings.HasPrefix(m[1], "entr") {
			got = append(got, '\n') // each page is an array of its own
		}
		arguments = m[2]
	}
	t.Fatal("the pages do not end")
	return nil
}

// randomContent is a text or a JSON value of a shape that pages differently.
func randomContent(rng *rand.Rand) string {
	words := []string{"a", "error", "漢字", "é", "\x00", "\x1b[31m", "\r", "\t", " ", "\u2028", `"`, `\`, "word ", "<&>"}
	line := func(most int) string {
		var b strings.Builder
		for range rng.IntN(most + 1) {
			b.WriteString(words[rng.IntN(len(words))])
		}
		return b.String()
	}
	value := func() any {
		switch rng.IntN(4) {
		case 0:
			return line(rng.IntN(400))
		case 1:
			return rng.IntN(1_000_000)
		case 2:
			return map[string]any{line(4): line(40), "id": rng.IntN(9)}
		}
		return []any{line(10), nil, true}
	}
	var text strings.Builder
	var array []any
	object := map[string]any{}
	for range rng.IntN(120) {
		text.WriteString(line([]int{3, 30, 900}[rng.IntN(3)]) + "\n")
		array = append(array, value())
		object[line(3)] = value()
	}
	object["rows"], object["log"] = array, text.String()
	var doc any
	switch rng.IntN(6) {
	case 0:
		doc = array
	case 1:
		doc = object
	case 2:
		doc = text.String()
	case 3:
		return strings.TrimSuffix(text.String(), "\n")
	case 4:
		return strings.ReplaceAll(text.String(), "漢", "\xff\xe6")
	default:
		return text.String()
	}
	data, err := json.Marshal(doc)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// Whatever a model asks for, the calls that the answers suggest work, and give the whole: nothing is lost and nothing comes
// twice, each page within the bound.
func TestFollowedCallsGiveTheWhole(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	chains := [][]string{
		{"lines:1-"}, {"lines:3-60"}, {"tail:50"}, {"head:70"}, {"bytes:1.."}, {"bytes:5..9000"}, {"grep:error"}, {"grep:(?i)WORD|漢"},
		{"slice:1.."}, {"slice:-20..-1"}, {"key:rows"}, {"key:log"}, {"key:log", "lines:2-"}, {"key:rows", "slice:2..90"}, {"keys"},
		{"path:rows"}, {"lines:2-90", "grep:a"}, {"slice:..", "lines:1-"}, {"key:log", "grep:a", "tail:9"},
	}
	followed, cut := 0, 0
	for range 100 {
		content := randomContent(rng)
		st, ids := newStore(t, content)
		src := selector.Source{Data: []byte(content), Kind: selector.Text}
		if b, err := st.Stat(t.Context(), ids[0]); err != nil {
			t.Fatal(err)
		} else if b.Type == blob.JSON {
			src.Kind = selector.JSON
		}
		for range 4 {
			chain, lines := chains[rng.IntN(len(chains))], rng.IntN(maxContext+1)
			var whole bytes.Buffer
			if Write(&whole, src, parse(t, chain...), Options{Raw: true, Context: lines}) != nil {
				continue // it does not fit this content
			}
			tool := Tool{Store: st, MaxBytes: MinToolBytes + rng.IntN(2000)}
			arguments, err := json.Marshal(map[string]any{"blob_id": ids[0].String(), "selector": chain, "context": lines})
			if err != nil {
				t.Fatal(err)
			}
			got := follow(t, tool, string(arguments))
			want, _ := clipValid(whole.Bytes(), 3*whole.Len())
			if !samePages(got, want) {
				t.Fatalf("%s in %d of %q: got %q, want %q", arguments, tool.MaxBytes, content, got, want)
			}
			followed++
			if whole.Len() > tool.MaxBytes {
				cut++
			}
		}
	}
	if followed < 80 || cut < 25 {
		t.Errorf("%d chains were followed, %d of several pages", followed, cut)
	}
}

// An overview shows the beginning, and the call that it ends with gives all that follows.
func TestAnOverviewLeadsToTheWhole(t *testing.T) {
	long := strings.Repeat("x", 3000)
	rows := make([]string, 300)
	for i := range rows {
		rows[i] = fmt.Sprintf(`{"id":%d}`, i)
	}
	for name, content := range map[string]string{
		"one line":       "a",
		"50 lines":       numbers(50),
		"51 lines":       numbers(51),
		"many lines":     numbers(9000),
		"wide lines":     strings.Repeat(strings.Repeat("w", 90)+"\n", 300),
		"no line feed":   numbers(80) + "end",
		"a long line":    long,
		"a long second":  "a\n" + long + "\n" + numbers(90),
		"invalid UTF-8":  strings.Repeat("\xff\xfe", 4000),
		"entries":        "[" + strings.Join(rows, ",") + "]",
		"large entries":  `["` + long + `",2,3,4,5,6,"` + long + `"]`,
		"a JSON string":  `"` + long + `"`,
		"exactly five":   "[1,2,3,4,5]",
		"wide and short": "[" + strings.Repeat(`"`+long[:90]+`",`, 20) + "1]",
	} {
		for _, limit := range []int{MinToolBytes, 700, 3000, ToolBytes} {
			st, ids := newStore(t, content)
			tool := Tool{Store: st, MaxBytes: limit}
			text, isError := tool.Answer(t.Context(), fmt.Appendf(nil, `{"blob_id":%q}`, ids[0]))
			if isError || len(text) > limit || !utf8.ValidString(text) {
				t.Fatalf("%s in %d: %d bytes, error %v: %s", name, limit, len(text), isError, text)
			}
			_, got, _ := strings.Cut(text, "\n\n")
			if i := strings.LastIndex(got, "\n\nnext: "); i >= 0 {
				body, next := got[:i+1], got[i+len("\n\nnext: "):]
				if strings.Contains(next, "bytes:") {
					body = body[:len(body)-1]
				}
				got = body + string(follow(t, tool, next))
			}
			want, _ := clipValid([]byte(content), 3*len(content))
			if content[0] == '"' {
				want = want[1 : len(want)-1]
			}
			if !samePages([]byte(got), want) {
				t.Errorf("%s in %d: got %d bytes, want %d: %q", name, limit, len(got), len(want), got[:min(200, len(got))])
			}
		}
	}
}

func TestAnOverviewOfAnObject(t *testing.T) {
	key := strings.Repeat("\x01", 40)
	data, _ := json.Marshal(map[string]any{key: 1, "b": strings.Repeat("x", 9000)})
	st, ids := newStore(t, `{"a\n":[1,2],"b":"x"}`, string(data), "{}", "")
	tool := Tool{Store: st, MaxBytes: MinToolBytes}
	text, isError := tool.Answer(t.Context(), fmt.Appendf(nil, `{"blob_id":%q}`, ids[0]))
	_, next, _ := strings.Cut(text, "\nnext: ")
	if isError || next != fmt.Sprintf(`{"blob_id":%q,"selector":["key:a\n"]}`, ids[0])+"\n" {
		t.Errorf("got %q", text)
	}
	if text, _ := tool.Answer(t.Context(), []byte(next)); text != "[1,2]" {
		t.Errorf("the suggested call gives %q", text)
	}
	for _, id := range ids[1:] {
		if text, isError := tool.Answer(t.Context(), fmt.Appendf(nil, `{"blob_id":%q}`, id)); isError || len(text) > MinToolBytes {
			t.Errorf("%d bytes: %q", len(text), text)
		}
	}
}

// What plainly means a call is one.
func TestLenience(t *testing.T) {
	st, ids := newStore(t, numbers(100), `{"results":["a","b"],"s":"text\n"}`)
	id, doc := ids[0].String(), ids[1].String()
	const want = "20\n21\n"
	for _, arguments := range []string{
		`{"blob_id":"` + id + `","selector":["lines:20-21"]}`,
		`{"blob_id":"` + id + `","selector":"lines:20-21"}`,
		`{"blob_id":" ` + strings.ToUpper(id) + `\n","selector":" lines: 20 - 21 "}`,
		`{"blob_id":"[blob:` + id + `]","selector":"Lines:20-21"}`,
		`{"blob_id":"[blob:` + id + `] text | 100 lines\n── head ──","selector":"LINES:20-21"}`,
		`{"blob_id":"blob://` + id + `","selector":"20-21"}`,
		`{"blob_id":"0193b2c40000","selector":" 20 - 21 "}`,
		`{"blob_id":"` + id[len(id)-12:] + `","selector":"line:20-21"}`,
		`{"blob_id":"` + id + `","selector":"[\"lines:20-21\"]"}`,
		`{"blob_id":"` + id + `","selector":["lines:20-30","head:2"]}`,
		`{"blob_id":"` + id + `","selector":"lines:20-30 head:2"}`,
		`{"blob_id":"` + id + `","selector":["","lines:20-21"],"context":null}`,
		`{"blob_id":"` + id + `","selectors":["lines:20-21"],"context":" 3 "}`,
		`{"id":"` + id + `","selector":["lines:20-21"],"context":3.0}`,
		`"{\"blob_id\":\"` + id + `\",\"selector\":[\"lines:20-21\"]}"`,
		` {"blob_id":"x","blob_id":"` + id + `","selector":["lines:20-21"]} `,
	} {
		if got, isError := (Tool{Store: st}).Answer(t.Context(), []byte(arguments)); isError || got != want {
			t.Errorf("%s: got %q", arguments, got)
		}
	}
	for arguments, want := range map[string]string{
		`{"blob_id":"` + doc + `","selector":"key:s"}`:                      "text\n",
		`{"blob_id":"` + doc + `","selector":["key:results","slice:0..1"]}`: `["a"]`,
		`{"blob_id":"` + doc + `","selector":"keys lines:1"}`:               "results: array(2)\n",
		`{"blob_id":"` + id + `","selector":"grep:^50$\n"}`:                 "48-48\n49-49\n50:50\n51-51\n52-52\n",
		`{"blob_id":"` + id + `","selector":"grep:^50$","context":"0"}`:     "50:50\n",
	} {
		if got, isError := (Tool{Store: st}).Answer(t.Context(), []byte(arguments)); isError || got != want {
			t.Errorf("%s: got %q, want %q", arguments, got, want)
		}
	}
	for _, empty := range []string{`""`, `[]`, `null`, `" "`, `[""]`} {
		got, isError := (Tool{Store: st}).Answer(t.Context(), []byte(`{"blob_id":"`+id+`","selector":`+empty+`}`))
		if isError || !strings.HasPrefix(got, "id: "+id+"\ntype: text\nbytes: 292\nlines: 100\n") {
			t.Errorf("selector %s: got %q", empty, got)
		}
	}
}

// A call that failed says what exists and what to try.
func TestErrorsForAModel(t *testing.T) {
	st, ids := newStore(t, numbers(100), `{"results":["a","b"],"s":"text\n"}`)
	id, doc := ids[0].String(), ids[1].String()
	newest := ids[1].String() + ", " + ids[0].String()
	for arguments, want := range map[string]string{
		``:                                       "error: blob_id is missing\nhint: as in {\"blob_id\":\"ID\",\"selector\":[\"lines:20-50\"]}\n",
		`{"selector":"keys"}`:                    "error: blob_id is missing\nhint: as in {\"blob_id\":\"ID\",\"selector\":[\"lines:20-50\"]}\n",
		`[]`:                                     "error: the arguments are a JSON array\nhint: give an object as in {\"blob_id\":\"ID\",\"selector\":[\"lines:20-50\"]}\n",
		`{"blob_id":`:                            "error: the arguments are no JSON: line 1, column 12: unexpected end of input\nhint: give an object as in {\"blob_id\":\"ID\",\"selector\":[\"lines:20-50\"]}\n",
		`{"blob_id":7}`:                          "error: blob_id: must be a string\nhint: as in {\"blob_id\":\"ID\",\"selector\":[\"lines:20-50\"]}\n",
		`{"blob_id":"x","lines":"1"}`:            "error: there is no argument \"lines\"\nhint: the arguments are blob_id, selector and context, as in {\"blob_id\":\"ID\",\"selector\":[\"lines:20-50\"]}\n",
		`{"blob_id":"x"}`:                        "error: \"x\" is not a blob id\nhint: an id is a UUID as it stands in [blob:ID], or at least 8 hex digits of either end; the newest blobs are " + newest + "\n",
		`{"blob_id":"0193b2c4"}`:                 "error: \"0193b2c4\" is the part of more than one id\nhint: it could be " + ids[0].String() + ", " + ids[1].String() + "\n",
		`{"blob_id":"ffffffffffff"}`:             "error: blob ffffffffffff: not found\nhint: give the id as it stands in [blob:ID]; the newest blobs are " + newest + "\n",
		`{"blob_id":"x","context":21}`:           "error: context: must be a whole number from 0 to 20\nhint: as in \"context\":3\n",
		`{"blob_id":"x","context":1.5}`:          "error: context: must be a whole number from 0 to 20\nhint: as in \"context\":3\n",
		`{"blob_id":"x","context":"many"}`:       "error: context: must be a whole number from 0 to 20\nhint: as in \"context\":3\n",
		`{"blob_id":"x","selector":{"lines":1}}`: "error: selector: must be a string or an array of strings\nhint: as in \"selector\":[\"lines:20-50\"] or \"selector\":[\"key:results\",\"slice:0..3\"]\n",
		`{"blob_id":"x","selector":["keys",7]}`:  "error: selector: 7 is no string\nhint: as in \"selector\":[\"lines:20-50\"] or \"selector\":[\"key:results\",\"slice:0..3\"]\n",
		`{"blob_id":"` + id + `","selector":"lines:50-20"}`:              "error: selector \"lines:50-20\": the range runs backwards\n  lines:50-20\n        ^\nhint: write lines:20-50\n",
		`{"blob_id":"` + id + `","selector":"20"}`:                       "error: selector \"20\": unknown selector\n  20\n  ^\nhint: the selectors are lines:A-B head:N tail:N grep:REGEXP bytes:A..B slice:A..B key:NAME keys path:GJSON json\n",
		`{"blob_id":"` + id + `","selector":"lines:500-"}`:               "error: selector \"lines:500-\": there are 100 lines\n",
		`{"blob_id":"` + id + `","selector":"grep:Error"}`:               "error: selector \"grep:Error\": no match in 100 lines\nhint: grep:(?i)PATTERN ignores case\n",
		`{"blob_id":"` + id + `","selector":"key:a"}`:                    "error: selector \"key:a\" does not fit text\nhint: these fit: lines, head, tail, grep, bytes, json\n",
		`{"blob_id":"` + id + `","selector":"json"}`:                     "", // JSON Lines
		`{"blob_id":"` + doc + `","selector":["key:s","json"]}`:          "error: selector \"json\": invalid JSON: line 1, column 1: invalid literal, expected true\nhint: lines, head, tail, grep and bytes take any text; json takes JSON or JSON Lines\n",
		`{"blob_id":"` + doc + `","selector":"key:result"}`:              "error: selector \"key:result\": no such key among 2 keys; nearest: \"results\"\n",
		`{"blob_id":"` + doc + `","selector":"key:results slice:0..1"}`:  "error: selector \"key:results slice:0..1\": no such key among 2 keys: \"results\", \"s\"\nhint: several selectors are an array: [\"key:results\",\"slice:0..1\"]\n",
		`{"blob_id":"` + id + `","selector":"bytes:0-9"}`:                "error: selector \"bytes:0-9\": two dots join the ends of bytes, for the last one is excluded\n  bytes:0-9\n         ^\nhint: as in bytes:0..1000 or bytes:1000..\n",
		`{"blob_id":"` + id + `","selector":"key:` + long(20_000) + `"}`: "error: bound of 16384 bytes: too small for these selectors, the least is 20",
	} {
		got, isError := (Tool{Store: st}).Answer(t.Context(), []byte(arguments))
		if isError != (want != "") || want != "" && !strings.HasPrefix(got, want) {
			t.Errorf("%.200s:\ngot  %q\nwant %q", arguments, got, want)
		}
	}
}

func long(n int) string { return strings.Repeat("k", n) }

// However long what a model writes is, and whatever stands in it, an error is bounded and valid UTF-8.
func TestErrorsAreBounded(t *testing.T) {
	var keys []string
	for i := range 5 {
		keys = append(keys, fmt.Sprintf(`"%d%s":1`, i, long(9000)))
	}
	st, ids := newStore(t, numbers(10), "{"+strings.Join(keys, ",")+"}")
	for _, s := range []string{long(5000), "key:" + long(400), "key:" + strings.Repeat("漢", 75), "lines:" + long(9000), "grep:(" + long(9000), strings.Repeat("漢", 3000), "path:" + long(5000), "\x00\x1b[31m"} {
		for _, id := range []string{s, ids[0].String(), ids[1].String()} {
			arguments, _ := json.Marshal(map[string]any{"blob_id": id, "selector": s})
			unknown, _ := json.Marshal(map[string]any{"blob_id": id, s: s})
			for _, a := range [][]byte{arguments, unknown, arguments[:len(arguments)/2]} {
				text, isError := (Tool{Store: st, MaxBytes: MinToolBytes}).Answer(t.Context(), a)
				if !isError || len(text) > MinToolBytes || !utf8.ValidString(text) {
					t.Errorf("%.80s: %d bytes, error %v", a, len(text), isError)
				}
			}
		}
	}
}

// A blob that is not allowed is answered about exactly as one that does not exist.
func TestConfine(t *testing.T) {
	st, ids := newStore(t, "one\n", "two\n", "three\n")
	only := Confine(st, func(id blob.ID) bool { return id == ids[0] })
	without, _ := newStore(t, "one\n")
	for _, id := range []string{ids[1].String(), "[blob:" + ids[2].String() + "]", "0193b2c40001", ids[1].String()[24:], "0193b2c4", ids[0].String()} {
		for _, selector := range []string{`null`, `"lines:1"`} {
			arguments := []byte(`{"blob_id":"` + id + `","selector":` + selector + `}`)
			got, gotError := Tool{Store: only}.Answer(t.Context(), arguments)
			want, wantError := Tool{Store: without}.Answer(t.Context(), arguments)
			created := regexp.MustCompile(`created: \S+`)
			if got, want = created.ReplaceAllString(got, ""), created.ReplaceAllString(want, ""); got != want || gotError != wantError {
				t.Errorf("%s: got %q, want %q", id, got, want)
			}
		}
	}
	if _, err := only.Stat(t.Context(), ids[1]); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("stat: %v", err)
	}
	if err := only.Delete(t.Context(), ids[1]); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("delete: %v", err)
	}
	if err := only.Delete(t.Context(), ids[0]); err != nil {
		t.Error(err)
	}
}

// References of a session that goes on are found without being asked for.
func TestRefsFollowTheFile(t *testing.T) {
	_, ids := newStore(t, "one", "two", "three")
	path := filepath.Join(t.TempDir(), "history.jsonl")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := OpenRefs(path, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	write(fmt.Sprintf(`{"content":"[blob:%s] text"}`, ids[0]))
	refs, err := OpenRefs(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	has := func() (all []bool) {
		for _, id := range ids {
			all = append(all, refs.Has(id))
		}
		return all
	}
	if got := has(); !slices.Equal(got, []bool{true, false, false}) {
		t.Errorf("got %v", got)
	}
	at := time.Unix(1_700_000_000, 0)
	if err := os.Chtimes(path, time.Time{}, at); err != nil {
		t.Fatal(err)
	}
	if got := has(); !slices.Equal(got, []bool{true, false, false}) {
		t.Errorf("got %v", got)
	}
	write(fmt.Sprintf(`{"content":"[blob:%s] text"} {"content":"[blob:%s] text, but %s is only mentioned"}`, ids[0], ids[1], ids[2]))
	if err := os.Chtimes(path, time.Time{}, at); err != nil { // a clock that is not fine enough
		t.Fatal(err)
	}
	if got := has(); !slices.Equal(got, []bool{true, true, false}) {
		t.Errorf("after it has grown: got %v", got)
	}
	// The same size at another time.
	write(fmt.Sprintf(`{"content":"[blob:%s] text"} {"content":"[blob:%s] text, but %s is only mentioned"}`, ids[0], ids[2], ids[1]))
	if err := os.Chtimes(path, time.Time{}, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if got := has(); !slices.Equal(got, []bool{true, true, true}) { // what has been seen is allowed until the next reading
		t.Errorf("after another has come: got %v", got)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if got := has(); !slices.Equal(got, []bool{true, false, true}) {
		t.Errorf("after it is gone: got %v", got)
	}
}

func TestAnAnswerEndsWithItsContext(t *testing.T) {
	st, ids := newStore(t, "one\n")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if text, isError := (Tool{Store: st}).Answer(ctx, fmt.Appendf(nil, `{"blob_id":%q}`, ids[0])); !isError || text != "error: context canceled\n" {
		t.Errorf("got %q", text)
	}
}

// shrinking is a store whose blobs lose their bytes as soon as they are mapped.
type shrinking struct{ *fsstore.Store }

func (s shrinking) Open(ctx context.Context, id blob.ID) (blob.Blob, error) {
	b, err := s.Store.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	if _, err := blob.Bytes(b); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, os.Truncate(s.BlobPath(b.Info()), 0)
}

// A file that shrinks under an answer is an error, on whatever goroutine that is, and not a crash.
func TestABlobThatShrinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a mapped file cannot shrink there")
	}
	st, err := fsstore.New(t.TempDir(), fsstore.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	id, err := blob.NewID()
	if err != nil {
		t.Fatal(err)
	}
	stage, err := st.Stage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stage.Write([]byte(numbers(9000))); err != nil {
		t.Fatal(err)
	}
	if _, err := stage.Commit(blob.Text, id); err != nil {
		t.Fatal(err)
	}
	done := make(chan string)
	go func() {
		text, _ := (Tool{Store: shrinking{st}}).Answer(t.Context(), fmt.Appendf(nil, `{"blob_id":%q,"selector":"lines:8000-"}`, id))
		done <- text
	}()
	if text := <-done; text != "error: a file became shorter while it was read\n" {
		t.Errorf("got %q", text)
	}
}
