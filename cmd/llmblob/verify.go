package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"iter"

	"github.com/spf13/cobra"

	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/fsstore"
	"github.com/llmblob/llmblob/pkg/summarize"
)

// finding is one line that verify prints.
type finding struct {
	Status string `json:"status"` // "wrong" or "note"
	ID     string `json:"id,omitempty"`
	File   string `json:"file,omitempty"`
	What   string `json:"what"`
}

func newVerifyCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "verify [flags] [ID…|-]",
		Short: "check blobs, or the whole store: modes, JSON, content ids",
		Long: `Print one JSON object a finding, {"status","id","file","what"}, and exit with 4 where the status
of one is "wrong". Foreign and temporary files in the store are a "note".`,
		Example: `  llmblob verify
  llmblob refs history.jsonl | llmblob verify -`,
		RunE: func(cmd *cobra.Command, args []string) error {
			st, err := a.openStore()
			if err != nil {
				return err
			}
			wrong, err := a.verify(cmd.Context(), st, args)
			if err == nil && wrong {
				err = &statusError{status: exitDamaged}
			}
			return err
		},
	}
}

func (a *app) verify(ctx context.Context, st blob.Store, operands []string) (wrong bool, err error) {
	w := bufio.NewWriter(a.stdout)
	defer func() { err = errors.Join(err, w.Flush()) }()
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	report := func(f finding) error {
		wrong = wrong || f.Status == "wrong"
		return e.Encode(f)
	}
	ids, err := a.resolveAll(ctx, st, operands)
	if err != nil {
		return wrong, err
	}
	if err := auditStore(ctx, st, ids, report); err != nil {
		return wrong, err
	}
	if len(operands) == 0 {
		for info, err := range st.List(ctx) {
			if err == nil {
				err = verifyBlob(ctx, st, info.ID, report)
			}
			if err != nil {
				return wrong, err
			}
		}
	}
	for _, id := range ids {
		if err := verifyBlob(ctx, st, id, report); err != nil {
			return wrong, err
		}
	}
	return wrong, nil
}

// auditStore reports what a store finds about its files: about all, or about those of ids.
func auditStore(ctx context.Context, st blob.Store, ids []blob.ID, report func(finding) error) error {
	auditor, ok := st.(interface {
		Audit(context.Context) iter.Seq2[fsstore.Finding, error]
	})
	if !ok {
		return nil
	}
	asked := make(map[blob.ID]bool)
	for _, id := range ids {
		asked[id] = true
	}
	for f, err := range auditor.Audit(ctx) {
		if err != nil {
			return err
		}
		if len(ids) > 0 && (f.Blob == nil || !asked[*f.Blob]) {
			continue
		}
		line := finding{Status: "note", File: f.Name, What: f.What}
		if f.Wrong {
			line.Status = "wrong"
		}
		if f.Blob != nil {
			line.ID = f.Blob.String()
		}
		if err := report(line); err != nil {
			return err
		}
	}
	return nil
}

// verifyBlob holds the bytes of a blob to its type and its id.
func verifyBlob(ctx context.Context, st blob.Store, id blob.ID, report func(finding) error) (err error) {
	wrong := func(what string) error { return report(finding{Status: "wrong", ID: id.String(), What: what}) }
	b, err := st.Open(ctx, id)
	if errors.Is(err, blob.ErrNotFound) {
		return nil // deleted meanwhile
	} else if err != nil {
		return wrong(err.Error())
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	data, err := blob.Bytes(b)
	if err != nil {
		return wrong(err.Error())
	}
	if err := blob.CheckContent(id, b.Info().Type, data); err != nil {
		if err := wrong("the bytes are not those the id was made of"); err != nil {
			return err
		}
	}
	if b.Info().Type == blob.JSON {
		if _, err := summarize.Scan(data, summarize.AsJSON, summarize.DefaultLimits()); err != nil {
			return wrong("invalid JSON: " + err.Error())
		}
	}
	return nil
}
