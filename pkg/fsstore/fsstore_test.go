package fsstore

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/quick"
	"time"

	"github.com/llmblob/llmblob/internal/durable"
	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/storetest"
)

func open(t *testing.T, path string, opts Options) *Store {
	t.Helper()
	st, err := New(path, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return st
}

func TestPromises(t *testing.T) {
	for name, opts := range map[string]Options{"synced": {}, "not synced": {NoSync: true}} {
		t.Run(name, func(t *testing.T) {
			storetest.Run(t, func(t *testing.T) blob.Store {
				path := filepath.Join(t.TempDir(), "a", "store")
				t.Cleanup(func() { checkNoTemp(t, path) })
				return open(t, path, opts)
			})
		})
	}
}

// many is one directory opened many times, as by many processes: each call goes to another Store.
type many struct {
	blob.Store
	stores []*Store
	next   atomic.Uint32
}

func (m *many) another() *Store { return m.stores[m.next.Add(1)%uint32(len(m.stores))] }

func (m *many) Stage(ctx context.Context) (blob.Stage, error) { return m.another().Stage(ctx) }

func (m *many) Collect(ctx context.Context, id blob.ID, olderThan time.Time) (bool, error) {
	return m.another().Collect(ctx, id, olderThan)
}

func (m *many) CollectStaged(ctx context.Context, olderThan time.Time, dryRun bool) (int, int64, error) {
	return m.another().CollectStaged(ctx, olderThan, dryRun)
}

func TestPromisesOfManyStoresOnOneDirectory(t *testing.T) {
	storetest.Run(t, func(t *testing.T) blob.Store {
		path := t.TempDir()
		m := &many{Store: open(t, path, Options{})}
		for range 8 {
			m.stores = append(m.stores, open(t, path, Options{}))
		}
		return m
	})
}

func checkNoTemp(t *testing.T, path string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(path, durable.TempPrefix+"*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestLayoutAndModes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "blobs")
	st := open(t, path, Options{})
	id := storetest.NewID(t)
	if _, err := storetest.Put(t, st, blob.JSON, id, []byte("[1]\n")); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(path, id.String()+".json")
	if got, err := os.ReadFile(file); err != nil || string(got) != "[1]\n" {
		t.Errorf("file holds %q, %v", got, err)
	}
	for name, want := range map[string]fs.FileMode{filepath.Dir(path): fs.ModeDir | 0o700, path: fs.ModeDir | 0o700, file: 0o600} {
		if info, err := os.Stat(name); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v, want %v", name, info.Mode(), err, want)
		}
	}
}

func TestAnExistingDirectoryKeepsItsMode(t *testing.T) {
	path := t.TempDir()
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := storetest.Put(t, open(t, path, Options{}), blob.Text, storetest.NewID(t), []byte("x")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestReadingWritesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none")
	st := open(t, path, Options{})
	if _, err := st.Stat(t.Context(), storetest.NewID(t)); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("stat: %v", err)
	}
	for _, err := range st.List(t.Context()) {
		t.Errorf("list yields something, %v", err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory was made: %v", err)
	}
}

func TestARefreshedBlobIsYoung(t *testing.T) {
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	st := open(t, t.TempDir(), Options{Now: func() time.Time { return now }})
	id := blob.ContentID(blob.Text, []byte("x"))
	if _, err := storetest.Put(t, st, blob.Text, id, []byte("x")); err != nil {
		t.Fatal(err)
	}
	now = now.AddDate(0, 0, 1)
	info, err := storetest.Put(t, st, blob.Text, id, []byte("x"))
	if err != nil || !info.ModTime.Equal(now) {
		t.Errorf("time %v, %v, want %v", info.ModTime, err, now)
	}
}

// A clock that is behind takes nothing from what another was promised.
func TestARefreshMakesNoBlobOlder(t *testing.T) {
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	st := open(t, t.TempDir(), Options{Now: func() time.Time { return now }})
	id := blob.ContentID(blob.Text, []byte("x"))
	want, err := storetest.Put(t, st, blob.Text, id, []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	now = now.AddDate(0, 0, -1)
	if info, err := storetest.Put(t, st, blob.Text, id, []byte("x")); err != nil || !info.ModTime.Equal(want.ModTime) {
		t.Errorf("time %v, %v, want %v", info.ModTime, err, want.ModTime)
	}
}

func TestAStoreThatIsNoDirectory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	st := open(t, path, Options{})
	if _, err := st.Stage(t.Context()); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("stage: %v", err)
	}
	if _, err := st.Stat(t.Context(), storetest.NewID(t)); err == nil || errors.Is(err, blob.ErrNotFound) {
		t.Errorf("stat: %v, want another error than not found", err)
	}
}

func TestForeignNamesAreNoBlobs(t *testing.T) {
	path := t.TempDir()
	id := storetest.NewID(t).String()
	for _, name := range []string{"readme.md", strings.ToUpper(id) + ".txt", id, id + ".txt.gz", id + ".bin", "{" + id + "}.txt",
		strings.ReplaceAll(id, "-", "") + ".txt", durable.TempPrefix + "X", strings.Repeat("n", 255)} {
		if err := os.WriteFile(filepath.Join(path, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	st := open(t, path, Options{})
	for info, err := range st.List(t.Context()) {
		t.Errorf("listed %v, %v", info, err)
	}
	n := 0
	for f, err := range st.Audit(t.Context()) {
		if err != nil || f.Name != "." && f.Wrong {
			t.Errorf("finding %+v, %v", f, err)
		}
		n++
	}
	if n < 9 {
		t.Errorf("%d findings, want each name reported", n)
	}
}

// Store then read is the identity, whatever the bytes.
func TestBytesComeBack(t *testing.T) {
	st := open(t, t.TempDir(), Options{NoSync: true})
	law := func(data []byte) bool {
		id := blob.ContentID(blob.Text, data)
		if _, err := storetest.Put(t, st, blob.Text, id, data); err != nil {
			t.Fatal(err)
		}
		b, err := st.Open(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		got, err := blob.Bytes(b)
		return err == nil && bytes.Equal(got, data)
	}
	if err := quick.Check(law, nil); err != nil {
		t.Error(err)
	}
}
