package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/offload"
	"github.com/llmblob/llmblob/pkg/summarize"
)

func newStoreCommand(a *app) *cobra.Command {
	var take takeFlags
	var quiet bool
	cmd := &cobra.Command{
		Use:   "store [flags] [FILE…|-]",
		Short: "store files, whatever their size, and print id and summary",
		Long: `Store each FILE, or standard input, byte for byte, and print one JSON object a line for each:
{"id","type","bytes","lines"|"entries"|"keys","created","summary"}.

An id is printed once its blob is whole, visible and on the disk.`,
		Example: `  llmblob store build.log response.json
  curl -s https://example.com/api | llmblob store -q
  llmblob store --ids content *.log      # the same bytes have the same id`,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts, err := take.options(a, cmd)
			if err != nil {
				return err
			}
			if take.id != "" && len(args) > 1 {
				return usageErrorf("--id names one blob, and there are %d files", len(args))
			}
			if len(args) == 0 {
				args = []string{"-"}
			}
			return a.storeAll(cmd.Context(), opts, args, quiet)
		},
	}
	take.add(a, cmd)
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "print the id alone")
	return cmd
}

// storeAll stores one operand after the other. One that fails does not keep the others from being stored.
func (a *app) storeAll(ctx context.Context, opts offload.Options, names []string, quiet bool) error {
	st, err := a.openStore()
	if err != nil {
		return err
	}
	stop := watchSignals(1)
	ctx, cancel := stop.context(ctx)
	defer cancel()
	var last error
	for _, name := range names {
		rec, err := a.storeOne(ctx, opts, st, name, stop)
		if stop.signal() != nil {
			if last != nil {
				a.complain("error", last, statusOf(last))
			}
			return &statusError{status: stop.status()}
		}
		if err == nil {
			err = a.printRecord(rec, quiet)
		} else {
			var usage *usageError
			var invalid *summarize.InvalidJSONError
			switch {
			case errors.As(err, &invalid):
				err = fmt.Errorf("%s: invalid JSON: %w", shownName(name), err)
			case !errors.As(err, &usage):
				err = fmt.Errorf("%s: %w", shownName(name), err)
			}
		}
		if err != nil {
			if last != nil {
				a.complain("error", last, statusOf(last))
			}
			last = err
		}
	}
	return last
}

func (a *app) storeOne(ctx context.Context, opts offload.Options, st blob.Store, name string, stop *signalWatch) (rec offload.Record, err error) {
	var f *os.File
	if name == "-" {
		if f, err = a.input(nil); err != nil {
			return rec, err
		}
		return opts.Store(ctx, st, stop.reader(f, context.Canceled))
	}
	if f, err = stop.open(name); err != nil {
		return rec, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return opts.Store(ctx, st, stop.reader(f, context.Canceled))
}

func (a *app) printRecord(rec offload.Record, quiet bool) error {
	if quiet {
		_, err := fmt.Fprintln(a.stdout, rec.ID)
		return err
	}
	return a.printJSON(rec)
}
