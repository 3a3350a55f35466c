package main

import (
	"bufio"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/llmblob/llmblob/internal/content"
	"github.com/llmblob/llmblob/pkg/blob"
)

func newRefsCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "refs [flags] [FILE|-]",
		Short: "print the ids that a text refers to as [blob:ID], each once, in order",
		Example: `  llmblob refs history.jsonl
  llmblob refs history.jsonl | xargs llmblob stat`,
		Args: operands(0, 1),
		RunE: func(_ *cobra.Command, args []string) (err error) {
			f, err := a.input(args)
			if err != nil {
				return err
			}
			defer f.Close()
			c, err := content.Read(f)
			defer func() { err = errors.Join(err, c.Close()) }()
			if err != nil {
				return err
			}
			w := bufio.NewWriter(a.stdout)
			for id := range blob.References(c.Bytes()) {
				fmt.Fprintln(w, id)
			}
			return w.Flush()
		},
	}
}
