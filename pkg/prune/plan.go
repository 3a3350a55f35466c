package prune

import (
	"math"

	"github.com/llmblob/llmblob/pkg/history"
)

// Estimator tells the tokens of items. It is asked about the request points of a history in order.
type Estimator interface {
	// Advance goes to a request point. It returns the first item whose size differs from what was told at the point before, be it
	// new or better known; ok is false where nothing is known yet.
	Advance(point int) (from int, ok bool)
	// Size returns the tokens of an item, as known at the point, and how many fewer they are with the replacement. More than
	// math.MaxInt32 of either count as that.
	Size(item int) (tokens, savings int)
}

// Outcome is how the decision at a request point came out.
type Outcome string

// The outcomes.
const (
	Fired           Outcome = "fired"             // results were chosen
	NoCandidates    Outcome = "no_candidates"     // there are none to choose
	BelowMinSavings Outcome = "below_min_savings" // they do not save enough yet
	BelowTrigger    Outcome = "below_trigger"     // the context is small
	NoData          Outcome = "no_data"           // the estimator knows nothing
)

// Decision is which results a projection leaves out, and why.
type Decision struct {
	Outcome    Outcome // at the last request point
	Indices    []int   // items whose content is left out, in order: all that were ever chosen
	Candidates int     // results that could be chosen at the last request point
	Protected  int     // item where what is protected begins, by tokens or by turns
	Before     int     // tokens of the context with everything in it
	After      int     // with what is left
	First      int     // item that is the first to differ from the request before; -1: none does
	Results    []Choice
}

// Choice is what became of one result.
type Choice struct {
	*Candidate        // as Plan was given it
	Reason     Reason // why it is not chosen; NoReason: it is
	Chosen     bool
	Point      int32 // request point at which it was chosen, from 0
	Tokens     int   // of the item with its content
	Savings    int   // tokens saved where it is chosen
}

// Plan decides which of the candidates are left out of the next request. It is a pure function of its arguments. In stable
// mode it replays the history: at each request point the results that have left the protected tail are chosen together
// once they save enough, and no choice is taken back. It takes time and memory in proportion to the items.
func Plan(h *history.History, c Config, candidates []Candidate, e Estimator) Decision {
	p := plan{h: h, c: c, e: e, first: -1}
	p.items = make([]state, len(h.Items))
	for _, candidate := range candidates {
		p.items[candidate.Item].choosable = candidate.Reason == NoReason
	}
	for point := range h.Points {
		p.step(point)
	}
	return p.decision(candidates)
}

// state is what is known of an item.
type state struct {
	tokens, savings int32 // as last told
	at              int32 // the point at which it left the tail; once it is chosen, that point
	choosable       bool  // a result that can be chosen and is not
	chosen          bool
}

// left is what is left of the item in the projection.
func (s *state) left() int {
	if s.chosen {
		return int(s.tokens) - int(s.savings)
	}
	return int(s.tokens)
}

// plan is the state of a replay: sums over ranges of items that move along with it.
type plan struct {
	h *history.History
	c Config
	e Estimator

	items []state

	end    int // items before this point
	start  int // first item in the context
	before int // tokens of [start, end) with everything in it
	after  int // and with what is left

	tail    int // where the protected tail begins
	tailSum int // tokens of [tail, end)
	turns   []int
	resets  int // that have been met

	// The results that wait are the lot: those in [from, lotEnd) that can be chosen.
	from    int
	fromSum int // tokens of [from, end)
	lotEnd  int
	behind  int // tokens of [lotEnd, end)
	fresh   int // tokens of the end that were in no request before
	lotSize int
	lot     int   // tokens that the lot saves
	lotAge  int   // the sum of what each result saves times the point it waits from
	passed  []int // results before from that could be chosen and were not worth it

	outcome    Outcome
	candidates int
	first      int // the first that this point chose; -1: none
}

// left is what is left of an item in the projection.
func (p *plan) left(i int) int { return p.items[i].left() }

// step goes to a request point and decides there.
func (p *plan) step(point int) {
	from, ok := p.e.Advance(point)
	p.first = -1
	p.grow(point, from)
	p.reset()
	p.moveTail()
	p.fillLot(point, p.boundary(point))
	p.outcome, p.candidates = p.decide(point, ok), p.lotSize
	if p.cold(point) {
		p.candidates += len(p.passed)
	}
	if p.outcome == Fired {
		p.fire(point)
	}
}

// grow takes in the items before the point and what became better known of earlier ones.
func (p *plan) grow(point, from int) {
	oldEnd := p.end
	p.end = p.h.Points[point].Item
	p.fresh = 0
	for i := from; i < p.end; i++ {
		it := &p.h.Items[i]
		tokens, savings := p.e.Size(i)
		tokens, savings = min(tokens, math.MaxInt32), min(savings, math.MaxInt32)
		s := &p.items[i]
		if savings < 0 { // its replacement has fewer bytes, and more tokens
			savings, s.choosable = 0, false
		}
		if it.Outside {
			tokens, savings = 0, 0
		}
		if it.Turn && i >= oldEnd && !it.Outside {
			p.turns = append(p.turns, i)
		}
		leftBefore, tokensBefore, savingsBefore := s.left(), int(s.tokens), int(s.savings)
		s.tokens, s.savings = int32(tokens), int32(savings)
		if i < p.start {
			continue
		}
		grown := s.left() - leftBefore
		p.before += tokens - tokensBefore
		p.after += grown
		if i >= oldEnd {
			p.fresh += grown
		}
		if i >= p.tail {
			p.tailSum += grown
		}
		switch {
		case i >= p.lotEnd:
			p.behind += grown
		case i >= p.from && s.choosable:
			p.lot += savings - savingsBefore
			p.lotAge += (savings - savingsBefore) * int(s.at)
		}
		if i >= p.from {
			p.fromSum += grown
		}
	}
}

// reset begins the context anew where the history says so.
func (p *plan) reset() {
	for ; p.resets < len(p.h.Resets) && p.h.Resets[p.resets].At <= p.end; p.resets++ {
		start := min(p.h.Resets[p.resets].Start, p.end)
		fresh := start > p.start
		for ; p.start < start; p.start++ {
			i := p.start
			p.before -= int(p.items[i].tokens)
			p.after -= p.left(i)
			if i >= p.tail {
				p.tailSum -= p.left(i)
				p.tail++
			}
			if i >= p.from {
				p.dropFrom()
			}
		}
		if fresh {
			p.fresh = p.after // no request began so before
			for len(p.passed) > 0 && p.passed[0] < p.start {
				p.passed = p.passed[1:]
			}
		}
	}
}

// dropFrom takes the first item out of those that wait.
func (p *plan) dropFrom() {
	i := p.from
	p.fromSum -= p.left(i)
	if i == p.lotEnd {
		p.behind -= p.left(i)
		p.lotEnd++
	} else if p.items[i].choosable {
		p.weigh(i, -1)
	}
	p.from++
}

// weigh adds a result to the lot, or with -1 takes it out.
func (p *plan) weigh(i, sign int) {
	p.lotSize += sign
	s := &p.items[i]
	p.lot += sign * int(s.savings)
	p.lotAge += sign * int(s.savings) * int(s.at)
}

// moveTail finds the smallest suffix of at least protected_tokens.
func (p *plan) moveTail() {
	for p.tail < p.end && p.tailSum-p.left(p.tail) >= p.c.ProtectedTokens {
		p.tailSum -= p.left(p.tail)
		p.tail++
	}
	for p.tail > p.start && p.tailSum < p.c.ProtectedTokens {
		p.tail--
		p.tailSum += p.left(p.tail)
	}
}

// turnStart is where the last protected_turns begin.
func (p *plan) turnStart() int {
	n := p.c.ProtectedTurns
	switch {
	case n == 0:
		return p.end
	case n > len(p.turns):
		return p.start
	}
	return max(p.start, p.turns[len(p.turns)-n])
}

// seen is how many items the model has seen: those before the request before.
func (p *plan) seen(point int) int {
	if point == 0 {
		return 0
	}
	return p.h.Points[point-1].Item
}

func (p *plan) boundary(point int) int { return min(p.tail, p.turnStart(), p.seen(point)) }

// fillLot lets those results wait that are before the boundary.
func (p *plan) fillLot(point, boundary int) {
	for ; p.lotEnd < boundary; p.lotEnd++ {
		p.behind -= p.left(p.lotEnd)
		if s := &p.items[p.lotEnd]; s.choosable {
			s.at = int32(point)
			p.weigh(p.lotEnd, 1)
		}
	}
	for p.lotEnd > max(boundary, p.from) {
		p.lotEnd--
		p.behind += p.left(p.lotEnd)
		if p.items[p.lotEnd].choosable {
			p.weigh(p.lotEnd, -1)
		}
	}
	for p.from < p.lotEnd && !p.begins(p.from) {
		if p.items[p.from].choosable {
			p.passed = append(p.passed, p.from)
		}
		p.dropFrom()
	}
}

// begins reports whether a lot can begin with an item.
func (p *plan) begins(i int) bool {
	s := &p.items[i]
	return s.choosable && (p.c.MinSavings != AutoSavings || p.c.Mode == ModeRolling || s.savings >= leastFirst)
}

func (p *plan) decide(point int, known bool) Outcome {
	last := point == len(p.h.Points)-1
	switch {
	case !known:
		return NoData
	case p.lotSize == 0 && !(p.cold(point) && len(p.passed) > 0):
		return NoCandidates
	case p.after < p.c.TriggerTokens:
		return BelowTrigger
	case p.c.Mode == ModeRolling && !last:
		return BelowMinSavings
	case p.cold(point), p.saves(point):
		return Fired
	}
	return BelowMinSavings
}

// The rule of AutoSavings; docs/pruning.md has its reasons and figures.
const (
	// What a result saves counts for more with each request that it waits, for the cache is paid for it each time: after so
	// many requests it counts twice.
	patience = 25
	// A lot begins with a result that saves so many tokens. Smaller ones before it would move the first change forward for
	// next to nothing.
	leastFirst = 50
)

// saves reports whether the lot saves enough. Of itself that is twice what the cache holds of what comes behind the lot,
// and a quarter of all that it holds from the first change on: the one is paid again for every lot, the other once.
func (p *plan) saves(point int) bool {
	if p.c.MinSavings != AutoSavings {
		return p.lot >= int(p.c.MinSavings)
	}
	weighed := p.lot*(patience+point) - p.lotAge
	behind := p.behind - p.fresh
	changed := p.fromSum - p.lot - p.fresh
	return weighed >= 2*patience*behind && 4*weighed >= patience*changed
}

// cold reports whether the prompt cache had expired before the point.
func (p *plan) cold(point int) bool {
	if p.c.CacheTTL == 0 || point == 0 {
		return false
	}
	before, now := p.h.Points[point-1].Time, p.h.Points[point].Time
	return before != 0 && now-before > p.c.CacheTTL.Milliseconds()
}

// fire chooses all that wait, and where the cache is cold also those that were passed over.
func (p *plan) fire(point int) {
	p.first = p.from
	if p.cold(point) {
		for _, i := range p.passed {
			p.first = min(p.first, i)
			p.choose(i, point)
		}
		p.passed = p.passed[:0]
	}
	for p.from < p.lotEnd {
		i := p.from
		chosen := p.items[i].choosable
		p.dropFrom()
		if chosen {
			p.choose(i, point)
		}
	}
}

// choose leaves out a result, which is before from.
func (p *plan) choose(i, point int) {
	s := &p.items[i]
	s.choosable, s.chosen, s.at = false, true, int32(point)
	p.after -= int(s.savings)
}

func (p *plan) decision(candidates []Candidate) Decision {
	d := Decision{
		Outcome: p.outcome, Candidates: p.candidates, Protected: min(p.tail, p.turnStart()), Before: p.before, After: p.after, First: p.first,
		Results: make([]Choice, len(candidates)),
	}
	chosen := 0
	for _, candidate := range candidates {
		if p.items[candidate.Item].chosen {
			chosen++
		}
	}
	if chosen > 0 {
		d.Indices = make([]int, 0, chosen)
	}
	last := len(p.h.Points) - 1
	for n := range candidates {
		candidate := &candidates[n]
		i := candidate.Item
		s := &p.items[i]
		choice := Choice{Candidate: candidate, Tokens: int(s.tokens), Savings: int(s.savings)}
		if s.chosen {
			choice.Chosen, choice.Point = true, s.at
			d.Indices = append(d.Indices, i)
		} else {
			choice.Reason = p.reason(i, last, candidate.Reason)
		}
		d.Results[n] = choice
	}
	return d
}

// reason says why a result is not chosen at the last point.
func (p *plan) reason(i, last int, never Reason) Reason {
	switch {
	case never == OutOfContext || i < p.start:
		return OutOfContext
	case i >= p.seen(last):
		return Unseen
	case i >= p.tail:
		return ProtectedTokens
	case i >= p.turnStart():
		return ProtectedTurns
	case never != NoReason:
		return never
	case !p.items[i].choosable:
		return NotShorter
	}
	return WaitingForLot
}
