package main

import (
	"errors"

	"github.com/spf13/cobra"
)

func newCatCommand(a *app) *cobra.Command {
	var raw bool
	cmd := &cobra.Command{
		Use:     "cat [flags] ID…",
		Short:   "print blobs, byte for byte; to a terminal with control characters made visible",
		Example: "  llmblob cat ID | grep -c error",
		Args:    operands(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, arg := range args {
				if err := a.cat(cmd, arg, raw); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&raw, "raw", false, "print control characters to a terminal as they are")
	return cmd
}

func (a *app) cat(cmd *cobra.Command, arg string, raw bool) (err error) {
	s, err := a.openBlob(cmd.Context(), arg, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if raw {
		_, err = a.stdout.Write(s.data)
		return err
	}
	return a.payloadBytes(s.data)
}
