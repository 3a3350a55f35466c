package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// contest is one row: a command of ours, and what it is held to.
type contest struct {
	work   string
	ours   *command
	rival  *command // none: nothing to compare with
	inside bool     // of the rival the time that it tells itself counts
	bound  bound
	items  int // of a history: more memory is allowed
}

// bound is what must hold; what is zero is not asked.
type bound struct {
	times  float64       // ours takes at most so many times what the rival takes
	faster float64       // ours is at least so many times as fast
	within time.Duration // ours takes at most so long
}

// String is the last column.
func (b bound) String() string {
	switch {
	case b.times > 0:
		return fmt.Sprintf("at most %g ×", b.times)
	case b.faster > 0:
		return fmt.Sprintf("at least %g × faster", b.faster)
	case b.within > 0:
		return "at most " + ms(b.within)
	}
	return ""
}

// group is contests that are held together: their commands run in turn, and one that several rows share runs once in each.
type group struct {
	name   string
	times  int // runs of each command in a round, more for the short ones
	rounds int // at most, where one takes very long
	make   func(w *workshop) ([]contest, error)
}

// memoryLimit is what a command may have of its own: for blobs of any size 64 MB, and 200 bytes an item of a history.
func memoryLimit(items int) int64 { return 64*mB + 200*int64(items) }

// outcome is a row that was measured.
type outcome struct {
	contest
	ourFigures, theirFigures *figures
}

// hold runs the commands of all contests in turn and returns the rows.
func hold(ctx context.Context, contests []contest, rounds, times int) ([]outcome, error) {
	var commands []*command
	measured := make(map[*command]*figures)
	for _, c := range contests {
		for _, side := range []*command{c.ours, c.rival} {
			if side != nil && side.absent == "" && measured[side] == nil {
				commands, measured[side] = append(commands, side), &figures{}
			}
		}
	}
	for round := range rounds + 1 {
		for range times {
			for _, c := range commands {
				if err := measured[c].add(ctx, c, round == 0); err != nil {
					return nil, err
				}
			}
		}
	}
	var rows []outcome
	for _, c := range contests {
		rows = append(rows, outcome{c, measured[c.ours], measured[c.rival]})
	}
	return rows, nil
}

func (o outcome) ourTime() time.Duration { return median(o.ourFigures.times) }

func (o outcome) theirTime() time.Duration {
	if o.inside {
		return median(o.theirFigures.inside)
	}
	return median(o.theirFigures.times)
}

// ratio is how many times what the rival takes ours takes; 0 where there is no rival.
func (o outcome) ratio() float64 {
	if o.theirFigures == nil || o.theirTime() == 0 {
		return 0
	}
	return float64(o.ourTime()) / float64(o.theirTime())
}

// missed says what is not as it must be.
func (o outcome) missed() []string {
	var all []string
	b, ratio := o.bound, o.ratio()
	if b.times > 0 && ratio > b.times || b.faster > 0 && ratio*b.faster > 1 || b.within > 0 && o.ourTime() > b.within {
		all = append(all, b.String())
	}
	if limit := memoryLimit(o.items); o.ourFigures.memory.anonymous > limit {
		all = append(all, "memory at most "+memoryOf(limit))
	}
	return all
}

// unchecked says why a bound could not be held against anything; "" where it was.
func (o outcome) unchecked() string {
	if o.rival != nil && o.rival.absent != "" && (o.bound.times > 0 || o.bound.faster > 0) {
		return o.rival.name + " " + o.rival.absent
	}
	return ""
}

const tableHead = "| work | command | median | least | resident | own memory | compared with | median | own memory | ratio | must be |\n" +
	"|---|---|---|---|---|---|---|---|---|---|---|\n"

// row is a line of the table.
func (o outcome) row() string {
	f := o.ourFigures
	s := fmt.Sprintf("| %s | `%s` | %s | %s | %s | %s ", o.work, o.ours.name, ms(o.ourTime()), ms(slices.Min(f.times)), memoryOf(f.memory.resident), memoryOf(f.memory.anonymous))
	switch {
	case o.rival == nil:
		s += "| | | | "
	case o.theirFigures == nil:
		s += fmt.Sprintf("| `%s` | %s | | ", o.rival.name, o.rival.absent)
	default:
		name := "`" + o.rival.name + "`"
		if o.inside {
			name += ", within its process"
		}
		s += fmt.Sprintf("| %s | %s | %s | %s ", name, ms(o.theirTime()), memoryOf(o.theirFigures.memory.anonymous), ratioText(o.ratio()))
	}
	must := o.bound.String()
	if o.items > 0 {
		must = join(must, "memory at most "+memoryOf(memoryLimit(o.items)))
	}
	if o.unchecked() != "" {
		must = join(must, "not checked")
	}
	for _, missed := range o.missed() {
		must = join(must, "**missed: "+missed+"**")
	}
	return s + "| " + must + " |\n"
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

// ratioText says what people would: 1.04 ×, or 17 × faster.
func ratioText(ratio float64) string {
	if ratio >= 0.5 {
		return fmt.Sprintf("%.2f ×", ratio)
	}
	return short(1/ratio) + " × faster"
}
