package history

import "github.com/llmblob/llmblob/internal/jsonscan"

// langChain are messages of LangChain: of dumpd (a constructor with kwargs), of messages_to_dict (a type with data) and of
// model_dump (flat).
var langChain = dialect{
	name:      "langchain",
	documents: []document{{records: "messages"}},
	match: func(rec value) certainty {
		if rec.Get("lc").Exists() && rec.Get("type").Is("constructor") {
			return certain
		}
		t := rec.Get("type")
		switch {
		case !oneOf(t, "human", "ai", "tool", "system"):
			return no
		case rec.Get("data").Has(jsonscan.Object):
			return certain
		}
		return either(rec.Get("content").Exists() && (oneOf(t, "human", "ai") || rec.Get("tool_call_id").Exists()))
	},
	items: func(b *builder, rec value) {
		msg, kind := rec, rec.Get("type")
		if kwargs := rec.Get("kwargs"); kwargs.Exists() {
			msg, kind = kwargs, kwargs.Get("type")
			if !kind.Exists() {
				for kind = range rec.Get("id").Elements() { // the last is the class
				}
			}
		} else if data := rec.Get("data"); data.Exists() {
			msg = data
		}
		b.langChainMessage(rec, msg, kind)
	},
}

func (b *builder) langChainMessage(rec, msg, kind value) {
	if !msg.Get("content").Exists() {
		return
	}
	first := len(b.Items)
	role := User
	switch {
	case oneOf(kind, "tool", "ToolMessage"):
		it := b.result(rec, msg.Get("tool_call_id"), msg.Get("name"))
		it.IsError = msg.Get("status").Is("error")
		b.content(msg.Get("content"), typedText, asString)
		return
	case oneOf(kind, "ai", "AIMessage", "AIMessageChunk"):
		role = Assistant
	case oneOf(kind, "system", "SystemMessage"):
		role = System
	}
	content := msg.Get("content")
	if content.Has(jsonscan.String) && (len(content.Raw()) > 2 || role != Assistant) {
		b.says(role, content)
	}
	calls := msg.Get("tool_calls")
	listed := false // calls stand a second time in the content of some providers
	for range calls.Elements() {
		listed = true
	}
	for block := range content.Elements() {
		if listed && block.Get("type").Is("tool_use") {
			continue
		}
		b.anthropicBlock(role, block)
	}
	for call := range calls.Elements() {
		b.call(call, call.Get("id"), call.Get("name"), call.Get("args"))
	}
	b.endMessage(first, role, rec)
	b.answer(first, msg.Get("id"))
	b.used(number(msg.Get("usage_metadata").Get("input_tokens")))
}
