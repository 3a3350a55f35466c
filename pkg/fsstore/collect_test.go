package fsstore

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/llmblob/llmblob/internal/durable"
	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/storetest"
)

// setTime makes a file as old as if it had been written at a time.
func setTime(t *testing.T, file string, at time.Time) {
	t.Helper()
	if err := os.Chtimes(file, at, at); err != nil {
		t.Fatal(err)
	}
}

// What was written long ago and is stored now is young: a command may have been silent for days before its end.
func TestABlobIsAsYoungAsItsCommit(t *testing.T) {
	path := t.TempDir()
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	s, err := open(t, path, Options{Now: func() time.Time { return now }}).Stage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	setTime(t, temporary(t, path), now.AddDate(0, 0, -2))
	if info, err := s.Commit(blob.Text, storetest.NewID(t)); err != nil || !info.ModTime.Equal(now) {
		t.Errorf("time %v, %v, want %v", info.ModTime, err, now)
	}
}

// temporary returns the one temporary file that is in a directory.
func temporary(t *testing.T, path string) string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(path, durable.TempPrefix+"*"))
	if err != nil || len(all) != 1 {
		t.Fatalf("temporary files: %v, %v", all, err)
	}
	return all[0]
}

// An id under both endings is as young as the younger file, and goes whole.
func TestCollectOfAnIDUnderBothEndings(t *testing.T) {
	path := t.TempDir()
	st := open(t, path, Options{})
	id := storetest.NewID(t)
	limit := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	text, json := filepath.Join(path, id.String()+".txt"), filepath.Join(path, id.String()+".json")
	for _, file := range []string{text, json} {
		if err := os.WriteFile(file, []byte("[]"), 0o600); err != nil {
			t.Fatal(err)
		}
		setTime(t, file, limit.Add(-time.Second))
	}
	setTime(t, json, limit)
	if gone, err := st.Collect(t.Context(), id, limit); gone || err != nil {
		t.Errorf("got %v, %v, want it to stay", gone, err)
	}
	setTime(t, json, limit.Add(-time.Second))
	if gone, err := st.Collect(t.Context(), id, limit); !gone || err != nil {
		t.Errorf("got %v, %v, want it gone", gone, err)
	}
	if _, err := st.Stat(t.Context(), id); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("stat: %v, want ErrNotFound", err)
	}
}

func TestCollectStaged(t *testing.T) {
	path := t.TempDir()
	st := open(t, path, Options{})
	limit := time.Now().Add(-time.Hour)
	for name, age := range map[string]time.Duration{"old": time.Second, "young": 0} {
		file := filepath.Join(path, durable.TempPrefix+name)
		if err := os.WriteFile(file, []byte("12345"), 0o600); err != nil {
			t.Fatal(err)
		}
		setTime(t, file, limit.Add(-age))
	}
	foreign := filepath.Join(path, "old")
	dir := filepath.Join(path, durable.TempPrefix+"dir")
	if err := errors.Join(os.WriteFile(foreign, nil, 0o600), os.Mkdir(dir, 0o700)); err != nil {
		t.Fatal(err)
	}
	setTime(t, foreign, limit.Add(-time.Second))
	setTime(t, dir, limit.Add(-time.Second))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if n, _, err := st.CollectStaged(ctx, limit, false); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %d, %v", n, err)
	}
	for _, dryRun := range []bool{true, false} {
		if n, bytes, err := st.CollectStaged(t.Context(), limit, dryRun); n != 1 || bytes != 5 || err != nil {
			t.Errorf("dry run %v: got %d, %d bytes, %v, want one of 5", dryRun, n, bytes, err)
		}
	}
	entries, err := os.ReadDir(path)
	if err != nil || len(entries) != 3 {
		t.Errorf("left: %v, %v, want all but one", entries, err)
	}
	for _, e := range entries {
		if e.Name() == durable.TempPrefix+"old" {
			t.Error("the old one is left")
		}
	}
}

// A stage that has been silent for days is in use as long as its process runs, and not after.
func TestCollectStagedOfARunThatGoesOnOrCrashed(t *testing.T) {
	path := t.TempDir()
	s, err := open(t, path, Options{}).Stage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Abort()
	limit := time.Now().Add(-time.Hour)
	setTime(t, temporary(t, path), limit.Add(-time.Second))
	other := open(t, path, Options{})
	if n, _, err := other.CollectStaged(t.Context(), limit, false); n != 0 || err != nil {
		t.Errorf("while it goes on: got %d, %v, want nothing", n, err)
	}
	if err := s.(*stage).Close(); err != nil { // as the end of its process does
		t.Fatal(err)
	}
	if n, _, err := other.CollectStaged(t.Context(), limit, false); n != 1 || err != nil {
		t.Errorf("after it crashed: got %d, %v, want one", n, err)
	}
}

func TestCollectStagedWhereThereIsNoStore(t *testing.T) {
	st := open(t, filepath.Join(t.TempDir(), "none"), Options{})
	if n, bytes, err := st.CollectStaged(t.Context(), time.Now(), false); n != 0 || bytes != 0 || err != nil {
		t.Errorf("got %d, %d bytes, %v, want nothing", n, bytes, err)
	}
}
