package main

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// measured is an outcome with medians in milliseconds; a rival of 0 took no part.
func measured(c contest, ours, theirs, inside time.Duration, anonymous int64) outcome {
	c.ours = &command{name: "llmblob"}
	o := outcome{contest: c, ourFigures: &figures{times: []time.Duration{ours * time.Millisecond}, memory: memory{anonymous: anonymous}}}
	if c.rival != nil && c.rival.absent == "" {
		o.theirFigures = &figures{times: []time.Duration{theirs * time.Millisecond}, inside: []time.Duration{inside * time.Millisecond}}
	}
	return o
}

func TestBounds(t *testing.T) {
	rival, absent := &command{name: "dd"}, &command{name: "gojq", absent: "not installed"}
	for _, c := range []struct {
		name           string
		o              outcome
		missed         []string
		unchecked, row string
	}{
		{"no bound", measured(contest{}, 10, 0, 0, 1), nil, "", "| | | | |  |"},
		{"within a ratio", measured(contest{rival: rival, bound: bound{times: 1.25}}, 125, 100, 0, 1), nil, "", "| 1.25 × | at most 1.25 × |"},
		{"over a ratio", measured(contest{rival: rival, bound: bound{times: 1.25}}, 126, 100, 0, 1), []string{"at most 1.25 ×"}, "", "1.26 × | at most 1.25 ×; **missed: at most 1.25 ×** |"},
		{"fast enough", measured(contest{rival: rival, bound: bound{faster: 15}}, 10, 150, 0, 1), nil, "", "| 15 × faster | at least 15 × faster |"},
		{"too slow", measured(contest{rival: rival, bound: bound{faster: 15}}, 10, 149, 0, 1), []string{"at least 15 × faster"}, "", "**missed"},
		{"soon enough", measured(contest{rival: rival, bound: bound{within: 5 * time.Millisecond}}, 5, 1, 0, 1), nil, "", "| 5.00 × | at most 5.0 ms |"},
		{"too late", measured(contest{bound: bound{within: 5 * time.Millisecond}}, 6, 0, 0, 1), []string{"at most 5.0 ms"}, "", "**missed"},
		{"inside its process", measured(contest{rival: rival, inside: true, bound: bound{faster: 100}}, 10, 5000, 900, 1), []string{"at least 100 × faster"}, "", "within its process | 900.0 ms"},
		{"as a process", measured(contest{rival: rival, bound: bound{faster: 100}}, 10, 5000, 900, 1), nil, "", "| 5000.0 ms"},
		{"absent", measured(contest{rival: absent, bound: bound{faster: 100}}, 10, 0, 0, 1), nil, "gojq not installed", "| `gojq` | not installed | | | at least 100 × faster; not checked |"},
		{"absent, nothing asked", measured(contest{rival: absent}, 10, 0, 0, 1), nil, "", "| `gojq` | not installed | | |  |"},
		{"memory of a blob", measured(contest{}, 10, 0, 0, 64*mB), nil, "", "64.0 MB"},
		{"too much for a blob", measured(contest{}, 10, 0, 0, 64*mB+1), []string{"memory at most 64.0 MB"}, "", "**missed"},
		{"memory of a history", measured(contest{items: 1000}, 10, 0, 0, 64*mB+200_000), nil, "", "memory at most 64.2 MB |"},
		{"too much for a history", measured(contest{items: 1000}, 10, 0, 0, 64*mB+200_001), []string{"memory at most 64.2 MB"}, "", "**missed"},
	} {
		if got := c.o.missed(); !slices.Equal(got, c.missed) {
			t.Errorf("%s: missed %q, want %q", c.name, got, c.missed)
		}
		if got := c.o.unchecked(); got != c.unchecked {
			t.Errorf("%s: unchecked %q, want %q", c.name, got, c.unchecked)
		}
		row := c.o.row()
		if !strings.Contains(row, c.row) || strings.Count(row, "|") != strings.Count(tableHead, "|")/2 {
			t.Errorf("%s: %s", c.name, row)
		}
	}
}

func TestJudge(t *testing.T) {
	good := measured(contest{}, 10, 0, 0, 1)
	bad := measured(contest{bound: bound{within: 1}}, 10, 0, 0, 1)
	if err := judge([]outcome{good}); err != nil {
		t.Error(err)
	}
	if err := judge([]outcome{good, bad, good}); err != errMissed {
		t.Errorf("got %v", err)
	}
}
