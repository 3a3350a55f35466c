package history

import "github.com/llmblob/llmblob/internal/jsonscan"

// geminiCLI are the session files of the Gemini CLI: one JSON document, or since 0.40 one record a line.
var geminiCLI = dialect{
	name:      "gemini-cli",
	documents: []document{{records: "messages", with: []string{"sessionId", "projectHash"}, certain: true}},
	match: func(rec value) certainty {
		switch {
		case rec.Get("sessionId").Exists() && rec.Get("projectHash").Exists():
			return certain
		case rec.Get("$set").Exists(), rec.Get("$rewindTo").Exists():
			return certain
		}
		return either(rec.Get("id").Exists() && rec.Get("timestamp").Exists() &&
			oneOf(rec.Get("type"), "user", "gemini", "info", "error", "warning") && !rec.Get("message").Exists())
	},
	items: func(b *builder, rec value) {
		switch {
		case rec.Get("$rewindTo").Exists():
			b.rewind(b.name(rec.Get("$rewindTo")))
		case rec.Get("$set").Exists():
			messages := rec.Get("$set").Get("messages")
			if messages.Has(jsonscan.Array) {
				b.clear()
			}
			for message := range messages.Elements() {
				b.first = len(b.Items) // each is a message of its own
				b.geminiCLIMessage(message)
			}
		default:
			b.geminiCLIMessage(rec)
		}
	},
}

func (b *builder) geminiCLIMessage(rec value) {
	b.timestamp(rec.Get("timestamp"))
	first := len(b.Items)
	id := b.name(rec.Get("id"))
	// A message that is written again takes the place of the one before.
	earlier, again := b.entries[id]
	if again {
		b.giveUp(earlier.items)
	} else {
		earlier.place, earlier.before = first, b.lastTime()
	}
	switch t := rec.Get("type"); {
	case t.Is("gemini"):
		b.geminiCLIAnswer(rec)
	case t.Is("user"):
		b.partList(User, rec.Get("content"))
		b.endMessage(first, User, rec)
	} // the others are notices for the screen
	for i := first; i < len(b.Items); i++ {
		b.Items[i].MessageID = id
		if again {
			if b.places == nil {
				b.places = map[int]int{}
			}
			b.places[i] = earlier.place
			b.Items[i].before = earlier.before
		}
	}
	earlier.items = Span{first, len(b.Items)}
	b.enter(id, earlier)
	b.turn(first)
}

func (b *builder) geminiCLIAnswer(rec value) {
	first := len(b.Items)
	for thought := range rec.Get("thoughts").Elements() {
		b.add(Reasoning, Assistant, thought)
		b.text(thought.Get("description"))
	}
	b.partList(Assistant, rec.Get("content"))
	for call := range rec.Get("toolCalls").Elements() {
		b.call(call, call.Get("id"), call.Get("name"), call.Get("args"))
	}
	b.endMessage(first, Assistant, rec)
	b.used(number(rec.Get("tokens").Get("input")))
	for call := range rec.Get("toolCalls").Elements() {
		b.geminiCLIResult(call)
	}
}

// partList takes what a message says: a string, a part or a list of parts.
func (b *builder) partList(role Role, v value) {
	switch {
	case v.Has(jsonscan.String):
		if len(v.Raw()) > 2 || role == User {
			b.says(role, v)
		}
	case v.Has(jsonscan.Object):
		b.geminiPart(role, v)
	}
	for part := range v.Elements() {
		if part.Has(jsonscan.String) {
			b.says(role, part)
			continue
		}
		b.geminiPart(role, part)
	}
}

// geminiCLIResult takes the result of a call, which stands with it.
func (b *builder) geminiCLIResult(call value) {
	first := len(b.Items)
	result := call.Get("result")
	switch {
	case result.Has(jsonscan.String):
		b.result(call, call.Get("id"), call.Get("name"))
		b.content(result, nil, asString)
	case result.Has(jsonscan.Object):
		b.geminiCLIPart(call, result)
	}
	for part := range result.Elements() {
		b.geminiCLIPart(call, part)
	}
	for i := first; i < len(b.Items); i++ {
		if call.Get("status").Is("error") {
			b.Items[i].IsError = true
		}
	}
}

func (b *builder) geminiCLIPart(call, part value) {
	if response := spelled(part, "functionResponse", "function_response"); response.Exists() {
		b.functionResponse(response)
		if it := b.current(); it.CallID == 0 {
			it.CallID = b.name(call.Get("id"))
		}
		return
	}
	it := b.result(part, call.Get("id"), call.Get("name"))
	if text := part.Get("text"); text.Has(jsonscan.String) {
		b.content(text, nil, asString)
		return
	}
	it.Media = true
}

// rewind takes the message with an id and all behind it out of the context, or everything where there is none.
func (b *builder) rewind(id Name) {
	target, ok := b.entries[id]
	if !ok {
		b.clear()
		return
	}
	for i := target.place; i < len(b.Items); i++ {
		if b.place(i) >= target.place {
			b.Items[i].Outside = true
		}
	}
	for n := len(b.order) - 1; n >= 0 && b.entries[b.order[n]].place >= target.place; n-- {
		delete(b.entries, b.order[n])
		b.order = b.order[:n]
	}
}

// clear takes everything out of the context.
func (b *builder) clear() {
	b.giveUp(Span{b.live, len(b.Items)})
	b.live = len(b.Items)
	b.entries, b.order = nil, nil
}
