// Command torture has a store meet everything that can befall it, and prints what that was: each step of each operation
// fails in each way, processes end before each step, the power is lost with every subset of what was not synced, and 64
// processes use one store. Nothing may be lost.
//
//	go run ./scripts/torture [-short]
//
// These are the tests; with -short the processes are fewer and the race detector watches them alone. Without it
// everything runs under the race detector.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// trial is some tests, which tell what they counted by attributes.
type trial struct {
	what, pkg, run string
	race           bool // also with -short
	args           []string
	short          []string // instead of args
	counts         []string // the attributes
}

func trials() []trial {
	return []trial{
		{what: "each step of the store fails", pkg: "./pkg/fsstore", run: "^TestFaults$", counts: []string{"steps-x-faults"}},
		{what: "each step of the commands fails", pkg: "./cmd/llmblob", run: "^TestCommandsMeetFaults$", counts: []string{"steps-x-faults"}},
		{what: "processes end before each step", pkg: "./cmd/llmblob", run: "^TestProcessesEndBeforeEachStep$", counts: []string{"kills"}},
		{
			what: "the power is lost", pkg: "./pkg/fsstore", run: "^TestPowerLoss$",
			counts: []string{"power-loss-outcomes", "power-loss-outcomes-that-differ", "places-that-sync"},
		},
		{
			what: "many processes use one store", pkg: "./pkg/fsstore", run: "^TestProcesses$", race: true,
			args: []string{"-processes", "64", "-for", "20s"}, short: []string{"-processes", "64", "-for", "3s"},
			counts: []string{"processes", "operations"},
		},
	}
}

func main() {
	short := flag.Bool("short", false, "a shorter form, in under a minute")
	flag.Parse()
	if err := run(*short); err != nil {
		fmt.Fprintln(os.Stderr, "torture:", err)
		os.Exit(1)
	}
	fmt.Println("nothing is lost")
}

func run(short bool) error {
	var errs []error
	for _, t := range trials() {
		start := time.Now()
		counted, err := t.do(short)
		fmt.Printf("%-32s %4.0f s  %s\n", t.what, time.Since(start).Seconds(), counted)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", t.what, err))
		}
	}
	return errors.Join(errs...)
}

// do runs the tests and returns what they counted. What they say when they fail is printed.
func (t trial) do(short bool) (counted string, err error) {
	args := []string{"test", "-count=1", "-v", "-run", t.run}
	if t.race || !short {
		args = append(args, "-race")
	}
	args = append(args, t.pkg)
	if short && t.short != nil {
		args = append(args, t.short...)
	} else {
		args = append(args, t.args...)
	}
	cmd := exec.Command("go", args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	counts, said, readErr := t.read(out)
	if err := errors.Join(readErr, cmd.Wait()); err != nil {
		_, _ = os.Stderr.WriteString(said)
		return "", err
	}
	var b strings.Builder
	for _, name := range t.counts {
		n := counts[name]
		if n == 0 {
			return "", fmt.Errorf("no %s are counted", name)
		}
		fmt.Fprintf(&b, "  %d %s", n, strings.ReplaceAll(name, "-", " "))
	}
	return b.String(), nil
}

// read reads what go test -v prints: the attributes, and everything else but the names of the tests that pass.
func (t trial) read(r io.Reader) (counts map[string]int, said string, err error) {
	counts = make(map[string]int)
	var b strings.Builder
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		line := lines.Text()
		if f := strings.Fields(line); len(f) == 5 && f[1] == "ATTR" {
			n, err := strconv.Atoi(f[4])
			if err != nil {
				return nil, "", err
			}
			counts[f[3]] += n
		}
		if !strings.HasPrefix(line, "=== ") && !strings.Contains(line, "--- PASS") {
			b.WriteString(line + "\n")
		}
	}
	return counts, b.String(), lines.Err()
}
