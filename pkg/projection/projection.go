// Package projection makes the context of the next request from a history: it plans which results are left out and edits
// them, with everything that package prune, which is pure, has to be given.
package projection

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/history"
	"github.com/llmblob/llmblob/pkg/offload"
	"github.com/llmblob/llmblob/pkg/prune"
	"github.com/llmblob/llmblob/pkg/tokens"
)

// Options say what a projection is made with.
type Options struct {
	Config  prune.Config
	Offload offload.HistoryOptions
	// Store opens the store for what is left out; needed where the config says summary.
	Store func() (blob.Store, error)
	// Stderr gets what a command that counts tokens writes there; nil: nobody.
	Stderr io.Writer
}

// Projection is what is sent to the model: a history with edits.
type Projection struct {
	History  *history.History
	Config   prune.Config
	Decision prune.Decision
	Edits    []history.Edit // in order

	estimator estimator
}

// estimator is what counted.
type estimator interface {
	prune.Estimator
	Provenance(item int) tokens.Provenance
}

// Make makes the projection of a history. Where results are left out for their summaries, these resolve once it returns. An
// error is that of the counter or the store, and there is nothing to send then.
func Make(ctx context.Context, h *history.History, o Options) (*Projection, error) {
	p := &Projection{History: h, Config: o.Config}
	candidates, err := prune.Candidates(h, o.Config, o.Offload.Limits.Bytes, func(item int) (string, error) {
		return o.Offload.Summary(h, item)
	})
	if err != nil {
		return nil, err
	}
	if p.estimator, err = o.estimate(ctx, h, candidates); err != nil {
		return nil, err
	}
	p.Decision = prune.Plan(h, o.Config, candidates, p.estimator)
	if o.Config.Omit == prune.OmitSummary {
		if err := o.store(ctx, h, p.Decision.Indices); err != nil {
			return nil, err
		}
	}
	p.edit()
	return p, nil
}

func (o Options) estimate(ctx context.Context, h *history.History, candidates []prune.Candidate) (estimator, error) {
	replacements := prune.Replacements(candidates)
	if o.Config.Tokens.Name == prune.TokensUsage {
		return tokens.NewUsage(h, replacements), nil
	}
	counter, err := o.counter()
	if err != nil {
		return nil, err
	}
	return tokens.Estimate(ctx, h, replacements, counter)
}

func (o Options) counter() (tokens.Counter, error) {
	if command := o.Config.Tokens.Command; len(command) > 0 {
		return tokens.NewCommand(command, o.Stderr)
	}
	return tokens.New(o.Config.Tokens.Name)
}

func (o Options) store(ctx context.Context, h *history.History, items []int) error {
	if len(items) == 0 {
		return nil
	}
	if o.Store == nil {
		return errors.New("projection: there is no store for what is left out")
	}
	st, err := o.Store()
	if err != nil {
		return err
	}
	for _, i := range items {
		if err := o.Offload.Store(ctx, st, h, i); err != nil {
			return err
		}
	}
	return nil
}

// edit puts the replacements of what was chosen in its place, and in that of earlier copies of the same result.
func (p *Projection) edit() {
	copies := p.copies()
	for _, r := range p.Decision.Results {
		if !r.Chosen {
			continue
		}
		p.Edits = p.History.Replace(p.Edits, r.Replacement)
		for _, i := range copies[p.key(r.Item)] {
			p.Edits = p.History.Replace(p.Edits, history.Replacement{Item: i, Text: r.Text})
		}
	}
	slices.SortStableFunc(p.Edits, func(a, b history.Edit) int { return a.Start - b.Start })
}

// resultKey names a result of a message that is written more than once.
type resultKey struct{ message, call string }

func (p *Projection) key(i int) resultKey {
	it := &p.History.Items[i]
	return resultKey{it.MessageID, it.CallID}
}

// copies are the results that a later copy of their message superseded.
func (p *Projection) copies() map[resultKey][]int {
	copies := map[resultKey][]int{}
	for i := range p.History.Items {
		if it := &p.History.Items[i]; it.Outside && it.Kind == history.Result && it.MessageID != "" && it.ContentBytes > 0 {
			copies[p.key(i)] = append(copies[p.key(i)], i)
		}
	}
	return copies
}

// Write writes the projection.
func (p *Projection) Write(w io.Writer) error { return p.History.Splice(w, p.Edits) }
