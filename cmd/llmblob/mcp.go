package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/llmblob/llmblob/pkg/mcp"
)

func newMCPCommand(a *app) *cobra.Command {
	var flags toolFlags
	cmd := &cobra.Command{
		Use:   "mcp [flags]",
		Short: "serve inspect to an MCP client over standard input and output",
		Long: `Serve the Model Context Protocol over standard input and output until the input ends: the tools inspect
and list, which only read, and blobs as resources, blob://ID. Messages go to standard error.

Clients clear the environment: give the store as an absolute path.`,
		Example: `  llmblob --store /home/me/.local/share/llmblob/blobs mcp
  claude mcp add llmblob -- llmblob --store "$(llmblob path)" mcp`,
		Args: operands(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			in, err := a.input(nil)
			if err != nil {
				return err
			}
			t, err := flags.open(a)
			if err != nil {
				return err
			}
			s := mcp.Server{Tool: t, Version: version(), Warn: func(err error) { a.complain("warning", err, exitDone) }}
			return a.payload(func(w io.Writer) error { return s.Serve(cmd.Context(), in, w) })
		},
	}
	flags.add(cmd)
	return cmd
}
