package main

import (
	"bufio"
	"errors"
	"os"

	"github.com/llmblob/llmblob/internal/cleantext"
	"github.com/llmblob/llmblob/pkg/projection"
)

func (p *projectFlags) explainsToStderr(a *app) bool {
	return p.explain == explainToStderr && (a.flags.json || !isTerminal(a.stderr))
}

// mayExplain refuses to write the explanation over the history that is being read.
func (p *projectFlags) mayExplain() error {
	if p.explain == "" || p.explain == explainToStderr {
		return nil
	}
	if info, err := os.Stat(p.explain); err == nil && os.SameFile(info, p.input) {
		return usageErrorf("--explain=%s: that is the history itself", p.explain)
	}
	return nil
}

// writeExplanation writes a table to a terminal, else JSON.
func (p *projectFlags) writeExplanation(a *app, e projection.Explanation) error {
	if p.explain != explainToStderr {
		f, err := os.Create(p.explain)
		if err != nil {
			return err
		}
		w := bufio.NewWriter(f) // it may be a terminal: encodeJSON escapes what would steer it
		return errors.Join(e.WriteJSON(w, encodeJSON), w.Flush(), f.Close())
	}
	if !p.explainsToStderr(a) {
		w := cleantext.NewVisibleWriter(a.stderr)
		return errors.Join(e.Table(w), w.Close())
	}
	w := bufio.NewWriter(a.stderr)
	return errors.Join(e.WriteJSON(w, encodeJSON), w.Flush())
}
