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
		b.enter(b.name(rec.Get("id")), entry{place: len(b.Items)})
		switch t := rec.Get("type"); {
		case t.Is("message"):
			b.piMessage(rec, rec.Get("message"))
		case t.Is("compaction"):
			b.add(Message, User, rec)
			b.text(rec.Get("summary"))
			b.reset(b.kept(b.name(rec.Get("firstKeptEntryId"))))
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
		it.Tool, it.Outside = b.names.number([]byte("bash")), msg.Get("excludeFromContext").IsTrue()
		b.content(msg.Get("output"), nil, asString)
		b.text(msg.Get("command"))
	default:
		b.partsOfMessage(rec, msg, "toolCall", "arguments")
		usage := msg.Get("usage")
		b.used(sum(usage, "input", "cacheRead", "cacheWrite"))
	}
	b.turn(first)
}

// kept is the first item at or after a record; where there is no such record everything before the current item goes.
func (b *builder) kept(id Name) int {
	if e, ok := b.entries[id]; ok {
		return e.place
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
	b.endMessage(first, role, rec)
}
