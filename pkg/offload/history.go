package offload

import (
	"bytes"
	"context"
	"errors"
	"math"

	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/history"
	"github.com/llmblob/llmblob/pkg/summarize"
)

// HistoryOptions say which texts of a history are stored, and how their summaries are made. Ids are those of the content,
// so that the same history gives the same bytes.
type HistoryOptions struct {
	Limits      summarize.Limits
	InlineBytes func(tool string) int // texts of a result of this tool stay up to so many bytes; nil: DefaultInlineBytes
}

// standIns begin texts that stand for something that an agent or another tool left out or keeps elsewhere.
var standIns = [...]string{
	"<persisted-output>",                             // Claude Code
	"[Old tool result content cleared]",              // OpenCode, Claude Code
	"<tool_output_masked>",                           // Gemini CLI
	"Output too large. Full output available at:",    // Gemini CLI
	"[Tool output truncated for compaction: omitted", // OpenCode
	"[... Observation truncated due to length ...]",  // OpenHands
	"[truncated: ", "[TRUNCATED ", "[tool result omitted: ",
}

// maxStandIn is how long a text that stands for something can be, in bytes. What is longer only begins like one.
const maxStandIn = 8 << 10

func (o HistoryOptions) standsForSomething(text []byte) bool {
	if _, ok := history.Reference(text); ok {
		return len(text) <= o.Limits.Bytes
	}
	if len(text) > maxStandIn {
		return false
	}
	for _, s := range standIns {
		if bytes.HasPrefix(text, []byte(s)) {
			return true
		}
	}
	return false
}

// Offload stores the large texts in the results of a history and returns the edits that put their summaries there. Media,
// and other JSON than text, stay. What one offloads itself stays too: answers of the inspect tool, whatever ran it.
// The store is opened once there is something to store. On an error nothing is to be edited.
func (o HistoryOptions) Offload(ctx context.Context, open func() (blob.Store, error), h *history.History) ([]history.Edit, error) {
	var st blob.Store
	var edits []history.Edit
	inspecting := inspectingCalls(h)
	limits := map[history.Name]int{} // by the names of tools
	stored := map[blob.ID]bool{}
	for i := range h.Items {
		it := &h.Items[i]
		if it.Kind != history.Result || inspecting[it.CallID] {
			continue
		}
		limit, known := limits[it.Tool]
		if !known {
			limit = o.limit(h.Name(it.Tool))
			limits[it.Tool] = limit
		}
		for span := range h.Strings(i) {
			text, ok := h.Text(span)
			if !ok || len(text) <= limit || o.standsForSomething(text) {
				continue
			}
			part, err := o.summarize(text)
			if err != nil {
				return nil, err
			}
			if len(part.summary) >= len(text) {
				continue
			}
			if st == nil {
				if st, err = open(); err != nil {
					return nil, err
				}
			}
			if !stored[part.id] {
				if err := part.store(ctx, st); err != nil {
					return nil, err
				}
				stored[part.id] = true
			}
			edits = append(edits, span.Put([]byte(part.summary)))
		}
	}
	history.SortEdits(edits)
	return edits, nil
}

// limit is up to which size the texts of a tool stay.
func (o HistoryOptions) limit(tool string) int {
	switch {
	case IsInspectTool(tool):
		return math.MaxInt
	case o.InlineBytes == nil:
		return DefaultInlineBytes
	}
	return o.InlineBytes(tool)
}

// inspectingCalls are the calls of a shell that run llmblob inspect.
func inspectingCalls(h *history.History) map[history.Name]bool {
	calls := map[history.Name]bool{}
	for i := range h.Items {
		it := &h.Items[i]
		if it.Kind != history.Call || it.CallID == 0 {
			continue
		}
		for text := range h.Texts(i) {
			if RunsInspect(text) {
				calls[it.CallID] = true
			}
		}
	}
	return calls
}

// part is a content that is to be stored under its own id.
type part struct {
	content []byte
	kind    blob.Type
	id      blob.ID
	summary string
}

func (o HistoryOptions) summarize(content []byte) (part, error) {
	facts, err := summarize.Scan(content, summarize.Auto, o.Limits)
	if err != nil {
		return part{}, err
	}
	kind := blobType(facts.Type)
	id := blob.ContentID(kind, content)
	return part{content, kind, id, facts.Summary(id.String())}, nil
}

func (p part) store(ctx context.Context, st blob.Store) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	stage, err := st.Stage(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stage.Abort()) }()
	if _, err := stage.Write(p.content); err != nil {
		return err
	}
	_, err = stage.Commit(p.kind, p.id)
	return err
}

// Moved is how the content of a result leaves a history.
type Moved uint8

// The ways: its summary takes its place; it is not worth one, for it is an answer of inspect or stands for something already; or it
// cannot be stored as it is.
const (
	ForSummary Moved = iota
	IsAnswer
	StandsIn
	Unstorable
)

// Summary returns the summary that would stand for the content of a result: of its text where it is one, else of its JSON.
// The summary is empty where there is to be none.
func (o HistoryOptions) Summary(h *history.History, i int) (string, Moved, error) {
	content, how := o.whole(h, i)
	if how != ForSummary {
		return "", how, nil
	}
	p, err := o.summarize(content)
	return p.summary, how, err
}

// Store stores the content of a result, so that its Summary resolves, where it has one.
func (o HistoryOptions) Store(ctx context.Context, st blob.Store, h *history.History, i int) error {
	content, how := o.whole(h, i)
	if how != ForSummary {
		return nil
	}
	p, err := o.summarize(content)
	if err != nil {
		return err
	}
	return p.store(ctx, st)
}

func (o HistoryOptions) whole(h *history.History, i int) ([]byte, Moved) {
	if IsInspectTool(h.Name(h.Items[i].Tool)) {
		return nil, IsAnswer
	}
	if texts, _ := h.TextCount(i); texts == 1 {
		for s := range h.Strings(i) {
			text, ok := h.Text(s)
			switch {
			case !ok:
				return nil, Unstorable
			case o.standsForSomething(text):
				return nil, StandsIn
			}
			return text, ForSummary
		}
	}
	return h.Bytes(h.Items[i].Content), ForSummary
}
