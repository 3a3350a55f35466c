package history

import (
	"bytes"

	"github.com/llmblob/llmblob/internal/jsonscan"
)

// openHands are the events of OpenHands: those of its SDK, which have a kind, and older ones with action or observation.
var openHands = dialect{
	name: "openhands",
	match: func(rec value) certainty {
		kind := rec.Get("kind")
		if kind.Has(jsonscan.String) && (bytes.HasSuffix(kind.Text(), []byte("Event")) || kind.Is("UserRejectObservation") || kind.Is("Condensation")) {
			return either(rec.Get("source").Exists())
		}
		return either(rec.Get("source").Exists() && (rec.Get("action").Exists() || rec.Get("observation").Exists()))
	},
	items: func(b *builder, rec value) {
		b.timestamp(rec.Get("timestamp"))
		first := len(b.Items)
		switch kind := rec.Get("kind"); {
		case kind.Is("MessageEvent"):
			b.chatMessage(rec.Get("llm_message"))
		case kind.Is("SystemPromptEvent"):
			b.says(System, rec.Get("system_prompt").Get("text"))
		case kind.Is("ActionEvent"):
			b.openHandsAction(rec)
		case kind.Is("ObservationEvent"):
			observation := rec.Get("observation")
			it := b.result(rec, rec.Get("tool_call_id"), rec.Get("tool_name"))
			it.IsError = observation.Get("is_error").IsTrue()
			for range rec.Get("extended_content").Elements() {
				it.Media = true
			}
			b.content(observation.Get("content"), typedText, asString)
		case kind.Is("AgentErrorEvent"):
			b.result(rec, rec.Get("tool_call_id"), rec.Get("tool_name")).IsError = true
			b.content(rec.Get("error"), nil, asString)
		case kind.Is("UserRejectObservation"):
			b.result(rec, rec.Get("tool_call_id"), rec.Get("tool_name")).IsError = true
			b.content(rec.Get("rejection_reason"), nil, asString)
		case kind.Is("ConversationStateUpdateEvent") && rec.Get("key").Is("stats"):
			b.openHandsStats(rec.Get("value"))
		case kind.Is("Condensation"):
			b.forget(rec.Get("forgotten_event_ids"))
		case !kind.Exists():
			b.openHandsV0(rec)
		}
		b.enter(b.names.number(rec.Get("id").Raw()), entry{items: Span{first, len(b.Items)}})
		b.turn(first)
	},
}

// forget takes events out of the context.
func (b *builder) forget(ids value) {
	for id := range ids.Elements() {
		name := b.names.number(id.Raw())
		b.giveUp(b.entries[name].items)
		delete(b.entries, name)
	}
}

func (b *builder) openHandsAction(rec value) {
	first := len(b.Items)
	if reasoning := rec.Get("reasoning_content"); reasoning.Has(jsonscan.String) {
		b.add(Reasoning, Assistant, rec)
		b.text(reasoning)
	}
	for part := range rec.Get("thought").Elements() {
		b.says(Assistant, part.Get("text"))
	}
	call := rec.Get("tool_call")
	b.call(rec, rec.Get("tool_call_id"), rec.Get("tool_name"), call.Get("arguments"))
	b.answer(first, rec.Get("llm_response_id"))
}

// openHandsStats takes the counts of tokens, which are those of all requests so far.
func (b *builder) openHandsStats(stats value) {
	total := number(stats.Get("usage_to_metrics").Get("default").Get("accumulated_token_usage").Get("prompt_tokens"))
	if total > b.counted {
		b.usedNext(total - b.counted)
	}
	b.counted = total
}

// openHandsUsed takes the count of the answer that an older event keeps, or else that of all requests so far.
func (b *builder) openHandsUsed(rec value) {
	if one := number(rec.Get("tool_call_metadata").Get("model_response").Get("usage").Get("prompt_tokens")); one > 0 {
		b.used(one)
		return
	}
	if all := number(rec.Get("llm_metrics").Get("accumulated_token_usage").Get("prompt_tokens")); all > b.counted {
		b.used(all - b.counted)
		b.counted = all
	}
}

func (b *builder) openHandsV0(rec value) {
	call := rec.Get("tool_call_metadata")
	switch {
	case rec.Get("action").Is("condensation"):
		b.forget(rec.Get("args").Get("forgotten_event_ids"))
	case rec.Get("observation").Exists():
		if !rec.Get("cause").Exists() || !rec.Get("source").Is("agent") && !call.Exists() {
			return
		}
		b.result(rec, call.Get("tool_call_id"), call.Get("function_name"))
		if !call.Exists() { // the action is what it is the result of
			b.current().CallID = b.names.number(rec.Get("cause").Raw())
		}
		b.content(rec.Get("content"), nil, asString)
		if exit := rec.Get("extras").Get("metadata").Get("exit_code"); exit.Exists() && string(exit.Raw()) != "0" {
			b.current().IsError = true
		}
	case rec.Get("action").Is("message"):
		role := User
		if rec.Get("source").Is("agent") {
			role = Assistant
		}
		b.says(role, rec.Get("args").Get("content"))
	case rec.Get("action").Is("system"):
		b.says(System, rec.Get("args").Get("content"))
	case rec.Get("source").Is("agent"):
		name := call.Get("function_name")
		if !name.Exists() {
			name = rec.Get("action")
		}
		b.call(rec, call.Get("tool_call_id"), name, rec.Get("args"))
		if !call.Exists() {
			b.current().CallID = b.names.number(rec.Get("id").Raw())
		}
		b.openHandsUsed(rec)
	}
}
