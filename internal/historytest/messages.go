package historytest

// The interfaces of the providers: Anthropic, OpenAI, Gemini, Bedrock.

func (g *gen) anthropicImage() raw {
	return g.obj("type", "image", "source", g.obj("type", "base64", "media_type", "image/png", "data", png))
}

// anthropicUser is what a user says, as a string or as blocks.
func (g *gen) anthropicUser(u *said) any {
	blocks := []raw{g.obj("type", "text", "text", u.text)}
	if u.image {
		blocks = append(blocks, g.anthropicImage())
	}
	return g.orString(u.text, blocks)
}

// anthropicBlocks are those of an answer, without and with its calls.
func (g *gen) anthropicBlocks(a *answer) (said, calls []raw) {
	for _, t := range a.thoughts {
		if g.one(4) {
			said = append(said, g.obj("type", "redacted_thinking", "data", t.signature))
		} else {
			said = append(said, g.obj("type", "thinking", "thinking", t.text, "signature", t.signature))
		}
	}
	if a.text != "" {
		said = append(said, g.obj("type", "text", "text", a.text))
	}
	if g.one(20) {
		said = append(said, g.obj("type", "server_tool_use", "id", "srvtoolu_1", "name", "web_search", "input", g.obj("query", "x")),
			g.obj("type", "web_search_tool_result", "tool_use_id", "srvtoolu_1", "content", g.list(g.obj("type", "web_search_result", "encrypted_content", "EqEv=="))))
	}
	for _, c := range a.calls {
		calls = append(calls, g.obj("type", "tool_use", "id", c.id, "name", c.tool, "input", c.args))
	}
	return said, calls
}

// saidOnly is the content of an answer, at times as a string where it is nothing but a text.
func (g *gen) saidOnly(a *answer, content []raw) any {
	if len(a.calls) > 0 || len(a.thoughts) > 0 {
		return content
	}
	return g.orString(a.text, content)
}

func (g *gen) anthropicResult(r *result) raw {
	var content any
	if len(r.texts) == 0 && !r.image && !r.failed && g.one(2) {
		g.told(Truth{CallID: r.call.id, Tool: r.call.tool})
	} else {
		content = g.content(r, Truth{Failed: r.failed}, g.textPart("text"), g.anthropicImage())
	}
	var failed, cache any
	if r.failed {
		failed = true
	} else if g.one(3) {
		failed = false
	}
	if g.one(10) {
		cache = g.obj("type", "ephemeral")
	}
	return g.obj("type", "tool_result", "tool_use_id", r.call.id, "content", content, "is_error", failed, "cache_control", cache)
}

func (g *gen) anthropicUsage(a *answer) any {
	if a.prompt == 0 {
		return nil
	}
	third := a.prompt / 3
	return g.obj("input_tokens", g.number(a.prompt-2*third), "cache_creation_input_tokens", g.number(third),
		"cache_read_input_tokens", g.number(third), "output_tokens", 7)
}

var anthropicDialect = dialect{
	name: "anthropic", format: "anthropic", frames: []Frame{Lines, Array, Document},
	records: func(g *gen, s *session) (records []raw) {
		for _, st := range s.steps {
			switch {
			case st.user != nil:
				records = append(records, g.obj("role", "user", "content", g.anthropicUser(st.user)))
			case st.answer != nil:
				a := st.answer
				said, calls := g.anthropicBlocks(a)
				var id, usage, stop any
				if g.one(2) {
					id, usage, stop = a.id, g.anthropicUsage(a), raw("null")
				}
				content := append(said, calls...)
				records = append(records, g.obj("role", "assistant", "content", g.saidOnly(a, content), "id", id, "usage", usage, "stop_reason", stop))
				var results []raw
				for _, r := range a.results {
					results = append(results, g.anthropicResult(r))
				}
				if len(results) > 0 && g.one(6) {
					results = append(results, g.obj("type", "text", "text", "and be quick"))
				}
				if len(results) > 0 {
					records = append(records, g.obj("role", "user", "content", results))
				}
			}
		}
		return records
	},
	list: "messages",
	document: func(g *gen, s *session, records raw) raw {
		return g.obj("model", "claude-x", "max_tokens", g.number(1024), "system", opt(g, g.list(g.obj("type", "text", "text", s.system))),
			"tools", g.list(g.obj("name", "read", "input_schema", raw(`{"type":"object"}`))), "messages", records)
	},
	results: func(rec *node, f *found) { anthropicResults(rec.elements("content"), f) },
}

func anthropicResults(blocks []*node, f *found) {
	for _, b := range blocks {
		switch {
		case b.is("type", "tool_use"):
			f.call(b.str("id"))
		case b.is("type", "tool_result"):
			f.result(b.str("tool_use_id"), b.get("content"), textParts)
		}
	}
}

var chatDialect = dialect{
	name: "openai-chat", format: "openai-chat", frames: []Frame{Lines, Array, Document},
	records: func(g *gen, s *session) (records []raw) {
		if g.one(2) {
			records = append(records, g.obj("role", pick(g, "system", "developer"), "content", s.system))
		}
		for _, st := range s.steps {
			switch {
			case st.user != nil:
				parts := []raw{g.obj("type", "text", "text", st.user.text)}
				if st.user.image {
					parts = append(parts, g.obj("type", "image_url", "image_url", g.obj("url", "data:image/png;base64,"+png)))
				}
				records = append(records, g.obj("role", "user", "content", g.orString(st.user.text, parts)))
			case st.answer != nil:
				records = append(records, g.chatAnswer(st.answer)...)
			}
		}
		return records
	},
	list: "messages",
	document: func(g *gen, s *session, records raw) raw {
		return g.obj("model", "gpt-x", "temperature", raw("1.0"), "messages", records)
	},
	results: chatResults,
}

// chatAnswer is the message of an answer and those of its results.
func (g *gen) chatAnswer(a *answer) (records []raw) {
	var content, reasoning, details, calls, function any = raw("null"), nil, nil, nil, nil
	if a.text != "" {
		content = a.text
	} else if len(a.calls) > 0 {
		content = pick[any](g, raw("null"), "", nil)
	}
	if len(a.thoughts) > 0 {
		reasoning = a.thoughts[0].text
		details = g.list(g.obj("type", "reasoning.encrypted", "data", a.thoughts[0].signature))
	}
	legacy := len(a.calls) == 1 && len(a.results) == 1 && g.one(8)
	if legacy {
		function = g.obj("name", a.calls[0].tool, "arguments", string(a.calls[0].args))
	} else if len(a.calls) > 0 {
		var list []raw
		for _, c := range a.calls {
			if g.one(8) {
				list = append(list, g.obj("id", c.id, "type", "custom", "custom", g.obj("name", c.tool, "input", string(c.args))))
			} else {
				list = append(list, g.obj("id", c.id, "type", "function", "function", g.obj("name", c.tool, "arguments", string(c.args))))
			}
		}
		calls = list
	}
	records = append(records, g.obj("role", "assistant", "content", content, pick(g, "reasoning_content", "reasoning"), reasoning,
		"reasoning_details", details, "tool_calls", calls, "function_call", function))
	for _, r := range a.results {
		if legacy {
			one := *r
			one.call = &call{tool: r.call.tool}
			records = append(records, g.obj("role", "function", "name", r.call.tool, "content", g.content(&one, Truth{}, nil, "")))
			continue
		}
		records = append(records, g.obj("role", "tool", "tool_call_id", r.call.id, "name", opt(g, r.call.tool),
			"content", g.content(r, Truth{}, g.textPart("text"), "")))
	}
	for _, r := range a.results {
		if r.image && len(a.results) == len(a.calls) { // a picture comes behind all results
			records = append(records, g.obj("role", "user", "content", g.list(g.obj("type", "text", "text", "See file."),
				g.obj("type", "image_url", "image_url", g.obj("url", "data:image/png;base64,"+png)))))
			break
		}
	}
	return records
}

func chatResults(rec *node, f *found) {
	for _, c := range rec.elements("tool_calls") {
		f.call(c.str("id"))
	}
	if rec.get("function_call") != nil {
		f.call("")
	}
	if rec.is("role", "tool", "function") {
		f.result(rec.str("tool_call_id"), rec.get("content"), textParts)
	}
}

var responsesDialect = dialect{
	name: "openai-responses", format: "openai-responses", frames: []Frame{Lines, Array, Document},
	records: func(g *gen, s *session) (records []raw) {
		if g.one(3) {
			records = append(records, g.obj("type", "message", "role", "developer", "content", s.system))
		}
		for _, st := range s.steps {
			switch {
			case st.user != nil:
				parts := []raw{g.obj("type", "input_text", "text", st.user.text)}
				if st.user.image {
					parts = append(parts, g.obj("type", "input_image", "image_url", "data:image/png;base64,"+png))
				}
				records = append(records, g.obj("type", opt(g, "message"), "role", "user", "content", g.orString(st.user.text, parts)))
			case st.answer != nil:
				records = append(records, g.responsesAnswer(st.answer, true)...)
			case st.compact != "":
				records = append(records, g.obj("type", "compaction", "encrypted_content", "gAAAA=="))
			case st.noise:
				records = append(records, g.obj("type", "item_reference", "id", "rs_0"))
			}
		}
		return records
	},
	list: "input",
	document: func(g *gen, s *session, records raw) raw {
		return g.obj("model", "gpt-x", "instructions", s.system, "input", records, "stream", true)
	},
	results: responsesResults,
}

// responsesAnswer are the items of an answer and of its results; with kinds they are of many kinds.
func (g *gen) responsesAnswer(a *answer, kinds bool) (records []raw) {
	for _, t := range a.thoughts {
		records = append(records, g.obj("type", "reasoning", "id", opt(g, "rs_1"), "summary", g.list(g.obj("type", "summary_text", "text", t.text)),
			"encrypted_content", t.signature))
	}
	message := raw("")
	if a.text != "" {
		message = g.obj("type", "message", "role", "assistant", "content", g.list(g.obj("type", "output_text", "text", a.text, "annotations", g.list())))
	}
	late := message != "" && len(a.results) > 0 && g.one(3)
	if message != "" && !late {
		records = append(records, message)
	}
	if kinds && g.one(12) {
		records = append(records, g.obj("type", "mcp_call", "id", "mcp_1", "server_label", "s", "name", "search", "arguments", "{}", "output", "found", "error", raw("null")))
	}
	kind := map[*call]string{}
	for _, c := range a.calls {
		kind[c] = "function_call"
		if g.one(3) {
			kind[c] = pick(g, "function_call", "custom_tool_call", "local_shell_call")
			if kinds {
				kind[c] = pick(g, "custom_tool_call", "local_shell_call", "shell_call", "apply_patch_call", "computer_call")
			}
		}
		switch k := kind[c]; k {
		case "function_call":
			records = append(records, g.obj("type", k, "id", opt(g, "fc_1"), "call_id", c.id, "name", c.tool, "arguments", string(c.args), "status", opt(g, "completed")))
		case "custom_tool_call":
			records = append(records, g.obj("type", k, "call_id", c.id, "name", c.tool, "input", string(c.args)))
		case "local_shell_call":
			records = append(records, g.obj("type", k, "id", c.id, "status", "completed", "action", g.obj("type", "exec", "command", g.list(`"ls"`))))
			c.tool = "local_shell"
		default:
			records = append(records, g.obj("type", k, "id", "x_1", "call_id", c.id, "action", c.args))
			c.tool = k[:len(k)-len("_call")]
		}
	}
	if late {
		records = append(records, message)
	}
	for _, r := range a.results {
		records = append(records, g.responsesResult(r, kind[r.call]))
	}
	return records
}

func (g *gen) responsesResult(r *result, kind string) raw {
	id, t := r.call.id, kind+"_output"
	switch kind {
	case "local_shell_call":
		return g.obj("type", t, "id", id, "output", g.content(r, Truth{}, nil, ""))
	case "shell_call":
		truth := Truth{CallID: id, Tool: r.call.tool}
		var entries []raw
		for _, text := range append(r.texts, "") {
			stderr := ""
			if g.one(3) {
				stderr = g.text(2000)
			}
			entries = append(entries, g.obj("stdout", text, "stderr", stderr, "outcome", g.obj("type", "exit", "exit_code", g.number(g.n(3)))))
			truth.Texts = append(truth.Texts, text, stderr)
		}
		g.told(truth)
		return g.obj("type", t, "call_id", id, "output", entries)
	case "apply_patch_call":
		status := pick(g, "completed", "failed")
		return g.obj("type", t, "call_id", id, "status", status, "output", g.content(r, Truth{Failed: status == "failed"}, nil, ""))
	case "computer_call":
		g.told(Truth{CallID: id, Tool: r.call.tool, Media: true})
		return g.obj("type", t, "call_id", id, "output", g.obj("type", "computer_screenshot", "image_url", "data:image/png;base64,"+png))
	}
	if len(r.texts) == 1 && !r.image && g.one(10) {
		text := notBlank(r.texts[0])
		g.told(Truth{CallID: id, Tool: r.call.tool, Texts: []string{text}})
		return g.obj("type", t, "call_id", id, "output", g.plain("type", "input_text", "text", text))
	}
	return g.obj("type", t, "call_id", id, "output", g.content(r, Truth{}, g.textPart("input_text"), g.obj("type", "input_image", "image_url", "data:image/png;base64,"+png)))
}

func responsesResults(rec *node, f *found) {
	id := rec.str("call_id")
	if id == "" {
		id = rec.str("id")
	}
	output := rec.get("output")
	switch {
	case rec.is("type", "function_call", "custom_tool_call", "local_shell_call", "shell_call", "apply_patch_call", "computer_call"):
		f.call(id)
	case rec.is("type", "computer_call_output"):
		f.result(id, output, screenshot)
	case rec.is("type", "shell_call_output"):
		f.result(id, output, shellEntries)
	case output != nil && output.kind == '{':
		f.result(id, output, inputText)
	case rec.is("type", "function_call_output", "custom_tool_call_output", "local_shell_call_output", "apply_patch_call_output"):
		f.result(id, output, inputText)
	}
}

// geminiKeys is how keys of two words are spelled.
func (g *gen) geminiKeys() func(camel, snake string) string {
	snakes := g.one(3)
	return func(camel, snake string) string {
		if snakes {
			return snake
		}
		return camel
	}
}

var geminiDialect = dialect{
	name: "gemini", format: "gemini", frames: []Frame{Lines, Array, Document},
	records: func(g *gen, s *session) (records []raw) {
		key := g.geminiKeys()
		named := !g.one(3) // old histories have no ids
		for _, st := range s.steps {
			switch {
			case st.user != nil:
				parts := []raw{g.obj("text", st.user.text)}
				if st.user.image {
					parts = append(parts, g.obj(key("inlineData", "inline_data"), g.obj(key("mimeType", "mime_type"), "image/png", "data", png)))
				}
				records = append(records, g.obj("role", "user", "parts", parts))
			case st.answer != nil:
				a := st.answer
				parts := g.geminiThoughts(a, key)
				for i, c := range a.calls {
					var id, signature any
					if !named {
						c.id = ""
					} else {
						id = c.id
					}
					if i == 0 {
						signature = "EqEv\u2028+/="
					}
					parts = append(parts, g.obj(key("functionCall", "function_call"), g.obj("id", id, "name", c.tool, "args", c.args),
						key("thoughtSignature", "thought_signature"), signature))
				}
				records = append(records, g.obj("role", "model", "parts", parts))
				var results []raw
				for _, r := range a.results {
					results = append(results, g.functionResponse(r, key))
				}
				if len(results) > 0 {
					records = append(records, g.obj("role", pick(g, "user", "function"), "parts", results))
				}
			}
		}
		return records
	},
	list: "contents",
	document: func(g *gen, s *session, records raw) raw {
		return g.obj("systemInstruction", g.obj("parts", g.list(g.obj("text", s.system))), "contents", records, "generationConfig", raw(`{"temperature":1.0}`))
	},
	results: func(rec *node, f *found) {
		for _, part := range rec.elements("parts") {
			geminiPart(part, f)
		}
	},
}

func (g *gen) geminiThoughts(a *answer, key func(string, string) string) (parts []raw) {
	for _, t := range a.thoughts {
		parts = append(parts, g.obj("text", t.text, "thought", true, key("thoughtSignature", "thought_signature"), t.signature))
	}
	if a.text != "" {
		parts = append(parts, g.obj("text", a.text))
	}
	return parts
}

func (g *gen) functionResponse(r *result, key func(string, string) string) raw {
	truth := Truth{CallID: r.call.id, Tool: r.call.tool}
	var response raw
	switch {
	case len(r.texts) == 0:
		truth.Opaque = true
		response = "{}"
	case len(r.texts) == 1 && r.failed:
		truth.Failed, truth.Texts = true, r.texts
		response = g.plain("error", r.texts[0])
	case len(r.texts) == 1:
		truth.Texts = r.texts
		response = g.plain(pick(g, "output", "result", "return_value"), r.texts[0], "code", opt(g, raw("1.0")))
	default:
		truth.Opaque = true
		response = g.plain("output", r.texts[0], "stderr", r.texts[1], "rows", raw("[1e2,null]"))
	}
	var parts, id any
	if r.image {
		truth.Media = true
		parts = g.list(g.obj("inlineData", g.obj("mimeType", "image/png", "data", png)))
	}
	if r.call.id != "" {
		id = r.call.id
	}
	g.told(truth)
	return g.obj(key("functionResponse", "function_response"), g.obj("id", id, "name", r.call.tool, "response", response, "parts", parts))
}

func geminiPart(part *node, f *found) {
	for _, key := range []string{"functionCall", "function_call"} {
		if c := part.get(key); c != nil {
			f.call(c.str("id"))
		}
	}
	for _, key := range []string{"functionResponse", "function_response"} {
		if r := part.get(key); r != nil {
			f.result(r.str("id"), r.get("response"), object)
		}
	}
}

var bedrockDialect = dialect{
	name: "bedrock", format: "bedrock", frames: []Frame{Lines, Array, Document},
	records: func(g *gen, s *session) (records []raw) {
		for _, st := range s.steps {
			switch {
			case st.user != nil:
				blocks := []raw{g.obj("text", st.user.text)}
				if st.user.image {
					blocks = append(blocks, g.obj("image", g.obj("format", "png", "source", g.obj("bytes", png))))
				}
				records = append(records, g.obj("role", "user", "content", blocks))
			case st.answer != nil:
				a := st.answer
				var blocks []raw
				for _, t := range a.thoughts {
					blocks = append(blocks, g.obj("reasoningContent", g.obj("reasoningText", g.obj("text", t.text, "signature", t.signature))))
				}
				if a.text != "" {
					blocks = append(blocks, g.obj("text", a.text))
				}
				for _, c := range a.calls {
					blocks = append(blocks, g.obj("toolUse", g.obj("toolUseId", c.id, "name", c.tool, "input", c.args)))
				}
				records = append(records, g.obj("role", "assistant", "content", blocks))
				var results []raw
				for _, r := range a.results {
					results = append(results, g.bedrockResult(r))
				}
				if len(results) > 0 && g.one(4) {
					results = append(results, g.obj("cachePoint", g.obj("type", "default")))
				}
				if len(results) > 0 {
					records = append(records, g.obj("role", "user", "content", results))
				}
			}
		}
		return records
	},
	list: "messages",
	document: func(g *gen, s *session, records raw) raw {
		return g.obj("system", g.list(g.obj("text", s.system)), "messages", records, "inferenceConfig", raw(`{"maxTokens":1e3}`))
	},
	results: func(rec *node, f *found) {
		for _, b := range rec.elements("content") {
			if use := b.get("toolUse"); use != nil {
				f.call(use.str("toolUseId"))
			}
			if r := b.get("toolResult"); r != nil {
				f.result(r.str("toolUseId"), r.get("content"), bedrockParts)
			}
		}
	},
}

func (g *gen) bedrockResult(r *result) raw {
	truth := Truth{CallID: r.call.id, Tool: r.call.tool, Failed: r.failed}
	var parts []raw
	for _, text := range r.texts {
		if g.one(8) {
			truth.Opaque = true
			parts = append(parts, g.obj("json", g.plain("c", raw("3.0"), "text", text)))
			continue
		}
		truth.Texts = append(truth.Texts, notBlank(text))
		parts = append(parts, g.obj("text", notBlank(text)))
	}
	if r.image {
		truth.Media = true
		parts = append(parts, g.obj("image", g.obj("format", "png", "source", g.obj("bytes", png))))
	}
	if len(parts) == 0 && r.failed {
		truth.Texts = []string{"boom"}
		parts = append(parts, g.obj("text", "boom"))
	}
	var status any
	if r.failed {
		status = "error"
	} else if g.one(2) {
		status = "success"
	}
	g.told(truth)
	return g.obj("toolResult", g.obj("toolUseId", r.call.id, "status", status, "content", parts))
}
