package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func didYouMean(names []string) string {
	if len(names) == 0 {
		return "llmblob --help lists the commands"
	}
	return "did you mean " + strings.Join(names, " or ") + "?"
}

// suggestFlag names the flag that a mistyped one, which stands in the message, is nearest to.
func suggestFlag(cmd *cobra.Command, msg string) string {
	_, typed, ok := strings.Cut(msg, "unknown flag: --")
	if !ok {
		return fmt.Sprintf("llmblob %s --help lists the flags", strings.TrimPrefix(cmd.CommandPath(), "llmblob "))
	}
	// Commands and flags are suggested by the same measure, cobra's.
	names := &cobra.Command{SuggestionsMinimumDistance: 2}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		names.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
	})
	near := names.SuggestionsFor(typed)
	if len(near) == 0 {
		return fmt.Sprintf("llmblob %s --help lists the flags", strings.TrimPrefix(cmd.CommandPath(), "llmblob "))
	}
	for i := range near {
		near[i] = "--" + near[i]
	}
	return "did you mean " + strings.Join(near, " or ") + "?"
}
