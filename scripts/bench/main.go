// Command bench measures llmblob beside the tools that people would use instead: whole processes, one after the other in
// rounds, so that all see the same machine. It makes its inputs, the same every time, holds every row to its limit, and
// writes the table to docs/benchmarks.md. With -growth it measures how the cost of every command grows with its input, and
// writes docs/growth.svg and the second half of that page. The status is 1 where a limit is missed.
//
//	go run ./scripts/bench [-only REGEXP] [-rounds N] [-scale FACTOR] [-growth] [-out FILE] [-dir DIR] [-list]
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"syscall"
)

// errMissed says that everything was measured and something is not as it must be. What, was printed.
var errMissed = errors.New("a limit is missed")

// options are what the command line says.
type options struct {
	rounds int
	scale  float64
	only   *regexp.Regexp
	out    string // the page; none: the table is only printed
	dir    string // where the temporary directory is made
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run does what the command line says. When ctx ends it ends, and leaves nothing behind.
func run(ctx context.Context, args []string) (err error) {
	var o options
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.IntVar(&o.rounds, "rounds", 5, "rounds, after one that warms up and is watched for memory")
	flags.Float64Var(&o.scale, "scale", 1, "factor on the sizes of the inputs")
	only := flags.String("only", "", "measure only the groups whose names match; the page is then written only with -out")
	growth := flags.Bool("growth", false, "measure how costs grow with the input, instead of the comparison")
	out := flags.String("out", "", "page to write (default docs/benchmarks.md for a whole run)")
	list := flags.Bool("list", false, "print the names of the groups")
	flags.StringVar(&o.dir, "dir", "", "directory for the temporary files, up to 10 GB (default that of the system)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if o.only, err = regexp.Compile(*only); err != nil {
		return err
	}
	o.rounds = max(1, o.rounds)
	if o.out = *out; o.out == "" && *only == "" && o.scale == 1 {
		o.out = "docs/benchmarks.md"
	}
	if *list {
		printNames(*growth)
		return nil
	}
	w, err := newWorkshop(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	if *growth {
		return runGrowth(ctx, w, o)
	}
	return runComparison(ctx, w, o)
}

func printNames(growth bool) {
	if growth {
		for _, f := range families() {
			fmt.Println(f.name)
		}
		return
	}
	for _, g := range groups() {
		fmt.Println(g.name)
	}
}
