// Command bench measures llmblob beside the tools that people would use instead: whole processes, one after the other
// in rounds, so that all see the same machine. It prints a table of medians and ratios.
//
//	go run ./scripts/bench [-rounds 9] [-mb 500] [-out docs/benchmarks.md]
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

func main() {
	rounds := flag.Int("rounds", 9, "rounds")
	mb := flag.Int("mb", 500, "size of the large text file in MB")
	out := flag.String("out", "", "write the table to this file too")
	flag.Parse()
	*rounds = max(1, *rounds)
	if err := run(*rounds, *mb, *out); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench is where everything lies while it runs.
type bench struct {
	dir, llmblob, tencobra, nothing, big, small, history, store, calls string
	id                                                                 string // of the large file, stored
}

// contest is one row: a command of ours, and one to compare it with or a time to stay within.
type contest struct {
	work  string
	ours  command
	rival command // none: a bound in limit
	ratio float64 // ours is at most this many times the rival
	limit time.Duration
	times int // runs in a round: more for the short ones
}

type command struct {
	name  string // as the table shows it
	args  []string
	stdin string
	after func() error // what clears up, not timed
}

func run(rounds, mb int, out string) (err error) {
	b := &bench{}
	if b.dir, err = os.MkdirTemp("", "llmblob-bench-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	if err := b.prepare(mb); err != nil {
		return err
	}
	table := &bytes.Buffer{}
	fmt.Fprintf(table, "| work | command | median | least | peak memory | compared with | median | ratio | at most |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, c := range b.contests(mb) {
		row, err := b.hold(c, rounds)
		if err != nil {
			return err
		}
		fmt.Fprint(table, row)
		fmt.Print(row)
	}
	if out == "" {
		return nil
	}
	return os.WriteFile(out, []byte(header(rounds, mb)+table.String()), 0o644)
}

func header(rounds, mb int) string {
	return fmt.Sprintf("# Benchmarks\n\nWritten by `go run ./scripts/bench -rounds %d -mb %d -out docs/benchmarks.md`: whole processes, in turn, %d rounds; medians.\n"+
		"The first row is the floor of the machine: what it takes to start and end any process of Go.\n"+
		"Machine: %s, %d cores, %s, %s.\n\n", rounds, mb, rounds, cpu(), runtime.NumCPU(), kernel(), runtime.Version())
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

func (b *bench) prepare(mb int) error {
	in := func(name string) string { return filepath.Join(b.dir, name) }
	b.llmblob, b.tencobra, b.nothing = in("llmblob"), in("tencobra"), in("nothing")
	b.big, b.small, b.store = in("big.txt"), in("small.txt"), in("store")
	b.history = in("history.jsonl")
	for target, pkg := range map[string]string{b.llmblob: "./cmd/llmblob", b.tencobra: "./scripts/bench/tencobra", b.nothing: "./scripts/bench/nothing"} {
		build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", target, pkg)
		build.Env = append(build.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w\n%s", pkg, err, out)
		}
	}
	if err := errors.Join(writeText(b.big, mb<<20), writeText(b.small, 10<<10), writeHistory(b.history, historySize)); err != nil {
		return err
	}
	var stdout bytes.Buffer
	cmd := exec.Command(b.llmblob, "--store", b.store, "store", "-q", b.big)
	cmd.Stdout = &stdout
	if err := cmd.Run(); err != nil {
		return err
	}
	b.id = strings.TrimSpace(stdout.String())
	b.calls = in("calls.jsonl")
	return os.WriteFile(b.calls, []byte(firstCall(b.id)), 0o600)
}

// firstCall is what an MCP client says until its first call.
func firstCall(id string) string {
	return `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"inspect","arguments":{"blob_id":"` + id + `","selector":["lines:20-50"]}}}
`
}

// writeText writes lines of a log of the usual kind, the same every time.
func writeText(name string, size int) error {
	r := rand.New(rand.NewPCG(1, 2))
	var block bytes.Buffer
	for block.Len() < min(size, 1<<20) {
		fmt.Fprintf(&block, "2026-01-02T03:04:%02d.%03dZ INFO request id=%016x path=/v1/items/%d took=%dms\n",
			r.IntN(60), r.IntN(1000), r.Uint64(), r.IntN(1_000_000), r.IntN(500))
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	for left := size; left > 0 && err == nil; {
		n := min(left, block.Len())
		_, err = f.Write(block.Bytes()[:n])
		left -= n
	}
	return errors.Join(err, f.Sync(), f.Close())
}

func (b *bench) contests(mb int) []contest {
	temp := func(name string) (string, func() error) {
		path := filepath.Join(b.dir, name)
		return path, func() error { return os.RemoveAll(path) }
	}
	scratch, clearScratch := temp("scratch")
	copied, clearCopied := temp("copied")
	size := fmt.Sprintf("%d MB", mb)
	return []contest{
		{
			work: "what any process costs here", times: 20,
			ours: command{name: "a Go program that does nothing", args: []string{b.nothing}},
		},
		{
			work: "start", times: 20, ratio: 1.5,
			ours:  command{name: "llmblob --version", args: []string{b.llmblob, "--version"}},
			rival: command{name: "ten lines of cobra", args: []string{b.tencobra, "--version"}},
		},
		{
			work: "capture 10 KB, synced", times: 20, limit: 6 * time.Millisecond,
			ours: command{name: "llmblob capture", args: []string{b.llmblob, "--store", scratch, "capture"}, stdin: b.small},
		},
		{
			work: "store " + size + " of text, synced", times: 1, ratio: 1.5,
			ours:  command{name: "llmblob store", args: []string{b.llmblob, "--store", scratch, "store", "-q", b.big}, after: clearScratch},
			rival: command{name: "dd bs=1M conv=fsync", args: []string{"dd", "bs=1M", "conv=fsync", "status=none", "if=" + b.big, "of=" + copied}, after: clearCopied},
		},
		{
			work: "summarize " + size + " of text", times: 1, ratio: 2,
			ours:  command{name: "llmblob summarize", args: []string{b.llmblob, "summarize", b.big}},
			rival: command{name: "wc -l", args: []string{"wc", "-l", b.big}},
		},
		{
			work: "31 lines of " + size, times: 10, limit: 10 * time.Millisecond,
			ours: command{name: "llmblob inspect ID lines:20-50", args: []string{b.llmblob, "--store", b.store, "inspect", b.id, "lines:20-50"}},
		},
		{
			work: "start, handshake, a first call of MCP, and the end", times: 10, limit: 15 * time.Millisecond,
			ours: command{name: "llmblob mcp", args: []string{b.llmblob, "--store", b.store, "mcp"}, stdin: b.calls},
		},
		{
			work: "project a history of 100 MB", times: 1, ratio: 1.0 / 8,
			ours:  command{name: "llmblob project", args: []string{b.llmblob, "project", b.history}},
			rival: command{name: "jq -c del(.uuid)", args: []string{"jq", "-c", "del(.uuid)", b.history}},
		},
	}
}

// figures are those of many runs of one command.
type figures struct {
	times []time.Duration
	peak  int64 // bytes
}

func (f *figures) median() time.Duration {
	slices.Sort(f.times)
	return f.times[len(f.times)/2]
}

// hold runs both sides in turn and writes the row.
func (b *bench) hold(c contest, rounds int) (string, error) {
	var ours, rival figures
	for round := range rounds + 1 { // the first one warms up
		for range c.times {
			for _, side := range []struct {
				c command
				f *figures
			}{{c.ours, &ours}, {c.rival, &rival}} {
				if side.c.args == nil {
					continue
				}
				if err := side.f.run(side.c, round > 0); err != nil {
					return "", err
				}
			}
		}
	}
	row := fmt.Sprintf("| %s | `%s` | %s | %s | %s ", c.work, c.ours.name, ms(ours.median()), ms(ours.times[0]), mib(ours.peak))
	switch {
	case c.rival.args == nil && c.limit == 0:
		return row + "| | | | |\n", nil
	case c.rival.args == nil:
		return row + fmt.Sprintf("| | | | %s |\n", ms(c.limit)), nil
	}
	ratio := float64(ours.median()) / float64(rival.median())
	return row + fmt.Sprintf("| `%s` | %s | %.2f | %.2f |\n", c.rival.name, ms(rival.median()), ratio, c.ratio), nil
}

func (f *figures) run(c command, count bool) error {
	cmd := exec.Command(c.args[0], c.args[1:]...)
	cmd.Stdout = io.Discard
	if c.stdin != "" {
		in, err := os.Open(c.stdin)
		if err != nil {
			return err
		}
		defer in.Close()
		cmd.Stdin = in
	}
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start)
	if err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	if count {
		f.times = append(f.times, took)
		f.peak = max(f.peak, peakMemory(cmd.ProcessState))
	}
	if c.after != nil {
		return c.after()
	}
	return nil
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) }

func mib(n int64) string { return fmt.Sprintf("%.0f MiB", float64(n)/(1<<20)) }
