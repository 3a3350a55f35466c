//go:build unix

package fsstore

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/llmblob/llmblob/internal/durable"
	"github.com/llmblob/llmblob/internal/faultfs"
	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/storetest"
)

// locked reports whether somebody holds the lock of a store.
func locked(t *testing.T, path string) bool {
	t.Helper()
	dir, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	err = syscall.Flock(int(dir.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err != nil && !errors.Is(err, syscall.EWOULDBLOCK) {
		t.Fatal(err)
	}
	return err != nil
}

// Between a Commit's finding that the blob is there and making it young nobody can collect it.
func TestCommitOfABlobThatIsThereHoldsTheLock(t *testing.T) {
	path := t.TempDir()
	var held bool
	st := open(t, path, Options{Now: func() time.Time {
		held = locked(t, path)
		return time.Now()
	}})
	id := blob.ContentID(blob.Text, []byte("x"))
	for range 2 {
		held = false
		if _, err := storetest.Put(t, st, blob.Text, id, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	if !held {
		t.Error("the time was set without the lock")
	}
}

// onErr calls f whenever it is asked whether it has ended.
type onErr struct {
	context.Context
	f func()
}

func (c onErr) Err() error {
	c.f()
	return c.Context.Err()
}

// Collect looks at the age under the lock that Commit takes too: a blob that was made young before stays.
func TestCollectLooksAtTheAgeUnderTheLock(t *testing.T) {
	path := t.TempDir()
	st := open(t, path, Options{})
	id := blob.ContentID(blob.Text, []byte("x"))
	if _, err := storetest.Put(t, st, blob.Text, id, []byte("x")); err != nil {
		t.Fatal(err)
	}
	limit := time.Now().Add(-time.Hour)
	file := filepath.Join(path, id.String()+".txt")
	setTime(t, file, limit.Add(-time.Second))
	refreshed := false
	ctx := onErr{t.Context(), func() {
		if locked(t, path) {
			setTime(t, file, limit)
			refreshed = true
		}
	}}
	if gone, err := st.Collect(ctx, id, limit); gone || err != nil || !refreshed {
		t.Errorf("got %v, %v, refreshed under the lock %v; want it to stay", gone, err, refreshed)
	}
	if _, err := st.Stat(t.Context(), id); err != nil {
		t.Error(err)
	}
	setTime(t, file, limit.Add(-time.Second))
	if gone, err := st.Collect(t.Context(), id, limit); !gone || err != nil || locked(t, path) {
		t.Errorf("got %v, %v, want it gone and the store free", gone, err)
	}
}

// A pipe is a history where it is named; below a directory nobody waits for it.
func TestHistoriesThatArePipes(t *testing.T) {
	root := tree(t, "one")
	fifo := filepath.Join(root, "fifo")
	if err := errors.Join(syscall.Mkfifo(fifo, 0o600), os.Symlink("fifo", filepath.Join(root, "link"))); err != nil {
		t.Fatal(err)
	}
	if got, err := read(t, root); err != nil || len(got) != 1 {
		t.Errorf("got %v, %v, want the file alone", got, err)
	}
	go func() { _ = os.WriteFile(fifo, []byte("piped"), 0) }()
	if got, err := read(t, fifo); err != nil || len(got) != 1 || got[0] != "piped" {
		t.Errorf("got %v, %v, want what is piped", got, err)
	}
}

// Who collects up to this moment takes a new file for abandoned before its owner holds it. The owner then makes another.
func TestAFileThatIsCollectedBeforeItIsHeld(t *testing.T) {
	path := t.TempDir()
	other := open(t, path, Options{})
	collected := 0
	st := open(t, path, Options{FS: faultfs.New(func(c *faultfs.Call, do func() error) error {
		err := do()
		if c.Op == faultfs.Create && collected == 0 {
			var gone error
			collected, _, gone = other.CollectStaged(t.Context(), time.Now().Add(time.Hour), false)
			err = errors.Join(err, gone)
		}
		return err
	})})
	id := storetest.NewID(t)
	if _, err := storetest.Put(t, st, blob.Text, id, []byte("x")); err != nil || collected != 1 {
		t.Errorf("%v, %d files were collected, want one", err, collected)
	}
	if info, err := other.Stat(t.Context(), id); err != nil || info.Bytes != 1 {
		t.Errorf("got %+v, %v", info, err)
	}
	checkNoTemp(t, path)
}

// A temporary file may be given up by its owner while it is looked at.
func TestCollectStagedOfAFileThatVanishes(t *testing.T) {
	path := t.TempDir()
	st := open(t, path, Options{FS: faultfs.New(func(c *faultfs.Call, do func() error) error {
		if c.Op == faultfs.Remove {
			if err := os.Remove(c.Path); err != nil {
				t.Error(err)
			}
		}
		return do()
	})})
	if err := os.WriteFile(filepath.Join(path, durable.TempPrefix+"x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if n, _, err := st.CollectStaged(t.Context(), time.Now().Add(time.Hour), false); n != 0 || err != nil {
		t.Errorf("got %d, %v, want nothing", n, err)
	}
	checkNoTemp(t, path)
}

// A blob that is deleted the moment it may be was stored all the same: its facts are looked at before.
func TestCommitLooksAtTheFactsUnderTheLock(t *testing.T) {
	path := t.TempDir()
	var published, looked bool
	st := open(t, path, Options{FS: faultfs.New(func(c *faultfs.Call, do func() error) error {
		published = published || c.Op == faultfs.Link
		if c.Op == faultfs.Lstat && published {
			looked = true
			if !locked(t, path) {
				t.Error("the lock is not held")
			}
		}
		return do()
	})})
	if _, err := storetest.Put(t, st, blob.Text, storetest.NewID(t), []byte("x")); err != nil || !looked {
		t.Errorf("%v, looked %v", err, looked)
	}
}
