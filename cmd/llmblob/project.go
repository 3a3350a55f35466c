package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/llmblob/llmblob/pkg/history"
	"github.com/llmblob/llmblob/pkg/projection"
)

// explainToStderr is the value of --explain without one.
const explainToStderr = "-"

type projectFlags struct {
	historyFlags
	limitFlags
	config      string
	set         []string
	explain     string
	indices     bool
	printConfig bool
}

func newProjectCommand(a *app) *cobra.Command {
	var p projectFlags
	cmd := &cobra.Command{
		Use:   "project [flags] [FILE|-]",
		Short: "print a history for the next request, old tool results left out",
		Long: `Print the context for the next request: the same records, but the content of old tool results
is left out. The history itself is never changed.

What is left out is a pure function of the history and the config. The end of the history
stays, the rest goes in lots that pay for the prompt cache they break; between two lots the
output for a longer history begins with the output for the shorter one. prune.json has the
fields that llmblob schema prune describes; without one the defaults hold.

Calls keep their results, and order, ids and records stay. Only results are left out: what the
model wrote, arguments of calls too, and what people wrote stays.`,
		Example: `  llmblob project < history.jsonl
  llmblob project --config prune.json --explain=why.json session.jsonl > request.jsonl
  llmblob project --set protected_tokens=20000 --set omit=summary session.jsonl`,
		Args: func(cmd *cobra.Command, args []string) error {
			err := operands(0, 1)(cmd, args)
			if err != nil && p.explain == explainToStderr {
				return &usageError{msg: err.Error(), hint: "a file for --explain stands behind an =, as in --explain=" + args[0]}
			}
			return err
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			config, err := p.effective(a, cmd, args)
			if err != nil {
				return err
			}
			if p.printConfig {
				return a.payloadBytes(append(config.AppendJSON(nil), '\n'))
			}
			limits, err := p.get(a, cmd)
			if err != nil {
				return err
			}
			o := projection.Options{Config: config, Store: a.openStore, Stderr: a.stderr}
			o.Offload.Limits = limits
			p.quiet = p.explainsToStderr(a)
			return a.withHistory(cmd, args, &p.historyFlags, func(h *history.History) error { return p.project(cmd.Context(), a, h, o) })
		},
	}
	p.historyFlags.add(cmd)
	p.limitFlags.add(cmd)
	f := cmd.Flags()
	f.StringVar(&p.config, "config", "", "`file` that says what is left out, prune.json")
	f.StringArrayVar(&p.set, "set", nil, "`key=value` of one field of the config, on top of the file; may be repeated")
	f.BoolVar(&p.printConfig, "print-config", false, "print the effective config and do nothing else")
	f.StringVar(&p.explain, "explain", "", "tell why, on standard error or in a `file`")
	f.Lookup("explain").NoOptDefVal = explainToStderr
	f.BoolVar(&p.indices, "indices", false, "print the indices of the items left out, a JSON array, instead of the history")
	f.BoolVar(&a.flags.noSync, "no-sync", false, "do not wait until blobs are on the disk")
	return cmd
}

func (p *projectFlags) project(ctx context.Context, a *app, h *history.History, o projection.Options) error {
	if err := p.mayExplain(); err != nil {
		return err
	}
	projected, err := makeProjection(ctx, h, o)
	if err != nil {
		return err
	}
	warnings := unmatched(projected)
	if !p.quiet {
		for _, warning := range warnings {
			a.complain("warning", warning, exitDone)
		}
	}
	if p.explain != "" {
		e := projected.Explain()
		for _, warning := range append(warningsOf(h), warnings...) {
			e.Warnings = append(e.Warnings, warning.Error())
		}
		if err := p.writeExplanation(a, e); err != nil {
			return err
		}
	}
	if p.indices {
		indices := projected.Decision.Indices
		if indices == nil {
			indices = []int{}
		}
		return a.printJSON(indices)
	}
	return a.buffered(projected.Write)
}

// makeProjection ends a command that counts tokens when a signal ends us.
func makeProjection(ctx context.Context, h *history.History, o projection.Options) (*projection.Projection, error) {
	if len(o.Config.Tokens.Command) == 0 {
		return projection.Make(ctx, h, o)
	}
	stop := watchSignals(1)
	ctx, cancel := stop.context(ctx)
	defer cancel()
	p, err := projection.Make(ctx, h, o)
	if stop.signal() != nil {
		err = &statusError{status: stop.status()}
	}
	return p, err
}
