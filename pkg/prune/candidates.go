package prune

import (
	"fmt"
	"iter"

	"github.com/llmblob/llmblob/pkg/history"
)

// Reason says why a result is not chosen. In JSON it is its name.
type Reason uint8

// The reasons, the first that holds.
const (
	NoReason        Reason = iota
	OutOfContext           // it is in no request any more: before a compaction, rewound, of a sub-agent
	Unseen                 // the model has not seen it
	ProtectedTokens        // it lies in the protected tail
	ProtectedTurns         // it is of one of the last turns
	Excluded               // its tool is excluded
	Failed                 // it is marked as an error, and those are kept
	AlreadyPruned          // it stands for something left out
	HasMedia               // it holds more than text
	NotShorter             // its replacement would be no shorter
	WaitingForLot          // it will be chosen with others, once they save enough
)

var reasonNames = [...]string{"", "out_of_context", "unseen", "protected_tokens", "protected_turns", "excluded", "error", "already_pruned",
	"media", "not_shorter", "waiting_for_lot"}

// String names the reason.
func (r Reason) String() string { return reasonNames[r] }

// MarshalText implements encoding.TextMarshaler.
func (r Reason) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (r *Reason) UnmarshalText(name []byte) error {
	for i, known := range reasonNames {
		if string(name) == known {
			*r = Reason(i)
			return nil
		}
	}
	return fmt.Errorf("reason %q: there is none of this name", name)
}

// Candidate is a tool result of a history and what would take its place.
type Candidate struct {
	history.Replacement        // no text where Reason is set
	Reason              Reason // why it can never be chosen; NoReason: it can
}

// Replacements yields what would take the place of those that can be chosen.
func Replacements(candidates []Candidate) iter.Seq[history.Replacement] {
	return func(yield func(history.Replacement) bool) {
		for _, candidate := range candidates {
			if candidate.Reason == NoReason && !yield(candidate.Replacement) {
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
	l := lister{
		h: h, config: c, summaryBytes: summaryBytes, summary: summary, longest: c.longestReplacement(), begins: "[" + c.begins(),
		allows: map[history.Name]bool{}, placeholders: map[int]string{},
	}
	results := 0
	for i := range h.Items {
		if h.Items[i].Kind == history.Result {
			results++
		}
	}
	list := make([]Candidate, 0, results)
	for i := range h.Items {
		if h.Items[i].Kind != history.Result {
			continue
		}
		candidate := Candidate{Replacement: history.Replacement{Item: i}, Reason: l.never(i)}
		if candidate.Reason == NoReason {
			if err := l.replace(&candidate); err != nil {
				return nil, err
			}
		}
		list = append(list, candidate)
	}
	return list, nil
}

// lister makes candidates.
type lister struct {
	h            *history.History
	config       Config
	summaryBytes int
	summary      SummaryFunc

	longest      int    // bytes of a placeholder
	begins       string // the characters that a placeholder or a summary begins with
	allows       map[history.Name]bool
	placeholders map[int]string // by the size of what they stand for: many results are of one size
}

// allowed reports whether results of a tool may be left out by its name.
func (l *lister) allowed(tool history.Name) bool {
	allowed, known := l.allows[tool]
	if !known {
		allowed = l.config.Allows(l.h.Name(tool))
		l.allows[tool] = allowed
	}
	return allowed
}

// placeholder stands for a content of so many bytes.
func (l *lister) placeholder(bytes int) string {
	text, known := l.placeholders[bytes]
	if !known {
		text = l.config.Replacement(bytes)
		l.placeholders[bytes] = text
	}
	return text
}

// never says why a result can never be chosen, as far as that does not depend on its replacement.
func (l *lister) never(i int) Reason {
	it := &l.h.Items[i]
	switch {
	case it.Outside:
		return OutOfContext
	case !l.allowed(it.Tool):
		return Excluded
	case l.config.KeepErrors && it.IsError:
		return Failed
	case it.Omitted, l.stands(i):
		return AlreadyPruned
	case it.Media:
		return HasMedia
	case it.ContentBytes == 0:
		return NotShorter
	}
	return NoReason
}

// stands reports whether the content of a result already stands for something left out.
func (l *lister) stands(i int) bool {
	if l.h.Items[i].ContentBytes > max(l.summaryBytes, l.longest) {
		return false
	}
	if n, _ := l.h.TextCount(i); n != 1 || !l.h.MayBegin(i, l.begins) {
		return false
	}
	var only []byte
	for text := range l.h.ContentTexts(i) {
		only = text
	}
	_, summary := history.Reference(only)
	return l.config.IsPlaceholder(only) || summary && len(only) <= l.summaryBytes
}

// replace finds what would take the place of a content, and that it is shorter.
func (l *lister) replace(r *Candidate) error {
	it := &l.h.Items[r.Item]
	if l.config.Omit == OmitSummary {
		var err error
		if r.Text, r.Reason, err = l.summary(r.Item); err != nil || r.Reason != NoReason {
			return err
		}
	}
	if r.Text == "" && !it.Nullable {
		r.Text = l.placeholder(it.ContentBytes)
	}
	if len(r.Text) >= it.ContentBytes || !l.h.Shrinks(r.Replacement) {
		r.Text, r.Reason = "", NotShorter
	}
	return nil
}
