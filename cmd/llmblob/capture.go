package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/llmblob/llmblob/pkg/offload"
)

// captureFlags are the flags of capture.
type captureFlags struct {
	takeFlags
	inlineBytes    int
	inlineBytesFor []string
	tool           string
	shell          string
	stderr         string
	filter         string
	tee, strict    bool
}

func newCaptureCommand(a *app) *cobra.Command {
	var c captureFlags
	cmd := &cobra.Command{
		Use:   "capture [flags] [--] [COMMAND [ARG…]]",
		Short: "run a command, or read standard input, and print what belongs in the history",
		Long: `Print the output as it is while it is small. Store it where it is larger, and print its summary with
the reference [blob:ID].

With a COMMAND the exit status is that of the command, always. Whatever fails, the output is not
lost: what cannot be stored is printed whole, with a warning.`,
		Example: `  grep -rn TODO . | llmblob capture
  llmblob capture go test ./...
  llmblob capture -c 'make 2>&1 | tail -n 1000'
  llmblob capture --stderr pass --tool fetch curl -s https://example.com/api`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := c.run(a, cmd, args); err != nil {
				return c.inCommandForm(cmd, args, err)
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.SetInterspersed(false)
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		err = cmd.Root().FlagErrorFunc()(cmd, err)
		return c.inCommandForm(cmd, commandAfter(f, a.args), err)
	})
	c.add(a, cmd)
	f.IntVar(&c.inlineBytes, "inline-bytes", offload.DefaultInlineBytes, "outputs up to this many `bytes` stay inline (LLMBLOB_INLINE_BYTES)")
	f.StringArrayVar(&c.inlineBytesFor, "inline-bytes-for", nil, "another limit for some tools: `PATTERN=bytes`, as in 'read*=4000'")
	f.StringVar(&c.tool, "tool", "", "`name` of the tool whose output this is")
	f.StringVarP(&c.shell, "command", "c", "", "run `text` with the shell")
	f.StringVar(&c.stderr, "stderr", "merge", "`what` becomes of the command's standard error: merge, or pass it by")
	f.StringVar(&c.filter, "filter", "", "pass the output through a shell `command` first, such as a redactor")
	f.BoolVar(&c.tee, "tee", false, "copy the output to standard error as it comes")
	f.BoolVar(&c.strict, "strict", false, "exit with 125 where the output cannot be stored and the command succeeded")
	return cmd
}

// run checks everything, and then captures. Errors after the start of a command are told here.
func (c *captureFlags) run(a *app, cmd *cobra.Command, args []string) error {
	opts, err := c.captureOptions(a, cmd)
	if err != nil {
		return err
	}
	if c.stderr != "merge" && c.stderr != "pass" {
		return usageErrorf("--stderr %q: must be merge or pass", c.stderr)
	}
	opts.Exempt = offload.IsInspectTool(c.tool) || isInspectCommand(c.argv(cmd, args))
	var src captureSource
	if argv := c.argv(cmd, args); len(argv) > 0 {
		src, err = startCommand(a, argv, c.stderr == "pass")
	} else {
		src, err = readStdin(a)
	}
	if err != nil {
		return err
	}
	return c.capture(cmd.Context(), a, opts, src)
}

func (c *captureFlags) capture(ctx context.Context, a *app, opts offload.CaptureOptions, src captureSource) (err error) {
	var r io.Reader = src
	fail := func(err error) error {
		src.finish()
		return &statusError{exitFailed, err}
	}
	if c.filter != "" {
		f, err := startFilter(a, c.filter, r)
		if err != nil {
			return fail(err)
		}
		defer f.close()
		r = f
	}
	if c.filter != "" && (c.tee || opts.Exempt) { // which show it as it is read
		held, err := hold(r)
		if err != nil {
			return fail(err)
		}
		defer func() { err = errors.Join(err, held.Close()) }()
		r = bytes.NewReader(held.Bytes())
	}
	if c.tee {
		r = &tee{r, a.stderr}
	}
	out := opts.Capture(ctx, a.openStore, r)
	defer func() { err = errors.Join(err, out.Close()) }()
	if errors.Is(out.ReadErr, offload.ErrWithheld) {
		return fail(out.ReadErr)
	}
	text := out.Text()
	if c.filter != "" && out.StoreErr != nil { // what was not read yet is not known to be good
		held, err := hold(text)
		if err != nil {
			return fail(err)
		}
		defer func() { err = errors.Join(err, held.Close()) }()
		text = bytes.NewReader(held.Bytes())
	}
	status, run, err := a.printOutput(out, text, src, opts.Options)
	if err != nil {
		if status == 0 {
			status = exitFailed
		}
		return &statusError{status, err}
	}
	failure := errors.Join(out.StoreErr, out.ReadErr)
	if out.StoreErr != nil {
		failure = fmt.Errorf("the output is not stored and was printed whole: %w", failure)
	}
	switch {
	case failure == nil && status == 0:
		return nil
	case failure == nil:
		return &statusError{status: status}
	case status == 0 && run == nil:
		return &statusError{failureStatus(failure), failure}
	case status == 0 && c.strict:
		return &statusError{exitSelf, failure}
	}
	a.complain("warning", failure, status)
	if status == 0 {
		return nil
	}
	return &statusError{status: status}
}

// printOutput prints what belongs in the history and waits for the end of the source.
func (a *app) printOutput(out *offload.ToolOutput, text io.Reader, src captureSource, opts offload.Options) (status int, run *runFacts, err error) {
	if a.flags.json {
		return a.printOutputJSON(out, text, src, opts)
	}
	_, err = io.Copy(a.stdout, text)
	status, run = src.finish()
	return status, run, err
}

// failureStatus is that of a failure to store: invalid JSON has one of its own.
func failureStatus(err error) int {
	if s := statusOf(err); s == exitDamaged {
		return s
	}
	return exitFailed
}
