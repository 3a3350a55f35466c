package main

import (
	"errors"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/llmblob/llmblob/pkg/history"
	"github.com/llmblob/llmblob/pkg/offload"
)

func newOffloadCommand(a *app) *cobra.Command {
	var from historyFlags
	var limits limitFlags
	var inline inlineFlags
	cmd := &cobra.Command{
		Use:   "offload [flags] [FILE|-]",
		Short: "print a history, its large tool results stored and their summaries in their place",
		Long: `Print a history in which the large texts of tool results are replaced by the summaries of
blobs: what capture would have left of them. Everything else is as it was, byte for byte. Ids are
made of the contents, so the same history always gives the same bytes; restore undoes it.

Media stay, and so do answers of the inspect tool and texts that already stand for something
left out. Where the store fails the history is printed as it came, with exit status 1.`,
		Example: `  llmblob offload session.jsonl > small.jsonl
  llmblob offload < session.jsonl | llmblob project > request.jsonl`,
		Args: operands(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := historyOptions(a, cmd, &limits, &inline)
			if err != nil {
				return err
			}
			return a.withHistory(cmd, args, &from, func(h *history.History) error {
				edits, err := o.Offload(cmd.Context(), a.openStore, h)
				if err != nil {
					// The history goes on as it came: nothing that was to be stored is missing from it.
					return &statusError{exitFailed, errors.Join(err, a.splice(h, nil))}
				}
				return a.splice(h, edits)
			})
		},
	}
	from.add(cmd)
	limits.add(cmd)
	inline.add(cmd)
	cmd.Flags().BoolVar(&a.flags.noSync, "no-sync", false, "do not wait until the bytes are on the disk")
	return cmd
}

// historyOptions checks the flags; inline may be nil.
func historyOptions(a *app, cmd *cobra.Command, limits *limitFlags, inline *inlineFlags) (offload.HistoryOptions, error) {
	var o offload.HistoryOptions
	var err error
	if o.Limits, err = limits.get(a, cmd); err != nil || inline == nil {
		return o, err
	}
	o.InlineBytes, err = inline.get(a, cmd)
	return o, err
}

// splice prints a history with edits.
func (a *app) splice(h *history.History, edits []history.Edit) error {
	return a.buffered(func(w io.Writer) error { return h.Splice(w, slices.Values(edits)) })
}
