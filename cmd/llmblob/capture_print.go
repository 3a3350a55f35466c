package main

import (
	"encoding/base64"
	"unicode/utf8"

	"github.com/llmblob/llmblob/pkg/offload"
	"github.com/llmblob/llmblob/pkg/summarize"
)

// outputJSON is what capture prints with --json.
type outputJSON struct {
	Kind     offload.Kind `json:"kind"`
	Output   string       `json:"output"`
	Encoding string       `json:"encoding,omitempty"`
	offload.Record
	*runFacts
}

// runFacts are what is told of the run of a command.
type runFacts struct {
	Exit       int   `json:"exit"`
	DurationMS int64 `json:"duration_ms"`
}

// printOutputJSON prints a tool output, of which content is all that stays inline.
func (a *app) printOutputJSON(out *offload.ToolOutput, content []byte, run *runFacts, opts offload.CaptureOptions) error {
	j := outputJSON{Kind: out.Kind, Record: out.Record, runFacts: run}
	if out.Kind == offload.Stored {
		j.Output = out.Record.Summary
	} else {
		facts, err := summarize.Scan(content, opts.As, opts.Limits)
		if err != nil { // it was to be JSON and is not
			if facts, err = summarize.Scan(content, summarize.AsText, opts.Limits); err != nil {
				return err
			}
		}
		j.Record = offload.DescribeFacts(facts)
		j.Output = string(content)
		if !utf8.Valid(content) {
			j.Encoding, j.Output = "base64", base64.StdEncoding.EncodeToString(content)
		}
	}
	j.Summary = "" // the output says it
	return a.printJSON(j)
}
