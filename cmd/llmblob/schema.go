package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/llmblob/llmblob/pkg/prune"
)

func newSchemaCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:       "schema KIND",
		Short:     "print the JSON Schema of prune.json: llmblob schema prune",
		Example:   "  llmblob schema prune >prune.schema.json   # \"$schema\": \"./prune.schema.json\" in prune.json tells editors",
		Args:      operands(1, 1),
		ValidArgs: []string{"prune"},
		RunE: func(_ *cobra.Command, args []string) error {
			if args[0] != "prune" {
				return &usageError{msg: fmt.Sprintf("schema %q: there is no such kind", args[0]), hint: "the kinds are prune"}
			}
			_, err := a.stdout.Write(prune.Schema())
			return err
		},
	}
}
