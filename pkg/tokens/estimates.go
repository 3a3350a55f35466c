package tokens

import (
	"context"
	"iter"
	"math"

	"github.com/llmblob/llmblob/pkg/history"
)

// Estimates are the tokens of the items of a history, and of what leaving the content of results out would save. It is an
// Estimator of package prune.
type Estimates struct {
	h       *history.History
	tokens  []int32 // nil: those of Bytes
	savings []int32
}

// Advance goes to a request point: everything since the one before is new.
func (e *Estimates) Advance(point int) (from int, ok bool) {
	if point > 0 {
		from = e.h.Points[point-1].Item
	}
	return from, true
}

// Size returns the tokens of an item and how many fewer they are with its replacement.
func (e *Estimates) Size(item int) (tokens, savings int) {
	if e.tokens == nil {
		return e.h.Items[item].Bytes / bytesPerToken, int(e.savings[item])
	}
	return int(e.tokens[item]), int(e.savings[item])
}

// Estimate counts the items of a history and the replacements of some results. The error is the counter's.
func Estimate(ctx context.Context, h *history.History, replacements iter.Seq[history.Replacement], c Counter) (*Estimates, error) {
	e := &Estimates{h: h, savings: make([]int32, len(h.Items))}
	if _, ok := c.(Bytes); ok { // what history knows already
		for r := range replacements {
			e.savings[r.Item] = clamped(h.Items[r.Item].ContentBytes/bytesPerToken - len(r.Text)/bytesPerToken)
		}
		return e, nil
	}
	e.tokens = make([]int32, len(h.Items))
	return e, e.count(ctx, replacements, c)
}

// count asks a counter for every text, then for every replacement.
func (e *Estimates) count(ctx context.Context, replacements iter.Seq[history.Replacement], c Counter) error {
	counts, err := c.Count(ctx, func(yield func(Content) bool) {
		for i := range e.h.Items {
			for text := range e.h.Texts(i) {
				if !yield(e.content(i, text)) {
					return
				}
			}
		}
		for r := range replacements {
			if r.Text != "" && !yield(e.content(r.Item, []byte(r.Text))) {
				return
			}
		}
	})
	if err != nil {
		return err
	}
	next := 0
	take := func(n int) (sum int) {
		for range n {
			sum += counts[next]
			next++
		}
		return sum
	}
	content := make([]int, len(e.h.Items))
	for i := range e.h.Items {
		of, all := e.h.TextCount(i)
		content[i] = take(of)
		e.tokens[i] = clamped(content[i] + take(all-of))
	}
	for r := range replacements {
		savings := content[r.Item]
		if r.Text != "" {
			savings -= take(1)
		}
		e.savings[r.Item] = clamped(savings)
	}
	return nil
}

// clamped is a count, as far as it is looked at.
func clamped(n int) int32 { return int32(min(max(n, math.MinInt32), math.MaxInt32)) }

func (e *Estimates) content(i int, text []byte) Content {
	it := &e.h.Items[i]
	return Content{Kind: it.Kind.String(), Tool: e.h.Name(it.Tool), Text: text}
}
