package history

import (
	"bytes"

	"github.com/llmblob/llmblob/internal/jsonscan"
)

// claudeCode are the session files of Claude Code, and what it prints with --output-format stream-json. The model is sent
// what is under message; toolUseResult is a copy for the screen.
var claudeCode = dialect{
	name: "claude-code",
	match: func(rec value) certainty {
		if !rec.Get("type").Has(jsonscan.String) {
			return no
		}
		for _, key := range [...]string{"sessionId", "uuid", "leafUuid", "messageId", "session_id", "snapshot"} {
			if rec.Get(key).Exists() {
				return either(!rec.Get("payload").Exists())
			}
		}
		return no
	},
	items: func(b *builder, rec value) {
		b.timestamp(rec.Get("timestamp"))
		first := len(b.Items)
		switch t := rec.Get("type"); {
		case t.Is("user"):
			b.anthropicMessage(rec, rec.Get("message"))
			if rec.Get("isMeta").IsTrue() || rec.Get("isCompactSummary").IsTrue() || rec.Get("toolUseResult").Exists() {
				b.noTurn(first)
			}
			b.noInterruption(first)
		case t.Is("assistant"):
			b.anthropicMessage(rec, rec.Get("message"))
		case t.Is("system") && rec.Get("subtype").Is("compact_boundary"):
			b.reset(first)
		}
		if rec.Get("isSidechain").IsTrue() || rec.Get("parent_tool_use_id").Has(jsonscan.String) {
			for i := first; i < len(b.Items); i++ {
				b.Items[i].side = true
			}
		}
	},
}

// noTurn takes back that a turn begins at or after first.
func (b *builder) noTurn(first int) {
	for i := first; i < len(b.Items); i++ {
		b.Items[i].Turn = false
	}
}

// noInterruption takes back that a turn begins where the harness notes that the user pressed a key.
func (b *builder) noInterruption(first int) {
	for i := first; i < len(b.Items); i++ {
		it := &b.Items[i]
		if it.Turn && it.texts < it.textsEnd && bytes.HasPrefix(b.Bytes(b.texts[it.texts].span()), []byte(`"[Request interrupted`)) {
			it.Turn = false
		}
	}
}
