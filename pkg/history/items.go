package history

import (
	"bytes"

	"github.com/llmblob/llmblob/internal/jsonscan"
)

// items are the project's own: {"type":"tool_result","call_id","output"}, or with a summary beside the content; also with
// their kind instead of a type, and in the entries of a segment log.
var items = dialect{
	name: "items",
	match: func(rec value) certainty {
		if oneOf(rec.Get("kind"), "segment_start", "user_input", "assistant_item", "tool_result", "llm_usage", "invoke", "turn_end",
			"system_item", "run_completed", "tool_call") {
			return certain
		}
		if oneOf(rec.Get("kind"), "message", "reasoning") {
			return either(rec.Get("role").Exists() || rec.Get("text").Exists())
		}
		t := rec.Get("type")
		switch {
		case oneOf(t, "tool_call", "tool_result"):
			return either(rec.Get("call_id").Exists())
		case t.Is("message"):
			for part := range rec.Get("content").Elements() {
				if !oneOf(part.Get("type"), "text", "refusal") {
					return no
				}
			}
			if rec.Get("role").Exists() && !rec.Get("stop_reason").Exists() {
				return possible
			}
		case t.Is("reasoning"):
			if rec.Get("text").Exists() {
				return certain
			}
		}
		return no
	},
	items: func(b *builder, rec value) {
		b.timestamp(rec.Get("ts"))
		switch kind := rec.Get("kind"); {
		case kind.Is("segment_start"):
			for item := range rec.Get("history").Elements() {
				b.item(item)
			}
		case kind.Is("user_input"):
			b.add(Message, User, rec)
			for segment := range rec.Get("segments").Elements() {
				b.text(segment.Get("content"))
			}
			b.turn(len(b.Items) - 1)
		case rec.Get("item").Get("body").Exists():
			b.add(Message, System, rec)
			b.text(rec.Get("item").Get("body"))
		case rec.Get("item").Exists():
			b.item(rec.Get("item"))
		case kind.Is("llm_usage"):
			b.used(number(rec.Get("input_total_tokens")))
		default:
			b.item(rec)
		}
	},
}

func (b *builder) item(v value) {
	t := v.Get("type")
	if !t.Exists() {
		t = v.Get("kind")
	}
	switch {
	case t.Is("message"):
		first := len(b.Items)
		b.add(Message, roleOf(v.Get("role")), v)
		content := v.Get("content")
		if content.Has(jsonscan.String) {
			b.text(content)
		}
		for part := range content.Elements() {
			if text := part.Get("text"); text.Exists() {
				b.text(text)
			} else if refusal := part.Get("refusal"); refusal.Exists() {
				b.text(refusal)
			} else {
				b.current().Media = true
			}
		}
		b.turn(first)
	case t.Is("reasoning"):
		b.add(Reasoning, Assistant, v)
		b.text(v.Get("text"))
	case t.Is("tool_call"):
		b.call(v, v.Get("call_id"), v.Get("name"), v.Get("arguments"))
	case t.Is("tool_result"):
		b.itemResult(v)
	}
}

func (b *builder) itemResult(v value) {
	it := b.result(v, v.Get("call_id"), v.Get("name"))
	it.IsError = v.Get("is_error").IsTrue()
	output := v.Get("output")
	summary := v.Get("summary")
	switch {
	case output.Exists():
		b.content(output, typedText, asString)
	case len(bytes.TrimSpace(summary.Text())) > 0:
		it.Nullable = true
		b.content(v.Get("content"), typedText, asNull)
		b.slots = b.slots[:it.slots]
		if it.Content != (Span{}) {
			b.slot(it.Content.Start, it.Content.End, asNull)
		}
		it.Omitted = it.Content == Span{}
		b.text(summary)
	default:
		b.content(v.Get("content"), typedText, asString)
	}
	for range v.Get("attachments").Elements() {
		it.Media = true
	}
}
