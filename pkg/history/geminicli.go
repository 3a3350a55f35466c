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
			b.rewind(string(rec.Get("$rewindTo").Text()))
		case rec.Get("$set").Exists():
			messages := rec.Get("$set").Get("messages")
			if messages.Has(jsonscan.Array) {
				b.rewind("")
			}
			for message := range messages.Elements() {
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
	id := string(rec.Get("id").Text())
	role := User
	switch t := rec.Get("type"); {
	case t.Is("gemini"):
		role = Assistant
	case !t.Is("user"):
		return // notices for the screen
	}
	b.supersede(id)
	for thought := range rec.Get("thoughts").Elements() {
		b.add(Reasoning, role, thought)
		b.text(thought.Get("description"))
	}
	b.partList(role, rec.Get("content"))
	for call := range rec.Get("toolCalls").Elements() {
		b.call(call, call.Get("id"), call.Get("name"), call.Get("args"))
	}
	if len(b.Items) == first {
		b.add(Message, role, rec)
	}
	b.used(number(rec.Get("tokens").Get("input")))
	for call := range rec.Get("toolCalls").Elements() {
		b.geminiCLIResult(call)
	}
	for i := first; i < len(b.Items); i++ {
		b.Items[i].MessageID = id
	}
	if id != "" {
		b.copies[id] = Span{first, len(b.Items)}
	}
	b.turn(first)
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
		return
	}
	it := b.result(part, call.Get("id"), call.Get("name"))
	if text := part.Get("text"); text.Has(jsonscan.String) {
		b.content(text, nil, asString)
		return
	}
	it.Media = true
}

// supersede takes the items of an earlier copy of a message out of the context.
func (b *builder) supersede(id string) {
	if id == "" {
		return
	}
	if b.copies == nil {
		b.copies = map[string]Span{}
	}
	earlier := b.copies[id]
	for i := earlier.Start; i < earlier.End; i++ {
		b.Items[i].Outside = true
	}
}

// rewind takes the message with an id and all after it out of the context, or everything where there is none.
func (b *builder) rewind(id string) {
	from := 0
	for i := range b.Items {
		if id != "" && b.Items[i].MessageID == id {
			from = i
			break
		}
	}
	for i := from; i < len(b.Items); i++ {
		b.Items[i].Outside = true
	}
}
