package historytest

// Frameworks: LangChain, the AI SDK, OpenHands; and the project's own items.

// langChain makes a dialect of a way to wrap the fields of a message, and of one to find them.
func langChain(name string, wrap func(g *gen, class, kind string, fields []any) raw, fields func(rec *node) *node) *dialect {
	return &dialect{
		name: "langchain " + name, format: "langchain", frames: []Frame{Lines, Array, Document}, list: "messages",
		records: func(g *gen, s *session) (records []raw) {
			add := func(class, kind string, fields ...any) { records = append(records, wrap(g, class, kind, fields)) }
			if g.one(2) {
				add("SystemMessage", "system", "content", s.system)
			}
			add("HumanMessage", "human", "content", s.steps[0].user.text)
			for _, st := range s.steps[1:] {
				switch {
				case st.user != nil:
					add("HumanMessage", "human", "content", g.orString(st.user.text, []raw{g.obj("type", "text", "text", st.user.text)}))
				case st.answer != nil:
					a := st.answer
					content := any(a.text)
					var calls []raw
					for _, c := range a.calls {
						calls = append(calls, g.obj("name", c.tool, "args", c.args, "id", c.id, "type", "tool_call"))
					}
					if g.one(2) {
						said, uses := g.anthropicBlocks(a)
						content = append(said, uses...)
					}
					var usage any
					if a.prompt > 0 {
						usage = g.obj("input_tokens", g.number(a.prompt), "output_tokens", 4)
					}
					add("AIMessage", "ai", "content", content, "tool_calls", calls, "usage_metadata", usage, "id", opt(g, a.id),
						"additional_kwargs", g.obj("signature", "c2ln=="))
					for _, r := range a.results {
						status := "success"
						if r.failed {
							status = "error"
						}
						image := g.obj("type", "image_url", "image_url", g.obj("url", "data:image/png;base64,"+png))
						add("ToolMessage", "tool", "content", g.content(r, Truth{Failed: r.failed}, g.textPart("text"), image), "tool_call_id", r.call.id,
							"name", opt(g, r.call.tool), "status", status, "artifact", opt(g, g.odd()))
					}
				}
			}
			return records
		},
		document: func(g *gen, s *session, records raw) raw { return g.obj("messages", records, "thread_id", raw("1.0")) },
		results: func(rec *node, f *found) {
			msg := fields(rec)
			for _, c := range msg.elements("tool_calls") {
				f.call(c.str("id"))
			}
			if msg.get("tool_call_id") != nil {
				f.result(msg.str("tool_call_id"), msg.get("content"), textParts)
			}
		},
	}
}

var langChainDialects = []*dialect{
	langChain("constructor", func(g *gen, class, kind string, fields []any) raw {
		if g.one(2) {
			fields = append(fields, "type", kind)
		}
		return g.obj("lc", 1, "type", "constructor", "id", g.list(`"langchain"`, `"schema"`, `"messages"`, g.str(class)), "kwargs", g.obj(fields...))
	}, func(rec *node) *node { return rec.get("kwargs") }),
	langChain("dict", func(g *gen, _, kind string, fields []any) raw {
		return g.obj("type", kind, "data", g.obj(fields...))
	}, func(rec *node) *node { return rec.get("data") }),
	langChain("flat", func(g *gen, _, kind string, fields []any) raw {
		return g.obj(append(fields, "type", kind)...)
	}, func(rec *node) *node { return rec }),
}

// modelDialect are the messages that the AI SDK gives a model.
func modelDialect(name string, result func(g *gen, r *result) raw, content string, s shape) *dialect {
	return &dialect{
		name: name, format: "ai-sdk", frames: []Frame{Lines, Array, Document}, list: "messages",
		records: func(g *gen, s *session) (records []raw) {
			if g.one(3) {
				records = append(records, g.obj("role", "system", "content", s.system))
			}
			for _, st := range s.steps {
				switch {
				case st.user != nil:
					parts := []raw{g.obj("type", "text", "text", st.user.text)}
					if st.user.image {
						parts = append(parts, g.obj("type", "file", "mediaType", "image/png", "data", png))
					}
					records = append(records, g.obj("role", "user", "content", g.orString(st.user.text, parts)))
				case st.answer != nil:
					a := st.answer
					var parts []raw
					for _, t := range a.thoughts {
						parts = append(parts, g.obj("type", "reasoning", "text", t.text, "providerOptions", g.obj("anthropic", g.obj("signature", t.signature))))
					}
					if a.text != "" {
						parts = append(parts, g.obj("type", "text", "text", a.text))
					}
					for _, c := range a.calls {
						parts = append(parts, g.obj("type", "tool-call", "toolCallId", c.id, "toolName", c.tool, pick(g, "input", "args"), c.args))
					}
					if g.one(20) {
						parts = append(parts, g.obj("type", "tool-call", "toolCallId", "srv", "toolName", "web", "input", raw("{}"), "providerExecuted", true),
							g.obj("type", "tool-result", "toolCallId", "srv", "toolName", "web", "output", raw(`{"type":"json","value":[1.0]}`)))
					}
					records = append(records, g.obj("role", "assistant", "content", g.saidOnly(a, parts)))
					// One message has several results, or each its own.
					var results []raw
					for _, r := range a.results {
						results = append(results, result(g, r))
					}
					for len(results) > 0 {
						n := 1 + g.n(len(results))
						records = append(records, g.obj("role", "tool", "content", results[:n]))
						results = results[n:]
					}
				}
			}
			return records
		},
		document: func(g *gen, _ *session, records raw) raw { return g.obj("messages", records, "id", "chat") },
		results: func(rec *node, f *found) {
			for _, part := range rec.elements("content") {
				switch {
				case part.is("type", "tool-call"):
					f.call(part.str("toolCallId"))
				case part.is("type", "tool-result") && rec.is("role", "tool"):
					f.result(part.str("toolCallId"), part.get(content), s)
				}
			}
		},
	}
}

func (g *gen) modelOutput(r *result) raw {
	truth := Truth{CallID: r.call.id, Tool: r.call.tool, Failed: r.failed}
	var output raw
	switch kind := "text"; {
	case r.image:
		parts := []raw{g.obj("type", "media", "data", png, "mediaType", "image/png")}
		for _, text := range r.texts {
			truth.Texts = append(truth.Texts, notBlank(text))
			parts = append(parts, g.obj("type", "text", "text", notBlank(text)))
		}
		truth.Media, truth.Failed = true, false
		output = g.plain("type", "content", "value", parts)
	case len(r.texts) == 0:
		truth.Media, truth.Failed = true, false
		output = g.plain("type", "execution-denied", "reason", "no")
	case len(r.texts) > 1 && !r.failed:
		var parts []raw
		for _, text := range r.texts {
			truth.Texts = append(truth.Texts, notBlank(text))
			parts = append(parts, g.obj("type", "text", "text", notBlank(text)))
		}
		output = g.plain("type", "content", "value", parts)
	case g.one(4):
		truth.Opaque = true
		kind = "json"
		if r.failed {
			kind = "error-json"
		}
		output = g.plain("type", kind, "value", g.plain("rows", g.list(g.str(r.texts[0]), "1e2"), "n", raw("12345678901234567890")))
	default:
		if r.failed {
			kind = "error-text"
		}
		truth.Texts = r.texts[:1]
		output = g.plain("type", kind, "value", r.texts[0])
	}
	g.told(truth)
	return g.obj("type", "tool-result", "toolCallId", r.call.id, "toolName", r.call.tool, "output", output)
}

func (g *gen) modelResult4(r *result) raw {
	truth := Truth{CallID: r.call.id, Tool: r.call.tool, Failed: r.failed}
	var failed any
	if r.failed {
		failed = true
	}
	content := raw(`{"a":[1.0,"x"],"b":"y"}`)
	if len(r.texts) == 0 {
		truth.Opaque = true
	} else {
		truth.Texts = r.texts[:1]
		content = g.str(r.texts[0])
	}
	g.told(truth)
	return g.obj("type", "tool-result", "toolCallId", r.call.id, "toolName", r.call.tool, "result", content, "isError", failed)
}

var uiDialect = dialect{
	name: "ai-sdk page", format: "ai-sdk", frames: []Frame{Lines, Array, Document}, list: "messages",
	records: func(g *gen, s *session) (records []raw) {
		for i := 0; i < len(s.steps); i++ {
			st := s.steps[i]
			if st.user != nil {
				records = append(records, g.obj("id", g.name("ui"), "role", "user", "parts", g.list(g.obj("type", "text", "text", st.user.text))))
			}
			if st.answer == nil {
				continue
			}
			var parts []raw
			// One message has all answers up to the next of the user.
			for ; i < len(s.steps) && s.steps[i].answer != nil; i++ {
				a := s.steps[i].answer
				parts = append(parts, g.obj("type", "step-start"))
				for _, t := range a.thoughts {
					parts = append(parts, g.obj("type", "reasoning", "text", t.text, "providerMetadata", g.obj("openai", g.obj("itemId", t.signature))))
				}
				if a.text != "" {
					parts = append(parts, g.obj("type", "text", "text", a.text, "state", "done"))
				}
				for n, c := range a.calls {
					kind, tool := "tool-"+c.tool, any(nil)
					if g.one(6) {
						kind, tool = "dynamic-tool", c.tool
					}
					if n >= len(a.results) {
						parts = append(parts, g.obj("type", kind, "toolName", tool, "toolCallId", c.id, "state", "input-available", "input", c.args))
						continue
					}
					parts = append(parts, g.uiTool(a.results[n], kind, tool))
				}
			}
			i--
			records = append(records, g.obj("id", g.name("ui"), "role", "assistant", "parts", parts, "metadata", g.odd()))
		}
		return records
	},
	document: func(g *gen, _ *session, records raw) raw { return g.obj("id", "chat", "messages", records) },
	results: func(rec *node, f *found) {
		for _, part := range rec.elements("parts") {
			if part.get("toolCallId") == nil {
				continue
			}
			f.call(part.str("toolCallId"))
			if output := part.get("output"); output != nil {
				f.result(part.str("toolCallId"), output, anyText)
			} else if failed := part.get("errorText"); failed != nil {
				f.result(part.str("toolCallId"), failed, anyText)
			}
		}
	},
}

func (g *gen) uiTool(r *result, kind string, tool any) raw {
	truth := Truth{CallID: r.call.id, Tool: r.call.tool, Failed: r.failed}
	text := ""
	for _, s := range r.texts {
		text += s
	}
	var output, failed any
	state := "output-available"
	switch {
	case r.failed:
		state, failed = "output-error", text
		truth.Texts = []string{text}
	case len(r.texts) == 0:
		output = raw(`{"rows":[1.0,1e2],"note":"x"}`)
		truth.Opaque = true
	default:
		output = text
		truth.Texts = []string{text}
	}
	g.told(truth)
	return g.obj("type", kind, "toolName", tool, "toolCallId", r.call.id, "state", state, "input", r.call.args, "output", output, "errorText", failed)
}

var openHandsDialects = []*dialect{
	{
		name: "openhands", format: "openhands", frames: []Frame{Lines, Array},
		records: func(g *gen, s *session) (records []raw) {
			event := func(t int64, source, kind string, pairs ...any) {
				records = append(records, g.obj(append([]any{"id", g.name("e"), "timestamp", stamp(t)[:19], "source", source, "kind", kind}, pairs...)...))
			}
			event(s.steps[0].time, "agent", "SystemPromptEvent", "system_prompt", g.obj("type", "text", "text", s.system))
			total := 0
			for _, st := range s.steps {
				switch {
				case st.user != nil:
					event(st.time, "user", "MessageEvent", "llm_message", g.obj("role", "user", "content", g.list(g.obj("type", "text", "text", st.user.text))))
				case st.answer != nil:
					a := st.answer
					if a.prompt > 0 {
						total += a.prompt
						event(st.time, "environment", "ConversationStateUpdateEvent", "key", "stats", "value",
							g.obj("usage_to_metrics", g.obj("default", g.obj("accumulated_token_usage", g.obj("prompt_tokens", g.number(total))))))
					}
					if len(a.calls) == 0 {
						event(st.time, "agent", "MessageEvent", "llm_message", g.obj("role", "assistant", "content", g.list(g.obj("type", "text", "text", a.text))))
					}
					for _, c := range a.calls {
						event(st.time, "agent", "ActionEvent", "thought", g.list(g.obj("type", "text", "text", a.text)), "thinking_blocks", g.list(),
							"action", g.obj("command", "ls", "kind", "TerminalAction"), "tool_name", c.tool, "tool_call_id", c.id,
							"tool_call", g.obj("id", c.id, "name", c.tool, "arguments", string(c.args)), "llm_response_id", a.id)
					}
					for _, r := range a.results {
						switch {
						case r.failed && g.one(2):
							event(r.time, "agent", "AgentErrorEvent", "tool_name", r.call.tool, "tool_call_id", r.call.id, "error", g.content(r, Truth{Failed: true}, nil, ""))
						case r.failed && g.one(2):
							event(r.time, "user", "UserRejectObservation", "tool_name", r.call.tool, "tool_call_id", r.call.id, "rejection_reason", g.content(r, Truth{Failed: true}, nil, ""))
						default:
							image := g.obj("type", "image", "image_urls", g.list(`"data:,x"`))
							one := *r
							one.parts = true
							event(r.time, "environment", "ObservationEvent", "tool_name", r.call.tool, "tool_call_id", r.call.id, "action_id", "e2", "observation",
								g.obj("content", g.content(&one, Truth{Failed: r.failed}, g.textPart("text"), image), "is_error", r.failed, "command", "ls", "kind", "TerminalObservation"))
						}
					}
				case st.compact != "":
					event(st.time, "environment", "Condensation", "forgotten_event_ids", g.list(), "summary", st.compact)
				case st.noise:
					event(st.time, "environment", "PauseEvent")
				}
			}
			return records
		},
		results: func(rec *node, f *found) {
			id := rec.str("tool_call_id")
			switch {
			case rec.is("kind", "ActionEvent"):
				f.call(id)
			case rec.is("kind", "ObservationEvent"):
				f.result(id, rec.get("observation", "content"), textParts)
			case rec.is("kind", "AgentErrorEvent"):
				f.result(id, rec.get("error"), textParts)
			case rec.is("kind", "UserRejectObservation"):
				f.result(id, rec.get("rejection_reason"), textParts)
			}
		},
	},
	{
		name: "openhands old", format: "openhands", frames: []Frame{Lines, Array},
		records: func(g *gen, s *session) (records []raw) {
			n := 0
			event := func(t int64, source string, pairs ...any) int {
				n++
				records = append(records, g.obj(append([]any{"id", n, "timestamp", stamp(t)[:19], "source", source, "message", "shown"}, pairs...)...))
				return n
			}
			event(s.steps[0].time, "agent", "action", "system", "args", g.obj("content", s.system, "tools", g.list()))
			for _, st := range s.steps {
				switch {
				case st.user != nil:
					event(st.time, "user", "action", "message", "args", g.obj("content", st.user.text, "image_urls", g.list()))
				case st.answer != nil:
					a := st.answer
					if len(a.calls) == 0 {
						event(st.time, "agent", "action", "message", "args", g.obj("content", a.text))
					}
					meta := func(c *call) raw {
						return g.obj("tool_call_id", c.id, "function_name", c.tool, "model_response", g.obj("usage", g.obj("prompt_tokens", g.number(a.prompt))))
					}
					ids := map[*call]int{}
					for _, c := range a.calls {
						ids[c] = event(st.time, "agent", "action", "run", "args", g.obj("command", "ls", "thought", a.text), "tool_call_metadata", meta(c))
					}
					for _, r := range a.results {
						exit := 0
						if r.failed {
							exit = 1
						}
						event(r.time, "agent", "observation", "run", "content", g.content(r, Truth{Failed: r.failed}, nil, ""), "cause", ids[r.call],
							"extras", g.obj("metadata", g.obj("exit_code", exit)), "tool_call_metadata", meta(r.call), "success", !r.failed)
					}
				case st.noise:
					event(st.time, "environment", "observation", "agent_state_changed", "content", "", "extras", g.obj("agent_state", "running"))
				}
			}
			return records
		},
		results: func(rec *node, f *found) {
			id := rec.str("tool_call_metadata", "tool_call_id")
			switch {
			case rec.is("observation", "run"):
				f.result(id, rec.get("content"), textParts)
			case rec.is("action", "run"):
				f.call(id)
			}
		},
	},
}

// itemKeys are the names of the tag in the two shapes of items.
type itemKeys struct{ tag string }

func (g *gen) itemMessage(k itemKeys, role, text string) raw {
	return g.obj(k.tag, "message", "role", role, "content", g.list(g.obj(k.tag, "text", "text", text)))
}

// itemAnswer are the items of an answer, and those of its results.
func (g *gen) itemAnswer(k itemKeys, a *answer) (items, results []raw) {
	for _, t := range a.thoughts {
		items = append(items, g.obj(k.tag, "reasoning", "text", t.text, "summary", g.list(`"s1"`), "encrypted_content", t.signature, "signature", t.signature))
	}
	if a.text != "" {
		items = append(items, g.itemMessage(k, "assistant", a.text))
	}
	for _, c := range a.calls {
		items = append(items, g.obj(k.tag, "tool_call", "call_id", c.id, "name", c.tool, "arguments", string(c.args), "status", opt(g, "completed")))
	}
	for _, r := range a.results {
		results = append(results, g.itemResult(k, r))
	}
	return items, results
}

func (g *gen) itemResult(k itemKeys, r *result) raw {
	var failed any
	if r.failed {
		failed = true
	}
	if k.tag == "type" && g.one(2) {
		return g.obj(k.tag, "tool_result", "call_id", r.call.id, "output", g.content(r, Truth{Failed: r.failed}, g.textPart("text"), ""), "is_error", failed)
	}
	var content any
	truth := Truth{CallID: r.call.id, Tool: r.call.tool, Failed: r.failed}
	if len(r.texts) > 0 {
		// What is shorter than its replacement, null, is for the test of faults.
		text := r.texts[0]
		truth.Texts = []string{text}
		content = text
	}
	g.told(truth)
	return g.obj(k.tag, "tool_result", "call_id", r.call.id, "summary", "12 lines | "+g.text(60), "content", content, "is_error", failed)
}

func itemResults(item *node, f *found) {
	for _, tag := range []string{"type", "kind"} {
		switch {
		case item.is(tag, "tool_call"):
			f.call(item.str("call_id"))
		case item.is(tag, "tool_result") && item.get("output") != nil:
			f.result(item.str("call_id"), item.get("output"), textParts)
		case item.is(tag, "tool_result") && item.get("call_id") != nil:
			f.result(item.str("call_id"), item.get("content"), nullable)
		}
	}
}

func itemDialect(name, tag string) *dialect {
	return &dialect{
		name: name, format: "items", frames: []Frame{Lines, Array},
		records: func(g *gen, s *session) (records []raw) {
			k := itemKeys{tag}
			for _, st := range s.steps {
				switch {
				case st.user != nil:
					records = append(records, g.itemMessage(k, "user", st.user.text))
				case st.answer != nil:
					items, results := g.itemAnswer(k, st.answer)
					records = append(append(records, items...), results...)
				}
			}
			return records
		},
		results: itemResults,
	}
}

var segmentDialect = dialect{
	name: "items log", format: "items", frames: []Frame{Lines},
	records: func(g *gen, s *session) (records []raw) {
		k := itemKeys{"kind"}
		entry := func(t int64, kind string, pairs ...any) {
			records = append(records, g.obj(append([]any{"kind", kind, "ts", t}, pairs...)...))
		}
		seed := []raw{g.itemMessage(k, "user", "seed")}
		if g.one(3) {
			c := &call{id: g.name("call_"), tool: "read"}
			seed = append(seed, g.obj("kind", "tool_call", "call_id", c.id, "name", c.tool, "arguments", "{}"),
				g.itemResult(k, &result{call: c, texts: []string{g.text(5000)}}))
		}
		entry(s.steps[0].time, "segment_start", "session_id", "0", "system_prompt", s.system, "config", g.obj(), "history", seed)
		count := len(seed)
		for _, st := range s.steps {
			switch {
			case st.user != nil:
				entry(st.time, "invoke", "trigger", "user_send")
				entry(st.time, "user_input", "segments", g.list(g.obj("kind", "text", "content", st.user.text), g.obj("kind", "file_ref", "path", "x")))
				count++
			case st.answer != nil:
				items, results := g.itemAnswer(k, st.answer)
				if st.answer.prompt > 0 && g.one(2) {
					entry(st.time, "llm_usage", "history_len", count, "input_total_tokens", g.number(st.answer.prompt), "output_tokens", 40)
				}
				for _, item := range items {
					entry(st.time, "assistant_item", "item", item)
				}
				for i, item := range results {
					entry(st.answer.results[i].time, "tool_result", "item", item)
				}
				count += len(items) + len(results)
			case st.noise:
				if g.one(2) {
					entry(st.time, "system_item", "item", g.obj("kind", "file_attachment", "path", "x", "body", "[File: x]\nbody"))
				} else {
					entry(st.time, "turn_end", "turn_count", raw("1.0"))
				}
			}
		}
		return records
	},
	results: func(rec *node, f *found) {
		for _, item := range rec.elements("history") {
			itemResults(item, f)
		}
		if item := rec.get("item"); item != nil {
			itemResults(item, f)
		}
	},
}

// dialects are all ways to write histories.
func dialects() []*dialect {
	all := []*dialect{
		itemDialect("items", "type"), itemDialect("items logged", "kind"), &segmentDialect, &anthropicDialect, &chatDialect, &responsesDialect,
		&geminiDialect, &bedrockDialect, &claudeCodeDialect, &codexDialect, &openCodeDialect, &piDialect, &uiDialect,
		modelDialect("ai-sdk model", (*gen).modelOutput, "output", aiOutput), modelDialect("ai-sdk model 4", (*gen).modelResult4, "result", anyText),
	}
	all = append(all, geminiCLIDialects...)
	all = append(all, sweDialects...)
	all = append(all, langChainDialects...)
	return append(all, openHandsDialects...)
}
