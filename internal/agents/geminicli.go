package agents

import (
	"bytes"
	"context"
	"strings"

	"github.com/llmblob/llmblob/internal/jsonscan"
)

// geminiPrefix is what Gemini CLI puts before a reason that takes the place of a result.
const geminiPrefix = "Tool result blocked: "

// geminiCLI answers AfterTool, where the reason of a denial takes the place of a result; and BeforeTool, where tool_input
// takes the place of the model's before the policies see it. They allow no redirection unless a rule says so: the standard
// error of a wrapped command stays apart.
func (h Hook) geminiCLI(ctx context.Context, c call) ([]byte, error) {
	switch c.event {
	case "BeforeTool":
		if c.tool != "run_shell_command" || c.flag("is_background") {
			return nil, nil
		}
		if input := h.wrapped(c, false); input != nil {
			return c.answer(`"tool_input":`, input), nil
		}
	case "AfterTool":
		if c.inspects() || !geminiTakes(c.tool) || c.response.Get("error").Has(jsonscan.Object) {
			return nil, nil
		}
		text, ok := geminiText(c.response.Get("llmContent"))
		if !ok || h.isSummary(text) || len(text) < h.Capture.Limits.Bytes+len(geminiPrefix) {
			return nil, nil
		}
		summary, ok, err := h.summarize(ctx, c.tool, bytes.NewReader(text))
		if !ok || err != nil {
			return nil, err
		}
		return append(append([]byte(`{"decision":"deny","reason":`), jsonString(summary)...), "}\n"...), nil
	}
	return nil, nil
}

// geminiTakes reports whether results of a tool are taken: those of commands, of the web and of MCP servers, which are
// mcp_SERVER_TOOL. Of what the agent's own tools give, files above all, the model must see all.
func geminiTakes(tool string) bool {
	switch tool {
	case "run_shell_command", "web_fetch", "google_web_search":
		return true
	}
	return strings.HasPrefix(tool, "mcp_")
}

// geminiText is the text of a content: a string, a part, or parts one after the other. There is none where any part is
// something else.
func geminiText(content jsonscan.Value) (text []byte, ok bool) {
	if content.Has(jsonscan.Array) {
		for part := range content.Elements() {
			t, ok := geminiText(part)
			if !ok || part.Has(jsonscan.Array) {
				return nil, false
			}
			text = append(text, t...)
		}
		return text, true
	}
	if content.Has(jsonscan.Object) {
		for key := range content.Members() {
			if string(key) != `"text"` {
				return nil, false
			}
		}
		content = content.Get("text")
	}
	return content.Text(), isText(content)
}
