package history

import "github.com/llmblob/llmblob/internal/jsonscan"

// openCode are the documents of opencode export. Call and result are one part.
var openCode = dialect{
	name:      "opencode",
	documents: []document{{records: "messages"}},
	match: func(rec value) certainty {
		return either(rec.Get("info").Get("role").Exists() && rec.Get("parts").Has(jsonscan.Array))
	},
	items: func(b *builder, rec value) {
		first := len(b.Items)
		info := rec.Get("info")
		if !info.Get("role").Exists() {
			return
		}
		role := roleOf(info.Get("role"))
		b.timestamp(info.Get("time").Get("created"))
		var tools []value
		for part := range rec.Get("parts").Elements() {
			switch t := part.Get("type"); {
			case t.Is("text"):
				b.says(role, part.Get("text"))
			case t.Is("reasoning"):
				b.add(Reasoning, role, part)
				b.text(part.Get("text"))
			case t.Is("tool"):
				b.call(part, part.Get("callID"), part.Get("tool"), part.Get("state").Get("input"))
				tools = append(tools, part)
			case t.Is("file"):
				b.message(role, part).Media = true
			}
		}
		b.endMessage(first, role, rec)
		b.answer(first, info.Get("id"))
		tokens := info.Get("tokens")
		b.used(number(tokens.Get("input")) + sum(tokens.Get("cache"), "read", "write"))
		for _, part := range tools {
			b.openCodeResult(part)
		}
	},
}

func (b *builder) openCodeResult(part value) {
	state := part.Get("state")
	output := state.Get("output")
	if state.Get("status").Is("error") {
		output = state.Get("error")
	}
	if !output.Exists() {
		return
	}
	it := b.result(part, part.Get("callID"), part.Get("tool"))
	it.IsError = state.Get("status").Is("error")
	for range state.Get("attachments").Elements() {
		it.Media = true
	}
	if state.Get("time").Get("compacted").Exists() {
		it.Omitted = true
		return
	}
	b.content(output, nil, asString)
}
