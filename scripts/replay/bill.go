package main

import "math"

// prices of a token: read from the cache, or not.
type prices struct{ read, write float64 }

// bill is what the requests of a session pay.
func (s session) bill(pay prices, chosen choices) float64 {
	sum := 0.0
	for p := range s.requests() {
		shared, all := s.request(chosen, p)
		sum += pay.of(shared, all) + s.baseOf(pay, p)
	}
	return sum
}

// baseOf is what a request pays for what stands before its first item: it is in the cache from the first request on.
func (s session) baseOf(pay prices, p int) float64 {
	if p == 0 {
		return pay.of(0, s.base)
	}
	return pay.of(s.base, s.base)
}

func (p prices) of(shared, all int) float64 {
	return p.read*float64(shared) + p.write*float64(all-shared)
}

// request returns the tokens of a request and how many of them it shares with the one before.
func (s session) request(chosen choices, p int) (shared, all int) {
	start, end := s.start(p), s.h.Points[p].Item
	same := 0
	if p > 0 && s.start(p-1) == start {
		same = s.h.Points[p-1].Item
	}
	for i := start; i < end; i++ {
		if chosen != nil && chosen[i] == p+1 {
			same = min(same, i)
		}
		all += s.left(chosen, i, p)
		if i < same {
			shared = all
		}
	}
	return shared, all
}

// optimum is the least that the requests could have paid, had one known the whole session: each time or never, all
// results before the tail are left out, at whatever requests are best. It is found by dynamic programming over the
// request at which that was done last.
func (s session) optimum(pay prices, tail int) float64 {
	sum := 0.0
	for first := 0; first < s.requests(); {
		last := first // requests with one context
		for last+1 < s.requests() && s.start(last+1) == s.start(first) {
			last++
		}
		sum += s.bestOf(pay, tail, first, last)
		for ; first <= last; first++ {
			sum += s.baseOf(pay, first)
		}
	}
	return sum
}

func (s session) bestOf(pay prices, tail, first, last int) float64 {
	start := s.start(first)
	weight, saved := []int{0}, []int{0} // sums over the items from start on
	for i := start; i < s.h.Points[last].Item; i++ {
		weight = append(weight, weight[i-start]+s.weights[i])
		saved = append(saved, saved[i-start]+s.saves[i])
	}
	// cost[g] is the least paid so far where the last choice was made at request g; never is before the first.
	const never = -1
	bounds := map[int]int{never: start}
	cost := map[int]float64{never: pay.of(0, weight[s.h.Points[first].Item-start])}
	for p := first + 1; p <= last; p++ {
		end, before := s.h.Points[p].Item-start, s.h.Points[p-1].Item-start
		bound := s.boundary(p, tail)
		bestNew := math.Inf(1)
		for g, paid := range cost {
			b := bounds[g] - start
			if bound-start > b && saved[bound-start] > saved[b] {
				change := b // the first that is chosen now
				for saved[change+1] == saved[change] {
					change++
				}
				shared := min(weight[change], weight[before]) - saved[b]
				bestNew = min(bestNew, paid+pay.of(shared, weight[end]-saved[bound-start]))
			}
			cost[g] = paid + pay.of(weight[before]-saved[b], weight[end]-saved[b])
		}
		if !math.IsInf(bestNew, 1) {
			cost[p], bounds[p] = bestNew, bound
		}
	}
	best := math.Inf(1)
	for _, paid := range cost {
		best = min(best, paid)
	}
	return best
}
