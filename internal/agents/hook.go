package agents

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/llmblob/llmblob/internal/jsonscan"
	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/history"
	"github.com/llmblob/llmblob/pkg/offload"
)

// Hook answers the hooks of an agent.
type Hook struct {
	Agent Agent
	// Capture says when a result is stored; its InlineBytes is set anew for each tool.
	Capture     offload.CaptureOptions
	InlineBytes func(tool string) int
	Open        func() (blob.Store, error)
	// Sink is the shell command that takes the output of a command before it runs, through a pipe; "" leaves commands alone.
	Sink string
}

// Answer takes what an agent gives a hook on standard input, one JSON object, and returns what belongs on standard output:
// one line of JSON, or nothing where the agent is to go on as if there were no hook. That is so on every error, whatever it is.
func (h Hook) Answer(ctx context.Context, input []byte) (answer []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			answer, err = nil, fmt.Errorf("internal fault, please report it: %v", p)
		}
	}()
	var tape jsonscan.Tape
	event, end, ok := tape.Parse(input, 0)
	if !ok {
		return nil, fmt.Errorf("hook input: %w", tape.Err(end))
	}
	if rest := jsonscan.SkipSpace(input, end); rest < len(input) {
		return nil, errors.New("hook input: something follows the JSON value")
	}
	if !event.Has(jsonscan.Object) {
		return nil, errors.New("hook input: no JSON object")
	}
	c := call{
		data:     input,
		event:    string(event.Get("hook_event_name").Text()),
		tool:     string(event.Get("tool_name").Text()),
		input:    event.Get("tool_input"),
		response: event.Get("tool_response"),
	}
	switch h.Agent {
	case ClaudeCode:
		return h.claudeCode(ctx, c)
	case Codex:
		return h.codex(c)
	case GeminiCLI:
		return h.geminiCLI(ctx, c)
	}
	return nil, fmt.Errorf("%q: %w", h.Agent, ErrUnknown)
}

// call is the call of a tool that a hook hears of, by the names that all three agents give its parts.
type call struct {
	data            []byte // all of the input, in which the values have their places
	event, tool     string
	input, response jsonscan.Value
}

// inspects reports whether a call asked llmblob itself, by a tool or with a shell: what it answers is bounded, and passes.
func (c call) inspects() bool {
	command := c.input.Get("command").Text()
	return offload.IsInspectTool(c.tool) || slices.Contains(listTools, c.tool) || offload.RunsInspect(command) || runsToolCall(string(command))
}

// listTools are the names under which Claude Code and Gemini CLI know the other tool of the server that setup adds.
var listTools = []string{"mcp__llmblob__list", "mcp_llmblob_list"}

// runsToolCall reports whether a shell command runs llmblob tool call, with whatever flags between.
func runsToolCall(command string) bool {
	for part := range strings.FieldsFuncSeq(command, func(c rune) bool { return strings.ContainsRune("\n;|&()", c) }) {
		words := strings.FieldsFunc(part, func(c rune) bool { return strings.ContainsRune(" \t\r'\"", c) })
		wanted := []string{"llmblob", "tool", "call"}
		for _, w := range words {
			if w == wanted[0] || len(wanted) == 3 && path.Base(w) == wanted[0] {
				if wanted = wanted[1:]; len(wanted) == 0 {
					return true
				}
			}
		}
	}
	return false
}

// flag reports whether an argument of a call is true. A model may give it as a text, which agents take for it.
func (c call) flag(name string) bool {
	v := c.input.Get(name)
	return v.IsTrue() || v.Is("true")
}

// answer is what a hook of an event prints: a value under the name that the agent gives it.
func (c call) answer(name string, value []byte) []byte {
	out := append([]byte(`{"hookSpecificOutput":{"hookEventName":`), jsonString(c.event)...)
	out = append(append(append(out, `,`...), name...), value...)
	return append(out, "}}\n"...)
}

// summarize returns what is to stand for an output, its summary. ok is false where the output stays: it is small.
func (h Hook) summarize(ctx context.Context, tool string, output io.Reader) (summary string, ok bool, err error) {
	o := h.Capture
	o.InlineBytes = h.InlineBytes(tool)
	out := o.Capture(ctx, h.Open, output)
	defer func() { err = errors.Join(err, out.Close()) }()
	if err := errors.Join(out.StoreErr, out.ReadErr); err != nil {
		return "", false, err
	}
	return out.Record.Summary, out.Kind == offload.Stored, nil
}

// edit is a span of a text and what takes its place.
type edit struct {
	start, end int
	text       string
}

// splice applies edits, which are in order and do not overlap, to the part of a text from start to end.
func splice(text []byte, start, end int, edits []edit) []byte {
	out := make([]byte, 0, end-start)
	for _, e := range edits {
		out = append(append(out, text[start:e.start]...), e.text...)
		start = e.end
	}
	return append(out, text[start:end]...)
}

// summarizeString returns the edit that puts a summary in the place of a string, none where the string stays.
func (h Hook) summarizeString(ctx context.Context, tool string, v jsonscan.Value) ([]edit, error) {
	if !isText(v) || h.isSummary(v.Text()) {
		return nil, nil
	}
	summary, ok, err := h.summarize(ctx, tool, bytes.NewReader(v.Text()))
	if !ok || err != nil {
		return nil, err
	}
	start, end := v.Span()
	return []edit{{start, end, jsonString(summary)}}, nil
}

// isText reports whether a value is a string that UTF-8 can hold.
func isText(v jsonscan.Value) bool {
	return v.Has(jsonscan.String) && !jsonscan.HasLoneSurrogate(v.Raw())
}

// isSummary reports whether a text stands for a blob already.
func (h Hook) isSummary(text []byte) bool {
	_, ok := history.Reference(text)
	return ok && len(text) <= h.Capture.Limits.Bytes
}

func jsonString(text string) string { return string(history.AppendString(nil, text)) }

// wrapped returns the input of a call with its command sent through the sink; nil where it is left alone.
func (h Hook) wrapped(c call, joinStderr bool) []byte {
	command := c.input.Get("command")
	if h.Sink == "" || !isText(command) {
		return nil
	}
	line, ok := pipeTo(string(command.Text()), h.Sink, joinStderr)
	if !ok {
		return nil
	}
	start, end := c.input.Span()
	from, to := command.Span()
	return splice(c.data, start, end, []edit{{from, to, jsonString(line)}})
}

// sorted puts edits in the order of the text.
func sorted(edits []edit) []edit {
	slices.SortFunc(edits, func(a, b edit) int { return a.start - b.start })
	return edits
}
