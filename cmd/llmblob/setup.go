package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/llmblob/llmblob/internal/agents"
)

func newSetupCommand(a *app) *cobra.Command {
	var h hookFlags
	var write, remove, project bool
	cmd := &cobra.Command{
		Use:   "setup [flags] claude-code|codex|gemini-cli",
		Short: "print what wires llmblob into an agent's settings, as a diff; --write applies it",
		Long: `Print a unified diff of the agent's settings files: the MCP server with the inspect tool, leave for
sandboxed commands to write to the store, and the hook that puts summaries in the place of large
results (not in Codex, which has none; with --wrap there is one before each command).

--write applies the diff, each file in one step; --remove takes out what --write wrote and leaves the
bytes that were there before. All other settings stay as they are, with their comments, order and
spacing. A file that cannot be read is an error that names the place, and nothing is written.

The flags that summaries and thresholds depend on are written into the settings. Codex asks before it
runs a new hook (/hooks shows it), and so does Claude Code before the MCP server of a project.`,
		Example: `  llmblob setup claude-code                          # what would change
  llmblob setup claude-code --write                  # for all projects
  llmblob setup codex --project --wrap --write       # for this one, with commands wrapped
  llmblob setup gemini-cli --inline-bytes 4000 --write
  llmblob setup claude-code --remove`,
		Args:      operands(1, 1),
		ValidArgs: []string{string(agents.ClaudeCode), string(agents.Codex), string(agents.GeminiCLI)},
		RunE: func(cmd *cobra.Command, args []string) error {
			if write && remove {
				return usageErrorf("--write and --remove: one or the other")
			}
			hook, err := h.hook(a, cmd, args) // flags that it would stumble over do not get into the settings
			if errors.Is(err, agents.ErrUnknown) {
				return &usageError{msg: "setup " + err.Error(), hint: "usage: " + cmd.UseLine()}
			} else if err != nil {
				return err
			}
			setup, err := h.setup(a, cmd, hook.Agent)
			if err != nil {
				return err
			}
			if project {
				if setup.Project, err = os.Getwd(); err != nil {
					return err
				}
			}
			changes, err := setup.Plan(remove)
			if err != nil {
				return err
			}
			if write { // a sandbox can only let commands write to a directory that is there
				err = os.MkdirAll(setup.Store, 0o700)
			}
			if write || remove {
				err = errors.Join(err, agents.Apply(changes))
			}
			if err != nil {
				return err
			}
			for _, c := range changes {
				if err := a.payloadBytes(c.Diff()); err != nil {
					return err
				}
			}
			return nil
		},
	}
	h.add(a, cmd)
	f := cmd.Flags()
	f.BoolVar(&write, "write", false, "apply the diff")
	f.BoolVar(&remove, "remove", false, "take out what --write wrote")
	f.BoolVar(&project, "project", false, "the settings in the current directory, not those of the user")
	return cmd
}

// passedOn are the flags that were given, as words, for the commands that a hook or its settings name.
func (h *hookFlags) passedOn(cmd *cobra.Command) []string {
	var words []string
	for _, name := range []string{"summary-bytes", "head-lines", "tail-lines", "ids", "inline-bytes"} {
		if f := cmd.Flags().Lookup(name); f.Changed {
			words = append(words, "--"+name, f.Value.String())
		}
	}
	for _, rule := range h.inline.rules {
		words = append(words, "--inline-bytes-for", rule)
	}
	if cmd.Flags().Changed("no-sync") {
		words = append(words, "--no-sync")
	}
	return words
}

// setup is what the settings of an agent are to hold.
func (h *hookFlags) setup(a *app, cmd *cobra.Command, agent agents.Agent) (agents.Setup, error) {
	choice, err := a.chooseStore()
	if err != nil {
		return agents.Setup{}, err
	}
	program, err := ownPath()
	return agents.Setup{
		Agent: agent, Program: program, Store: choice.path, Flags: h.passedOn(cmd), Wrap: h.wrap, Getenv: a.getenv,
	}, err
}

// ownPath is the absolute path of this program: the one that PATH finds where that is the same, for it outlives an update.
func ownPath() (string, error) {
	own, err := os.Executable()
	if err != nil {
		return "", err
	}
	found, err := exec.LookPath("llmblob")
	if err != nil {
		return own, nil
	}
	a, errOwn := os.Stat(own)
	b, errFound := os.Stat(found)
	if errOwn != nil || errFound != nil || !os.SameFile(a, b) {
		return own, nil
	}
	return filepath.Abs(found)
}
