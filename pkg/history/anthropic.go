package history

import (
	"bytes"

	"github.com/llmblob/llmblob/internal/jsonscan"
)

// anthropic are messages of Anthropic's Messages API, or answers of it.
var anthropic = dialect{
	name:      "anthropic",
	documents: []document{{records: "messages", with: []string{"system", "max_tokens"}}, {records: "messages"}},
	match: func(rec value) certainty {
		if rec.Get("stop_reason").Exists() && rec.Get("role").Exists() {
			return certain
		}
		if !oneOf(rec.Get("role"), "user", "assistant") {
			return no
		}
		for block := range rec.Get("content").Elements() {
			t := block.Get("type")
			if oneOf(t, "tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use") || block.Get("source").Exists() {
				return certain
			}
			if !t.Exists() {
				return no
			}
		}
		return possible
	},
	items: func(b *builder, rec value) { b.anthropicMessage(rec, rec) },
}

// anthropicMessage takes a message that stands at rec or within it.
func (b *builder) anthropicMessage(rec, msg value) {
	if !msg.Get("role").Exists() {
		return
	}
	first := len(b.Items)
	role := roleOf(msg.Get("role"))
	content := msg.Get("content")
	if content.Has(jsonscan.String) {
		b.says(role, content)
	}
	for block := range content.Elements() {
		b.anthropicBlock(role, block)
	}
	b.endMessage(first, role, rec)
	b.answer(first, msg.Get("id"))
	usage := msg.Get("usage")
	b.used(sum(usage, "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"))
}

func (b *builder) anthropicBlock(role Role, block value) {
	switch t := block.Get("type"); {
	case t.Is("text"):
		b.says(role, block.Get("text"))
	case t.Is("thinking"):
		b.add(Reasoning, role, block)
		b.text(block.Get("thinking"))
	case t.Is("redacted_thinking"):
		b.add(Reasoning, role, block)
	case oneOf(t, "tool_use", "server_tool_use", "mcp_tool_use"):
		b.call(block, block.Get("id"), block.Get("name"), block.Get("input"))
	case t.Is("tool_result"):
		it := b.result(block, block.Get("tool_use_id"), value{})
		it.IsError = block.Get("is_error").IsTrue()
		b.content(block.Get("content"), typedText, asString)
	default:
		// Media, and the results of tools that the provider runs: no free text may stand there.
		b.message(role, block).Media = true
	}
}

// answer notes the message that the items from first on are of, where the model wrote them.
func (b *builder) answer(first int, id value) {
	name := b.name(id)
	for i := first; i < len(b.Items); i++ {
		if b.Items[i].Role == Assistant {
			b.Items[i].MessageID = name
		}
	}
}

// turn marks the first message of a user from first on that says something.
func (b *builder) turn(first int) {
	for i := first; i < len(b.Items); i++ {
		it := &b.Items[i]
		if it.Kind == Message && it.Role == User && (it.Bytes > 0 || it.Media) {
			it.Turn = true
			return
		}
	}
}

// startsWith reports whether a string begins with a text.
func startsWith(v value, prefix string) bool {
	return v.Has(jsonscan.String) && bytes.HasPrefix(jsonscan.AppendTextPrefix(nil, v.Raw(), len(prefix)), []byte(prefix))
}
