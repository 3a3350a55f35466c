package prune

import (
	"iter"

	"github.com/llmblob/llmblob/pkg/history"
)

// Reason says why a result is not chosen.
type Reason string

// The reasons, the first that holds.
const (
	OutOfContext    Reason = "out_of_context"   // it is in no request any more: before a compaction, rewound, of a sub-agent
	Unseen          Reason = "unseen"           // the model has not seen it
	ProtectedTokens Reason = "protected_tokens" // it lies in the protected tail
	ProtectedTurns  Reason = "protected_turns"  // it is of one of the last turns
	Excluded        Reason = "excluded"         // its tool is excluded
	Failed          Reason = "error"            // it is marked as an error, and those are kept
	AlreadyPruned   Reason = "already_pruned"   // it stands for something left out
	HasMedia        Reason = "media"            // it holds more than text
	NotShorter      Reason = "not_shorter"      // its replacement would be no shorter
	WaitingForLot   Reason = "waiting_for_lot"  // it will be chosen with others, once they save enough
)

// Candidate is a tool result of a history and what would take its place.
type Candidate struct {
	history.Replacement        // no text where Reason is set
	Reason              Reason // why it can never be chosen; "": it can
}

// Replacements yields what would take the place of those that can be chosen.
func Replacements(candidates []Candidate) iter.Seq[history.Replacement] {
	return func(yield func(history.Replacement) bool) {
		for _, candidate := range candidates {
			if candidate.Reason == "" && !yield(candidate.Replacement) {
				return
			}
		}
	}
}

// SummaryFunc returns the summary that would stand for the content of a result in a history. With "" the placeholder does: nobody
// is to look at the content again. A reason says why it stays.
type SummaryFunc func(item int) (string, Reason, error)

// Candidates lists the results of a history in order. A text that begins with a reference and is no longer than a
// summary, in bytes, is a summary. With OmitSummary the replacements are those that summary returns, whose error is returned as it is.
func Candidates(h *history.History, c Config, summaryBytes int, summary SummaryFunc) ([]Candidate, error) {
	var list []Candidate
	for i := range h.Items {
		if h.Items[i].Kind != history.Result {
			continue
		}
		candidate := Candidate{Replacement: history.Replacement{Item: i}, Reason: never(h, c, i, summaryBytes)}
		if candidate.Reason == "" {
			if err := candidate.replace(h, c, summary); err != nil {
				return nil, err
			}
		}
		list = append(list, candidate)
	}
	return list, nil
}

// never says why a result can never be chosen, as far as that does not depend on its replacement.
func never(h *history.History, c Config, i, summaryBytes int) Reason {
	it := &h.Items[i]
	switch {
	case it.Outside:
		return OutOfContext
	case !c.Allows(it.Tool):
		return Excluded
	case c.KeepErrors && it.IsError:
		return Failed
	case it.Omitted, stands(h, c, i, summaryBytes):
		return AlreadyPruned
	case it.Media:
		return HasMedia
	case it.ContentBytes == 0:
		return NotShorter
	}
	return ""
}

// stands reports whether the content of a result already stands for something left out.
func stands(h *history.History, c Config, i, summaryBytes int) bool {
	if h.Items[i].ContentBytes > max(summaryBytes, c.longestReplacement()) {
		return false
	}
	var only []byte
	n := 0
	for text := range h.ContentTexts(i) {
		only = text
		n++
	}
	if n != 1 {
		return false
	}
	_, summary := history.Reference(only)
	return c.IsPlaceholder(only) || summary && len(only) <= summaryBytes
}

// replace finds what would take the place of a content, and that it is shorter.
func (r *Candidate) replace(h *history.History, c Config, summary SummaryFunc) error {
	it := &h.Items[r.Item]
	if c.Omit == OmitSummary {
		var err error
		if r.Text, r.Reason, err = summary(r.Item); err != nil || r.Reason != "" {
			return err
		}
	}
	if r.Text == "" && !it.Nullable {
		r.Text = c.Replacement(it.ContentBytes)
	}
	if len(r.Text) >= it.ContentBytes || !h.Shrinks(r.Replacement) {
		r.Text, r.Reason = "", NotShorter
	}
	return nil
}
