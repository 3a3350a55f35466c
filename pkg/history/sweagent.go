package history

import (
	"bytes"

	"github.com/llmblob/llmblob/internal/jsonscan"
)

// sweAgent are the trajectories of SWE-agent, whose history is what the model sees, and of mini-swe-agent. Without tool
// calls what a command printed is a message of the user.
var sweAgent = dialect{
	name: "swe-agent",
	documents: []document{
		{records: "history", with: []string{"trajectory"}, certain: true},
		{records: "history", without: "kind"},
		{records: "messages", with: []string{"trajectory_format"}, certain: true},
		{records: "messages"},
	},
	match: func(rec value) certainty {
		switch {
		case rec.Get("message_type").Exists() && rec.Get("agent").Exists():
			return certain
		case rec.Get("role").Is("user") && miniObservation(rec.Get("content")):
			return certain
		}
		return no
	},
	items: func(b *builder, rec value) {
		ids := rec.Get("tool_call_ids")
		role := rec.Get("role")
		observation := role.Is("user") && (rec.Get("message_type").Is("observation") || !rec.Get("message_type").Exists())
		demo := rec.Get("is_demo")
		switch {
		case ids.Has(jsonscan.Array) && !role.Is("assistant"):
			b.result(rec, firstElement(ids), value{})
			b.observation(rec.Get("content"))
		case observation && !demo.IsTrue() && !demo.Is("True") && b.answered():
			b.result(rec, value{}, value{})
			b.observation(rec.Get("content"))
		default:
			b.chatMessage(rec)
			response := rec.Get("extra").Get("response")
			b.used(number(response.Get("usage").Get("prompt_tokens")))
		}
	},
}

// observation takes what a command printed. What agents write around it stays, for it tells what it is.
func (b *builder) observation(content value) {
	switch {
	case miniObservation(content) && (b.inside(content, `<output>\n`, `\n</output>`) ||
		b.inside(content, `<output>\n`, "</output>") || b.inside(content, "<output>", "</output>")):
	case startsWith(content, "OBSERVATION:\n") && b.inside(content, `OBSERVATION:\n`, ""):
	default:
		b.content(content, typedText, asString)
	}
}

// answered reports whether the model has written before: the first message of the user is the task.
func (b *builder) answered() bool {
	return len(b.Items) > 0 && b.current().Role == Assistant
}

// miniObservation reports whether a text is what mini-swe-agent makes of the output of a command.
func miniObservation(content value) bool {
	return startsWith(content, "<returncode>") && bytes.Contains(content.Text(), []byte("<output"))
}

func firstElement(list value) value {
	for v := range list.Elements() {
		return v
	}
	return value{}
}
