package main

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

const rootHelp = `llmblob keeps large tool outputs out of an LLM's context.

Small outputs pass as they are. Larger ones are kept byte for byte in a store, and a
summary with a reference [blob:ID] takes their place; inspect looks closer.

Blobs are plain files in --store, else LLMBLOB_STORE, else ~/.local/share/llmblob/blobs.`

const rootExample = `  seq 1 100000 | llmblob capture             # a summary with its reference
  llmblob capture go test ./...              # runs it, exits with its status
  llmblob inspect ID lines:20-50             # look closer
  llmblob inspect ID key:results slice:0..3  # in JSON`

// newRootCommand is the tree of commands: whole, or only as far as args need it.
func newRootCommand(a *app, args []string) *cobra.Command {
	root := &cobra.Command{
		Use:           "llmblob",
		Short:         "keep large tool outputs out of an LLM's context",
		Long:          rootHelp,
		Example:       rootExample,
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		// A mistyped name is compared with the names there are.
		SuggestionsMinimumDistance: 2,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return &usageError{
				msg:  fmt.Sprintf("unknown command %q", args[0]),
				hint: didYouMean(cmd.SuggestionsFor(args[0])),
			}
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			a.useLine = cmd.UseLine()
			if cmd.Flags().Changed("store") && a.flags.store == "" {
				return &usageError{msg: "--store: the name is empty", hint: "leave the flag away for the default"}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		a.flags.json = a.flags.json || slices.Contains(a.args, "--json") // what follows the fault was not parsed
		return flagError(cmd, err)
	})
	root.SetHelpCommand(newHelpCommand(root))
	root.CompletionOptions.DisableDefaultCmd = isVersion(args)
	root.PersistentFlags().StringVar(&a.flags.store, "store", "", "`directory` of the blobs (LLMBLOB_STORE)")
	root.PersistentFlags().BoolVar(&a.flags.json, "json", false, "print JSON, errors too")
	const taking, looking, models, histories, keeping = "taking", "looking", "models", "histories", "keeping"
	root.AddGroup(
		&cobra.Group{ID: taking, Title: "Taking outputs:"},
		&cobra.Group{ID: looking, Title: "Looking closer:"},
		&cobra.Group{ID: models, Title: "For the model:"},
		&cobra.Group{ID: histories, Title: "Whole histories:"},
		&cobra.Group{ID: keeping, Title: "Keeping the store:"},
	)
	all := []maker{
		{"capture", taking, newCaptureCommand}, {"store", taking, newStoreCommand}, {"summarize", taking, newSummarizeCommand},
		{"inspect", looking, newInspectCommand}, {"cat", looking, newCatCommand}, {"stat", looking, newStatCommand}, {"refs", looking, newRefsCommand},
		{"tool", models, newToolCommand}, {"mcp", models, newMCPCommand}, {"setup", models, newSetupCommand}, {"hook", models, newHookCommand},
		{"project", histories, newProjectCommand}, {"offload", histories, newOffloadCommand}, {"restore", histories, newRestoreCommand},
		{"schema", histories, newSchemaCommand},
		{"ls", keeping, newLsCommand}, {"path", keeping, newPathCommand}, {"rm", keeping, newRmCommand}, {"verify", keeping, newVerifyCommand},
		{"gc", keeping, newGcCommand},
	}
	for _, c := range needed(all, args) {
		cmd := c.make(a)
		cmd.GroupID = c.group
		cmd.DisableFlagsInUseLine = true
		root.AddCommand(cmd)
	}
	return root
}

// maker makes a command, which may not be needed.
type maker struct {
	name, group string
	make        func(*app) *cobra.Command
}

// needed are the commands that args can mean: to make all of them takes as long as most runs. What is not plain needs all.
func needed(all []maker, args []string) []maker {
	if isVersion(args) {
		return nil
	}
	for len(args) > 0 {
		switch name := args[0]; {
		case name == "--json", strings.HasPrefix(name, "--store="):
			args = args[1:]
			continue
		case name == "--store" && len(args) > 1:
			args = args[2:]
			continue
		}
		break
	}
	for i, c := range all {
		if len(args) > 0 && args[0] == c.name {
			return all[i : i+1]
		}
	}
	return all
}

func isVersion(args []string) bool { return len(args) == 1 && args[0] == "--version" }

// newHelpCommand is cobra's, for which a topic that does not exist is no mistake.
func newHelpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "help about a command",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return &usageError{msg: fmt.Sprintf("no help about %q", strings.Join(args, " ")), hint: didYouMean(nil)}
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
	}
}

// version is that of the module, as the build recorded it.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}

// operands requires a number of operands; most is -1 where there is no limit.
func operands(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return &usageError{msg: cmd.Name() + ": an operand is missing", hint: "usage: " + cmd.UseLine()}
		case most >= 0 && len(args) > most:
			return &usageError{msg: fmt.Sprintf("%s: unexpected operand %q", cmd.Name(), args[most]), hint: "usage: " + cmd.UseLine()}
		}
		return nil
	}
}
