package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// Every fault can be put into the code as it is now: a change of the code takes its mutation along.
func TestMutationsApply(t *testing.T) {
	for _, m := range mutations {
		code, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(m.file)))
		if err != nil {
			t.Errorf("%s: %v", m.what, err)
			continue
		}
		if n := bytes.Count(code, []byte(m.old)); n != 1 {
			t.Errorf("%s: %s has %d times %q, want once", m.what, m.file, n, m.old)
		}
	}
}
