package main

import (
	"context"
	"fmt"
	"os"
	"strings"
)

// runComparison holds every contest and writes the first half of the page.
func runComparison(ctx context.Context, w *workshop, o options) error {
	fmt.Print(tableHead)
	var table strings.Builder
	var rows []outcome
	for _, g := range groups() {
		if !o.only.MatchString(g.name) {
			continue
		}
		contests, err := g.make(w)
		if err != nil {
			return fmt.Errorf("%s: %w", g.name, err)
		}
		rounds := o.rounds
		if g.rounds > 0 {
			rounds = min(rounds, g.rounds)
		}
		held, err := hold(ctx, contests, rounds, g.times)
		if err != nil {
			return fmt.Errorf("%s: %w", g.name, err)
		}
		for _, row := range held {
			fmt.Print(row.row())
			table.WriteString(row.row())
		}
		rows = append(rows, held...)
	}
	if o.out != "" {
		if err := writeSection(o.out, comparisonSection, comparisonPage(w, o, table.String(), rows)); err != nil {
			return err
		}
	}
	return judge(rows)
}

// judge names what is missed and what could not be checked.
func judge(rows []outcome) (err error) {
	for _, row := range rows {
		if why := row.unchecked(); why != "" {
			fmt.Fprintf(os.Stderr, "bench: not checked: %s: %s\n", row.work, why)
		}
		for _, what := range row.missed() {
			fmt.Fprintf(os.Stderr, "bench: missed: %s, `%s`: %s, took %s, ratio %.3f, %s of its own\n", row.work, row.ours.name, what,
				ms(row.ourTime()), row.ratio(), memoryOf(row.ourFigures.memory.anonymous))
			err = errMissed
		}
	}
	return err
}
