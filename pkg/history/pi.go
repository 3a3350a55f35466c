package history

// pi are the session files of the pi coding agent.
var pi = dialect{
	name: "pi",
	match: func(rec value) certainty {
		if rec.Get("type").Is("session") {
			return either(rec.Get("cwd").Exists())
		}
		return either(rec.Get("type").Is("message") && rec.Get("message").Get("role").Exists() && !rec.Get("uuid").Exists())
	},
	items: func(b *builder, rec value) {
		b.timestamp(rec.Get("timestamp"))
		switch t := rec.Get("type"); {
		case t.Is("message"):
			b.piMessage(rec, rec.Get("message"))
		case t.Is("compaction"):
			b.add(Message, User, rec)
			b.text(rec.Get("summary"))
			b.reset(b.kept(string(rec.Get("firstKeptEntryId").Text())))
		case t.Is("branch_summary"):
			b.add(Message, User, rec)
			b.text(rec.Get("summary"))
		}
	},
}

func (b *builder) piMessage(rec, msg value) {
	first := len(b.Items)
	role := msg.Get("role")
	switch {
	case role.Is("toolResult"):
		it := b.result(rec, msg.Get("toolCallId"), msg.Get("toolName"))
		it.IsError = msg.Get("isError").IsTrue()
		b.content(msg.Get("content"), typedText, asString)
	case role.Is("bashExecution"):
		it := b.result(rec, value{}, value{})
		it.Tool, it.Outside = "bash", msg.Get("excludeFromContext").IsTrue()
		b.content(msg.Get("output"), nil, asString)
		b.text(msg.Get("command"))
	default:
		b.partsOfMessage(rec, msg, "toolCall", "arguments")
		usage := msg.Get("usage")
		b.used(sum(usage, "input", "cacheRead", "cacheWrite"))
	}
	b.entry(first, rec.Get("id"))
	b.turn(first)
}

// entry notes the name of the record that items are of.
func (b *builder) entry(first int, id value) {
	name := string(id.Text())
	for i := first; i < len(b.Items); i++ {
		b.Items[i].MessageID = name
	}
}

// kept is the first item of a record by its name; where there is none everything before goes.
func (b *builder) kept(id string) int {
	for i := range b.Items {
		if id != "" && b.Items[i].MessageID == id {
			return i
		}
	}
	return len(b.Items) - 1
}

// partsOfMessage takes a message whose content is a string or a list of parts with a type, a call being one of them.
func (b *builder) partsOfMessage(rec, msg value, call, arguments string) {
	first := len(b.Items)
	role := roleOf(msg.Get("role"))
	content := msg.Get("content")
	if content.Exists() && content.Raw()[0] == '"' {
		b.says(role, content)
	}
	for part := range content.Elements() {
		switch t := part.Get("type"); {
		case t.Is("text"):
			b.says(role, part.Get("text"))
		case oneOf(t, "thinking", "reasoning"):
			b.add(Reasoning, role, part)
			b.text(part.Get("thinking"))
			b.text(part.Get("text"))
		case t.Is(call):
			b.call(part, part.Get("id"), part.Get("name"), part.Get(arguments))
		default:
			b.message(role, part).Media = true
		}
	}
	if len(b.Items) == first {
		b.add(Message, role, rec)
	}
}
