package projection_test

import (
	"github.com/llmblob/llmblob/pkg/history"
	"github.com/llmblob/llmblob/pkg/prune"
)

// The constants of the rule of "auto".
const (
	patience   = 25
	leastFirst = 50
)

// referencePlan decides as the specification reads: at each request point everything is summed up anew.
func referencePlan(h *history.History, c prune.Config, candidates []prune.Candidate, size func(item int) (int, int)) prune.Decision {
	never := map[int]prune.Reason{}
	for _, candidate := range candidates {
		never[candidate.Item] = candidate.Reason
	}
	chosenAt, waitsFrom := map[int]int{}, map[int]int{}
	sizes := func(i int) (tokens, savings int) {
		if h.Items[i].Outside {
			return 0, 0
		}
		tokens, savings = size(i)
		return tokens, max(savings, 0)
	}
	sums := make([]int, len(h.Items)+1) // of what is left of the items before each
	measure := func() {
		for i := range h.Items {
			tokens, savings := sizes(i)
			if _, chosen := chosenAt[i]; chosen {
				tokens -= savings
			}
			sums[i+1] = sums[i] + tokens
		}
	}
	measure()
	left := func(from, end int) int { return sums[max(from, end)] - sums[from] }

	var d prune.Decision
	start, previous := 0, 0
	var reason func(i int) prune.Reason
	for point, at := range h.Points {
		end, last := at.Item, point == len(h.Points)-1
		fresh := left(max(previous, start), end)
		for _, reset := range h.Resets {
			if reset.At <= end && min(reset.Start, end) > start {
				start = min(reset.Start, end)
				fresh = left(start, end)
			}
		}
		tail := end
		for tail > start && left(tail, end) < c.ProtectedTokens {
			tail--
		}
		turn := end
		if c.ProtectedTurns > 0 {
			turn = start
			turns := 0
			for i := end - 1; i >= start; i-- {
				if h.Items[i].Turn && !h.Items[i].Outside {
					if turns++; turns == c.ProtectedTurns {
						turn = i
						break
					}
				}
			}
		}
		boundary := min(tail, turn, previous)
		var lot, passed []int
		for i := start; i < boundary; i++ {
			r, isResult := never[i]
			if _, chosen := chosenAt[i]; !isResult || r != prune.NoReason || chosen {
				continue
			}
			if _, ok := waitsFrom[i]; !ok {
				waitsFrom[i] = point
			}
			if _, savings := sizes(i); len(lot) == 0 && c.MinSavings == prune.AutoSavings && c.Mode == prune.ModeStable && savings < leastFirst {
				passed = append(passed, i)
			} else {
				lot = append(lot, i)
			}
		}
		cold := false
		if point > 0 && c.CacheTTL > 0 && h.Points[point-1].Time != 0 {
			cold = at.Time-h.Points[point-1].Time > c.CacheTTL.Milliseconds()
		}
		saves := func() bool {
			saved, weighed := 0, 0
			for _, i := range lot {
				_, savings := sizes(i)
				saved += savings
				weighed += savings * (patience + point - waitsFrom[i])
			}
			if c.MinSavings != prune.AutoSavings {
				return saved >= int(c.MinSavings)
			}
			return weighed >= 2*patience*(left(boundary, end)-fresh) && 4*weighed >= patience*(left(lot[0], end)-saved-fresh)
		}
		d.Candidates, d.Protected, d.First = len(lot), min(tail, turn), -1
		if cold {
			d.Candidates += len(passed)
		}
		switch {
		case len(lot) == 0 && (!cold || len(passed) == 0):
			d.Outcome = prune.NoCandidates
		case left(start, end) < c.TriggerTokens:
			d.Outcome = prune.BelowTrigger
		case c.Mode == prune.ModeRolling && !last:
			d.Outcome = prune.BelowMinSavings
		case cold:
			d.Outcome = prune.Fired
			lot = append(passed, lot...)
		case saves():
			d.Outcome = prune.Fired
		default:
			d.Outcome = prune.BelowMinSavings
		}
		if d.Outcome == prune.Fired {
			d.First = lot[0]
			for _, i := range lot {
				chosenAt[i] = point
			}
			measure()
		}
		seen := previous
		d.Before, d.After = 0, left(start, end)
		for i := start; i < end; i++ {
			tokens, _ := sizes(i)
			d.Before += tokens
		}
		reason = func(i int) prune.Reason {
			switch {
			case never[i] == prune.OutOfContext || i < start:
				return prune.OutOfContext
			case i >= seen:
				return prune.Unseen
			case i >= tail:
				return prune.ProtectedTokens
			case i >= turn:
				return prune.ProtectedTurns
			case never[i] != prune.NoReason:
				return never[i]
			}
			return prune.WaitingForLot
		}
		previous = end
	}
	d.Results = make([]prune.Choice, len(candidates))
	for n, candidate := range candidates {
		choice := prune.Choice{Candidate: &candidate}
		choice.Tokens, choice.Savings = sizes(candidate.Item)
		if point, ok := chosenAt[candidate.Item]; ok {
			choice.Chosen, choice.Point = true, int32(point)
			d.Indices = append(d.Indices, candidate.Item)
		} else {
			choice.Reason = reason(candidate.Item)
		}
		d.Results[n] = choice
	}
	return d
}
