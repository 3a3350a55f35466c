package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/offload"
)

func newLsCommand(a *app) *cobra.Command {
	var filter blob.Filter
	var quiet bool
	var since, typ string
	cmd := &cobra.Command{
		Use:   "ls [flags]",
		Short: "list blobs in the order of their ids; no blob is read",
		Long:  `Print one JSON object a blob, {"id","type","bytes","created"}, or a table on a terminal.`,
		Example: `  llmblob ls --newest 5
  llmblob ls -q --since 24h --type json`,
		Args: operands(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if since != "" {
				if filter.Since, err = parseSince("since", since, a.now()); err != nil {
					return err
				}
			}
			switch filter.Type = blob.Type(typ); filter.Type {
			case "", blob.Text, blob.JSON:
			default:
				return usageErrorf("--type %q: must be text or json", typ)
			}
			if filter.Newest < 0 || filter.Newest == 0 && cmd.Flags().Changed("newest") {
				return usageErrorf("--newest %d: must be at least 1", filter.Newest)
			}
			return a.ls(cmd.Context(), filter, quiet)
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&quiet, "quiet", "q", false, "print ids alone")
	f.IntVar(&filter.Newest, "newest", 0, "the `N` newest alone")
	f.StringVar(&since, "since", "", "those created within a `time`, as in 24h or 7d, or since a date")
	f.StringVar(&typ, "type", "", "those of a `type` alone: text or json")
	return cmd
}

// maxDays is how many days before now can be asked for; with many more the date would wrap around.
const maxDays = 1e6

// parseSince reads the value of a flag: a duration before now, in which d is a day, or a date.
func parseSince(flag, s string, now time.Time) (time.Time, error) {
	if days, err := strconv.Atoi(strings.TrimSuffix(s, "d")); err == nil && strings.HasSuffix(s, "d") && days >= 0 && days <= maxDays {
		return now.AddDate(0, 0, -days), nil
	}
	if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(layout, s, time.Local); err == nil {
			return t, nil
		}
	}
	return time.Time{}, usageErrorf("--%s %q: must be a time as in 24h or 7d, or a date as in 2026-01-31", flag, s)
}

func (a *app) ls(ctx context.Context, filter blob.Filter, quiet bool) error {
	st, err := a.openStore()
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(a.stdout, 64<<10)
	show := appendLine
	switch {
	case quiet:
		show = func(dst []byte, info blob.Info) []byte { return append(dst, info.ID.String()...) }
	case isTerminal(a.stdout) && !a.flags.json:
		show = appendRow
		fmt.Fprintf(w, "%-36s  %-4s  %9s  %s\n", "ID", "TYPE", "SIZE", "CREATED")
	}
	var line []byte
	for info, err := range filter.List(ctx, st) {
		if err != nil {
			return errors.Join(err, w.Flush())
		}
		line = append(show(line[:0], info), '\n')
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return w.Flush()
}

func appendLine(dst []byte, info blob.Info) []byte {
	dst = append(append(dst, `{"id":"`...), info.ID.String()...)
	dst = append(append(dst, `","type":"`...), info.Type...)
	dst = strconv.AppendInt(append(dst, `","bytes":`...), info.Bytes, 10)
	dst = info.Created.UTC().AppendFormat(append(dst, `,"created":"`...), offload.TimeFormat)
	return append(dst, `"}`...)
}

func appendRow(dst []byte, info blob.Info) []byte {
	return fmt.Appendf(dst, "%-36s  %-4s  %9s  %s", info.ID, info.Type, humanSize(info.Bytes), info.Created.Local().Format("2006-01-02 15:04:05"))
}

// humanSize writes a size in the largest binary unit of which there is at least one.
func humanSize(n int64) string {
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	size, unit := float64(n), 0
	for size >= 1024 && unit < len("KMGTPE") {
		size /= 1024
		unit++
	}
	return fmt.Sprintf("%.1f %ciB", size, "KMGTPE"[unit-1])
}
