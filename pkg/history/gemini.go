package history

import "github.com/llmblob/llmblob/internal/jsonscan"

// gemini are contents of the Gemini API, in either spelling of their keys, or answers of it.
var gemini = dialect{
	name:      "gemini",
	documents: []document{{records: "contents", certain: true}},
	match: func(rec value) certainty {
		if rec.Get("candidates").Has(jsonscan.Array) || rec.Get("method").Exists() && rec.Get("response").Exists() {
			return certain
		}
		if !oneOf(rec.Get("role"), "user", "model", "function") {
			return no
		}
		for part := range rec.Get("parts").Elements() {
			return either(!part.Get("type").Exists())
		}
		return no
	},
	items: func(b *builder, rec value) {
		switch {
		case rec.Get("response").Has(jsonscan.Array): // recorded chunks of one answer
			for chunk := range rec.Get("response").Elements() {
				b.geminiAnswer(chunk)
			}
		case rec.Get("response").Has(jsonscan.Object):
			b.geminiAnswer(rec.Get("response"))
		case rec.Get("candidates").Exists():
			b.geminiAnswer(rec)
		default:
			b.geminiContent(rec)
		}
	},
}

func (b *builder) geminiAnswer(answer value) {
	for candidate := range answer.Get("candidates").Elements() {
		b.geminiContent(candidate.Get("content"))
		b.used(number(answer.Get("usageMetadata").Get("promptTokenCount")))
		return
	}
}

// spelled is the member under a key in camel case or, in snake case, under the other.
func spelled(v value, camel, snake string) value {
	if found := v.Get(camel); found.Exists() {
		return found
	}
	return v.Get(snake)
}

func (b *builder) geminiContent(content value) {
	first := len(b.Items)
	role := roleOf(content.Get("role"))
	if role == Tool {
		role = User
	}
	for part := range content.Get("parts").Elements() {
		b.geminiPart(role, part)
	}
	if len(b.Items) == b.first && content.Get("parts").Exists() {
		b.add(Message, role, content)
	}
	b.turn(first)
	for i := first; i < len(b.Items); i++ {
		if b.Items[i].Kind == Result {
			b.noTurn(first)
		}
	}
}

func (b *builder) geminiPart(role Role, part value) {
	call := spelled(part, "functionCall", "function_call")
	response := spelled(part, "functionResponse", "function_response")
	text := part.Get("text")
	switch {
	case call.Exists():
		b.call(part, call.Get("id"), call.Get("name"), call.Get("args"))
	case response.Exists():
		b.functionResponse(response)
	case text.Exists() && part.Get("thought").IsTrue():
		b.add(Reasoning, role, part)
		b.text(text)
	case text.Exists():
		b.says(role, text)
	default:
		b.message(role, part).Media = true
	}
}

// functionResponse takes the result of a call. Its response must stay an object.
func (b *builder) functionResponse(response value) {
	it := b.result(response, response.Get("id"), response.Get("name"))
	content := response.Get("response")
	other := asOutput
	if failed := content.Get("error"); failed.Exists() && !failed.Has(jsonscan.Null) {
		it.IsError, other = true, asError
	}
	for range response.Get("parts").Elements() {
		it.Media = true
	}
	b.content(content, nil, other)
}
