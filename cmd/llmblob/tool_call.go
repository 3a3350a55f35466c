package main

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/llmblob/llmblob/pkg/inspect"
	"github.com/llmblob/llmblob/pkg/offload"
)

// toolFlags say which blobs a model sees, and how much of them at once.
type toolFlags struct{ refs, maxBytes string }

func (f *toolFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.refs, "refs", "", "answer about blobs alone that a `file`, the history, refers to; read again where it has grown")
	cmd.Flags().StringVar(&f.maxBytes, "max-bytes", "16KiB", "`size` of an answer at most, from 512")
}

// open checks the flags and opens the tool.
func (f *toolFlags) open(a *app) (inspect.Tool, error) {
	limit, err := parseSize("max-bytes", f.maxBytes)
	if err != nil {
		return inspect.Tool{}, err
	}
	if limit < inspect.MinToolBytes || limit > maxToolBytes {
		return inspect.Tool{}, usageErrorf("--max-bytes %s: must be from %d bytes to 64MiB", f.maxBytes, inspect.MinToolBytes)
	}
	st, err := a.openStore()
	if err != nil {
		return inspect.Tool{}, err
	}
	if f.refs != "" {
		refs, err := inspect.OpenRefs(f.refs, offload.IsInspectTool)
		if err != nil {
			return inspect.Tool{}, err
		}
		st = inspect.Confine(st, refs.Has)
	}
	return inspect.Tool{Store: st, MaxBytes: int(limit), IsTool: offload.IsInspectTool}, nil
}

// maxToolBytes bounds what is asked for: a model has no use for more.
const maxToolBytes = 64 << 20

func newToolCallCommand(a *app) *cobra.Command {
	var flags toolFlags
	cmd := &cobra.Command{
		Use:   "call [flags] [FILE|-]",
		Short: "answer calls of inspect, one a line, with results in the same dialect",
		Long: `Read calls as models write them, JSON Lines, and print the results that belong into the history, each
at once: for a tool_use block or an assistant message (Anthropic), an assistant message with
tool_calls or one of these (OpenAI chat), a function_call item (OpenAI Responses), a functionCall,
its part or a content of the model (Gemini), a request of tools/call (MCP).

A call that fails is a result too: an error that says what exists and what to try. So is a call of
another tool. A line that holds no call of these shapes is exit 4; what came before is answered.`,
		Example: `  llmblob tool call < calls.jsonl
  jq -c '.choices[0].message' response.json | llmblob tool call >> messages.jsonl
  llmblob tool call --refs session.jsonl < calls.jsonl   # nothing but what the session refers to`,
		Args: operands(0, 1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			t, err := flags.open(a)
			if err != nil {
				return err
			}
			f, err := a.input(args)
			if err != nil {
				return err
			}
			if f != a.stdin {
				defer func() { err = errors.Join(err, f.Close()) }()
			}
			return t.ReplyAll(cmd.Context(), f, escapingWriter{a.stdout})
		},
	}
	flags.add(cmd)
	return cmd
}

// escapingWriter writes lines of JSON such that no control character stands as it is.
type escapingWriter struct{ w io.Writer }

func (e escapingWriter) Write(line []byte) (int, error) {
	if _, err := e.w.Write(escapeControls(line)); err != nil {
		return 0, err
	}
	return len(line), nil
}
