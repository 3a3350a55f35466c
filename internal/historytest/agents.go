package historytest

import "time"

// The session files of agents.

func stamp(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") }

var claudeCodeDialect = dialect{
	name: "claude-code", format: "claude-code", frames: []Frame{Lines},
	records: func(g *gen, s *session) (records []raw) {
		line := func(t int64, kind string, pairs ...any) {
			pairs = append([]any{"parentUuid", raw("null"), "isSidechain", false, "sessionId", "s1", "version", "2.1.0", "type", kind, "uuid", g.name("u"), "timestamp", stamp(t)}, pairs...)
			records = append(records, g.obj(pairs...))
		}
		if g.one(2) {
			records = append(records, g.obj("type", "summary", "summary", "Fix tests", "leafUuid", "u9"))
		}
		for _, st := range s.steps {
			switch {
			case st.user != nil:
				var meta any
				if g.one(10) {
					meta = true
				}
				line(st.time, "user", "message", g.obj("role", "user", "content", g.anthropicUser(st.user)), "isMeta", meta)
			case st.answer != nil:
				a := st.answer
				message := func(block raw) {
					line(st.time, "assistant", "requestId", "req_1", "message", g.obj("id", a.id, "type", "message", "role", "assistant",
						"content", g.list(block), "stop_reason", raw("null"), "usage", g.anthropicUsage(a)))
				}
				result := func(r *result) {
					block := g.anthropicResult(r)
					shown := ""
					for _, text := range r.texts {
						shown += text
					}
					line(r.time, "user", "message", g.obj("role", "user", "content", g.list(block)), "toolUseResult",
						pick[any](g, g.obj("stdout", shown, "stderr", "", "interrupted", false), shown, g.list(g.obj("type", "text", "text", shown))))
				}
				said, calls := g.anthropicBlocks(a)
				for _, block := range said {
					message(block)
				}
				between := g.one(2) // a result comes before the next call of the same message
				for i, block := range calls {
					message(block)
					if between && i < len(a.results) {
						result(a.results[i])
					}
				}
				for _, r := range a.results {
					if !between {
						result(r)
					}
				}
			case st.compact != "":
				g.compacted++
				line(st.time, "system", "subtype", "compact_boundary", "content", "Conversation compacted", "compactMetadata", g.obj("trigger", "auto", "preTokens", 157692))
				line(st.time, "user", "isCompactSummary", true, "message", g.obj("role", "user", "content", st.compact))
			case st.noise:
				records = append(records, pick(g,
					g.obj("type", "progress", "toolUseID", "agent_msg_1", "uuid", "p1", "data", raw(`{"type":"agent_progress","message":{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"nested"}]}}}`)),
					g.obj("type", "file-history-snapshot", "messageId", "u1", "snapshot", raw(`{"trackedFileBackups":{}}`), "isSnapshotUpdate", false),
					g.obj("type", "system", "subtype", "api_error", "uuid", "e1", "level", "error"),
					g.obj("type", "queue-operation", "sessionId", "s1", "operation", "enqueue")))
			}
		}
		return records
	},
	results: func(rec *node, f *found) {
		if rec.is("type", "user", "assistant") {
			anthropicResults(rec.elements("message", "content"), f)
		}
	},
}

var codexDialect = dialect{
	name: "codex", format: "codex", frames: []Frame{Lines},
	records: func(g *gen, s *session) (records []raw) {
		line := func(t int64, kind string, payload raw) {
			records = append(records, g.obj("timestamp", stamp(t), "type", kind, "payload", payload))
		}
		line(s.steps[0].time, "session_meta", g.obj("id", "019a", "cwd", "/w", "base_instructions", g.obj("text", s.system)))
		for _, st := range s.steps {
			switch {
			case st.user != nil:
				if g.one(4) {
					line(st.time, "response_item", g.obj("type", "message", "role", "user", "content", g.list(g.obj("type", "input_text", "text", "<environment_context>\n  <cwd>/w</cwd>"))))
				}
				line(st.time, "response_item", g.obj("type", "message", "role", "user", "content", g.list(g.obj("type", "input_text", "text", st.user.text))))
				line(st.time, "event_msg", g.obj("type", "user_message", "message", st.user.text, "images", g.list()))
			case st.answer != nil:
				line(st.time, "turn_context", g.obj("cwd", "/w", "model", "gpt-x"))
				for _, item := range g.responsesAnswer(st.answer, false) {
					line(st.time, "response_item", item)
				}
				if st.answer.prompt > 0 {
					n := g.number(st.answer.prompt)
					line(st.time, "event_msg", g.obj("type", "token_count", "info", g.obj("last_token_usage", g.obj("input_tokens", n, "cached_input_tokens", 0))))
				} else if g.one(2) {
					line(st.time, "event_msg", g.obj("type", "token_count", "info", raw("null")))
				}
			case st.compact != "":
				g.compacted++
				history := []raw{g.obj("type", "message", "role", "user", "content", g.list(g.obj("type", "input_text", "text", st.compact)))}
				if g.one(3) {
					c := &call{id: g.name("call_kept"), tool: "read", args: "{}"}
					history = append(history, g.obj("type", "function_call", "call_id", c.id, "name", c.tool, "arguments", "{}"),
						g.responsesResult(&result{call: c, texts: []string{g.text(5000)}}, "function_call"))
				}
				line(st.time, "compacted", g.obj("message", "", "replacement_history", history))
			case st.noise:
				line(st.time, pick(g, "event_msg", "world_state"), g.obj("type", "exec_command_end", "call_id", "call_1", "stdout", "a.txt\n", "exit_code", raw("0.0")))
			}
		}
		return records
	},
	results: func(rec *node, f *found) {
		switch {
		case rec.is("type", "response_item"):
			responsesResults(rec.get("payload"), f)
		case rec.is("type", "compacted"):
			for _, item := range rec.elements("payload", "replacement_history") {
				responsesResults(item, f)
			}
		}
	},
}

// geminiCLIMessages are the messages of a session; each is told to add.
func (g *gen) geminiCLIMessages(s *session, add func(id string, again func() raw)) {
	for _, st := range s.steps {
		id := g.name("m")
		switch {
		case st.user != nil:
			content := pick[any](g, st.user.text, g.obj("text", st.user.text), g.list(g.obj("text", st.user.text), g.str("and this")))
			record := g.obj("id", id, "timestamp", stamp(st.time), "type", "user", "content", content)
			add("", func() raw { return record })
		case st.answer != nil:
			a := st.answer
			var thoughts []raw
			for _, t := range a.thoughts {
				thoughts = append(thoughts, g.obj("subject", "Plan", "description", t.text, "timestamp", stamp(st.time)))
			}
			status := map[*call]bool{}
			parts := map[*call]int{}
			for _, r := range a.results {
				status[r.call], parts[r.call] = r.failed, g.n(8)
			}
			add(id, func() raw {
				var calls []raw
				for i, c := range a.calls {
					var result, state any
					if i < len(a.results) {
						result, state = g.geminiCLIResult(a.results[i], parts[c]), "success"
						if status[c] {
							state = "error"
						}
					}
					calls = append(calls, g.obj("id", c.id, "name", c.tool, "args", c.args, "result", result, "status", state,
						"timestamp", stamp(st.time), "resultDisplay", "shown"))
				}
				var tokens any
				if a.prompt > 0 {
					tokens = g.obj("input", g.number(a.prompt), "output", 5, "cached", 0)
				}
				return g.obj("id", id, "timestamp", stamp(st.time), "type", "gemini", "content", a.text, "thoughts", thoughts, "toolCalls", calls, "tokens", tokens)
			})
		case st.noise:
			record := g.obj("id", id, "timestamp", stamp(st.time), "type", pick(g, "info", "error", "warning"), "content", "Request cancelled.")
			add("", func() raw { return record })
		}
	}
}

// geminiCLIResult is the result of a call, in one of the shapes that are written.
func (g *gen) geminiCLIResult(r *result, shape int) raw {
	if shape == 0 || shape == 1 {
		truth := Truth{CallID: r.call.id, Tool: r.call.tool, Failed: r.failed}
		text := ""
		for _, s := range r.texts {
			text += s
		}
		truth.Texts = []string{text}
		g.told(truth)
		if shape == 0 {
			return g.str(text)
		}
		return g.list(g.obj("text", text))
	}
	one := *r
	if r.failed {
		one.image = false
	}
	response := g.functionResponse(&one, func(camel, _ string) string { return camel })
	if r.failed {
		g.truth[len(g.truth)-1].Failed = true
	}
	if shape == 2 {
		return response
	}
	return g.list(response)
}

func geminiCLIResults(message *node, f *found) {
	for _, c := range message.elements("toolCalls") {
		f.call(c.str("id"))
		result := c.get("result")
		switch {
		case result == nil:
		case result.kind == '"':
			f.result(c.str("id"), result, textParts)
		case result.kind == '{':
			geminiPart(result, f)
		case result.kind == '[':
			for _, part := range result.kids {
				if text := part.get("text"); text != nil {
					f.result(c.str("id"), text, textParts)
				} else {
					geminiPart(part, f)
				}
			}
		}
	}
}

var geminiCLIDialects = []*dialect{
	{
		name: "gemini-cli old", format: "gemini-cli", frames: []Frame{Document},
		records: func(g *gen, s *session) (records []raw) {
			g.geminiCLIMessages(s, func(_ string, again func() raw) { records = append(records, again()) })
			return records
		},
		list: "messages",
		document: func(g *gen, s *session, records raw) raw {
			return g.obj("sessionId", "s", "projectHash", "h", "startTime", stamp(s.steps[0].time), "messages", records)
		},
		results: geminiCLIResults,
	},
	{
		name: "gemini-cli", format: "gemini-cli", frames: []Frame{Lines},
		records: func(g *gen, s *session) (records []raw) {
			records = append(records, g.obj("sessionId", "s", "projectHash", "h", "startTime", stamp(s.steps[0].time), "kind", "main"))
			var last string
			g.geminiCLIMessages(s, func(id string, again func() raw) {
				records = append(records, again())
				if id != "" && g.one(6) {
					g.rewritten = true
					records = append(records, again())
				}
				switch {
				case last != "" && g.one(30):
					g.rewritten = true
					records = append(records, g.obj("$rewindTo", last))
				case id != "" && g.one(30):
					g.rewritten = true
					records = append(records, g.obj("$set", g.obj("messages", g.list(again()))))
				case g.one(10):
					records = append(records, g.obj("$set", g.obj("lastUpdated", "x")))
				}
				if id != "" {
					last = id
				}
			})
			return records
		},
		results: func(rec *node, f *found) {
			for _, message := range rec.elements("$set", "messages") {
				geminiCLIResults(message, f)
			}
			geminiCLIResults(rec, f)
		},
	},
}

var openCodeDialect = dialect{
	name: "opencode", format: "opencode", frames: []Frame{Lines, Array, Document},
	records: func(g *gen, s *session) (records []raw) {
		part := func(kind string, pairs ...any) raw {
			return g.obj(append([]any{"id", g.name("prt_"), "sessionID", "ses_1", "type", kind}, pairs...)...)
		}
		for _, st := range s.steps {
			id := g.name("msg_")
			switch {
			case st.user != nil:
				parts := []raw{part("text", "text", st.user.text)}
				if st.user.image {
					parts = append(parts, part("file", "mime", "image/png", "url", "data:image/png;base64,"+png))
				}
				records = append(records, g.obj("info", g.obj("id", id, "role", "user", "time", g.obj("created", st.time)), "parts", parts))
			case st.answer != nil:
				a := st.answer
				parts := []raw{part("step-start")}
				for _, t := range a.thoughts {
					parts = append(parts, part("reasoning", "text", t.text, "metadata", g.obj("anthropic", g.obj("signature", t.signature))))
				}
				if a.text != "" {
					parts = append(parts, part("text", "text", a.text))
				}
				for i, c := range a.calls {
					if i >= len(a.results) {
						parts = append(parts, part("tool", "callID", c.id, "tool", c.tool, "state", g.obj("status", "running", "input", c.args)))
						continue
					}
					parts = append(parts, part("tool", "callID", c.id, "tool", c.tool, "state", g.openCodeState(a.results[i])))
				}
				tokens := g.obj("input", g.number(a.prompt), "output", 5, "cache", g.obj("read", raw("0.0"), "write", 0))
				parts = append(parts, part("step-finish", "reason", "tool-calls", "tokens", tokens))
				records = append(records, g.obj("info", g.obj("id", id, "role", "assistant", "time", g.obj("created", st.time), "tokens", tokens), "parts", parts))
			}
		}
		return records
	},
	list: "messages",
	document: func(g *gen, s *session, records raw) raw {
		return g.obj("info", g.obj("id", "ses_1", "title", "t"), "messages", records, "todos", g.list())
	},
	results: func(rec *node, f *found) {
		for _, p := range rec.elements("parts") {
			if !p.is("type", "tool") {
				continue
			}
			f.call(p.str("callID"))
			key := "output"
			if p.get("state").is("status", "error") {
				key = "error"
			}
			if content := p.get("state", key); content != nil {
				f.result(p.str("callID"), content, textParts)
			}
		}
	},
}

func (g *gen) openCodeState(r *result) raw {
	truth := Truth{CallID: r.call.id, Tool: r.call.tool, Failed: r.failed}
	text := ""
	for _, s := range r.texts {
		text += s
	}
	truth.Texts = []string{text}
	var attachments, compacted any
	if r.image {
		truth.Media = true
		attachments = g.list(g.obj("type", "file", "mime", "image/png", "url", "data:image/png;base64,"+png))
	}
	if g.one(12) {
		compacted = r.time
		truth.Texts = nil // the agent leaves it out itself
	}
	g.told(truth)
	times := g.obj("start", r.time, "end", r.time, "compacted", compacted)
	if r.failed {
		return g.obj("status", "error", "input", r.call.args, "error", text, "time", times, "attachments", attachments)
	}
	return g.obj("status", "completed", "input", r.call.args, "output", text, "metadata", g.obj("output", text), "time", times, "attachments", attachments)
}

var piDialect = dialect{
	name: "pi", format: "pi", frames: []Frame{Lines},
	records: func(g *gen, s *session) (records []raw) {
		var last, kept any // the record before
		named := !g.one(4) // version 1 has no ids
		line := func(t int64, kind string, pairs ...any) {
			var id any
			if named {
				id = g.name("e")
			}
			records = append(records, g.obj(append([]any{"type", kind, "id", id, "parentId", last, "timestamp", stamp(t)}, pairs...)...))
			last = id
		}
		records = append(records, g.obj("type", "session", "version", 3, "id", "uuid", "timestamp", stamp(s.steps[0].time), "cwd", "/w"))
		for _, st := range s.steps {
			switch {
			case st.user != nil:
				line(st.time, "message", "message", g.obj("role", "user", "content", g.orString(st.user.text, []raw{g.obj("type", "text", "text", st.user.text)}), "timestamp", 1))
				kept = last
			case st.answer != nil:
				a := st.answer
				var parts []raw
				for _, t := range a.thoughts {
					parts = append(parts, g.obj("type", "thinking", "thinking", t.text, "thinkingSignature", t.signature))
				}
				if a.text != "" {
					parts = append(parts, g.obj("type", "text", "text", a.text, "textSignature", opt(g, "c2ln==")))
				}
				for _, c := range a.calls {
					parts = append(parts, g.obj("type", "toolCall", "id", c.id, "name", c.tool, "arguments", c.args))
				}
				line(st.time, "message", "message", g.obj("role", "assistant", "content", parts, "usage",
					g.obj("input", g.number(a.prompt), "output", 5, "cacheRead", 0, "cost", g.obj("total", raw("0.0035250000000000003"))), "stopReason", "toolUse"))
				for _, r := range a.results {
					image := g.obj("type", "image", "data", png, "mimeType", "image/png")
					one := *r
					one.parts = true
					content := g.content(&one, Truth{Failed: r.failed}, g.textPart("text"), image)
					line(r.time, "message", "message", g.obj("role", "toolResult", "toolCallId", r.call.id, "toolName", r.call.tool, "content", content,
						"details", raw(`{"diff":"x"}`), "isError", r.failed))
				}
			case st.compact != "":
				g.compacted++
				line(st.time, "compaction", "summary", st.compact, "firstKeptEntryId", kept, "tokensBefore", 50000)
			case st.noise && g.one(2):
				text := g.text(3000)
				g.told(Truth{Tool: "bash", Texts: []string{text}})
				line(st.time, "message", "message", g.obj("role", "bashExecution", "command", "ls", "output", text, "exitCode", 0, "excludeFromContext", opt(g, true)))
			case st.noise:
				line(st.time, "model_change", "provider", "p", "modelId", "m")
			}
		}
		return records
	},
	results: func(rec *node, f *found) {
		msg := rec.get("message")
		if !rec.is("type", "message") {
			return
		}
		for _, part := range msg.elements("content") {
			if part.is("type", "toolCall") {
				f.call(part.str("id"))
			}
		}
		if msg.is("role", "toolResult") {
			f.result(msg.str("toolCallId"), msg.get("content"), textParts)
		}
		if msg.is("role", "bashExecution") {
			f.call("")
			f.result("", msg.get("output"), textParts)
		}
	},
}

// sweMessages are the messages of SWE-agent; with tools they have calls, else the answer is text and what came of it a message of the
// user.
func (g *gen) sweMessages(s *session, tools bool) (records []raw) {
	g.marks = true
	line := func(role, message string, content any, pairs ...any) {
		records = append(records, g.obj(append([]any{"role", role, "content", content, "agent", "main", "message_type", message}, pairs...)...))
	}
	line("system", "system_prompt", s.system)
	if g.one(3) {
		line("user", "demonstration", "Here is a demonstration", "is_demo", true)
	}
	said := false // one message of the user at a time: in text two of them would be told apart by nothing
	for _, st := range s.steps {
		switch {
		case st.user != nil && !said:
			said = true
			line("user", "observation", st.user.text)
		case st.answer != nil && tools:
			a := st.answer
			var calls []raw
			for _, c := range a.calls {
				calls = append(calls, g.obj("id", c.id, "type", "function", "function", g.obj("name", c.tool, "arguments", string(c.args))))
			}
			var list any
			if calls != nil {
				list = calls
			}
			line("assistant", "action", a.text, "thought", a.text, "action", "ls -F", "tool_calls", list)
			for _, r := range a.results {
				line("tool", "observation", g.observation(r), "tool_call_ids", g.list(g.str(r.call.id)))
			}
		case st.answer != nil:
			line("assistant", "action", "```\nls\n```"+st.answer.text)
			if len(st.answer.results) > 0 {
				text := "OBSERVATION:\n" + g.text(8000)
				g.toldObservation(Truth{Texts: []string{text}})
				line("user", "observation", text)
			}
		}
	}
	return records
}

// observation is the content of a result.
func (g *gen) observation(r *result) any {
	content := g.content(r, Truth{}, g.textPart("text"), "")
	if text, ok := content.(string); ok {
		t := g.truth[len(g.truth)-1]
		g.truth = g.truth[:len(g.truth)-1]
		t.Texts = []string{text}
		g.toldObservation(t)
	}
	return content
}

// toldObservation notes a result that agents write something around.
func (g *gen) toldObservation(t Truth) {
	_, t.Texts[0], _ = unwrapped(t.Texts[0])
	g.told(t)
}

func sweResults(rec *node, f *found) {
	for _, c := range rec.elements("tool_calls") {
		f.call(c.str("id"))
	}
	switch ids := rec.elements("tool_call_ids"); {
	case len(ids) > 0:
		f.result(ids[0].text(), rec.get("content"), observation)
	case rec.is("role", "tool"):
		f.result(rec.str("tool_call_id"), rec.get("content"), textParts)
	case f.answered && rec.is("role", "user") && rec.get("is_demo") == nil && !rec.is("message_type", "demonstration"):
		f.call("")
		f.result("", rec.get("content"), observation)
	}
	f.answered = rec.is("role", "assistant")
}

func sweDialect(name string, frames []Frame, records func(g *gen, s *session) []raw, list string, document func(*gen, *session, raw) raw) *dialect {
	return &dialect{name: name, format: "swe-agent", frames: frames, records: records, list: list, document: document, results: sweResults}
}

func trajectory(g *gen, s *session, records raw) raw {
	step := g.obj("action", "ls -F", "observation", "a.py\r\n", "response", "Listing.", "messages", g.list(g.obj("role", "tool", "content", "a copy")))
	return g.obj("trajectory", g.list(step), "history", records, "info", raw(`{"model_stats":{"tokens_sent":0.0}}`))
}

func miniMessages(tools bool) func(g *gen, s *session) []raw {
	return func(g *gen, s *session) (records []raw) {
		g.marks = true
		records = append(records, g.obj("role", "system", "content", s.system), g.obj("role", "user", "content", s.steps[0].user.text))
		for _, st := range s.steps[1:] {
			a := st.answer
			if a == nil {
				continue
			}
			var extra any
			if a.prompt > 0 {
				extra = g.obj("response", g.obj("usage", g.obj("prompt_tokens", g.number(a.prompt))))
			}
			if tools && len(a.calls) > 0 {
				var calls []raw
				for _, c := range a.calls {
					calls = append(calls, g.obj("id", c.id, "type", "function", "function", g.obj("name", c.tool, "arguments", string(c.args))))
				}
				records = append(records, g.obj("role", "assistant", "content", a.text, "tool_calls", calls, "extra", extra))
				for _, r := range a.results {
					records = append(records, g.obj("role", "tool", "tool_call_id", r.call.id, "content", g.content(r, Truth{}, g.textPart("text"), ""), "extra", g.obj("returncode", 0)))
				}
				continue
			}
			records = append(records, g.obj("role", "assistant", "content", a.text+"\n```bash\nls\n```", "extra", extra))
			if len(a.results) > 0 {
				text := "<returncode>0</returncode>\n<output>\n" + g.text(8000) + "\n</output>"
				g.toldObservation(Truth{Texts: []string{text}})
				records = append(records, g.obj("role", "user", "content", text, "extra", g.obj("returncode", 0)))
			}
		}
		return records
	}
}

func miniDocument(g *gen, s *session, records raw) raw {
	return g.obj("info", g.obj("exit_status", "Submitted"), "messages", records, "trajectory_format", "mini-swe-agent-1.1")
}

var sweDialects = []*dialect{
	sweDialect("swe-agent", []Frame{Array, Document}, func(g *gen, s *session) []raw { return g.sweMessages(s, true) }, "history", trajectory),
	sweDialect("swe-agent text", []Frame{Array, Document}, func(g *gen, s *session) []raw { return g.sweMessages(s, false) }, "history", trajectory),
	sweDialect("mini-swe-agent", []Frame{Document}, miniMessages(true), "messages", miniDocument),
	sweDialect("mini-swe-agent text", []Frame{Array, Document}, miniMessages(false), "messages", miniDocument),
}
