package worker

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"iter"
	"slices"

	"github.com/llmblob/llmblob/pkg/history"
	"github.com/llmblob/llmblob/pkg/prune"
	"github.com/llmblob/llmblob/pkg/tokens"
)

// SavingsEstimator tells how many tokens are saved by leaving out the contents of some results, the candidates: indices of
// items, in order. 0 or less means that there is no data: nothing is left out then.
//
// It is asked about the places where the model was called, in order. The items are those before that place, with nothing left out,
// and the candidates are the results that the model has seen, could be left out, and about which it has not been told yet: each
// result is asked about until the answer is not 0, and the answer is shared among the candidates by what each saves otherwise. The
// answer must follow from the arguments alone, which must not be changed; it is kept, so that a choice is never taken back.
// It must not call BuildRequest.
type SavingsEstimator func(items []Item, candidates []int) int

// newCounter returns what counts tokens; nil for the usage in the history.
func newCounter(t prune.Tokens) (tokens.Counter, error) {
	switch {
	case len(t.Command) > 0:
		return tokens.NewCommand(t.Command, nil)
	case t.Name == prune.TokensUsage:
		return nil, nil
	}
	return tokens.New(t.Name)
}

// sizes returns what the plan is made with.
func (b *builder) sizes(ctx context.Context, candidates []prune.Candidate) (prune.Estimator, error) {
	e, err := b.counted(ctx, prune.Replacements(candidates))
	if err != nil || b.estimator == nil {
		return e, err
	}
	n := len(b.h.Items)
	s := &estimated{Estimator: e, builder: b, can: make([]bool, n), told: slices.Repeat([]int{notTold}, n)}
	for r := range prune.Replacements(candidates) {
		s.can[r.Item] = true
	}
	return s, nil
}

func (b *builder) counted(ctx context.Context, replacements iter.Seq[history.Replacement]) (prune.Estimator, error) {
	switch counter := b.counter.(type) {
	case nil:
		return tokens.NewUsage(b.h, replacements), nil
	case tokens.Bytes:
		return tokens.Estimate(ctx, b.h, replacements, counter)
	default:
		return tokens.Estimate(ctx, b.h, replacements, remembering{counter, b.counts})
	}
}

// remembering is a counter that is asked about each text once.
type remembering struct {
	tokens.Counter
	counts map[textKey]int
}

// textKey stands for a text and what it is for.
type textKey [sha256.Size]byte

func keyOf(c tokens.Content) (key textKey) {
	h := sha256.New()
	for _, part := range [...]string{c.Kind, c.Tool} {
		var size [8]byte
		binary.LittleEndian.PutUint64(size[:], uint64(len(part)))
		h.Write(size[:])
		h.Write([]byte(part))
	}
	h.Write(c.Text)
	h.Sum(key[:0])
	return key
}

// Count implements tokens.Counter.
func (r remembering) Count(ctx context.Context, contents iter.Seq[tokens.Content]) ([]int, error) {
	var keys, missing []textKey
	asked := map[textKey]bool{}
	counts, err := r.Counter.Count(ctx, func(yield func(tokens.Content) bool) {
		for c := range contents {
			key := keyOf(c)
			keys = append(keys, key)
			if _, ok := r.counts[key]; ok || asked[key] {
				continue
			}
			asked[key] = true
			missing = append(missing, key)
			if !yield(c) {
				return
			}
		}
	})
	if err != nil {
		return nil, err
	}
	for i, key := range missing {
		r.counts[key] = counts[i]
	}
	counts = make([]int, len(keys))
	for i, key := range keys {
		counts[i] = r.counts[key]
	}
	return counts, nil
}

// estimated are sizes in which the savings are what a SavingsEstimator tells.
type estimated struct {
	prune.Estimator
	*builder
	can     []bool // items that can be left out
	told    []int  // what each saves, or notTold
	pending []int  // candidates of which nothing is told
}

const notTold = -1

// Advance implements prune.Estimator: while nothing is told of a result that the model has seen, nothing is known.
func (e *estimated) Advance(point int) (from int, ok bool) {
	from, ok = e.Estimator.Advance(point)
	if point == 0 {
		return from, ok
	}
	start := 0
	if point > 1 {
		start = e.h.Points[point-2].Item
	}
	for i := start; i < e.h.Points[point-1].Item; i++ {
		if e.can[i] {
			e.pending = append(e.pending, i)
		}
	}
	if len(e.pending) == 0 {
		return from, ok
	}
	saved := e.ask(e.h.Points[point].Item)
	if saved <= 0 {
		return from, false
	}
	from = min(from, e.pending[0])
	e.share(saved)
	e.pending = nil
	return from, ok
}

// ask asks the estimator about the results that are pending.
func (e *estimated) ask(items int) int {
	saved, ok := e.savings[items]
	if !ok {
		saved = e.estimator(e.items[:items:items], slices.Clone(e.pending))
		e.savings[items] = saved
	}
	return saved
}

// share gives each pending result its part.
func (e *estimated) share(saved int) {
	sum := 0
	weigh := func(i int) int {
		_, weight := e.Estimator.Size(i)
		return max(weight, 1)
	}
	for _, i := range e.pending {
		sum += weigh(i)
	}
	seen, given := 0, 0
	for _, i := range e.pending {
		seen += weigh(i)
		upTo := int(float64(saved) * float64(seen) / float64(sum))
		e.told[i] = upTo - given
		given = upTo
	}
}

// Size implements prune.Estimator.
func (e *estimated) Size(item int) (tokens, savings int) {
	tokens, savings = e.Estimator.Size(item)
	if told := e.told[item]; told != notTold {
		return max(tokens, told), told
	}
	return tokens, savings
}
