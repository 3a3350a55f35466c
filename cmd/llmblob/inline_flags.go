package main

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/llmblob/llmblob/internal/glob"
	"github.com/llmblob/llmblob/pkg/offload"
)

// inlineFlags say up to which size outputs stay inline.
type inlineFlags struct {
	bytes int
	rules []string
}

func (i *inlineFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.IntVar(&i.bytes, "inline-bytes", offload.DefaultInlineBytes, "outputs up to this many `bytes` stay inline (LLMBLOB_INLINE_BYTES)")
	f.StringArrayVar(&i.rules, "inline-bytes-for", nil, "another limit for some tools: `PATTERN=bytes`, as in 'read*=4000'")
}

// get returns the limit of a tool. Of the rules for some tools the last that fits holds.
func (i *inlineFlags) get(a *app, cmd *cobra.Command) (func(tool string) int, error) {
	if err := a.fromEnv(cmd, "inline-bytes"); err != nil {
		return nil, err
	}
	if i.bytes < 0 {
		return nil, usageErrorf("--inline-bytes %d: must not be negative", i.bytes)
	}
	type rule struct {
		pattern string
		limit   int
	}
	var rules []rule
	for _, text := range i.rules {
		at := strings.LastIndexByte(text, '=')
		if at < 0 {
			return nil, usageErrorf("--inline-bytes-for %q: must be PATTERN=bytes", text)
		}
		limit, err := strconv.Atoi(text[at+1:])
		if _, badPattern := glob.Match(text[:at], ""); err != nil || limit < 0 || badPattern != nil {
			return nil, usageErrorf("--inline-bytes-for %q: must be PATTERN=bytes", text)
		}
		rules = append(rules, rule{text[:at], limit})
	}
	return func(tool string) int {
		limit := i.bytes
		for _, r := range rules {
			if ok, _ := glob.Match(r.pattern, tool); ok && tool != "" { // the patterns are good
				limit = r.limit
			}
		}
		return limit
	}, nil
}
