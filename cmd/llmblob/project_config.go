package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/llmblob/llmblob/pkg/history"
	"github.com/llmblob/llmblob/pkg/projection"
	"github.com/llmblob/llmblob/pkg/prune"
)

// effective reads the config and what is set on top of it.
func (p *projectFlags) effective(a *app, cmd *cobra.Command, args []string) (prune.Config, error) {
	settings := prune.NewSettings()
	for _, name := range [...]string{"config", "explain"} {
		if f := cmd.Flags().Lookup(name); f.Changed && f.Value.String() == "" {
			return prune.Config{}, usageErrorf("--%s: the name is empty", name)
		}
	}
	if p.config != "" {
		data, err := p.readConfig(a, args)
		if err != nil {
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

// longestConfig bounds what is read for a config, in bytes.
const longestConfig = 1 << 20

// readConfig reads the config; "-" is standard input, where the history is not.
func (p *projectFlags) readConfig(a *app, args []string) ([]byte, error) {
	if p.config == "-" && (len(args) == 0 || args[0] == "-") {
		return nil, &usageError{msg: "--config -: standard input is the history already", hint: "name a FILE for one of them"}
	}
	open := openFile
	if p.config == "-" {
		open = func(name string) (*os.File, error) { return a.input([]string{name}) }
	}
	f, err := open(p.config)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, longestConfig+1))
	if len(data) > longestConfig {
		err = usageErrorf("%s: more than %d bytes, which no prune.json has", p.config, longestConfig)
	}
	return data, errors.Join(err, f.Close())
}

// mostTools is how many tools a warning names.
const mostTools = 20

// unmatched warns of patterns that are of no tool of the history, which are easily mistyped.
func unmatched(p *projection.Projection) []error {
	if len(p.Config.OnlyTools) == 0 && len(p.Config.ExcludeTools) == 0 {
		return nil
	}
	seen := map[history.Name]bool{0: true} // 0: of no name
	var tools []string
	for _, r := range p.Decision.Results {
		if tool := p.History.Items[r.Item].Tool; !seen[tool] {
			seen[tool] = true
			tools = append(tools, p.History.Name(tool))
		}
	}
	var warnings []error
	if len(tools) == 0 {
		return nil
	}
	slices.Sort(tools)
	known := strings.Join(tools[:min(len(tools), mostTools)], ", ")
	if more := len(tools) - mostTools; more > 0 {
		known += fmt.Sprintf(" and %d more", more)
	}
	for _, list := range []struct {
		field    string
		patterns []string
	}{{"only_tools", p.Config.OnlyTools}, {"exclude_tools", p.Config.ExcludeTools}} {
		for _, pattern := range list.patterns {
			only := prune.Config{OnlyTools: []string{pattern}}
			if !slices.ContainsFunc(tools, only.Allows) {
				warnings = append(warnings, fmt.Errorf("%s: %q is of no tool of this history, which has %s", list.field, pattern, known))
			}
		}
	}
	return warnings
}
