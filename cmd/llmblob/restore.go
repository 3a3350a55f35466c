package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/llmblob/llmblob/pkg/history"
	"github.com/llmblob/llmblob/pkg/offload"
)

func newRestoreCommand(a *app) *cobra.Command {
	var from historyFlags
	var limits limitFlags
	var byReference bool
	cmd := &cobra.Command{
		Use:   "restore [flags] [FILE|-]",
		Short: "print a history, its stored tool results back in their place",
		Long: `Print a history in which the summaries that offload wrote are replaced by what they stand for.
A text that is not exactly the summary of its blob is left alone and counted: give the limits that
were in force, or --by-reference, which takes every text that begins with a reference.`,
		Example: `  llmblob restore small.jsonl > session.jsonl`,
		Args:    operands(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := historyOptions(a, cmd, &limits, nil)
			if err != nil {
				return err
			}
			return a.withHistory(cmd, args, &from, func(h *history.History) error {
				edits, count, err := o.Restore(cmd.Context(), a.openStore, h, byReference)
				if err != nil {
					return err
				}
				if err := a.splice(h, edits); err != nil {
					return err
				}
				a.warnOfLeft(count)
				return nil
			})
		},
	}
	from.add(cmd)
	limits.add(cmd)
	cmd.Flags().BoolVar(&byReference, "by-reference", false, "restore every text that begins with a reference, whatever follows")
	return cmd
}

// warnOfLeft tells of the references that were not restored.
func (a *app) warnOfLeft(count offload.Restored) {
	if count.LeftAlone > 0 {
		a.complain("warning", &usageError{
			msg:  fmt.Sprintf("%s left alone: not what is written for the blob", plural(int64(count.LeftAlone), "text")),
			hint: "--by-reference restores them too",
		}, exitDone)
	}
	if count.NoText > 0 {
		a.complain("warning", fmt.Errorf("%s left alone: the blob is not UTF-8, which no JSON string can hold", plural(int64(count.NoText), "text")), exitDone)
	}
	if count.Missing > 0 {
		a.complain("warning", &usageError{
			msg:  fmt.Sprintf("%s left alone: no such blob in %s (%s)", plural(int64(count.Missing), "text"), a.choice.path, a.choice.by),
			hint: "--store or LLMBLOB_STORE choose another store",
		}, exitDone)
	}
}
