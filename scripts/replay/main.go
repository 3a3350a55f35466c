// Replay compares ways of pruning over real sessions: what each would have paid, request by request, and how far that is
// from the best that was possible in hindsight.
//
//	go run ./scripts/replay SESSION…
//
// A request pays -read for each token of the prefix that it shares with the request before, and -write for the rest.
// Tokens are UTF-8 bytes / 4. What is in no transcript, the system prompt and the definitions of tools, weighs -base tokens,
// or with "usage" what the provider counted for the first request beyond what is in it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/llmblob/llmblob/pkg/history"
	"github.com/llmblob/llmblob/pkg/prune"
	"github.com/llmblob/llmblob/pkg/tokens"
)

func main() {
	read := flag.Float64("read", 0.1, "price of a token that is in the cache")
	write := flag.Float64("write", 1.25, "price of a token that is not")
	base := flag.String("base", "0", "tokens of what is in no transcript, or usage")
	tails := flag.String("tails", "4000,8000,20000,40000", "protected tails in tokens")
	flag.Parse()
	if err := run(prices{*read, *write}, *base, *tails, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "replay:", err)
		os.Exit(1)
	}
}

func run(pay prices, base, tailList string, files []string) error {
	var tails []int
	for text := range strings.SplitSeq(tailList, ",") {
		n, err := strconv.Atoi(text)
		if err != nil {
			return err
		}
		tails = append(tails, n)
	}
	var sessions []session
	for _, name := range files {
		s, err := load(name)
		if err == nil {
			err = s.setBase(base)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		sessions = append(sessions, s)
	}
	if len(sessions) == 0 {
		return fmt.Errorf("no session is given")
	}
	fmt.Printf("What the requests pay, in tokens at the plain price: %g for one that is in the cache, %g for one that is not; answers aside.\n\n", pay.read, pay.write)
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(out, "tail\tno pruning\tdefaults\toptimum\tabove optimum\tabove no pruning, worst session\t\n")
	for _, tail := range tails {
		none, defaults, best, worst := 0.0, 0.0, 0.0, -1.0
		for _, s := range sessions {
			a, b := s.bill(pay, nil), s.bill(pay, s.stable(tail, prune.AutoSavings))
			none, defaults, best = none+a, defaults+b, best+s.optimum(pay, tail)
			if a > 0 {
				worst = max(worst, b/a-1)
			}
		}
		fmt.Fprintf(out, "%d\t%.0f\t%.0f\t%.0f\t%.1f %%\t%.1f %%\t\n", tail, none, defaults, best, 100*(defaults/best-1), 100*worst)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if err := compareRules(sessions, pay, tails); err != nil {
		return err
	}
	return rivals(sessions, pay)
}

// rivals prints what other policies pay beside the defaults.
func rivals(sessions []session, pay prices) error {
	policies := []struct {
		name string
		plan func(s session) choices
	}{
		{"no pruning", func(session) choices { return nil }},
		{"rolling, tail 8000", func(s session) choices { return s.rolling(8000) }},
		{"protect 40000, at least 20000", func(s session) choices { return s.stable(40000, 20000) }},
		{"protect 50000, at least 30000", func(s session) choices { return s.stable(50000, 30000) }},
		{"all but 3 results above 100000", func(s session) choices { return s.allBut(3, 100000) }},
		{"tail 8000, at least 4096", func(s session) choices { return s.stable(8000, 4096) }},
		{"defaults, tail 8000", func(s session) choices { return s.stable(8000, prune.AutoSavings) }},
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(out, "\nsession\trequests\t")
	for _, p := range policies {
		fmt.Fprintf(out, "%s\t", p.name)
	}
	fmt.Fprintln(out)
	sums := make([]float64, len(policies))
	for _, s := range sessions {
		fmt.Fprintf(out, "%s\t%d\t", s.name, s.requests())
		for i, p := range policies {
			bill := s.bill(pay, p.plan(s))
			sums[i] += bill
			fmt.Fprintf(out, "%.0f\t", bill)
		}
		fmt.Fprintln(out)
	}
	fmt.Fprint(out, "all\t\t")
	for _, sum := range sums {
		fmt.Fprintf(out, "%.0f\t", sum)
	}
	best := slices.Min(sums[:len(sums)-2])
	fmt.Fprintf(out, "\ndefaults below the best of the first %d columns\t\t%.1f %%\t\n", len(sums)-2, 100*(1-sums[len(sums)-1]/best))
	return out.Flush()
}

// session is a history with what its items weigh.
type session struct {
	name       string
	h          *history.History
	candidates []prune.Candidate
	estimates  *tokens.Estimates
	weights    []int // tokens of each item
	saves      []int // and those saved where it is left out; 0 where it cannot be
	base       int   // tokens of every request before the first item
}

// setBase sets what every request holds before its first item.
func (s *session) setBase(base string) error {
	if base != "usage" {
		n, err := strconv.Atoi(base)
		s.base = n
		return err
	}
	for _, p := range s.h.Points {
		if p.Usage == 0 {
			continue
		}
		s.base = p.Usage
		for i := range p.Item {
			s.base -= s.weights[i]
		}
		s.base = max(s.base, 0)
		break
	}
	return nil
}

func load(name string) (session, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return session{}, err
	}
	h, err := history.Parse(data, history.Options{Lenient: true})
	if err == nil && h.Format == "" {
		err = errors.New("is no history of a format that is known")
	}
	if err != nil {
		return session{}, err
	}
	s := session{name: filepath.Base(name), h: h}
	if s.candidates, err = prune.Candidates(h, prune.DefaultConfig(), 400, nil); err != nil {
		return session{}, err
	}
	if s.estimates, err = tokens.Estimate(context.Background(), h, prune.Replacements(s.candidates), tokens.Bytes{}); err != nil {
		return session{}, err
	}
	s.weights, s.saves = make([]int, len(h.Items)), make([]int, len(h.Items))
	for i := range h.Items {
		if !h.Items[i].Outside {
			s.weights[i], _ = s.estimates.Size(i)
		}
	}
	for r := range prune.Replacements(s.candidates) {
		_, saved := s.estimates.Size(r.Item)
		s.saves[r.Item] = max(saved, 0)
	}
	return s, nil
}

// requests is how many requests the session made; the end of the history is none.
func (s session) requests() int { return len(s.h.Points) - 1 }

// choices are, by item, 1 + the request at which its content was first left out; 0: never.
type choices []int

func (s session) stable(tail int, least prune.MinSavings) choices {
	c := prune.DefaultConfig()
	c.ProtectedTokens, c.MinSavings = tail, least
	d := prune.Plan(s.h, c, s.candidates, s.estimates)
	chosen := make(choices, len(s.h.Items))
	for _, r := range d.Results {
		if r.Chosen {
			chosen[r.Item] = int(r.Point) + 1
		}
	}
	return chosen
}

// rolling leaves out, at each request, every result before the tail.
func (s session) rolling(tail int) choices {
	chosen := make(choices, len(s.h.Items))
	for p := range s.requests() {
		s.choose(chosen, p, s.boundary(p, tail))
	}
	return chosen
}

// allBut leaves out all but the last results once the context is larger than a trigger.
func (s session) allBut(keep, trigger int) choices {
	chosen := make(choices, len(s.h.Items))
	for p := range s.requests() {
		end := s.h.Points[p].Item
		context := 0
		for i := s.start(p); i < end; i++ {
			context += s.left(chosen, i, p)
		}
		if context < trigger {
			continue
		}
		boundary, kept := end, 0
		for boundary > 0 && kept < keep {
			boundary--
			if s.h.Items[boundary].Kind == history.Result {
				kept++
			}
		}
		s.choose(chosen, p, boundary)
	}
	return chosen
}

func (s session) choose(chosen choices, p, boundary int) {
	for i := s.start(p); i < boundary; i++ {
		if s.saves[i] > 0 && chosen[i] == 0 {
			chosen[i] = p + 1
		}
	}
}

// start is the first item in the context of a request.
func (s session) start(p int) int {
	start := 0
	for _, r := range s.h.Resets {
		if r.At <= s.h.Points[p].Item {
			start = r.Start
		}
	}
	return start
}

// boundary is where the tail of a request begins, or what the model has not seen.
func (s session) boundary(p, tail int) int {
	i, sum := s.h.Points[p].Item, 0
	for i > s.start(p) && sum < tail {
		i--
		sum += s.weights[i]
	}
	if sum < tail {
		return s.start(p)
	}
	if p == 0 {
		return 0
	}
	return min(i, s.h.Points[p-1].Item)
}

// left is what is left of an item in a request.
func (s session) left(chosen choices, i, p int) int {
	if chosen != nil && chosen[i] > 0 && chosen[i] <= p+1 {
		return s.weights[i] - s.saves[i]
	}
	return s.weights[i]
}
