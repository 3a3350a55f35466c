package main

import (
	"cmp"
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
	inline      inlineFlags
	tool        string
	shell       string
	stderr      string
	filter      string
	tee, strict bool
	noFail      bool
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
		Example: `  grep -rn panic . | llmblob capture
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
	c.inline.add(cmd)
	f.StringVar(&c.tool, "tool", "", "`name` of the tool whose output this is")
	f.StringVarP(&c.shell, "command", "c", "", "run `text` with the shell")
	f.StringVar(&c.stderr, "stderr", "merge", "`what` becomes of the command's standard error: merge, or pass it by")
	f.StringVar(&c.filter, "filter", "", "pass the output through a shell `command` first, such as a redactor")
	f.BoolVar(&c.tee, "tee", false, "copy the output to standard error as it comes")
	f.BoolVar(&c.noFail, "no-fail", false, "exit with 0 where standard input cannot be stored")
	f.BoolVar(&c.strict, "strict", false, "exit with 125 where the output cannot be stored and the command succeeded")
	return cmd
}

// run checks everything, and then captures. Errors after the start of a command are told here.
func (c *captureFlags) run(a *app, cmd *cobra.Command, args []string) error {
	opts, err := c.captureOptions(a, cmd)
	if err != nil && c.noFail && c.filter == "" && len(c.argv(cmd, args)) == 0 {
		// A sink loses nothing, whatever is wrong with what it is told: its environment may be another's.
		a.complain("warning", fmt.Errorf("the output is printed whole: %w", err), exitDone)
		_, err = io.Copy(a.stdout, a.stdin)
		return err
	}
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
	in := &captureInput{Reader: src}
	defer func() { err = errors.Join(err, in.close()) }()
	withheld := func(err error) error {
		src.finish()
		return &statusError{exitFailed, err}
	}
	if err := c.prepare(a, in, opts.Exempt); err != nil {
		return withheld(err)
	}
	out := opts.Capture(ctx, a.openStore, in.Reader)
	defer func() { err = errors.Join(err, out.Close()) }()
	if errors.Is(out.ReadErr, offload.ErrWithheld) {
		return withheld(out.ReadErr)
	}
	in.Reader = out.Text()
	if in.filter != nil && out.StoreErr != nil { // the filter has not ended: what follows is not known to be good
		if err := in.hold(); err != nil {
			return withheld(err)
		}
	}
	status, run, err := a.printOutput(out, in.Reader, src, opts.Options)
	if err != nil {
		return &statusError{cmp.Or(status, exitFailed), err}
	}
	return c.verdict(a, out, status, run != nil)
}

// verdict tells what failed and returns the error that has the exit status: that of the command, where there is one.
func (c *captureFlags) verdict(a *app, out *offload.ToolOutput, status int, isCommand bool) error {
	failure := errors.Join(out.StoreErr, out.ReadErr)
	if out.StoreErr != nil {
		failure = fmt.Errorf("the output is not stored and was printed whole: %w", failure)
	}
	switch {
	case failure == nil && status == 0:
		return nil
	case failure == nil:
		return &statusError{status: status}
	case status == 0 && !isCommand && !c.noFail:
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

// failureStatus is that of a failure to store: invalid JSON has one of its own.
func failureStatus(err error) int {
	if s := statusOf(err); s == exitDamaged {
		return s
	}
	return exitFailed
}
