package main

import (
	"fmt"
	"math"
	"os"
	"text/tabwriter"

	"github.com/llmblob/llmblob/pkg/prune"
)

// lot is what waits to be left out at a request.
type lot struct {
	saves   int     // tokens that it saves
	changed int     // tokens from its first result to the end, without it
	tail    int     // those behind it
	rate    float64 // tokens that became prunable a request so far
}

// rule says whether a lot is left out.
type rule struct {
	name  string
	fires func(pay prices, l lot) bool
}

// otherRules are simple ones that the defaults are compared with.
var otherRules = []rule{
	{"every request", func(prices, lot) bool { return true }},
	{"at least 4096", func(_ prices, l lot) bool { return l.saves >= 4096 }},
	{"half of what changes", func(_ prices, l lot) bool { return 2*l.saves >= l.changed }},
	// The economic order quantity (Harris, 1913): an order costs what writing the tail again does, a token that waits what
	// reading it does.
	{"economic lot", func(pay prices, l lot) bool {
		return float64(l.saves) >= math.Sqrt(2*(pay.write-pay.read)*float64(l.tail)*l.rate/pay.read)
	}},
}

// compareRules prints how far each rule is above the optimum.
func compareRules(sessions []session, pay prices, tails []int) error {
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(out, "\nabove the optimum, tail\t")
	for _, tail := range tails {
		fmt.Fprintf(out, "%d\t", tail)
	}
	fmt.Fprintln(out)
	best := make([]float64, len(tails))
	for i, tail := range tails {
		for _, s := range sessions {
			best[i] += s.optimum(pay, tail)
		}
	}
	row := func(name string, plan func(s session, tail int) choices) {
		fmt.Fprintf(out, "%s\t", name)
		for i, tail := range tails {
			sum := 0.0
			for _, s := range sessions {
				sum += s.bill(pay, plan(s, tail))
			}
			fmt.Fprintf(out, "%.1f %%\t", 100*(sum/best[i]-1))
		}
		fmt.Fprintln(out)
	}
	row("no pruning", func(session, int) choices { return nil })
	for _, r := range otherRules {
		row(r.name, func(s session, tail int) choices { return s.lots(pay, tail, r) })
	}
	row("defaults", func(s session, tail int) choices { return s.stable(tail, prune.AutoSavings) })
	return out.Flush()
}

// lots leaves out, where a rule says so, every result before the tail.
func (s session) lots(pay prices, tail int, r rule) choices {
	chosen := make(choices, len(s.h.Items))
	from, start, first, since := 0, -1, 0, 0
	for p := range s.requests() {
		if s.start(p) != start {
			start = s.start(p)
			from, first, since = start, p, 0
		}
		boundary := max(s.boundary(p, tail), from)
		var l lot
		for i := from; i < s.h.Points[p].Item; i++ {
			switch {
			case i >= boundary:
				l.tail += s.weights[i]
				l.changed += s.weights[i]
			case s.saves[i] > 0 || l.saves > 0:
				l.saves += s.saves[i]
				l.changed += s.weights[i] - s.saves[i]
			}
		}
		l.rate = float64(since+l.saves) / float64(max(p-first, 1))
		if l.saves > 0 && r.fires(pay, l) {
			s.choose(chosen, p, boundary)
			from = boundary
			since += l.saves
		}
	}
	return chosen
}
