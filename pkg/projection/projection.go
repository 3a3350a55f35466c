// Package projection makes the context of the next request from a history: it plans which results are left out and edits
// them, with everything that package prune, which is pure, has to be given.
package projection

import (
	"context"
	"errors"
	"io"

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

	// What was chosen and, in earlier copies of the same results, what goes with it.
	replacements []history.Replacement
	estimator    estimator
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
	candidates, err := prune.Candidates(h, o.Config, o.Offload.Limits.Bytes, func(item int) (string, prune.Reason, error) {
		summary, how, err := o.Offload.Summary(h, item)
		return summary, reasons[how], err
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
	p.replace()
	return p, nil
}

// reasons are why a content stays although its summary was asked for.
var reasons = map[offload.Moved]prune.Reason{offload.StandsIn: prune.AlreadyPruned, offload.Unstorable: prune.HasMedia}

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

// replace lists the replacements of what was chosen, and of earlier copies of the same result.
func (p *Projection) replace() {
	copies := p.copies()
	p.replacements = make([]history.Replacement, 0, len(p.Decision.Indices))
	for _, r := range p.Decision.Results {
		if !r.Chosen {
			continue
		}
		p.replacements = append(p.replacements, r.Replacement)
		for _, i := range copies[r.Item] {
			if twin := (history.Replacement{Item: i, Text: r.Text}); p.History.Shrinks(twin) {
				p.replacements = append(p.replacements, twin)
			}
		}
	}
}

// copies are, by a result, those that it superseded: the same one of the same message in other records.
func (p *Projection) copies() map[int][]int {
	again := map[history.Name]int{} // numbers of the messages that were superseded
	for i := range p.History.Items {
		if it := &p.History.Items[i]; it.Outside && it.Kind == history.Result && it.MessageID != 0 {
			again[it.MessageID] = len(again)
		}
	}
	if len(again) == 0 {
		return nil
	}
	type nth struct{ message, n int } // a result of a message
	type copy struct{ message, record int }
	seen := map[copy]int{}
	older, newest := map[nth][]int{}, map[nth]int{}
	for i := range p.History.Items {
		it := &p.History.Items[i]
		message, superseded := again[it.MessageID]
		if it.Kind != history.Result || !superseded {
			continue
		}
		c := copy{message, it.Record}
		key := nth{message, seen[c]}
		seen[c]++
		if it.Outside {
			older[key] = append(older[key], i)
		} else {
			newest[key] = i
		}
	}
	copies := map[int][]int{}
	for key, items := range older {
		if i, ok := newest[key]; ok {
			copies[i] = items
		}
	}
	return copies
}

// Write writes the projection.
func (p *Projection) Write(w io.Writer) error {
	return p.History.Splice(w, p.History.InOrder(p.replacements))
}
