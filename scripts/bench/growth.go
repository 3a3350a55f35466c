package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// family is inputs of one kind that grow, and the commands that are given them.
type family struct {
	name  string
	unit  string // what size counts
	sizes []int64
	// grow makes the input of a size; the one before is there, and is not needed any more.
	grow func(w *workshop, n int64) ([]*command, error)
	// unitMemory is what a command may have of its own for each unit, in bytes, beyond 64 MB.
	unitMemory int64
	leaves     []string // what lies there at the end
}

// series is how one command of a family grows.
type series struct {
	name   string
	points []point
}

// grown is a family that was measured.
type grown struct {
	family
	series []*series
}

// Limits of growth. A step is allowed to cost twice what linear growth gives, for noise and for caches that are
// left behind; over the whole it must be linear.
const (
	maxStep     = 2.0
	maxExponent = 1.15
)

// runGrowth measures every family and writes the second half of the page and its plot.
func runGrowth(ctx context.Context, w *workshop, o options) error {
	var all []grown
	for _, f := range families() {
		if !o.only.MatchString(f.name) {
			continue
		}
		g, err := measureFamily(ctx, w, f, o.rounds)
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		fmt.Print(g.table())
		all = append(all, g)
	}
	if o.out != "" {
		plot := filepath.Join(filepath.Dir(o.out), "growth.svg")
		if err := os.WriteFile(plot, drawPlot(all), 0o644); err != nil {
			return err
		}
		if err := writeSection(o.out, growthSection, growthPage(w, o, all)); err != nil {
			return err
		}
	}
	var missed []string
	for _, g := range all {
		missed = append(missed, g.missed()...)
	}
	for _, what := range missed {
		fmt.Fprintln(os.Stderr, "bench: missed:", what)
	}
	if missed != nil {
		return errMissed
	}
	return nil
}

// measureFamily takes all commands of a family over its sizes.
func measureFamily(ctx context.Context, w *workshop, f family, rounds int) (grown, error) {
	g := grown{family: f}
	last := int64(0)
	for _, n := range f.sizes {
		n = max(w.scaled(n), f.sizes[0])
		if n <= last {
			continue
		}
		last = n
		commands, err := f.grow(w, n)
		if err != nil {
			return g, err
		}
		for _, c := range commands {
			p, err := measurePoint(ctx, c, rounds)
			if err != nil {
				return g, err
			}
			p.size = float64(n)
			for try := 0; try < 2 && doubtful(g.at(c.name).points, p); try++ {
				again, err := measurePoint(ctx, c, rounds)
				if err != nil {
					return g, err
				}
				p.took, p.memory = min(p.took, again.took), p.memory.max(again.memory)
			}
			fmt.Fprintf(os.Stderr, "%s %s: %s, %s\n", f.sizeText(p.size), c.name, ms(p.took), memoryOf(p.memory.anonymous))
			g.at(c.name).points = append(g.at(c.name).points, p)
		}
	}
	return g, w.removing(f.leaves...)()
}

// doubtful reports whether a point costs so much more than the one before it that it is worth another look: something else may
// have been going on.
func doubtful(before []point, p point) bool {
	if len(before) == 0 {
		return false
	}
	factor, _ := steepest([]point{before[len(before)-1], p})
	return factor > 1.25
}

// at is the series of a name.
func (g *grown) at(name string) *series {
	for _, s := range g.series {
		if s.name == name {
			return s
		}
	}
	s := &series{name: name}
	g.series = append(g.series, s)
	return s
}

// measurePoint watches a command for its memory, several times where it is soon over, and then runs it until its time is known: by
// default three to fifteen times, once where it takes many seconds. The least time counts: what else a machine does only adds to it.
func measurePoint(ctx context.Context, c *command, rounds int) (point, error) {
	var f figures
	if err := repeat(1, rounds, 50*time.Millisecond, func() error { return f.add(ctx, c, true) }); err != nil {
		return point{}, err
	}
	if err := repeat(fewRuns(rounds), manyRuns(rounds), 300*time.Millisecond, func() error { return f.add(ctx, c, false) }); err != nil {
		return point{}, err
	}
	return point{took: slices.Min(f.times), memory: f.memory}, nil
}

// fewRuns is how often at least a command is timed, and manyRuns how often at most.
func fewRuns(rounds int) int  { return rounds/2 + 1 }
func manyRuns(rounds int) int { return 3 * rounds }

// patience is when no further run is begun.
const patience = 4 * time.Second

// repeat does something a few times at least, unless that takes many seconds, and then until enough time is spent or it was done many
// times.
func repeat(few, many int, enough time.Duration, do func() error) error {
	begin := time.Now()
	for n := range many {
		if spent := time.Since(begin); n >= few && spent > enough || n > 0 && spent > patience {
			return nil
		}
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}

// missed says what grows as it must not.
func (g grown) missed() []string {
	var all []string
	for _, s := range g.series {
		if e := exponent(s.points); e > maxExponent {
			all = append(all, fmt.Sprintf("%s, %s: grows with the power of %.2f, at most %.2f is linear", g.name, s.name, e, maxExponent))
		}
		if factor, at := steepest(s.points); factor > maxStep {
			all = append(all, fmt.Sprintf("%s, %s: a cliff before %s, %.1f times what is linear", g.name, s.name, g.sizeText(at.size), factor))
		}
		for _, p := range s.points {
			if limit := g.memoryLimit(p.size); p.memory.anonymous > limit {
				all = append(all, fmt.Sprintf("%s, %s: %s of its own at %s, at most %s", g.name, s.name, memoryOf(p.memory.anonymous), g.sizeText(p.size), memoryOf(limit)))
			}
		}
	}
	return all
}

func (f family) memoryLimit(n float64) int64 { return memoryLimit(0) + f.unitMemory*int64(n) }

// sizeText shows a size of the family.
func (f family) sizeText(n float64) string {
	if f.unit == "bytes" {
		return size(int64(n))
	}
	return count(int(n))
}

// table shows a family: a row a command, a column a size.
func (g grown) table() string {
	var b strings.Builder
	var sizes []float64
	for _, s := range g.series {
		for _, p := range s.points {
			if len(sizes) == 0 || p.size > sizes[len(sizes)-1] {
				sizes = append(sizes, p.size)
			}
		}
	}
	fmt.Fprintf(&b, "### %s\n\n| %s |", g.name, g.unit)
	for _, n := range sizes {
		fmt.Fprintf(&b, " %s |", g.sizeText(n))
	}
	b.WriteString(" exponent | steepest step | own memory at the end |\n|---|" + strings.Repeat("---|", len(sizes)+3) + "\n")
	for _, s := range g.series {
		fmt.Fprintf(&b, "| `%s` |", s.name)
		i := 0
		for _, n := range sizes {
			if i < len(s.points) && s.points[i].size == n {
				fmt.Fprintf(&b, " %s |", ms(s.points[i].took))
				i++
			} else {
				b.WriteString(" |")
			}
		}
		factor, _ := steepest(s.points)
		fmt.Fprintf(&b, " %.2f | %.2f | %s |\n", exponent(s.points), factor, memoryOf(s.points[len(s.points)-1].memory.anonymous))
	}
	return b.String()
}

func growthPage(w *workshop, o options, all []grown) string {
	var b strings.Builder
	b.WriteString(growthHeading + `
Written by ` + "`go run ./scripts/bench -growth`" + `: whole processes, as above; the least time of ` + fmt.Sprintf("%d to %d", fewRuns(o.rounds), manyRuns(o.rounds)) + ` runs, of one
run where it takes many seconds.

![Time and memory of each command over the size of its input, logarithmic](growth.svg)

The dotted line is as steep as linear growth. *Exponent* is the slope of time over size, both logarithmic, from where the input begins to matter (three times the least time): 1 is
linear. *Steepest step* is the largest growth of time from one column to the next, divided by that of the size: 1 is linear, more
is a cliff. The run fails where an exponent is over ` + fmt.Sprint(maxExponent) + `, a step over ` + fmt.Sprint(maxStep) + `, or own memory over ` + memoryOf(memoryLimit(0)) + ` and
200 bytes for each item, blob or call. An event of a hook is held whole, by the agent too: there it is 5 bytes a byte.
` + "`setup`, `schema`, `path` and `tool schema`" + ` have no input that grows.

` + machine(w) + "\n\n")
	for i, g := range all {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(g.table())
	}
	return b.String()
}
