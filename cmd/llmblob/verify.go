package main

import (
	"bufio"
	"context"
	"errors"
	"iter"

	"github.com/spf13/cobra"

	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/fsstore"
	"github.com/llmblob/llmblob/pkg/inspect"
)

// finding is one line that verify prints.
type finding struct {
	Status string `json:"status"` // wrong or note
	ID     string `json:"id,omitempty"`
	File   string `json:"file,omitempty"`
	What   string `json:"what"`
}

const (
	wrong = "wrong"
	note  = "note"
	// notThere is what is found of a blob that does not exist.
	notThere = "not found"
)

func newVerifyCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "verify [flags] [ID…|-]",
		Short: "check blobs, or the whole store: modes, owners, JSON, content ids",
		Long: `Print one JSON object a finding, {"status","id","file","what"}, and exit with 4 where the status
of one is "wrong", with 3 where all that is wrong is that a blob is not there. Foreign and temporary files in
the store are a "note".`,
		Example: `  llmblob verify
  llmblob refs history.jsonl | llmblob verify -`,
		RunE: func(cmd *cobra.Command, args []string) error {
			st, err := a.openStore()
			if err != nil {
				return err
			}
			status, err := a.verify(cmd.Context(), st, args)
			if err == nil && status != exitDone {
				err = &statusError{status: status}
			}
			return err
		},
	}
}

// verify checks the blobs that operands name, or the whole store where there are none.
func (a *app) verify(ctx context.Context, st blob.Store, operands []string) (status int, err error) {
	w := bufio.NewWriter(a.stdout)
	defer func() { err = errors.Join(err, w.Flush()) }()
	report := func(f finding) error {
		switch {
		case f.What == notThere && status == exitDone:
			status = exitNotFound
		case f.Status == wrong && f.What != notThere:
			status = exitDamaged
		}
		return writeJSON(w, f)
	}
	if len(operands) > 0 {
		ids, err := a.resolveAll(ctx, st, operands)
		if err != nil || len(ids) == 0 {
			return status, err
		}
		asked := make(map[blob.ID]bool)
		for _, id := range ids {
			asked[id] = true
		}
		if err := auditStore(ctx, st, asked, report); err != nil {
			return status, err
		}
		for _, id := range ids {
			err := verifyBlob(ctx, st, id, report)
			if errors.Is(err, blob.ErrNotFound) {
				err = report(finding{Status: wrong, ID: id.String(), What: notThere})
			}
			if err != nil {
				return status, err
			}
		}
		return status, nil
	}
	if err := auditStore(ctx, st, nil, report); err != nil {
		return status, err
	}
	for info, err := range st.List(ctx) {
		if err == nil {
			err = verifyBlob(ctx, st, info.ID, report)
		}
		if err != nil && !errors.Is(err, blob.ErrNotFound) { // what was deleted meanwhile is no matter
			return status, err
		}
	}
	return status, nil
}

// auditStore reports what a store finds about its files: about all, or about those of the blobs asked for.
func auditStore(ctx context.Context, st blob.Store, asked map[blob.ID]bool, report func(finding) error) error {
	auditor, ok := st.(interface {
		Audit(context.Context) iter.Seq2[fsstore.Finding, error]
	})
	if !ok {
		return nil
	}
	for f, err := range auditor.Audit(ctx) {
		if err != nil {
			return err
		}
		if asked != nil && (f.Blob == nil || !asked[*f.Blob]) {
			continue
		}
		line := finding{Status: note, File: f.Name, What: f.What}
		if f.Wrong {
			line.Status = wrong
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

// verifyBlob reports what is wrong with the bytes of a blob. One that is no file the audit has reported.
func verifyBlob(ctx context.Context, st blob.Store, id blob.ID, report func(finding) error) error {
	faults, err := inspect.Verify(ctx, st, id)
	if errors.Is(err, blob.ErrDamaged) {
		return nil
	}
	for _, what := range faults {
		if err := report(finding{Status: wrong, ID: id.String(), What: what}); err != nil {
			return err
		}
	}
	return err
}
