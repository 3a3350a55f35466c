package agents

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/llmblob/llmblob/internal/jsonscan"
)

// claudeCode answers PostToolUse, where updatedToolOutput takes the place of a result and must have the shape that results
// of the tool have; and PreToolUse, where updatedInput goes through the permission rules as the model's own input would.
func (h Hook) claudeCode(ctx context.Context, c call) ([]byte, error) {
	switch c.event {
	case "PreToolUse":
		if c.tool != "Bash" || c.flag("run_in_background") {
			return nil, nil
		}
		if input := h.wrapped(c, true); input != nil {
			return c.answer(`"updatedInput":`, input), nil
		}
	case "PostToolUse":
		if c.inspects() {
			return nil, nil
		}
		edits, err := h.claudeCodeEdits(ctx, c)
		if err != nil || len(edits) == 0 {
			return nil, err
		}
		start, end := c.response.Span()
		return c.answer(`"updatedToolOutput":`, splice(c.data, start, end, edits)), nil
	}
	return nil, nil
}

// claudeCodeEdits are those of a result by the shape that the tool's results have. What has another shape is left alone, and
// so are the agent's own tools, Read above all: it would never see the file that it reads.
func (h Hook) claudeCodeEdits(ctx context.Context, c call) ([]edit, error) {
	switch r := c.response; {
	case c.tool == "Bash" || c.tool == "PowerShell":
		if r.Get("isImage").IsTrue() || r.Get("backgroundTaskId").Exists() {
			return nil, nil
		}
		if r.Get("persistedOutputPath").Exists() {
			return h.persisted(ctx, c)
		}
		return h.summarizeStrings(ctx, c.tool, r.Get("stdout"), r.Get("stderr"))
	case c.tool == "WebFetch":
		return h.summarizeStrings(ctx, c.tool, r.Get("result"))
	case c.tool == "WebSearch":
		var texts []jsonscan.Value
		for v := range r.Get("results").Elements() {
			texts = append(texts, v) // the hits are objects, and stay
		}
		return h.summarizeStrings(ctx, c.tool, texts...)
	case strings.HasPrefix(c.tool, "mcp__"):
		return h.summarizeStrings(ctx, c.tool, mcpTexts(r)...)
	}
	return nil, nil
}

// mcpTexts are the texts of what an MCP tool answered: a string, content blocks, or an object that holds such. One with
// structured content has none: that says the same again, and the model would still see it.
func mcpTexts(result jsonscan.Value) []jsonscan.Value {
	if result.Has(jsonscan.Object) {
		if s := result.Get("structuredContent"); s.Exists() && !s.Has(jsonscan.Null) {
			return nil
		}
		result = result.Get("content")
	}
	if result.Has(jsonscan.String) {
		return []jsonscan.Value{result}
	}
	var texts []jsonscan.Value
	for block := range result.Elements() {
		if block.Get("type").Is("text") {
			texts = append(texts, block.Get("text"))
		}
	}
	return texts
}

// summarizeStrings returns the edits of strings, which stand in the order of the text or are sorted.
func (h Hook) summarizeStrings(ctx context.Context, tool string, strings ...jsonscan.Value) ([]edit, error) {
	var edits []edit
	for _, v := range strings {
		e, err := h.summarizeString(ctx, tool, v)
		if err != nil {
			return nil, err
		}
		edits = append(edits, e...)
	}
	return sorted(edits), nil
}

// persisted takes the output of a command from the file where the agent keeps all of it: what it gives the hook is only its
// beginning. The summary stands for the file too, which the result then no longer names.
func (h Hook) persisted(ctx context.Context, c call) ([]edit, error) {
	r := c.response
	path, size, stdout := string(r.Get("persistedOutputPath").Text()), string(r.Get("persistedOutputSize").Raw()), r.Get("stdout")
	if !stdout.Has(jsonscan.String) {
		return nil, nil
	}
	f, err := openPersisted(path, size)
	if err != nil {
		return nil, fmt.Errorf("persisted output: %w", err)
	}
	defer f.Close() // it was only read
	summary, ok, err := h.summarize(ctx, c.tool, f)
	if !ok || err != nil {
		return nil, err
	}
	start, end := stdout.Span()
	edits := []edit{{start, end, jsonString(summary)}}
	stderr, err := h.summarizeString(ctx, c.tool, r.Get("stderr"))
	if err != nil {
		return nil, err
	}
	edits = append(edits, stderr...)
	for _, key := range []string{"persistedOutputPath", "persistedOutputSize"} {
		if e, ok := withoutMember(c.data, r, key); ok {
			edits = append(edits, e)
		}
	}
	return sorted(edits), nil
}

// openPersisted opens a file that must be the one that was told of. It is looked at before, for opening a pipe can wait forever.
func openPersisted(path, size string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || strconv.FormatInt(info.Size(), 10) != size {
		return nil, fmt.Errorf("%s is no file of %s bytes", path, size)
	}
	return os.Open(path)
}

// withoutMember returns the edit that takes a member out of an object, with the comma before it. A first member stays: the
// comma is the next one's.
func withoutMember(data []byte, object jsonscan.Value, key string) (edit, bool) {
	before := -1
	for k, v := range object.Members() {
		start, end := v.Span()
		if before >= 0 && string(jsonscan.Text(k)) == key {
			comma := before + bytes.IndexByte(data[before:start], ',')
			return edit{comma, end, ""}, true
		}
		before = end
	}
	return edit{}, false
}
