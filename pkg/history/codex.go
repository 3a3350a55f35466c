package history

import "github.com/llmblob/llmblob/internal/jsonscan"

// codex are the rollout files of the Codex CLI: items of the Responses API in an envelope.
var codex = dialect{
	name: "codex",
	match: func(rec value) certainty {
		return either(rec.Get("payload").Has(jsonscan.Object) && oneOf(rec.Get("type"),
			"session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state"))
	},
	items: func(b *builder, rec value) {
		b.timestamp(rec.Get("timestamp"))
		payload := rec.Get("payload")
		switch t := rec.Get("type"); {
		case t.Is("response_item"):
			b.codexItem(payload)
		case t.Is("compacted"):
			b.reset(len(b.Items))
			for item := range payload.Get("replacement_history").Elements() {
				b.codexItem(item)
			}
		case t.Is("event_msg") && payload.Get("type").Is("token_count"):
			b.used(number(payload.Get("info").Get("last_token_usage").Get("input_tokens")))
		}
	},
}

func (b *builder) codexItem(item value) {
	first := len(b.Items)
	b.responsesItem(item, item)
	if len(b.Items) == first || !b.Items[first].Turn {
		return
	}
	// What the harness tells the model comes as a message of the user.
	for part := range item.Get("content").Elements() {
		for _, prefix := range [...]string{"<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<turn_aborted>"} {
			if startsWith(part.Get("text"), prefix) {
				b.noTurn(first)
			}
		}
	}
}
