package history

import "github.com/llmblob/llmblob/internal/jsonscan"

// openAIChat are messages of OpenAI's Chat Completions and of the many interfaces made after it, or answers of them.
var openAIChat = dialect{
	name:      "openai-chat",
	documents: []document{{records: "messages"}},
	match: func(rec value) certainty {
		role := rec.Get("role")
		if rec.Get("type").Exists() {
			return no // messages of this interface have none
		}
		switch {
		case rec.Get("tool_calls").Exists(), rec.Get("tool_call_id").Exists(), rec.Get("function_call").Exists():
			return either(role.Exists())
		case oneOf(role, "tool", "function"):
			return certain
		case rec.Get("choices").Has(jsonscan.Array):
			return certain
		case oneOf(role, "system", "developer", "user", "assistant"):
			return possible
		}
		return no
	},
	items: func(b *builder, rec value) {
		for choice := range rec.Get("choices").Elements() {
			b.chatMessage(choice.Get("message"))
			b.used(number(rec.Get("usage").Get("prompt_tokens")))
			return
		}
		b.chatMessage(rec)
	},
}

// chatMessage takes one message.
func (b *builder) chatMessage(msg value) {
	role := roleOf(msg.Get("role"))
	if !msg.Get("role").Exists() {
		return
	}
	first := len(b.Items)
	if role == Tool {
		b.result(msg, msg.Get("tool_call_id"), msg.Get("name"))
		b.content(msg.Get("content"), typedText, asString)
		return
	}
	for _, key := range [...]string{"reasoning_content", "reasoning"} {
		if v := msg.Get(key); role == Assistant && v.Has(jsonscan.String) && len(v.Raw()) > 2 {
			b.add(Reasoning, role, v)
			b.text(v)
			break
		}
	}
	content := msg.Get("content")
	if content.Has(jsonscan.String) && (len(content.Raw()) > 2 || role != Assistant) {
		b.says(role, content)
	}
	for part := range content.Elements() {
		if t := typedText(part); t.Exists() {
			b.says(role, t)
		} else {
			b.message(role, part).Media = true
		}
	}
	b.chatCalls(msg)
	b.endMessage(first, role, msg)
	// A tool message can hold no picture: it comes in a message of the user right behind, which is no turn.
	if first > 0 && b.Items[first-1].Kind == Result && b.current().Media && role == User {
		b.noTurn(first)
	}
}

// chatCalls takes the calls of a message.
func (b *builder) chatCalls(msg value) {
	for call := range msg.Get("tool_calls").Elements() {
		f := call.Get("function")
		if custom := call.Get("custom"); custom.Exists() {
			b.call(call, call.Get("id"), custom.Get("name"), custom.Get("input"))
			continue
		}
		b.call(call, call.Get("id"), f.Get("name"), f.Get("arguments"))
	}
	if f := msg.Get("function_call"); f.Has(jsonscan.Object) {
		b.call(f, value{}, f.Get("name"), f.Get("arguments"))
	}
}
