package worker

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/llmblob/llmblob/pkg/history"
)

// AnthropicMessages returns the request as the system prompt and the messages, a JSON array, of Anthropic's Messages API. What
// follows each other of one side is one message, so the results of parallel calls are together. Reasoning is there if its
// record has the "signature" that the provider gave it. Arguments that are no object are {"arguments": text}. As the provider
// wants it, results come first in their message, whatever was said while they were waited for, and there is no text of white
// space alone.
func (r *Request) AnthropicMessages() (system string, messages json.RawMessage) {
	type message struct {
		Role    string `json:"role"`
		Content []any  `json:"content"`
		results int    // how many of the content are results: the first ones
	}
	type text struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	type thinking struct {
		Type      string `json:"type"`
		Thinking  string `json:"thinking"`
		Signature string `json:"signature"`
	}
	type toolUse struct {
		Type  string          `json:"type"`
		ID    string          `json:"id"`
		Name  string          `json:"name"`
		Input json.RawMessage `json:"input"`
	}
	type toolResult struct {
		Type      string `json:"type"`
		ToolUseID string `json:"tool_use_id"`
		Content   string `json:"content"`
		IsError   bool   `json:"is_error,omitempty"`
	}
	var prompts []string
	list := []message{}
	say := func(role string, block any) {
		if n := len(list); n == 0 || list[n-1].Role != role {
			list = append(list, message{Role: role})
		}
		last := &list[len(list)-1]
		last.Content = append(last.Content, block)
	}
	for i, it := range r.Items {
		switch it.Kind {
		case history.Message:
			switch {
			case it.Role == history.System:
				prompts = append(prompts, it.Text)
			case strings.TrimSpace(it.Text) == "": // refused by the provider
			case it.Role == history.Assistant:
				say("assistant", text{"text", it.Text})
			default:
				say("user", text{"text", it.Text})
			}
		case history.Reasoning:
			var record struct{ Signature string }
			if err := json.Unmarshal(r.Record(i), &record); err == nil && record.Signature != "" {
				say("assistant", thinking{"thinking", it.Text, record.Signature})
			}
		case history.Call:
			say("assistant", toolUse{"tool_use", it.CallID, it.Tool, object(it.Text)})
		case history.Result:
			say("user", toolResult{"tool_result", it.CallID, it.Text, it.IsError})
			last := &list[len(list)-1]
			said := last.Content[last.results:]
			copy(said[1:], said)
			said[0] = toolResult{"tool_result", it.CallID, it.Text, it.IsError}
			last.results++
		}
	}
	return strings.Join(prompts, "\n\n"), encoded(list)
}

// OpenAIMessages returns the request as the messages, a JSON array, of OpenAI's Chat Completions and of what is made after it. Calls
// are in the message of the model that they come with, and results right behind it, before what was said while they were waited
// for. There is no reasoning, and no mark of errors, for which the interface has no place.
func (r *Request) OpenAIMessages() json.RawMessage {
	type function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	type toolCall struct {
		ID       string   `json:"id"`
		Type     string   `json:"type"`
		Function function `json:"function"`
	}
	type message struct {
		Role       string     `json:"role"`
		ToolCallID string     `json:"tool_call_id,omitempty"`
		Content    *string    `json:"content"`
		ToolCalls  []toolCall `json:"tool_calls,omitempty"`
	}
	list := []message{}
	for _, it := range r.Items {
		switch it.Kind {
		case history.Message:
			role := it.Role
			if role == history.Tool { // it would need the id of a call
				role = history.User
			}
			list = append(list, message{Role: role.String(), Content: &it.Text})
		case history.Call:
			if n := len(list); n == 0 || list[n-1].Role != history.Assistant.String() {
				list = append(list, message{Role: history.Assistant.String()})
			}
			last := &list[len(list)-1]
			last.ToolCalls = append(last.ToolCalls, toolCall{it.CallID, "function", function{it.Tool, cmp.Or(it.Text, "{}")}})
		case history.Result:
			at := len(list)
			for at > 0 && list[at-1].Role == history.User.String() {
				at--
			}
			if at == 0 { // it is of no call
				at = len(list)
			}
			list = slices.Insert(list, at, message{Role: history.Tool.String(), ToolCallID: it.CallID, Content: &it.Text})
		}
	}
	return encoded(list)
}

// object returns arguments as an object.
func object(arguments string) json.RawMessage {
	text := strings.TrimSpace(arguments)
	switch {
	case text == "":
		return json.RawMessage("{}")
	case text[0] == '{' && json.Valid([]byte(text)):
		return json.RawMessage(text)
	}
	return encoded(map[string]string{"arguments": arguments})
}

// encoded returns a value that can be encoded as JSON in which <, > and & stand as they are.
func encoded(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
