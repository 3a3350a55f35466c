package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/llmblob/llmblob/internal/cleantext"
	"github.com/llmblob/llmblob/pkg/history"
	"github.com/llmblob/llmblob/pkg/projection"
	"github.com/llmblob/llmblob/pkg/prune"
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
		Args: operands(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			config, err := p.effective()
			if err != nil {
				return err
			}
			if p.printConfig {
				_, err := a.stdout.Write(append(config.AppendJSON(nil), '\n'))
				return err
			}
			limits, err := p.get(a, cmd)
			if err != nil {
				return err
			}
			o := projection.Options{Config: config, Store: a.openStore, Stderr: a.stderr}
			o.Offload.Limits = limits
			return a.withHistory(args, &p.historyFlags, func(h *history.History) error { return p.project(cmd.Context(), a, h, o) })
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

// effective reads the config and what is set on top of it.
func (p *projectFlags) effective() (prune.Config, error) {
	settings := prune.NewSettings()
	if p.config != "" {
		f, err := openFile(p.config)
		if err != nil {
			return prune.Config{}, err
		}
		data, err := io.ReadAll(f)
		if err := errors.Join(err, f.Close()); err != nil {
			return prune.Config{}, err
		}
		if settings, err = prune.ParseSettings(data); err != nil {
			return prune.Config{}, fmt.Errorf("%s: %w", p.config, err)
		}
	}
	for _, assignment := range p.set {
		if err := settings.Set(assignment); err != nil {
			return prune.Config{}, fmt.Errorf("--set %s: %w", assignment, err)
		}
	}
	return settings.Config(), nil
}

func (p *projectFlags) project(ctx context.Context, a *app, h *history.History, o projection.Options) error {
	projected, err := projection.Make(ctx, h, o)
	if err != nil {
		return err
	}
	if p.explain != "" {
		if err := p.writeExplanation(a, projected.Explain()); err != nil {
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

// writeExplanation writes a table to a terminal, else JSON.
func (p *projectFlags) writeExplanation(a *app, e projection.Explanation) error {
	if p.explain != explainToStderr {
		data, err := json.Marshal(e)
		if err != nil {
			return err
		}
		return os.WriteFile(p.explain, append(data, '\n'), 0o666)
	}
	if isTerminal(a.stderr) && !a.flags.json {
		w := cleantext.NewVisibleWriter(a.stderr)
		return errors.Join(e.Table(w), w.Close())
	}
	return writeJSON(a.stderr, e)
}
