package main

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/llmblob/llmblob/pkg/offload"
)

// captureOptions checks the flags.
func (c *captureFlags) captureOptions(a *app, cmd *cobra.Command) (offload.CaptureOptions, error) {
	o := offload.CaptureOptions{UTF8: a.flags.json}
	var err error
	if o.Options, err = c.options(a, cmd); err != nil {
		return o, err
	}
	inlineBytes, err := c.inline.get(a, cmd)
	if err != nil {
		return o, err
	}
	o.InlineBytes = inlineBytes(c.tool)
	if cmd.Flags().Changed("filter") && strings.TrimSpace(c.filter) == "" {
		return o, usageErrorf("--filter: there is no command in it, and nothing would be hidden")
	}
	return o, nil
}

// argv is the command to run, nil where standard input is read.
func (c *captureFlags) argv(cmd *cobra.Command, args []string) []string {
	switch {
	case cmd.Flags().Changed("command"):
		return append([]string{"sh", "-c", c.shell, "sh"}, args...)
	case len(args) == 1 && args[0] == "-":
		return nil
	}
	return args
}

// inCommandForm gives an error before the start of a command the status that a command's own cannot be mistaken for.
func (c *captureFlags) inCommandForm(cmd *cobra.Command, args []string, err error) error {
	var has *statusError
	if errors.As(err, &has) || len(c.argv(cmd, args)) == 0 {
		return err
	}
	return &statusError{exitSelf, err}
}

// commandAfter returns the operands that follow the flags in a command line of capture that could not be parsed.
func commandAfter(f *pflag.FlagSet, args []string) []string {
	for i := 0; i < len(args); i++ {
		if args[i] == "--store" {
			i++ // its value
		} else if args[i] == "capture" {
			args = args[i+1:]
			break
		}
	}
	for len(args) > 0 && strings.HasPrefix(args[0], "-") && args[0] != "-" {
		arg := args[0]
		args = args[1:]
		if arg == "--" {
			break
		}
		name, _, hasValue := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		flag := f.Lookup(name)
		if len(name) == 1 {
			flag = f.ShorthandLookup(name)
		}
		if flag != nil && flag.NoOptDefVal == "" && !hasValue && len(args) > 0 {
			args = args[1:] // its value
		}
	}
	return args
}

// isInspectCommand reports whether a command is llmblob inspect itself.
func isInspectCommand(argv []string) bool {
	if len(argv) == 0 || strings.TrimSuffix(filepath.Base(argv[0]), ".exe") != "llmblob" {
		return false
	}
	for i := 1; i < len(argv); i++ {
		switch {
		case argv[i] == "--store":
			i++
		case !strings.HasPrefix(argv[i], "-"):
			return argv[i] == "inspect"
		}
	}
	return false
}
