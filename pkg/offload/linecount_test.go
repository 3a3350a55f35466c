package offload

import (
	"bytes"
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/llmblob/llmblob/internal/lines"
	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/storetest"
	"github.com/llmblob/llmblob/pkg/summarize"
)

// However a large content begins and is taken, its lines are counted as those of the whole.
func TestLinesOfLargeContents(t *testing.T) {
	text := strings.Repeat("a line\n", countStep/5)
	for name, content := range map[string]string{
		"text":                      text,
		"a last line without feed":  text + "end",
		"white space, then text":    strings.Repeat(" \n", 600) + text,
		"like JSON, but not":        "{\n" + text,
		"like JSON, as text":        "[1,2]\n" + text,
		"one step to the byte":      strings.Repeat("123456\n\n", countStep/8),
		"one line":                  strings.Repeat("x", countStep+1),
		"less than a step":          text[:countStep-8],
		"white space alone":         strings.Repeat("\n", countStep+1),
		"text, then JSON as a line": text + `{"a":1}`,
	} {
		for _, as := range []summarize.As{summarize.Auto, summarize.AsText} {
			want := lines.Count([]byte(content))
			o := options()
			o.As = as
			o.NewID = func(blob.Type, []byte) (blob.ID, error) { return blob.NewID() }
			st := storetest.NewMemory()
			stored, err := o.Store(t.Context(), st, strings.NewReader(content))
			if err != nil || stored.Lines == nil || *stored.Lines != want {
				t.Errorf("%s, %s: stored %+v, %v, want %d lines", name, as, stored, err, want)
			}
			captured := o.Capture(t.Context(), func() (blob.Store, error) { return st, nil }, bytes.NewReader([]byte(content)))
			if got := captured.Record.Lines; captured.StoreErr != nil || got == nil || *got != want {
				t.Errorf("%s, %s: captured %+v, want %d lines", name, as, captured.Record, want)
			}
		}
	}
}

// quietStage finds reads of a stage that is committed.
type quietStage struct {
	blob.Stage
	committed, late atomic.Bool
}

func (s *quietStage) ReadAt(p []byte, off int64) (int, error) {
	for range 500 { // slower than the JSON is validated
		bytes.Count(p, []byte("\n"))
	}
	if s.committed.Load() {
		s.late.Store(true)
	}
	return s.Stage.ReadAt(p, off)
}

func (s *quietStage) Commit(t blob.Type, id blob.ID) (blob.Info, error) {
	s.committed.Store(true)
	return s.Stage.Commit(t, id)
}

type quietStore struct {
	blob.Store
	stage *quietStage
}

func (s *quietStore) Stage(ctx context.Context) (blob.Stage, error) {
	stage, err := s.Store.Stage(ctx)
	s.stage = &quietStage{Stage: stage}
	return s.stage, err
}

// JSON that looks like text at its beginning is committed when nobody counts its lines any more.
func TestNobodyReadsACommittedStage(t *testing.T) {
	content := strings.Repeat(" ", 2*countStep) + "[1]"
	o := options()
	o.NewID = func(blob.Type, []byte) (blob.ID, error) { return blob.NewID() }
	st := &quietStore{Store: storetest.NewMemory()}
	if stored, err := o.Store(t.Context(), st, strings.NewReader(content)); err != nil || stored.Entries == nil {
		t.Fatalf("stored %+v, %v", stored, err)
	}
	if st.stage.late.Load() {
		t.Error("store: it was read behind the commit")
	}
	captured := o.Capture(t.Context(), func() (blob.Store, error) { return st, nil }, strings.NewReader(content))
	if captured.StoreErr != nil || captured.Record.Entries == nil {
		t.Fatalf("captured %+v", captured)
	}
	if st.stage.late.Load() {
		t.Error("capture: it was read behind the commit")
	}
}
