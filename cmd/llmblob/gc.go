package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/fsstore"
)

func newGcCommand(a *app) *cobra.Command {
	var garbage blob.Garbage
	var olderThan, keepBytes string
	cmd := &cobra.Command{
		Use:   "gc [flags] HISTORY…|-",
		Short: "delete old blobs that no history mentions",
		Long: `Delete the blobs that no HISTORY mentions and that were stored last before the grace period, oldest first,
and print one JSON object for each, as ls does. A HISTORY is a file, or a directory: all files below it, links
followed. Temporary files of crashed runs go too.

An id counts wherever it stands, in either case of letters, with its hyphens or without. The bytes are read as
they are: pipe in what is compressed. All histories are read first; where one cannot be, nothing is deleted. A
blob that is stored again meanwhile stays.`,
		Example: `  llmblob gc --dry-run ~/.claude/projects ~/.codex/sessions
  llmblob gc --older-than 7d --keep-bytes 10GiB sessions
  zcat old/*.gz | llmblob gc - sessions`,
		RunE: func(cmd *cobra.Command, args []string) error {
			now := a.now()
			var err error
			if garbage.OlderThan, err = parseSince("older-than", olderThan, now); err != nil {
				return err
			}
			if garbage.OlderThan.After(now) {
				return usageErrorf("--older-than %q: is yet to come", olderThan)
			}
			if keepBytes != "" {
				if garbage.KeepBytes, err = parseSize("keep-bytes", keepBytes); err != nil {
					return err
				}
			}
			if len(args) == 0 && !garbage.NoHistoryOK {
				return noHistory("gc: an operand is missing")
			}
			return a.gc(cmd.Context(), garbage, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&olderThan, "older-than", "24h", "the grace period: a `time`, as in 24h or 7d, or a date")
	f.StringVar(&keepBytes, "keep-bytes", "", "delete no more once all blobs are at most a `size`, as in 10GiB or 500MB")
	f.BoolVar(&garbage.DryRun, "dry-run", false, "print what would be deleted, and delete nothing")
	f.BoolVar(&garbage.NoHistoryOK, "unreferenced-ok", false, "where there is no HISTORY, take every blob as not mentioned")
	return cmd
}

func noHistory(msg string) error {
	return &usageError{msg: msg, hint: "name the histories whose blobs stay; --unreferenced-ok deletes old blobs whoever needs them"}
}

func (a *app) gc(ctx context.Context, garbage blob.Garbage, operands []string) error {
	st, err := a.openStore()
	if err != nil {
		return err
	}
	stop := watchSignals(1)
	ctx, cancel := stop.context(ctx)
	defer cancel()
	garbage.Histories = fsstore.Histories(operands, func(name string) (io.ReadCloser, error) { return a.openHistory(name, stop) })
	count, err := garbage.Collect(ctx, st, func(info blob.Info) error {
		_, err := a.stdout.Write(append(appendLine(nil, info), '\n')) // at once, so that nothing is deleted and not told
		return err
	})
	if err == nil || count.Deleted+count.Staged > 0 {
		a.reportCollected(count, garbage.DryRun)
	}
	switch {
	case stop.signal() != nil:
		return &statusError{status: stop.status()}
	case errors.Is(err, blob.ErrNoHistory):
		return noHistory("gc: there is no file in " + strings.Join(operands, ", "))
	}
	return err
}

// openHistory opens an operand, or a file below it. A signal ends the opening and the reading of what must be waited for.
func (a *app) openHistory(name string, stop *signalWatch) (io.ReadCloser, error) {
	if name == "-" {
		f, err := a.input(nil)
		if err != nil {
			return nil, err
		}
		return io.NopCloser(stop.reader(f, context.Canceled)), nil
	}
	f, err := stop.open(name)
	if err != nil {
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{stop.reader(f, context.Canceled), f}, nil
}

// reportCollected says on standard error what was done.
func (a *app) reportCollected(c blob.Collected, dryRun bool) {
	if a.flags.json {
		_ = writeJSON(a.stderr, c) // messages are not worth the work
		return
	}
	verb := "deleted"
	if dryRun {
		verb = "would delete"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "llmblob: %s %s, %s; kept %d referenced, %d young", verb, plural(int64(c.Deleted), "blob"), plural(c.Bytes, "byte"), c.Referenced, c.Young)
	if c.KeepBytes > 0 {
		fmt.Fprintf(&b, ", %d within --keep-bytes", c.KeepBytes)
	}
	if c.Staged > 0 {
		fmt.Fprintf(&b, "; %s, %s, of crashed runs", plural(int64(c.Staged), "temporary file"), plural(c.StagedBytes, "byte"))
	}
	fmt.Fprintln(a.stderr, b.String())
}

func plural(n int64, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}
