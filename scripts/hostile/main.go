// Command hostile takes transcripts and blobs that somebody made to do harm through llmblob, each in a size and in twice that
// size: nested 100,000 deep, keys repeated a million times, strings and lines of a gigabyte, references and summaries that are
// forged, escape sequences. Every process runs under a limit of memory (ulimit -d, in KiB). It prints status, processor time
// and memory, and fails where a status is not the one to expect or where twice the input takes more than three times as long.
//
//	go run ./scripts/hostile [-big MB] [-limit KIB] [-run REGEXP]
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Times below this are noise, and worstRatio is what twice the input may take.
const (
	noise      = 300 * time.Millisecond
	worstRatio = 3.0
)

func main() {
	r := runner{}
	flag.IntVar(&r.big, "big", 1024, "`megabytes` of the large inputs, in the larger of both sizes")
	flag.IntVar(&r.limit, "limit", 512<<10, "`KiB` of memory that a process may have")
	only := flag.String("run", "", "only the inputs whose names match")
	flag.Parse()
	r.only = regexp.MustCompile(*only)
	if err := r.run(); err != nil {
		fmt.Fprintln(os.Stderr, "hostile:", err)
		os.Exit(1)
	}
}

type runner struct {
	big, limit int
	only       *regexp.Regexp
	dir        string
	processes  int
	faults     []string
}

func (r *runner) run() (err error) {
	if r.dir, err = os.MkdirTemp("", "llmblob-hostile-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(r.dir)) }()
	build := exec.Command("go", "build", "-o", filepath.Join(r.dir, "llmblob"), "./cmd/llmblob")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	fmt.Printf("%-26s %-46s %6s %9s %9s %6s %8s\n", "input", "command", "status", "n, s", "2n, s", "ratio", "MiB")
	for _, in := range r.inputs() {
		if !r.only.MatchString(in.name) {
			continue
		}
		if err := r.input(in); err != nil {
			return fmt.Errorf("%s: %w", in.name, err)
		}
	}
	fmt.Printf("%d processes under ulimit -d %d, %d faults\n", r.processes, r.limit, len(r.faults))
	if len(r.faults) > 0 {
		return errors.New(strings.Join(r.faults, "\n"))
	}
	return nil
}

// input takes an input in both sizes through its commands.
func (r *runner) input(in input) (err error) {
	files := [2]string{filepath.Join(r.dir, "n"), filepath.Join(r.dir, "2n")}
	defer func() { err = errors.Join(err, os.Remove(files[0]), os.Remove(files[1])) }()
	for i, n := range [2]int{in.n / 2, in.n} {
		if err := writeFile(files[i], n, in.make); err != nil {
			return err
		}
	}
	for _, c := range in.commands {
		runs, err := r.both(c, files)
		if err == nil && runs[1].time > noise && ratio(runs) > worstRatio { // what else runs on the machine may have done that
			runs, err = r.both(c, files)
		}
		if err != nil {
			return err
		}
		ratio := ratio(runs)
		fmt.Printf("%-26s %-46s %6d %9.2f %9.2f %6.1f %8d\n", in.name, c.line, runs[1].status, runs[0].time.Seconds(), runs[1].time.Seconds(), ratio, runs[1].peak>>20)
		for _, run := range runs {
			if run.status != c.status {
				r.fault("%s: %s: status %d, want %d: %s", in.name, c.line, run.status, c.status, run.stderr)
			}
		}
		if runs[1].time > noise && ratio > worstRatio {
			r.fault("%s: %s: twice the input takes %.1f times as long", in.name, c.line, ratio)
		}
	}
	return nil
}

// both runs a command on both sizes.
func (r *runner) both(c command, files [2]string) (runs [2]outcome, err error) {
	for i := range runs {
		if runs[i], err = r.process(c, files[i]); err != nil {
			return runs, err
		}
	}
	return runs, nil
}

// ratio tells how many times as long twice the input takes.
func ratio(runs [2]outcome) float64 {
	return runs[1].time.Seconds() / max(runs[0].time, time.Millisecond).Seconds()
}

func (r *runner) fault(format string, args ...any) {
	r.faults = append(r.faults, fmt.Sprintf(format, args...))
}

func writeFile(name string, n int, write func(io.Writer, int) error) (err error) {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return write(f, n)
}

// outcome is how a process ended.
type outcome struct {
	status int
	time   time.Duration // of the processor
	peak   int64         // bytes resident, mapped files among them
	stderr string
}

// process runs a command on a file, on standard input where it is not named. The store is empty at the start.
func (r *runner) process(c command, file string) (o outcome, err error) {
	store := filepath.Join(r.dir, "store")
	defer func() { err = errors.Join(err, os.RemoveAll(store)) }()
	// The shell gives the limit and is replaced by the program.
	line := "ulimit -d " + strconv.Itoa(r.limit) + "; " + c.before + "exec llmblob " + c.line
	cmd := exec.Command("bash", "-c", line)
	cmd.Env = append(os.Environ(), "LLMBLOB_STORE="+store, "PATH="+r.dir+":"+os.Getenv("PATH"), "FILE="+file, "TMPDIR="+r.dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if !strings.Contains(c.line+c.before, "$FILE") {
		f, err := os.Open(file)
		if err != nil {
			return o, err
		}
		defer f.Close()
		pipe, err := cmd.StdinPipe() // a pipe, for a file could be mapped
		if err != nil {
			return o, err
		}
		go func() {
			_, _ = io.Copy(pipe, f) // it may have enough
			_ = pipe.Close()
		}()
	}
	r.processes++
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		return o, err
	}
	state := cmd.ProcessState
	msg := stderr.String()
	return outcome{state.ExitCode(), state.UserTime() + state.SystemTime(), peakMemory(state), msg[:min(len(msg), 300)]}, nil
}
