package inspect

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
)

// replies are records and what comes back. ID stands for the id of a blob of three lines, A for the arguments of a call
// of its second line, S for these in a JSON string.
var replies = []struct{ name, record, want string }{
	{
		"Anthropic: a block",
		`{"type":"tool_use","id":"toolu_\u0031","name":"inspect","input":A,"caller":{"type":"direct"}}`,
		`{"type":"tool_result","tool_use_id":"toolu_\u0031","content":"two\n"}`,
	},
	{
		"Anthropic: a message",
		`{"id":"msg","type":"message","role":"assistant","content":[{"type":"text","text":"I look."},{"type":"tool_use","id":"t1","name":"inspect","input":A},{"type":"tool_use","id":"t2","name":"mcp__llmblob__inspect","input":{"blob_id":"ID","selector":"lines:9"}}],"stop_reason":"tool_use"}`,
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"two\n"},{"type":"tool_result","tool_use_id":"t2","content":"error: selector \"lines:9\": there are 3 lines\n","is_error":true}]}`,
	},
	{
		"another tool",
		`{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"bash","input":{"command":"ls"}}]}`,
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"error: there is no tool \"bash\" here\nhint: the tool is inspect\n","is_error":true}]}`,
	},
	{"Anthropic: no call", `{"role":"assistant","content":[{"type":"text","text":"done"}]}`, ``},
	{"no call", `{"role":"assistant","content":"done","tool_calls":null}`, ``},
	{
		"OpenAI chat: a message",
		`{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"inspect","arguments":S}},{"id":"c2","type":"function","function":{"name":"inspect","arguments":""}}]}`,
		`{"role":"tool","tool_call_id":"c1","content":"two\n"}` + "\n" +
			`{"role":"tool","tool_call_id":"c2","content":"error: blob_id is missing\nhint: as in {\"blob_id\":\"ID\",\"selector\":[\"lines:20-50\"]}\n"}`,
	},
	{
		"OpenAI chat: a call",
		`{"id":"c1","type":"function","function":{"name":"inspect","arguments":S}}`,
		`{"role":"tool","tool_call_id":"c1","content":"two\n"}`,
	},
	{
		"OpenAI Responses",
		`{"type":"function_call","id":"fc_1","call_id":"call_1","name":"inspect","arguments":S,"status":"completed"}`,
		`{"type":"function_call_output","call_id":"call_1","output":"two\n"}`,
	},
	{
		"Gemini: a part",
		`{"functionCall":{"name":"inspect","args":A},"thoughtSignature":"c2ln"}`,
		`{"functionResponse":{"name":"inspect","response":{"output":"two\n"}}}`,
	},
	{
		"Gemini: a content",
		`{"role":"model","parts":[{"text":"I look."},{"functionCall":{"id":"f1","name":"inspect","args":A}},{"functionCall":{"name":"inspect"}}]}`,
		`{"role":"user","parts":[{"functionResponse":{"id":"f1","name":"inspect","response":{"output":"two\n"}}},{"functionResponse":{"name":"inspect","response":{"error":"error: blob_id is missing\nhint: as in {\"blob_id\":\"ID\",\"selector\":[\"lines:20-50\"]}\n"}}}]}`,
	},
	{
		"Gemini: a bare call",
		`{"name":"inspect","args":A}`,
		`{"name":"inspect","response":{"output":"two\n"}}`,
	},
	{
		"MCP",
		`{"jsonrpc":"2.0","id":12345678901234567890,"method":"tools/call","params":{"name":"inspect","arguments":A}}`,
		`{"jsonrpc":"2.0","id":12345678901234567890,"result":{"content":[{"type":"text","text":"two\n"}]}}`,
	},
	{
		"MCP: a failed call",
		`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"inspect"}}`,
		`{"jsonrpc":"2.0","id":"a","result":{"content":[{"type":"text","text":"error: blob_id is missing\nhint: as in {\"blob_id\":\"ID\",\"selector\":[\"lines:20-50\"]}\n"}],"isError":true}}`,
	},
}

// fill puts the arguments of a call into a record.
func fill(record, id string) string {
	arguments := `{"blob_id":"` + id + `","selector":["lines:2"]}`
	quoted, _ := json.Marshal(arguments)
	record = strings.ReplaceAll(record, `:A`, ":"+arguments)
	return strings.ReplaceAll(strings.ReplaceAll(record, `:S`, ":"+string(quoted)), `:"ID"`, `:"`+id+`"`)
}

func TestReplies(t *testing.T) {
	st, ids := newStore(t, "one\ntwo\nthree\n")
	tool := Tool{Store: st, IsTool: func(name string) bool { return name == "mcp__llmblob__inspect" }}
	var all, wanted strings.Builder
	for _, c := range replies {
		record := fill(c.record, ids[0].String())
		results, err := tool.Reply(t.Context(), []byte(record))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		var got []string
		for _, r := range results {
			got = append(got, string(r))
		}
		if g := strings.Join(got, "\n"); g != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, g, c.want)
		}
		all.WriteString(record + "\n")
		if c.want != "" {
			wanted.WriteString(c.want + "\n")
		}
	}
	// The same as a stream, lines that are empty and values that share a line included.
	for name, in := range map[string]string{
		"lines":           all.String(),
		"with CRLF":       strings.ReplaceAll(all.String(), "\n", "\r\n"),
		"empty lines":     "\n" + strings.ReplaceAll(all.String(), "\n", "\n\n"),
		"one line":        strings.ReplaceAll(all.String(), "\n", " "),
		"no line at last": strings.TrimSuffix(all.String(), "\n"),
	} {
		var out bytes.Buffer
		if err := tool.ReplyAll(t.Context(), strings.NewReader(in), &out); err != nil || out.String() != wanted.String() {
			t.Errorf("%s: %v, got %s", name, err, out.String())
		}
	}
}

// A line that holds no call ends the work, after all that came before it is answered.
func TestMalformedCalls(t *testing.T) {
	st, ids := newStore(t, "one\ntwo\n")
	call := fill(`{"functionCall":{"name":"inspect","args":A}}`, ids[0].String()) + "\n"
	for line, want := range map[string]string{
		`{"type":"tool_use"`: "calls: line 3: column 19: unexpected end of input",
		`no`:                 "calls: line 3: column 1: invalid literal, expected null",
		`{"type":"tool_use","name":"inspect","input":{}}`:                     "calls: line 3: a call without id",
		`{"type":"tool_use","id":"a","input":{}}`:                             "calls: line 3: a call without name",
		`{"type":"function_call","id":"a","name":"inspect","arguments":"{}"}`: "calls: line 3: a call without call_id",
		`{"tool_calls":[{"id":"a","type":"function"}]}`:                       "calls: line 3: a call without name",
		`{"functionCall":{"args":{}}}`:                                        "calls: line 3: a call without name",
		`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"inspect"}}`: "calls: line 3: a call without id",
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`:                      "calls: line 3: a JSON-RPC message that is no request of tools/call",
		`{"role":"user","content":"hi"}`:                                      "calls: line 3: " + errNoCall.Error(),
		`{"name":"inspect","input":{}}`:                                       "calls: line 3: " + errNoCall.Error(),
		`[1]`:                                                                 "calls: line 3: " + errNoCall.Error(),
		`7`:                                                                   "calls: line 3: " + errNoCall.Error(),
	} {
		var out bytes.Buffer
		err := Tool{Store: st}.ReplyAll(t.Context(), strings.NewReader(call+call+line+"\n"+call), &out)
		var wrong *CallError
		if !errors.As(err, &wrong) || err.Error() != want || wrong.Line != 3 || strings.Count(out.String(), "\n") != 2 {
			t.Errorf("%s: got %v after %q, want %s", line, err, out.String(), want)
		}
	}
}

// Each line is answered before the next one is read: another program waits for it.
func TestEachLineIsAnsweredAtOnce(t *testing.T) {
	st, ids := newStore(t, "one\ntwo\n")
	calls, feed := io.Pipe()
	results, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- Tool{Store: st}.ReplyAll(t.Context(), calls, out)
		out.Close()
	}()
	buf := make([]byte, 1000)
	for range 3 {
		if _, err := io.WriteString(feed, fill(`{"functionCall":{"name":"inspect","args":A}}`, ids[0].String())+"\n"); err != nil {
			t.Fatal(err)
		}
		n, err := results.Read(buf)
		if err != nil || !bytes.HasSuffix(buf[:n], []byte("\n")) || !json.Valid(buf[:n]) {
			t.Fatalf("got %q, %v", buf[:n], err)
		}
	}
	feed.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestReplyAllTellsWhatFailed(t *testing.T) {
	st, ids := newStore(t, "one\ntwo\n")
	call := fill(`{"functionCall":{"name":"inspect","args":A}}`, ids[0].String()) + "\n"
	fault := errors.New("fault")
	if err := (Tool{Store: st}).ReplyAll(t.Context(), io.MultiReader(strings.NewReader(call), failing{fault}), io.Discard); err != fault {
		t.Errorf("reading: got %v", err)
	}
	if err := (Tool{Store: st}).ReplyAll(t.Context(), strings.NewReader(call), failing{fault}); err != fault {
		t.Errorf("writing: got %v", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error)  { return 0, f.err }
func (f failing) Write([]byte) (int, error) { return 0, f.err }

// FuzzReply states that whatever a record is, it is answered in valid JSON of one line or refused.
func FuzzReply(f *testing.F) {
	st, ids := newStore(f, "one\ntwo\n", `{"a":[1,2,"\ud800"]}`)
	for _, c := range replies {
		f.Add([]byte(fill(c.record, ids[0].String())))
	}
	f.Add([]byte(fill(`{"name":"inspect","args":{"blob_id":"ID","selector":["key:a","slice:..","lines:1","bytes:0.."],"context":"3"}}`, ids[1].String())))
	tool := Tool{Store: st, MaxBytes: MinToolBytes}
	f.Fuzz(func(t *testing.T, record []byte) {
		if !json.Valid(record) {
			return
		}
		results, err := tool.Reply(t.Context(), record)
		if err != nil && len(results) > 0 {
			t.Errorf("%d results and %v", len(results), err)
		}
		for _, r := range results {
			if !json.Valid(r) || bytes.ContainsAny(r, "\n\r") {
				t.Errorf("%s", r)
			}
		}
	})
}
