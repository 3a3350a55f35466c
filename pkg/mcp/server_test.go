package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/inspect"
	"github.com/llmblob/llmblob/pkg/mcp"
	"github.com/llmblob/llmblob/pkg/storetest"
)

// newStore returns a store of texts, JSON where they begin as an array or an object, under ids that end with their numbers.
func newStore(t *testing.T, contents ...string) (*storetest.Memory, []string) {
	t.Helper()
	st := storetest.NewMemory()
	var ids []string
	for i, c := range contents {
		id, err := blob.ParseID(fmt.Sprintf("0193b2c4-%04x-7000-8000-%012x", i, i+1))
		if err != nil {
			t.Fatal(err)
		}
		typ := blob.Text
		if strings.HasPrefix(c, "[") || strings.HasPrefix(c, "{") {
			typ = blob.JSON
		}
		stage, err := st.Stage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(stage, c); err != nil {
			t.Fatal(err)
		}
		if _, err := stage.Commit(typ, id); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id.String())
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

// talk serves messages, a line each, and returns the lines that come back.
func talk(t *testing.T, st blob.Store, messages ...string) []string {
	t.Helper()
	var out bytes.Buffer
	s := mcp.Server{Tool: inspect.Tool{Store: st}, Version: "1.2.3"}
	if err := s.Serve(t.Context(), strings.NewReader(strings.Join(messages, "\n")), &out); err != nil {
		t.Fatal(err)
	}
	if out.Len() == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`

// modern is the _meta of a request of the version that has no handshake.
const modern = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

func TestMessages(t *testing.T) {
	st, ids := newStore(t, "one\ntwo\n", `{"a":1}`, "\xff\x00", numbers(9000))
	const refused = `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`
	for name, c := range map[string]struct{ message, want string }{
		"a call": {
			`{"jsonrpc":"2.0","id":"\u0061","method":"tools/call","params":{"name":"inspect","arguments":{"blob_id":"` + ids[0] + `","selector":"lines:2"}}}`,
			`{"jsonrpc":"2.0","id":"\u0061","result":{"content":[{"type":"text","text":"two\n"}]}}`,
		},
		"an id that no float64 holds": {
			`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`,
			`{"jsonrpc":"2.0","id":9007199254740993,"result":{}}`,
		},
		"a call that fails": {
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"inspect","arguments":{"blob_id":"` + ids[0] + `","selector":"lines:3"}}}`,
			`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"error: selector \"lines:3\": there are 2 lines\n"}],"isError":true}}`,
		},
		"another tool":      {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"bash"}}`, fmt.Sprintf(refused, "1", -32602, `there is no tool "bash"; the tools are inspect and list`)},
		"another method":    {`{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`, fmt.Sprintf(refused, "1", -32601, `there is no method "prompts/list"`)},
		"no JSON":           {`{"jsonrpc":`, fmt.Sprintf(refused, "null", -32700, "not JSON: line 1, column 12: unexpected end of input")},
		"no object":         {`7`, fmt.Sprintf(refused, "null", -32600, "a message is an object")},
		"a large batch":     {"[" + strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"ping"},`, 100) + `{"jsonrpc":"2.0","id":1,"method":"ping"}]`, fmt.Sprintf(refused, "null", -32600, "a batch has at most 100 messages")},
		"an empty batch":    {`[]`, fmt.Sprintf(refused, "null", -32600, "a message is an object")},
		"no version":        {`{"id":1,"method":"ping"}`, fmt.Sprintf(refused, "1", -32600, `jsonrpc: must be "2.0"`)},
		"no method":         {`{"jsonrpc":"2.0","id":1}`, fmt.Sprintf(refused, "1", -32600, "method: missing")},
		"an id of null":     {`{"jsonrpc":"2.0","id":null,"method":"ping"}`, fmt.Sprintf(refused, "null", -32600, "id: must be a string or a number")},
		"params of a batch": {`{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}`, fmt.Sprintf(refused, "1", -32600, "params: must be an object")},
		"a response":        {`{"jsonrpc":"2.0","id":1,"result":{}}`, ``},
		"an error":          {`{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}`, ``},
		"a notification":    {`{"jsonrpc":"2.0","method":"notifications/initialized"}`, ``},
		"a wrong one":       {`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`, ``},
		"a batch": {
			`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"},{"jsonrpc":"2.0","id":2,"method":"x"},3]`,
			`[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"there is no method \"x\""}},{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a message is an object"}}]`,
		},
		"a batch of notifications": {`[{"jsonrpc":"2.0","method":"notifications/initialized"}]`, ``},
		"a resource": {
			`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"blob://` + ids[1] + `"}}`,
			`{"jsonrpc":"2.0","id":1,"result":{"contents":[{"mimeType":"application/json","text":"{\"a\":1}","uri":"blob://` + ids[1] + `"}]}}`,
		},
		"a resource that is no text": {
			`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"blob://` + ids[2] + `"}}`,
			`{"jsonrpc":"2.0","id":1,"result":{"contents":[{"blob":"/wA=","mimeType":"application/octet-stream","uri":"blob://` + ids[2] + `"}]}}`,
		},
		"a resource that is not there": {
			`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"blob://0193b2c4-ffff-7000-8000-000000000000"}}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"blob 0193b2c4-ffff-7000-8000-000000000000: not found","data":{"uri":"blob://0193b2c4-ffff-7000-8000-000000000000"}}}`,
		},
		"another resource": {`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}`, fmt.Sprintf(refused, "1", -32602, `"file:///etc/passwd" is no address as in blob://ID`)},
		"a version that is too new": {
			`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2030-01-01"}}}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"unsupported protocol version","data":{"requested":"2030-01-01","supported":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"]}}}`,
		},
		"the handshake in a version without": {`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{` + modern + `}}`, fmt.Sprintf(refused, "1", -32601, `there is no method "initialize"`)},
		"a call without a handshake": {
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"inspect","arguments":{"blob_id":"` + ids[0] + `","selector":"lines:2"},` + modern + `}}`,
			`{"jsonrpc":"2.0","id":1,"result":{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"llmblob","title":"llmblob","version":"1.2.3"}},"content":[{"type":"text","text":"two\n"}],"resultType":"complete"}}`,
		},
	} {
		if got := strings.Join(talk(t, st, hello, c.message)[1:], "\n"); got != c.want {
			t.Errorf("%s: %s\ngot  %s\nwant %s", name, c.message, got, c.want)
		}
	}
	got := talk(t, st, `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"blob://`+ids[3]+`"}}`)[0]
	if !strings.Contains(got, `"mimeType":"text/plain"`) || len(got) > 20_000 || !strings.Contains(got, `\nnext: {\"blob_id\":\"`+ids[3]+`\",\"selector\":[\"lines:51-\"]}\n"`) {
		t.Errorf("a large resource: got %d bytes: %s", len(got), got)
	}
}

func TestVersions(t *testing.T) {
	st, _ := newStore(t)
	for asked, want := range map[string]string{"2024-11-05": "2024-11-05", "2025-03-26": "2025-03-26", "2025-11-25": "2025-11-25", "2026-07-28": "2025-11-25", "1999-01-01": "2025-11-25", "": "2025-11-25"} {
		got := talk(t, st, strings.Replace(hello, "2025-06-18", asked, 1))[0]
		if !strings.Contains(got, `"protocolVersion":"`+want+`"`) {
			t.Errorf("%q: got %s", asked, got)
		}
	}
}

func TestList(t *testing.T) {
	contents := make([]string, 150)
	for i := range contents {
		contents[i] = strings.Repeat("x", i)
	}
	st, ids := newStore(t, contents...)
	list := func(st blob.Store, arguments string) (string, bool) {
		var r struct {
			Result struct {
				Content []struct{ Text string }
				IsError bool
			}
		}
		line := talk(t, st, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list","arguments":`+arguments+`}}`)[0]
		if err := json.Unmarshal([]byte(line), &r); err != nil || len(r.Result.Content) != 1 {
			t.Fatalf("%s: %v", line, err)
		}
		return r.Result.Content[0].Text, r.Result.IsError
	}
	for arguments, n := range map[string]int{`{}`: 20, `null`: 20, `{"newest":null}`: 20, `{"newest":1}`: 1, `{"newest":"3"}`: 3, `{"newest":100}`: 100} {
		text, isError := list(st, arguments)
		first := text[:strings.IndexByte(text, '\n')]
		if isError || strings.Count(text, "\n") != n || !strings.HasPrefix(first, `{"id":"`+ids[149]+`","type":"text","bytes":149,"created":"`) {
			t.Errorf("%s: got %s", arguments, text)
		}
	}
	for _, arguments := range []string{`{"newest":0}`, `{"newest":101}`, `{"newest":"many"}`, `{"newest":1.5}`} {
		if text, isError := list(st, arguments); !isError || text != "error: newest: must be a whole number from 1 to 100\n" {
			t.Errorf("%s: got %s", arguments, text)
		}
	}
	empty, _ := newStore(t)
	if text, isError := list(empty, `{}`); isError || text != "there are no blobs\n" {
		t.Errorf("got %s", text)
	}
	confined := inspect.Confine(st, func(id blob.ID) bool { return id.String() == ids[7] })
	if text, _ := list(confined, `{}`); strings.Count(text, "\n") != 1 || !strings.Contains(text, ids[7]) {
		t.Errorf("confined: got %s", text)
	}
	if got := talk(t, confined, `{"jsonrpc":"2.0","id":1,"method":"resources/list"}`)[0]; strings.Count(got, `"uri"`) != 1 {
		t.Errorf("confined: got %s", got)
	}
}

// A message that is too long is passed over, and the next one is answered.
func TestALongMessage(t *testing.T) {
	st, _ := newStore(t)
	var warned []error
	s := mcp.Server{Tool: inspect.Tool{Store: st}, Warn: func(err error) { warned = append(warned, err) }}
	in := io.MultiReader(strings.NewReader(`{"a":"`), io.LimitReader(filler{}, 17<<20), strings.NewReader("\"}\n"+`{"jsonrpc":"2.0","id":2,"method":"ping"}`))
	var out bytes.Buffer
	if err := s.Serve(t.Context(), in, &out); err != nil {
		t.Fatal(err)
	}
	want := `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a message of more than 16777216 bytes"}}` + "\n" + `{"jsonrpc":"2.0","id":2,"result":{}}` + "\n"
	if out.String() != want || len(warned) != 1 {
		t.Errorf("got %s, %v", out.String(), warned)
	}
}

type filler struct{}

func (filler) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestServeTellsWhatFailed(t *testing.T) {
	st, _ := newStore(t)
	s := mcp.Server{Tool: inspect.Tool{Store: st}}
	fault := errors.New("fault")
	if err := s.Serve(t.Context(), failing{fault}, io.Discard); err != fault {
		t.Errorf("reading: got %v", err)
	}
	if err := s.Serve(t.Context(), strings.NewReader(hello), failing{fault}); !errors.Is(err, fault) {
		t.Errorf("writing: got %v", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error)  { return 0, f.err }
func (f failing) Write([]byte) (int, error) { return 0, f.err }

// waiting is a store that opens a blob when the request is cancelled.
type waiting struct {
	blob.Store
	opened chan struct{}
}

func (w waiting) Open(ctx context.Context, id blob.ID) (blob.Blob, error) {
	w.opened <- struct{}{}
	<-ctx.Done()
	return nil, ctx.Err()
}

// A request that is cancelled ends and is not answered; others are.
func TestCancelled(t *testing.T) {
	st, ids := newStore(t, "one")
	w := waiting{st, make(chan struct{})}
	in, feed := io.Pipe()
	var out bytes.Buffer
	done := make(chan error, 1)
	go func() {
		s := mcp.Server{Tool: inspect.Tool{Store: w}}
		done <- s.Serve(t.Context(), in, &out)
	}()
	say := func(line string) {
		if _, err := io.WriteString(feed, line+"\n"); err != nil {
			t.Error(err)
		}
	}
	say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"inspect","arguments":{"blob_id":"` + ids[0] + `"}}}`)
	<-w.opened
	say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	say(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	feed.Close()
	if err := <-done; err != nil || out.String() != `{"jsonrpc":"2.0","id":2,"result":{}}`+"\n" {
		t.Errorf("got %s, %v", out.String(), err)
	}
}

// 1,000 mixed calls, a tenth of them malformed, 32 in flight: every one is answered, with its own answer, in flat memory.
func TestManyCallsInFlight(t *testing.T) {
	st, ids := newStore(t, numbers(9000), `{"rows":[`+strings.TrimSuffix(strings.ReplaceAll(numbers(5000), "\n", ","), ",")+`]}`)
	in, feed := io.Pipe()
	answers, out := io.Pipe()
	served := make(chan error, 1)
	s := mcp.Server{Tool: inspect.Tool{Store: st}}
	written := &counter{w: out}
	go func() { served <- s.Serve(t.Context(), in, written); out.Close() }()
	slots := make(chan struct{}, 32)
	const calls = 1000
	var mu sync.Mutex
	want := make(map[string]string) // by the id as it is spelled
	malformed := 0
	send := func(round int) {
		for i := range calls {
			slots <- struct{}{}
			id := strconv.Itoa(round*calls + i)
			line := 1 + (i*37)%9000
			call := `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"inspect","arguments":{"blob_id":"` + ids[0] + `","selector":%q}}}`
			result := `{"content":[{"type":"text","text":%q}]}`
			var message, answer string
			switch i % 10 {
			case 0:
				message = `{"jsonrpc":"2.0","id":` + id + `,"method":`
			case 1:
				message = `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`
				answer = `{}`
			case 2:
				message = fmt.Sprintf(call, "lines:1-") // a large answer
			case 3:
				message = strings.ReplaceAll(fmt.Sprintf(call, "key:rows"), ids[0], ids[1])
			default:
				message = fmt.Sprintf(call, "lines:"+strconv.Itoa(line))
				answer = fmt.Sprintf(result, strconv.Itoa(line)+"\n")
			}
			mu.Lock()
			if i%10 == 0 {
				malformed++ // no id can be read, so none comes back
			} else {
				want[id] = answer
			}
			mu.Unlock()
			if _, err := io.WriteString(feed, message+"\n"); err != nil {
				t.Error(err)
				return
			}
		}
	}
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	r := bufio.NewReader(answers)
	var before uint64
	for round := range 2 {
		go send(round)
		refused := 0
		for range calls {
			line, err := r.ReadBytes('\n')
			if err != nil {
				t.Fatal(err)
			}
			<-slots
			var a struct {
				ID     json.RawMessage
				Result json.RawMessage
				Error  *struct{ Code int }
			}
			if err := json.Unmarshal(line, &a); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			if a.Error != nil {
				if string(a.ID) != "null" || a.Error.Code != -32700 {
					t.Errorf("got %s", line)
				}
				refused++
				continue
			}
			mu.Lock()
			w, ok := want[string(a.ID)]
			delete(want, string(a.ID))
			mu.Unlock()
			if !ok || w != "" && !equalJSON(t, string(a.Result), w) {
				t.Errorf("%s: got %s, want %s", a.ID, a.Result, w)
			}
		}
		mu.Lock()
		if len(want) > 0 || refused != malformed {
			t.Errorf("not answered: %d, refused: %d of %d", len(want), refused, malformed)
		}
		malformed = 0
		mu.Unlock()
		if round == 0 {
			before = heap()
		}
	}
	if after := heap(); after > before+2<<20 {
		t.Errorf("memory grew from %d to %d bytes", before, after)
	}
	feed.Close()
	if err := <-served; err != nil || written.lines != 2*calls {
		t.Errorf("%d lines were written, %v", written.lines, err)
	}
}

// counter counts what is written: lines, each in one Write, one after the other.
type counter struct {
	w     io.Writer
	lines int
}

func (c *counter) Write(p []byte) (int, error) {
	c.lines++
	return c.w.Write(p)
}

func equalJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	if err := errors.Join(json.Unmarshal([]byte(a), &x), json.Unmarshal([]byte(b), &y)); err != nil {
		t.Errorf("%s, %s: %v", a, b, err)
	}
	return reflect.DeepEqual(x, y)
}

// FuzzServe states that whatever stands on a line, nothing but messages comes back, and the next line is answered.
func FuzzServe(f *testing.F) {
	for _, line := range []string{hello, `{`, `[]`, `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"inspect","arguments":{"blob_id":"x"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"blob://x",` + modern + `}}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}`} {
		f.Add([]byte(line))
	}
	s := mcp.Server{Tool: inspect.Tool{Store: storetest.NewMemory()}}
	f.Fuzz(func(t *testing.T, line []byte) {
		var out bytes.Buffer
		const ping, pong = `{"jsonrpc":"2.0","id":"the last","method":"ping"}`, `{"jsonrpc":"2.0","id":"the last","result":{}}` + "\n"
		if err := s.Serve(t.Context(), io.MultiReader(bytes.NewReader(line), strings.NewReader("\n"+ping)), &out); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), pong) {
			t.Errorf("got %s", out.String())
		}
		for answer := range strings.Lines(out.String()) {
			if !json.Valid([]byte(answer)) {
				t.Errorf("%q is no message", answer)
			}
		}
	})
}
