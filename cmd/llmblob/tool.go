package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/llmblob/llmblob/pkg/inspect"
)

func newToolCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tool COMMAND",
		Short: "inspect as a tool for a model: its definition, its calls, lines for AGENTS.md",
		Example: `  llmblob tool schema --for anthropic
  llmblob tool call < calls.jsonl > results.jsonl
  llmblob tool prompt >> AGENTS.md`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return &usageError{msg: fmt.Sprintf("unknown command %q of tool", args[0]), hint: "there are schema, call and prompt"}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, c := range []*cobra.Command{newToolSchemaCommand(a), newToolCallCommand(a), newToolPromptCommand(a)} {
		c.DisableFlagsInUseLine = true
		cmd.AddCommand(c)
	}
	return cmd
}

func newToolSchemaCommand(a *app) *cobra.Command {
	var provider string
	names := providerNames()
	cmd := &cobra.Command{
		Use:   "schema --for PROVIDER",
		Short: "print the definition of inspect in a provider's shape",
		Long: `Print the definition of inspect(blob_id, selector?, context?): one element of the array "tools" of a
request, or for mcp of a result of tools/list.`,
		Example: `  llmblob tool schema --for anthropic
  jq --argjson tool "$(llmblob tool schema --for openai-chat)" '.tools += [$tool]' request.json`,
		Args: operands(0, 0),
		RunE: func(*cobra.Command, []string) error {
			definition := inspect.Definition(inspect.Provider(provider))
			if definition == nil {
				return &usageError{msg: fmt.Sprintf("--for %q: there is no such provider", provider), hint: "there are " + names}
			}
			_, err := a.stdout.Write(definition)
			return err
		},
	}
	cmd.Flags().StringVar(&provider, "for", "", "`provider` whose shape is wanted: "+names)
	return cmd
}

func providerNames() string {
	var names []string
	for _, p := range inspect.Providers() {
		names = append(names, string(p))
	}
	return strings.Join(names, ", ")
}

func newToolPromptCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "prompt",
		Short:   "print the lines that AGENTS.md or CLAUDE.md needs",
		Example: "  llmblob tool prompt >> AGENTS.md",
		Args:    operands(0, 0),
		RunE: func(*cobra.Command, []string) error {
			_, err := io.WriteString(a.stdout, inspect.Prompt())
			return err
		},
	}
}
