package history

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/llmblob/llmblob/internal/jsonscan"
)

// aiSDK are messages of Vercel's AI SDK: those for a model, with content, and those for a page, with parts.
var aiSDK = dialect{
	name:      "ai-sdk",
	documents: []document{{records: "messages"}},
	match: func(rec value) certainty {
		if !rec.Get("role").Exists() {
			return no
		}
		for part := range rec.Get("content").Elements() {
			t := part.Get("type")
			if oneOf(t, "tool-call", "tool-result", "tool-approval-request", "tool-approval-response") ||
				t.Is("image") && part.Get("image").Exists() || t.Is("file") && part.Get("mediaType").Exists() {
				return certain
			}
		}
		for part := range rec.Get("parts").Elements() {
			t := part.Get("type")
			if t.Is("step-start") || uiTool(t) {
				return certain
			}
			if t.Exists() {
				return possible
			}
		}
		return no
	},
	items: func(b *builder, rec value) {
		if !rec.Get("role").Exists() {
			return
		}
		first := len(b.Items)
		role := roleOf(rec.Get("role"))
		if rec.Get("content").Has(jsonscan.String) && !rec.Get("parts").Exists() {
			b.says(role, rec.Get("content"))
		}
		for part := range rec.Get("content").Elements() {
			b.modelPart(role, part)
		}
		b.uiParts(role, rec)
		b.endMessage(first, role, rec)
	},
}

func (b *builder) modelPart(role Role, part value) {
	switch t := part.Get("type"); {
	case t.Is("text"):
		b.says(role, part.Get("text"))
	case t.Is("reasoning"):
		b.add(Reasoning, role, part)
		b.text(part.Get("text"))
	case t.Is("tool-call"):
		input := part.Get("input")
		if !input.Exists() {
			input = part.Get("args")
		}
		b.call(part, part.Get("toolCallId"), part.Get("toolName"), input)
	case t.Is("tool-result") && role == Assistant: // run by the provider
		b.message(role, part).Media = true
	case t.Is("tool-result"):
		b.modelResult(part)
	default:
		b.message(role, part).Media = true
	}
}

func (b *builder) modelResult(part value) {
	it := b.result(part, part.Get("toolCallId"), part.Get("toolName"))
	it.IsError = part.Get("isError").IsTrue()
	output := part.Get("output")
	if !output.Exists() { // version 4
		b.content(part.Get("result"), nil, asString)
		return
	}
	inner := output.Get("value")
	start, end := output.Span()
	switch t := output.Get("type"); {
	case t.Is("text"):
		b.content(inner, nil, asString)
	case t.Is("error-text"):
		it.IsError = true
		b.content(inner, nil, asString)
	case oneOf(t, "json", "error-json"):
		f := asTextValue
		if t.Is("error-json") {
			it.IsError, f = true, asErrorText
		}
		if only := onlyString(inner); only.Exists() {
			inner = only
		}
		innerStart, innerEnd := inner.Span()
		it.Content = Span{innerStart, innerEnd}
		b.contentText(inner)
		b.slot(start, end, f)
	case t.Is("content"):
		b.content(inner, typedText, asString)
	default:
		it.Media = true
	}
}

// uiTool reports whether a part of this type is a call of a tool with its result.
func uiTool(t value) bool {
	return t.Has(jsonscan.String) && (bytes.HasPrefix(t.Text(), []byte("tool-")) || t.Is("dynamic-tool"))
}

// uiParts takes the parts of a message for a page. It holds the answers of several requests: a step begins each.
func (b *builder) uiParts(role Role, rec value) {
	step := 0
	id := string(rec.Get("id").Text()) + "#" + strconv.Itoa(b.Records) // for there are messages without an id
	answer := b.names.number([]byte(id))                               // of this step
	begin := func() {
		step++
		answer = b.names.number(fmt.Appendf(nil, "%s#%d", id, step))
	}
	var tools []value // of this step
	flush := func() {
		for _, part := range tools {
			b.uiResult(part)
		}
		tools = tools[:0]
	}
	for part := range rec.Get("parts").Elements() {
		first := len(b.Items)
		switch t := part.Get("type"); {
		case t.Is("step-start"):
			flush()
			begin()
			continue
		case uiTool(t):
			name := part.Get("toolName")
			b.call(part, part.Get("toolCallId"), name, part.Get("input"))
			if !name.Exists() {
				b.current().Tool = b.names.number(bytes.TrimPrefix(t.Text(), []byte("tool-")))
			}
			tools = append(tools, part)
		case t.Is("text"), t.Is("reasoning"):
			if len(tools) > 0 {
				flush()
				begin()
				first = len(b.Items)
			}
			b.modelPart(role, part)
		default:
			b.modelPart(role, part)
		}
		if role != Assistant {
			continue
		}
		for i := first; i < len(b.Items); i++ {
			b.Items[i].MessageID = answer
		}
	}
	flush()
}

func (b *builder) uiResult(part value) {
	name := part.Get("toolName")
	output, failed := part.Get("output"), part.Get("errorText")
	if !output.Exists() && !failed.Exists() {
		return
	}
	it := b.result(part, part.Get("toolCallId"), name)
	if !name.Exists() {
		it.Tool = b.names.number(bytes.TrimPrefix(part.Get("type").Text(), []byte("tool-")))
	}
	if failed.Exists() {
		it.IsError = true
		b.content(failed, nil, asString)
		return
	}
	b.content(output, nil, asString)
}
