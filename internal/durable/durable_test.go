package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

func openDir(t *testing.T) *Dir {
	t.Helper()
	d, err := MakeDir(System{}, filepath.Join(t.TempDir(), "a", "b"), false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return d
}

func write(t *testing.T, d *Dir, text string) *File {
	t.Helper()
	f, err := d.Create()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Discard(); err != nil {
			t.Errorf("discard: %v", err)
		}
	})
	if _, err := f.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return f
}

func names(t *testing.T, d *Dir) []string {
	t.Helper()
	all, err := d.Names()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestPublishGivesTheNameAndLeavesNoOther(t *testing.T) {
	d := openDir(t)
	f := write(t, d, "text")
	if all := names(t, d); len(all) != 1 || !strings.HasPrefix(all[0], TempPrefix) {
		t.Errorf("before: %v", all)
	}
	if err := errors.Join(f.Sync(), f.Publish("name"), d.Sync()); err != nil {
		t.Fatal(err)
	}
	if all := names(t, d); len(all) != 1 || all[0] != "name" {
		t.Errorf("after: %v", all)
	}
}

func TestPublishReplacesNothing(t *testing.T) {
	d := openDir(t)
	if err := write(t, d, "first").Publish("name"); err != nil {
		t.Fatal(err)
	}
	if err := write(t, d, "second").Publish("name"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v, want fs.ErrExist", err)
	}
	f, info, err := d.Open("name")
	if err != nil || info.Size() != int64(len("first")) {
		t.Fatalf("%v, %v", info, err)
	}
	f.Close()
}

func TestWhatIsWithdrawnStaysReadable(t *testing.T) {
	d := openDir(t)
	f := write(t, d, "text")
	if err := f.Withdraw(); err != nil {
		t.Fatal(err)
	}
	if all := names(t, d); len(all) != 0 {
		t.Errorf("left: %v", all)
	}
	b := make([]byte, 4)
	if _, err := f.ReadAt(b, 0); err != nil || string(b) != "text" {
		t.Errorf("got %q, %v", b, err)
	}
}

func TestNoNameLeadsOut(t *testing.T) {
	d := openDir(t)
	outside := filepath.Join(filepath.Dir(d.root.Name()), "outside")
	if err := os.WriteFile(outside, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"../outside", outside} {
		if _, _, err := d.Open(name); err == nil {
			t.Errorf("%s was opened", name)
		}
		if err := d.Remove(name); err == nil {
			t.Errorf("%s was removed", name)
		}
		if err := write(t, d, "y").Publish(name); err == nil {
			t.Errorf("%s was published", name)
		}
	}
}

func TestNothingButRegularFilesIsOpened(t *testing.T) {
	d := openDir(t)
	at := func(name string) string { return filepath.Join(d.root.Name(), name) }
	if err := errors.Join(os.WriteFile(at("file"), nil, 0o600), os.Mkdir(at("dir"), 0o700), os.Symlink("file", at("link"))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"dir", "link"} {
		if _, _, err := d.Open(name); !errors.Is(err, ErrNotRegular) {
			t.Errorf("%s: got %v, want ErrNotRegular", name, err)
		}
	}
}

// The lock holds between two who opened the directory by themselves, as processes do.
func TestTheLockExcludes(t *testing.T) {
	d := openDir(t)
	other, err := OpenDir(System{}, d.root.Name(), false)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	for range 100 {
		var held atomic.Bool
		var wg sync.WaitGroup
		for _, dir := range []*Dir{d, other} {
			wg.Go(func() {
				unlock, err := dir.Lock()
				if err != nil {
					t.Error(err)
					return
				}
				if held.Swap(true) {
					t.Error("two hold the lock")
				}
				runtime.Gosched()
				held.Store(false)
				unlock()
			})
		}
		wg.Wait()
	}
}
