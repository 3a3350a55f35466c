package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/llmblob/llmblob/internal/content"
	"github.com/llmblob/llmblob/pkg/history"
)

// historyFlags say how a history is read.
type historyFlags struct {
	format  string
	lenient bool
	quiet   bool // warnings are told elsewhere
	input   os.FileInfo
}

func (f *historyFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.format, "format", "", "take the history as of this `format`: "+formatNames())
	cmd.Flags().BoolVar(&f.lenient, "lenient", false, "pass lines that are no JSON, with a warning")
}

func formatNames() string {
	var names []string
	for _, f := range history.Formats() {
		names = append(names, string(f))
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

func (f *historyFlags) options(cmd *cobra.Command) (history.Options, error) {
	format := history.Format(f.format)
	if changed := cmd.Flags().Changed("format"); changed && !slices.Contains(history.Formats(), format) {
		return history.Options{}, &usageError{msg: fmt.Sprintf("--format %q: there is no such format", f.format), hint: "there are " + formatNames()}
	}
	return history.Options{Format: format, Lenient: f.lenient}, nil
}

// historyGCPercent keeps the garbage of what follows small beside a large history, which the collector has done with at once: there are
// no pointers in its items.
const historyGCPercent = 15

// withHistory reads the history that an operand names and works on it. Nothing has been written before that.
func (a *app) withHistory(cmd *cobra.Command, args []string, flags *historyFlags, work func(*history.History) error) (err error) {
	o, err := flags.options(cmd)
	if err != nil {
		return err
	}
	f, err := a.input(args)
	if err != nil {
		return err
	}
	if flags.input, err = f.Stat(); err != nil {
		return err
	}
	c, err := content.Read(f)
	defer func() { err = errors.Join(err, c.Close()) }()
	if f != a.stdin {
		defer f.Close() // it was only read
	}
	if err != nil {
		return fmt.Errorf("read history: %w", err)
	}
	o.Behind = c.Release
	h, err := history.Parse(c.Bytes(), o)
	if err != nil {
		return err
	}
	debug.SetGCPercent(historyGCPercent)
	if !flags.quiet {
		for _, warning := range warningsOf(h) {
			a.complain("warning", warning, exitDone)
		}
	}
	return work(h)
}

// mostWarnings is how many malformed lines are told one by one.
const mostWarnings = 10

// warningsOf says what was not understood.
func warningsOf(h *history.History) []error {
	var warnings []error
	for i, m := range h.Malformed {
		if i == mostWarnings {
			warnings = append(warnings, &usageError{msg: fmt.Sprintf("history: %s more that are no JSON pass as they are", plural(int64(h.Passed-i), "line"))})
			break
		}
		warnings = append(warnings, &usageError{msg: m.Error() + "; it passes as it is"})
	}
	if h.Format == "" && h.Records > h.Passed {
		warnings = append(warnings, &usageError{
			msg:  "history: no format that is known fits, it passes as it is",
			hint: "--format says which it is: " + formatNames(),
		})
	}
	return warnings
}

// buffered writes to standard output with few writes.
func (a *app) buffered(write func(io.Writer) error) error {
	return a.payload(func(out io.Writer) error {
		w := bufio.NewWriterSize(out, 256<<10)
		if err := write(w); err != nil {
			return err
		}
		return w.Flush()
	})
}
