package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/llmblob/llmblob/pkg/summarize"
)

func newStatCommand(a *app) *cobra.Command {
	var limits limitFlags
	cmd := &cobra.Command{
		Use:     "stat [flags] ID…",
		Short:   "print the facts of blobs, as store does",
		Example: "  llmblob stat ID | jq .bytes",
		Args:    operands(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := limits.get(a, cmd)
			if err != nil {
				return err
			}
			for _, arg := range args {
				if err := a.stat(cmd, arg, l); err != nil {
					return err
				}
			}
			return nil
		},
	}
	limits.add(cmd)
	return cmd
}

func (a *app) stat(cmd *cobra.Command, arg string, l summarize.Limits) (err error) {
	s, err := a.openBlob(cmd.Context(), arg, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	rec, err := describe(s, summarize.Auto, l)
	if err != nil {
		return err
	}
	return a.printJSON(rec)
}
