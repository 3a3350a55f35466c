package main

import (
	"bytes"
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
		var line bytes.Buffer // the file may be a terminal
		if err := writeJSON(&line, e); err != nil {
			return err
		}
		return os.WriteFile(p.explain, line.Bytes(), 0o666)
	}
	if !p.explainsToStderr(a) {
		w := cleantext.NewVisibleWriter(a.stderr)
		return errors.Join(e.Table(w), w.Close())
	}
	return writeJSON(a.stderr, e)
}
