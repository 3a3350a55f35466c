package main

import (
	"errors"

	"github.com/spf13/cobra"
)

func newCatCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "cat [flags] ID…",
		Short:   "print blobs, byte for byte",
		Example: "  llmblob cat ID | grep -c error",
		Args:    operands(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, arg := range args {
				if err := a.cat(cmd, arg); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func (a *app) cat(cmd *cobra.Command, arg string) (err error) {
	s, err := a.openBlob(cmd.Context(), arg, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	_, err = a.stdout.Write(s.data)
	return err
}
