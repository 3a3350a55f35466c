package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/llmblob/llmblob/internal/agents"
	"github.com/llmblob/llmblob/internal/content"
)

// hookPatience is when a hook gives up: before the agent does, which would tell its user.
const hookPatience = 20 * time.Second

// longestHook bounds what a hook is given, in bytes: what says nothing about a result is parsed too, and takes memory.
const longestHook = 64 << 20

// hookFlags are the flags of hook. setup writes them into the settings of an agent.
type hookFlags struct {
	takeFlags
	inline inlineFlags
	wrap   bool
}

// add has the flags of capture that make sense for results of which nobody knows beforehand.
func (h *hookFlags) add(a *app, cmd *cobra.Command) {
	h.as = "auto"
	h.limitFlags.add(cmd)
	h.addIDs(a, cmd)
	h.inline.add(cmd)
	cmd.Flags().BoolVar(&h.wrap, "wrap", false, "send commands through capture before they run")
}

func newHookCommand(a *app) *cobra.Command {
	var h hookFlags
	cmd := &cobra.Command{
		Use:   "hook [flags] claude-code|codex|gemini-cli",
		Short: "answer a hook of an agent: llmblob setup writes it into the agent's settings",
		Long: `Read what an agent gives a hook from standard input, and print what it expects: nothing, or the JSON
that puts a summary in the place of a large result of a command, of the web or of an MCP server. The
result is a blob then. Files that the model reads stay as they are, and so do answers of inspect.

With --wrap the hook before a call sends the output of commands through llmblob capture. That is the
one way in Codex, and for commands that fail in Claude Code. It leaves alone what runs in the
background, pipelines, and commands that change their shell, and it leaves the permission rules of the
agent as they are: they see the command and the pipe behind it.

Whatever fails, the exit status is 0 and nothing is replaced; a message goes to standard error.`,
		Example: `  llmblob setup claude-code --write                     # writes a hook into the settings
  llmblob hook claude-code --inline-bytes 2000 < hook.json`,
		Args: cobra.ArbitraryArgs, // run tells what is wrong with them
		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			return harmless(cmd.Root().PersistentPreRunE(cmd, args))
		},
		RunE: func(cmd *cobra.Command, args []string) error { return harmless(h.run(a, cmd, args)) },
	}
	h.add(a, cmd)
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return harmless(cmd.Root().FlagErrorFunc()(cmd, err)) })
	return cmd
}

// harmless gives an error the status of success: any other would stop the agent, or tell the model.
func harmless(err error) error {
	if err == nil {
		return nil
	}
	return &statusError{exitDone, fmt.Errorf("hook: nothing was replaced: %w", err)}
}

func (h *hookFlags) run(a *app, cmd *cobra.Command, args []string) error {
	hook, err := h.hook(a, cmd, args)
	if err != nil {
		return err
	}
	f, err := a.input(nil)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), hookPatience)
	defer cancel()
	type result struct {
		answer []byte
		err    error
	}
	done := make(chan result, 1)
	go func() { // a store that hangs, hangs alone
		var r result
		err := content.Guard(func() error {
			c, err := content.Read(io.LimitReader(f, longestHook+1))
			switch {
			case err != nil:
				err = fmt.Errorf("read standard input: %w", err)
			case len(c.Bytes()) > longestHook:
				err = fmt.Errorf("the input has more than %d bytes", longestHook)
			default:
				r.answer, err = hook.Answer(ctx, c.Bytes())
			}
			return errors.Join(err, c.Close())
		})
		done <- result{r.answer, err}
	}()
	select {
	case r := <-done:
		if r.err != nil {
			return r.err
		}
		return a.payloadBytes(r.answer)
	case <-ctx.Done():
		return fmt.Errorf("no answer within %v", hookPatience)
	}
}

// hook checks everything before anything is read.
func (h *hookFlags) hook(a *app, cmd *cobra.Command, args []string) (hook agents.Hook, err error) {
	if err := operands(1, 1)(cmd, args); err != nil {
		return hook, err
	}
	if hook.Agent, err = agents.Parse(args[0]); err != nil {
		return hook, err
	}
	if hook.Capture.Options, err = h.options(a, cmd); err != nil {
		return hook, err
	}
	if hook.InlineBytes, err = h.inline.get(a, cmd); err != nil {
		return hook, err
	}
	hook.Open = a.openStore
	shell := filepath.Base(a.getenv("SHELL"))
	if h.wrap && (hook.Agent != agents.Codex || slices.Contains([]string{"bash", "zsh"}, shell)) { // others may have no pipefail
		setup, err := h.setup(a, cmd, hook.Agent)
		if err != nil {
			return hook, err
		}
		hook.Sink = setup.Sink()
	}
	return hook, nil
}
