package history

import (
	"bytes"

	"github.com/llmblob/llmblob/internal/jsonscan"
)

// openAIResponses are items of OpenAI's Responses API: the input of a request, the output of an answer, or one a line.
var openAIResponses = dialect{
	name:      "openai-responses",
	documents: []document{{records: "input", certain: true}, {records: "output", with: []string{"object", "status"}, certain: true}},
	match: func(rec value) certainty {
		t := rec.Get("type")
		switch {
		case rec.Get("input").Has(jsonscan.String) && rec.Get("model").Exists():
			return certain
		case !t.Exists():
			return no // messages that name no type are like those of other interfaces
		case t.Is("message"):
			for part := range rec.Get("content").Elements() {
				if oneOf(part.Get("type"), "input_text", "output_text", "input_image", "input_file", "refusal") {
					return certain
				}
			}
			return possible
		case t.Is("reasoning"):
			return either(rec.Get("id").Exists() || rec.Get("encrypted_content").Exists() || rec.Get("summary").Has(jsonscan.Array))
		case responsesResult(t):
			return certain
		case t.Has(jsonscan.String) && bytes.HasSuffix(t.Text(), []byte("_call")) && !t.Is("tool_call"):
			return certain
		}
		return either(oneOf(t, "item_reference", "compaction", "context_compaction", "mcp_list_tools"))
	},
	items: func(b *builder, rec value) {
		if input := rec.Get("input"); input.Has(jsonscan.String) && rec.Get("model").Exists() { // a request that says one thing
			b.says(User, input)
			b.turn(b.first)
			return
		}
		b.responsesItem(rec, rec)
	},
}

// responsesResult reports whether an item of this type is the result of a call.
func responsesResult(t value) bool {
	return oneOf(t, "function_call_output", "custom_tool_call_output", "local_shell_call_output", "shell_call_output",
		"apply_patch_call_output", "computer_call_output")
}

// responsesItem takes one item, which stands at rec or within it.
func (b *builder) responsesItem(rec, item value) {
	first := len(b.Items)
	t := item.Get("type")
	switch {
	case t.Is("message"), !t.Exists():
		b.responsesMessage(item)
	case t.Is("reasoning"):
		b.add(Reasoning, Assistant, rec)
		for part := range item.Get("summary").Elements() {
			b.text(part.Get("text"))
		}
		for part := range item.Get("content").Elements() {
			b.text(part.Get("text"))
		}
	case oneOf(t, "function_call", "tool_search_call"):
		b.call(rec, item.Get("call_id"), item.Get("name"), item.Get("arguments"))
	case t.Is("custom_tool_call"):
		b.call(rec, item.Get("call_id"), item.Get("name"), item.Get("input"))
	case oneOf(t, "local_shell_call", "shell_call", "apply_patch_call", "computer_call"):
		b.call(rec, callID(item), value{}, item.Get("action"))
		b.current().Tool = b.names.number(bytes.TrimSuffix(t.Text(), []byte("_call")))
		b.text(item.Get("operation"))
		b.alias(item.Get("id"))
	case responsesResult(t):
		b.responsesResult(rec, item)
	case t.Has(jsonscan.String) && bytes.HasSuffix(t.Text(), []byte("_call")):
		// A tool that the provider runs: call and result are one item, whose shape is its own.
		b.call(rec, item.Get("id"), item.Get("name"), item.Get("arguments"))
		b.current().Media = true
		b.text(item.Get("output"))
	}
	b.turn(first)
}

// alias notes another id under which the result of the current call may name it.
func (b *builder) alias(id value) {
	if name := b.name(id); name != 0 {
		if b.aliases == nil {
			b.aliases = map[Name]Name{}
		}
		b.aliases[name] = b.current().Tool
	}
}

func callID(item value) value {
	if id := item.Get("call_id"); id.Exists() {
		return id
	}
	return item.Get("id")
}

func (b *builder) responsesMessage(item value) {
	role := roleOf(item.Get("role"))
	if !item.Get("role").Exists() {
		return
	}
	content := item.Get("content")
	b.add(Message, role, item)
	if content.Has(jsonscan.String) {
		b.text(content)
	}
	for part := range content.Elements() {
		switch {
		case part.Get("refusal").Exists():
			b.text(part.Get("refusal"))
		case typedText(part).Exists():
			b.text(typedText(part))
		default:
			b.current().Media = true
		}
	}
}

func (b *builder) responsesResult(rec, item value) {
	it := b.result(rec, callID(item), value{})
	it.IsError = oneOf(item.Get("status"), "failed")
	output := item.Get("output")
	switch {
	case item.Get("type").Is("computer_call_output"):
		it.Media = true // it must be a screenshot
	case item.Get("type").Is("shell_call_output") && output.Has(jsonscan.Array):
		b.shellOutput(output)
	case output.Has(jsonscan.Object) && typedText(output).Exists():
		b.content(typedText(output), nil, asString)
	case output.Has(jsonscan.Object):
		it.Media = true
	default:
		b.content(output, typedText, asString)
	}
}

// shellOutput takes a list of {stdout, stderr, outcome}. The last entry stays, for its outcome.
func (b *builder) shellOutput(list value) {
	start, end := list.Span()
	b.current().Content = Span{start, end}
	var last value
	for entry := range list.Elements() {
		b.contentText(entry.Get("stdout"))
		b.contentText(entry.Get("stderr"))
		last = entry
	}
	stdout, stderr := last.Get("stdout"), last.Get("stderr")
	if !stdout.Has(jsonscan.String) {
		b.current().Media = true
		return
	}
	entryStart, _ := last.Span()
	outStart, outEnd := stdout.Span()
	errStart, errEnd := stderr.Span()
	if entryStart > start+1 {
		b.slot(start+1, entryStart, asNothing)
	}
	if stderr.Has(jsonscan.String) && errStart < outStart {
		b.slot(errStart, errEnd, asEmpty)
	}
	b.slot(outStart, outEnd, asString)
	if stderr.Has(jsonscan.String) && errStart > outStart {
		b.slot(errStart, errEnd, asEmpty)
	}
}
