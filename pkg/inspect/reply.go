package inspect

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/llmblob/llmblob/internal/jsonscan"
)

// CallError says that a line holds no call of a shape that is known.
type CallError struct {
	Line int // from 1
	Msg  string
}

func (e *CallError) Error() string { return fmt.Sprintf("calls: line %d: %s", e.Line, e.Msg) }

// What bounds a record, and with it the results of a record, which are in memory.
const (
	maxRecord = 16 << 20 // bytes
	maxCalls  = 1000
)

// readLine reads a line; of one that is longer than maxRecord its beginning, which is longer too.
func readLine(in *bufio.Reader) (line []byte, err error) {
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) || len(line) > maxRecord {
			return line, err
		}
	}
}

// ReplyAll reads records, JSON Lines, and writes what Reply gives for each, a line a result, before it reads the next. It
// ends with the input, or at the first line that is malformed, or longer than 16 MiB, with a *CallError. Errors are those of r, w and ctx too.
func (t Tool) ReplyAll(ctx context.Context, r io.Reader, w io.Writer) error {
	in := bufio.NewReaderSize(r, 64<<10)
	for n := 1; ; n++ {
		line, readErr := readLine(in)
		if len(line) > maxRecord {
			return &CallError{Line: n, Msg: fmt.Sprintf("longer than %d bytes", maxRecord)}
		}
		line = bytes.TrimRight(line, "\r\n") // so that a fault at its end has a column
		for off := jsonscan.SkipSpace(line, 0); off < len(line); off = jsonscan.SkipSpace(line, off) {
			doc, end, err := jsonscan.Next(line, off, 0)
			var fault *jsonscan.Error
			if errors.As(err, &fault) {
				return &CallError{Line: n, Msg: fmt.Sprintf("column %d: %s", fault.Column, fault.Msg)}
			}
			results, err := t.Reply(ctx, doc.Value)
			if err != nil {
				return &CallError{Line: n, Msg: err.Error()}
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			for _, result := range results {
				if _, err := w.Write(append(result, '\n')); err != nil {
					return err
				}
			}
			off = end
		}
		if errors.Is(readErr, io.EOF) {
			return nil
		} else if readErr != nil {
			return readErr
		}
	}
}

// Reply answers the calls in one record, valid JSON, and returns the results in the record's dialect, as valid JSON of one
// line each:
//
//   - Anthropic: a tool_use block gives a tool_result block, an assistant message one user message with all results.
//   - OpenAI chat: a tool call, or each of those of an assistant message, gives a message of the role tool.
//   - OpenAI Responses: a function_call item gives a function_call_output item.
//   - Gemini: a function call, or a part with one, gives a function response in the same form, a content of the model one
//     content with all of them.
//   - MCP: a JSON-RPC request of tools/call gives its response.
//
// Call ids come back as they are spelled. A message without calls has no results. A call of another tool is answered with
// an error, for every call has to have a result. The error says that the record is none of these, or that it has more than 1000
// calls.
func (t Tool) Reply(ctx context.Context, record []byte) ([]json.RawMessage, error) {
	s, err := readShape(record)
	if err != nil {
		return nil, err
	}
	if len(s.calls) > maxCalls {
		return nil, fmt.Errorf("%d calls in one record, at most %d are answered", len(s.calls), maxCalls)
	}
	var results []any
	for _, c := range s.calls {
		text, isError := t.answerCall(ctx, c)
		results = append(results, s.result(c, text, isError))
	}
	if s.join != nil && len(results) > 0 {
		results = []any{s.join(results)}
	}
	out := make([]json.RawMessage, len(results))
	for i, result := range results {
		out[i] = encodeLine(result)
	}
	return out, nil
}

func (t Tool) answerCall(ctx context.Context, c toolCall) (text string, isError bool) {
	if c.name != ToolName && (t.IsTool == nil || !t.IsTool(c.name)) {
		return t.explain(ctx, badArgument("the tool is "+ToolName, "there is no tool %q here", clipName(c.name))), true
	}
	return t.Answer(ctx, c.arguments)
}

// toolCall is a call as a record has it.
type toolCall struct {
	id        json.RawMessage // nil: none
	name      string
	arguments []byte // a JSON object, or one in a JSON string; nil: none
}

// shape is what a record is.
type shape struct {
	calls  []toolCall
	result func(c toolCall, text string, isError bool) any
	join   func(results []any) any // makes one record of all; nil: they are one each
}

// member returns the value of a key of an object, the last one; nil where there is none, or null.
func member(object []byte, key string) []byte {
	var found []byte
	for m := range jsonscan.Children(object) {
		if m.Key != nil && string(jsonscan.Text(m.Key)) == key {
			found = m.Value
		}
	}
	if found != nil && jsonscan.KindOf(found) == jsonscan.Null {
		return nil
	}
	return found
}

// textMember returns the text of a member that is a string, "" of another.
func textMember(object []byte, key string) string {
	if v := member(object, key); v != nil && jsonscan.KindOf(v) == jsonscan.String {
		return string(jsonscan.Text(v))
	}
	return ""
}

func isKind(value []byte, k jsonscan.Kind) bool { return value != nil && jsonscan.KindOf(value) == k }

var errNoCall = errors.New("no tool call of a shape that is known: tool_use, tool_calls, function_call, functionCall or tools/call")

// readShape finds out what a record is by the members that only its dialect has.
func readShape(record []byte) (shape, error) {
	typ, role := textMember(record, "type"), textMember(record, "role")
	content := member(record, "content")
	switch {
	case member(record, "jsonrpc") != nil:
		return mcpShape(record)
	case typ == "tool_use":
		return blocksShape([][]byte{record}, nil)
	case typ == "function_call":
		return responsesShape(record)
	case isKind(member(record, "tool_calls"), jsonscan.Array):
		return chatShape(elements(member(record, "tool_calls")))
	case isKind(member(record, "function"), jsonscan.Object):
		return chatShape([][]byte{record})
	case isKind(member(record, "functionCall"), jsonscan.Object):
		return partsShape([][]byte{record}, nil)
	case isKind(member(record, "parts"), jsonscan.Array):
		return partsShape(elements(member(record, "parts")), func(parts []any) any { return geminiContent{"user", parts} })
	case role == "assistant" && isKind(content, jsonscan.Array):
		return blocksShape(elements(content), func(blocks []any) any { return anthropicMessage{"user", blocks} })
	case role == "assistant":
		return shape{}, nil
	case typ == "" && role == "" && textMember(record, "name") != "":
		return bareGemini(record)
	}
	return shape{}, errNoCall
}

func elements(array []byte) [][]byte {
	var all [][]byte
	for c := range jsonscan.Children(array) {
		all = append(all, c.Value)
	}
	return all
}

// newCall reads a call that must have an id.
func newCall(id []byte, idName string, owner []byte, argumentsName string) (toolCall, error) {
	c := toolCall{id: id, name: textMember(owner, "name"), arguments: member(owner, argumentsName)}
	if id == nil {
		return c, fmt.Errorf("a call without %s", idName)
	}
	if c.name == "" {
		return c, errors.New("a call without name")
	}
	return c, nil
}

type anthropicResult struct {
	Type    string          `json:"type"`
	ID      json.RawMessage `json:"tool_use_id"`
	Content string          `json:"content"`
	IsError bool            `json:"is_error,omitempty"`
}

type anthropicMessage struct {
	Role    string `json:"role"`
	Content []any  `json:"content"`
}

func blocksShape(blocks [][]byte, join func([]any) any) (shape, error) {
	s := shape{join: join, result: func(c toolCall, text string, isError bool) any {
		return anthropicResult{"tool_result", c.id, text, isError}
	}}
	for _, b := range blocks {
		if textMember(b, "type") != "tool_use" {
			continue
		}
		c, err := newCall(member(b, "id"), "id", b, "input")
		if err != nil {
			return shape{}, err
		}
		s.calls = append(s.calls, c)
	}
	return s, nil
}

func chatShape(calls [][]byte) (shape, error) {
	s := shape{result: func(c toolCall, text string, _ bool) any {
		return struct {
			Role    string          `json:"role"`
			ID      json.RawMessage `json:"tool_call_id"`
			Content string          `json:"content"`
		}{"tool", c.id, text}
	}}
	for _, call := range calls {
		c, err := newCall(member(call, "id"), "id", member(call, "function"), "arguments")
		if err != nil {
			return shape{}, err
		}
		s.calls = append(s.calls, c)
	}
	return s, nil
}

func responsesShape(item []byte) (shape, error) {
	c, err := newCall(member(item, "call_id"), "call_id", item, "arguments")
	return shape{calls: []toolCall{c}, result: func(c toolCall, text string, _ bool) any {
		return struct {
			Type   string          `json:"type"`
			ID     json.RawMessage `json:"call_id"`
			Output string          `json:"output"`
		}{"function_call_output", c.id, text}
	}}, err
}

type geminiContent struct {
	Role  string `json:"role"`
	Parts []any  `json:"parts"`
}

type geminiResponse struct {
	ID       json.RawMessage `json:"id,omitempty"`
	Name     string          `json:"name"`
	Response struct {
		Output *string `json:"output,omitempty"`
		Error  *string `json:"error,omitempty"`
	} `json:"response"`
}

func newGeminiResponse(c toolCall, text string, isError bool) geminiResponse {
	r := geminiResponse{ID: c.id, Name: c.name}
	if isError {
		r.Response.Error = &text
	} else {
		r.Response.Output = &text
	}
	return r
}

func partsShape(parts [][]byte, join func([]any) any) (shape, error) {
	s := shape{join: join, result: func(c toolCall, text string, isError bool) any {
		return struct {
			Response geminiResponse `json:"functionResponse"`
		}{newGeminiResponse(c, text, isError)}
	}}
	for _, part := range parts {
		call := member(part, "functionCall")
		if call == nil {
			continue
		}
		c := toolCall{id: member(call, "id"), name: textMember(call, "name"), arguments: member(call, "args")}
		if c.name == "" {
			return shape{}, errors.New("a call without name")
		}
		s.calls = append(s.calls, c)
	}
	return s, nil
}

// bareGemini reads a function call without its part, which has an id, a name and args alone.
func bareGemini(call []byte) (shape, error) {
	for m := range jsonscan.Children(call) {
		switch string(bytes.Trim(m.Key, `"`)) {
		case "id", "name", "args":
		default:
			return shape{}, errNoCall
		}
	}
	c := toolCall{id: member(call, "id"), name: textMember(call, "name"), arguments: member(call, "args")}
	return shape{calls: []toolCall{c}, result: func(c toolCall, text string, isError bool) any {
		return newGeminiResponse(c, text, isError)
	}}, nil
}

// TextResult is the result of a tool call in MCP.
type TextResult struct {
	Content []TextContent `json:"content"`
	IsError bool          `json:"isError,omitempty"`
}

// TextContent is a text in MCP.
type TextContent struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// NewTextResult returns the result that has one text.
func NewTextResult(text string, isError bool) TextResult {
	return TextResult{Content: []TextContent{{"text", text}}, IsError: isError}
}

func mcpShape(request []byte) (shape, error) {
	if textMember(request, "method") != "tools/call" {
		return shape{}, errors.New("a JSON-RPC message that is no request of tools/call")
	}
	c, err := newCall(member(request, "id"), "id", member(request, "params"), "arguments")
	return shape{calls: []toolCall{c}, result: func(c toolCall, text string, isError bool) any {
		return struct {
			Version string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
			Result  TextResult      `json:"result"`
		}{"2.0", c.id, NewTextResult(text, isError)}
	}}, err
}
