package history

import "github.com/llmblob/llmblob/internal/jsonscan"

// bedrock are messages of the Converse API of Amazon Bedrock, or answers of it. A block names its kind by its key.
var bedrock = dialect{
	name:      "bedrock",
	documents: []document{{records: "messages"}},
	match: func(rec value) certainty {
		if rec.Get("output").Get("message").Exists() && rec.Get("stopReason").Exists() {
			return certain
		}
		if !oneOf(rec.Get("role"), "user", "assistant") {
			return no
		}
		found := no
		for block := range rec.Get("content").Elements() {
			switch {
			case block.Get("type").Exists():
				return no
			case block.Get("toolUse").Exists(), block.Get("toolResult").Exists(), block.Get("reasoningContent").Exists(), block.Get("cachePoint").Exists():
				return certain
			case block.Has(jsonscan.Object):
				found = certain // no other interface has blocks without a type
			}
		}
		return found
	},
	items: func(b *builder, rec value) {
		if msg := rec.Get("output").Get("message"); msg.Exists() {
			b.bedrockMessage(msg)
			b.used(sum(rec.Get("usage"), "inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens"))
			return
		}
		b.bedrockMessage(rec)
	},
}

func (b *builder) bedrockMessage(msg value) {
	if !msg.Get("role").Exists() {
		return
	}
	first := len(b.Items)
	role := roleOf(msg.Get("role"))
	for block := range msg.Get("content").Elements() {
		use, result, reasoning := block.Get("toolUse"), block.Get("toolResult"), block.Get("reasoningContent")
		switch {
		case use.Exists():
			b.call(block, use.Get("toolUseId"), use.Get("name"), use.Get("input"))
		case result.Exists():
			it := b.result(block, result.Get("toolUseId"), value{})
			it.IsError = result.Get("status").Is("error")
			b.content(result.Get("content"), bedrockText, asString)
		case reasoning.Exists():
			b.add(Reasoning, role, block)
			b.text(reasoning.Get("reasoningText").Get("text"))
		case block.Get("text").Exists():
			b.says(role, block.Get("text"))
		case block.Get("cachePoint").Exists():
		default:
			b.message(role, block).Media = true
		}
	}
	b.endMessage(first, role, msg)
}

// bedrockText is the text of a part {"text":…}, or the value of a part {"json":…}.
func bedrockText(part value) value {
	if text := part.Get("text"); text.Has(jsonscan.String) {
		return text
	}
	return part.Get("json")
}
