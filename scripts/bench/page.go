package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"
)

// section is a half of the page. Each is written by a run of its own.
type section int

const (
	comparisonSection section = iota
	growthSection
)

// growthHeading begins the second half.
const growthHeading = "## Growth\n"

// writeSection replaces one half of the page and keeps the other.
func writeSection(name string, half section, text string) error {
	old, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	return os.WriteFile(name, []byte(replaceSection(string(old), half, text)), 0o644)
}

// replaceSection is the page with one half replaced.
func replaceSection(page string, half section, text string) string {
	comparison, growth := page, ""
	if i := strings.Index(page, growthHeading); i >= 0 {
		comparison, growth = page[:i], page[i:]
	}
	if half == growthSection {
		growth = text
	} else {
		comparison = text
	}
	return strings.TrimSpace(strings.TrimSpace(comparison)+"\n\n"+growth) + "\n"
}

func comparisonPage(w *workshop, o options, table string, rows []outcome) string {
	return "# Benchmarks\n\n" + `Written by ` + "`go run ./scripts/bench`" + `: whole processes, those of a group in turn, so that all see the same machine; the
median of ` + fmt.Sprint(o.rounds) + ` rounds, of 3 where one takes seconds, and many runs a round where one takes milliseconds. What is printed goes into a pipe
that is read. Inputs are in the page cache. GB and MB are decimal. *Resident* includes mapped files; *own memory* is what is anonymous, heap
and stacks. Both are peaks, looked at every 0.2 ms in a round that is not timed. Own memory must be below ` + memoryOf(memoryLimit(0)) + `,
and 200 bytes more for each item of a history. The first row is the floor of the machine: what it takes to start and end any process of Go.

` + machine(w) + "\n\n" + tableHead + table + langchainNote(rows)
}

// machine tells what was measured on, and with what.
func machine(w *workshop) string {
	var versions []string
	for name, t := range w.tools {
		if t.absent != "" {
			versions = append(versions, name+" ("+t.absent+")")
		} else if name != "npm" {
			versions = append(versions, t.version)
		}
	}
	slices.Sort(versions)
	s := fmt.Sprintf("Machine: %s, %d cores, %s, %s.", cpu(), runtime.NumCPU(), kernel(), runtime.Version())
	if len(versions) > 0 {
		s += "\nCompared with: " + strings.Join(versions, "; ") + "."
	}
	return s
}

func cpu() string {
	data, _ := os.ReadFile("/proc/cpuinfo") // elsewhere it stays unknown
	for line := range strings.Lines(string(data)) {
		if name, ok := strings.CutPrefix(line, "model name"); ok {
			return strings.Trim(name, " \t:\n")
		}
	}
	return runtime.GOARCH
}

func kernel() string {
	out, _ := exec.Command("uname", "-sr").Output()
	return strings.TrimSpace(string(out))
}

// langchainNote says what the whole history would take, from the exponent that was measured.
func langchainNote(rows []outcome) string {
	var points []point
	for _, row := range rows {
		if row.inside && row.theirFigures != nil {
			points = append(points, point{size: float64(row.items), took: row.theirTime()})
		}
	}
	if len(points) < 2 {
		return ""
	}
	last, e := points[len(points)-1], exponent(points)
	return fmt.Sprintf("\nThe time of LangChain's edit grows with the records to the power of %.1f, so the largest history that it is given here has %s. Not measured but "+
		"extrapolated with that power: %s for 100,000 records.\n", e, count(int(last.size)), extrapolate(last, e, 100_000).Round(time.Minute))
}
