package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/llmblob/llmblob/internal/content"
	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/offload"
	"github.com/llmblob/llmblob/pkg/summarize"
)

func newSummarizeCommand(a *app) *cobra.Command {
	var limits limitFlags
	var as string
	cmd := &cobra.Command{
		Use:   "summarize [flags] [ID|FILE|-]",
		Short: "print the summary of a blob, a file or standard input; nothing is stored",
		Long: `Print the summary: what the content is, and its most telling lines within 400 bytes.
That of a blob begins with its reference, [blob:ID].`,
		Example: `  llmblob summarize ./build.log
  kubectl get pods -o json | llmblob summarize
  llmblob summarize ID --summary-bytes 1000 --tail-lines 10`,
		Args: operands(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := limits.get(a, cmd)
			if err != nil {
				return err
			}
			how, err := parseAs(as)
			if err != nil {
				return err
			}
			return a.summarize(cmd, args, how, l)
		},
	}
	limits.add(cmd)
	addTypeFlag(cmd, &as)
	return cmd
}

func (a *app) summarize(cmd *cobra.Command, args []string, as summarize.As, l summarize.Limits) (err error) {
	s, err := a.openSubject(cmd.Context(), args, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	rec, err := describe(s, as, l)
	if err != nil {
		return err
	}
	if a.flags.json {
		return a.printJSON(rec)
	}
	return a.payloadBytes([]byte(rec.Summary + "\n"))
}

// describe returns the record of a subject. A blob is what it was stored as, whatever as says.
func describe(s *subject, as summarize.As, l summarize.Limits) (offload.Record, error) {
	facts, err := scan(s, as, l)
	if err != nil {
		return offload.Record{}, err
	}
	return record(s, facts), nil
}

func record(s *subject, facts summarize.Facts) offload.Record {
	if s.info != nil {
		return offload.Describe(*s.info, facts)
	}
	return offload.DescribeFacts(facts)
}

func scan(s *subject, as summarize.As, l summarize.Limits) (summarize.Facts, error) {
	if s.info != nil {
		as = summarize.AsText
		if s.info.Type == blob.JSON {
			as = summarize.AsJSON
		}
	}
	facts, err := summarize.ScanReader(s.data, s.at, as, l)
	var invalid *summarize.InvalidJSONError
	switch {
	case errors.As(err, &invalid):
		return facts, fmt.Errorf("%s: invalid JSON: %w", shownName(s.name), err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return facts, fmt.Errorf("%s: %w", shownName(s.name), content.ErrShrunk)
	case err != nil:
		return facts, fmt.Errorf("%s: %w", shownName(s.name), err)
	}
	return facts, nil
}
