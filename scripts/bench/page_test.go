package main

import (
	"strings"
	"testing"
	"time"
)

func TestReplaceSection(t *testing.T) {
	const comparison, growth = "# Benchmarks\n\nold\n", growthHeading + "\nold growth\n"
	for name, c := range map[string]struct {
		page string
		half section
		text string
		want string
	}{
		"first page":            {"", comparisonSection, "# B\n", "# B\n"},
		"first growth":          {"", growthSection, growthHeading + "g\n", growthHeading + "g\n"},
		"comparison alone":      {comparison, comparisonSection, "# B\n", "# B\n"},
		"comparison, and keeps": {comparison + "\n" + growth, comparisonSection, "# B\n", "# B\n\n" + growth},
		"growth added":          {comparison, growthSection, growthHeading + "g\n", comparison + "\n" + growthHeading + "g\n"},
		"growth replaced":       {comparison + "\n" + growth, growthSection, growthHeading + "g\n", comparison + "\n" + growthHeading + "g\n"},
	} {
		if got := replaceSection(c.page, c.half, c.text); got != c.want {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

// What is extrapolated is called so, and comes from what was measured inside the process alone.
func TestLangchainNote(t *testing.T) {
	rival := &command{name: "edit"}
	rows := []outcome{
		measured(contest{rival: rival, inside: true, items: 1000}, 1, 9, 1000, 1),
		measured(contest{rival: rival, inside: true, items: 10_000}, 1, 9, 100_000, 1),
		measured(contest{rival: rival, items: 10_000}, 1, 99, 7, 1),
	}
	note := langchainNote(rows)
	if !strings.Contains(note, "power of 2.0") || !strings.Contains(note, "has 10,000") || !strings.Contains(note, (10_000*time.Second).Round(time.Minute).String()) ||
		!strings.Contains(note, "Not measured") {
		t.Error(note)
	}
	rows[1].theirFigures = nil
	if note := langchainNote(rows); note != "" {
		t.Error(note)
	}
}
