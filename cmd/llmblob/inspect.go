package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/inspect"
	"github.com/llmblob/llmblob/pkg/offload"
	"github.com/llmblob/llmblob/pkg/selector"
	"github.com/llmblob/llmblob/pkg/summarize"
)

func newInspectCommand(a *app) *cobra.Command {
	var o inspect.Options
	cmd := &cobra.Command{
		Use:   "inspect [flags] [ID|FILE|-] [SELECTOR…]",
		Short: "show a part of a blob, a file or standard input",
		Long: `Show what the selectors choose, each of the result of the one before; without one, what the content
is, and its beginning.

  lines:A-B  lines:A-  lines:A        lines, from 1, both ends included
  head:N  tail:N                      first, last lines of a text or elements of an array
  grep:REGEXP                         lines that match, as N:line (RE2 syntax)
  bytes:A..B  bytes:A..  bytes:..B    bytes, from 0, end excluded
  slice:A..B  slice:A..  slice:..B    elements of an array, from 0, end excluded; -1 is the last
  key:NAME                            the value of a key of an object
  keys                                keys with types and sizes
  path:GJSON                          a gjson path
  json                                text as JSON; several values become an array

A dash counts from 1 and includes its end, dots count from 0 and exclude theirs.`,
		Example: `  llmblob inspect ID
  llmblob inspect ID lines:20-50
  llmblob inspect ID 'grep:error|panic' --context 3
  llmblob inspect ID key:results slice:3..8 path:0.name
  llmblob inspect ./events.jsonl lines:17 json key:Output`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"-"}
			}
			sels, err := selector.ParseAll(args[1:])
			if err != nil {
				return err
			}
			if cmd.Flags().Changed("max-bytes") && o.MaxBytes < inspect.MinBytes {
				return usageErrorf("--max-bytes %d: must be at least %d", o.MaxBytes, inspect.MinBytes)
			}
			if o.Context < 0 || cmd.Flags().Changed("context") && !hasGrep(sels) {
				return usageErrorf("--context: needs a number of lines and a grep selector")
			}
			return a.inspect(cmd, args[:1], sels, o)
		},
	}
	f := cmd.Flags()
	f.IntVar(&o.MaxBytes, "max-bytes", 0, "cut the answer to `bytes` and say how to go on")
	f.BoolVar(&o.Raw, "raw", false, "print a JSON string as its text, and control characters to a terminal as they are")
	f.IntVar(&o.Context, "context", 0, "`lines` around a match of grep")
	return cmd
}

func hasGrep(sels []selector.Selector) bool {
	for _, s := range sels {
		if s.IsGrep() {
			return true
		}
	}
	return false
}

func (a *app) inspect(cmd *cobra.Command, operand []string, sels []selector.Selector, o inspect.Options) (err error) {
	s, err := a.openSubject(cmd.Context(), operand, len(sels) == 0 || !sels[0].ReadsPart())
	if err != nil {
		return err
	}
	defer func() {
		var invalid *selector.InvalidJSONError
		if errors.As(err, &invalid) {
			err = fmt.Errorf("%s: %w", shownName(s.name), err)
		}
		err = errors.Join(err, s.close())
	}()
	if a.flags.json {
		return a.inspectJSON(s, sels, o)
	}
	answer := func(w io.Writer) error {
		if len(sels) > 0 {
			return inspect.Write(w, source(s), sels, o)
		}
		subject, err := a.overviewSubject(s)
		if err != nil {
			return err
		}
		return inspect.Overview(w, subject, o)
	}
	if o.Raw {
		return answer(a.stdout)
	}
	return a.payload(answer)
}

func source(s *subject) selector.Source {
	kind := selector.Auto
	if s.info != nil {
		kind = selector.Text
		if s.info.Type == blob.JSON {
			kind = selector.JSON
		}
	}
	return selector.Source{Data: s.data, Kind: kind}
}

func (a *app) overviewSubject(s *subject) (inspect.Subject, error) {
	facts, err := scan(s, summarize.Auto, summarize.DefaultLimits())
	command := []string{"llmblob", "inspect", s.name}
	if a.flags.store != "" {
		command = []string{"llmblob", "--store", a.flags.store, "inspect", s.name}
	}
	subject := inspect.Subject{Name: s.name, Command: inspect.ShellWords(command), Facts: facts, Data: s.data}
	if s.info != nil {
		subject.IsBlob, subject.Created = true, s.info.Created.UTC().Format(offload.TimeFormat)
	}
	return subject, err
}
