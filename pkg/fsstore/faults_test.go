//go:build linux

package fsstore

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/llmblob/llmblob/internal/durable"
	"github.com/llmblob/llmblob/internal/faultfs"
	"github.com/llmblob/llmblob/pkg/blob"
)

// operation is something that a store does, of which each step is made to fail.
type operation struct {
	before func(t *testing.T, st *Store)       // what the store has been through
	run    func(t *testing.T, st *Store) error // the operation
	after  func(t *testing.T, st *Store)       // what is true once it has succeeded
	again  error                               // what it may answer when it is done twice
	hooks  []faultfs.Hook                      // the file system
	steps  []faultfs.Op                        // that are among its steps
}

var storing = []faultfs.Op{faultfs.Open, faultfs.Create, faultfs.Fchmod, faultfs.Lstat, faultfs.Chtimes, faultfs.Sync, faultfs.CloseWritten,
	faultfs.Lock, faultfs.Link, faultfs.Remove, faultfs.SyncDir, faultfs.OpenRoot}

// putBy stores the content of a name, written by write.
func putBy(name string, write func(s blob.Stage, data []byte) error) func(t *testing.T, st *Store) error {
	return func(t *testing.T, st *Store) error {
		data := contentOf(name)
		s, err := st.Stage(t.Context())
		if err != nil {
			return err
		}
		err = write(s, data)
		if err == nil {
			_, err = s.Commit(blob.Text, idOf(name))
		}
		return errors.Join(err, s.Abort())
	}
}

func idOf(name string) blob.ID { return blob.ContentID(blob.Text, contentOf(name)) }

func byWrite(s blob.Stage, data []byte) error {
	_, err := s.Write(data)
	return err
}

func byKernel(s blob.Stage, data []byte) error {
	_, err := io.Copy(s, struct{ io.Reader }{bytes.NewReader(data)})
	return err
}

func readBack(s blob.Stage, data []byte) error {
	if err := byWrite(s, data); err != nil {
		return err
	}
	got, err := io.ReadAll(io.NewSectionReader(s, 0, int64(len(data))))
	if err == nil && !bytes.Equal(got, data) {
		err = errors.New("other bytes are read back")
	}
	return err
}

func with(names ...string) func(t *testing.T, st *Store) {
	return func(t *testing.T, st *Store) {
		t.Helper()
		for _, name := range names {
			if err := putBy(name, byWrite)(t, st); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// has requires that a store has the contents of names, and not those of others.
func has(names ...string) func(t *testing.T, st *Store) {
	return func(t *testing.T, st *Store) {
		t.Helper()
		for _, name := range []string{"earlier", "new", "large", "old"} {
			_, err := st.Stat(t.Context(), idOf(name))
			if want := slices.Contains(names, name); want && err != nil || !want && !errors.Is(err, blob.ErrNotFound) {
				t.Errorf("%s: %v, want it to be there: %v", name, err, want)
			}
		}
	}
}

func operations() map[string]operation {
	old := time.Now().Add(-time.Hour)
	return map[string]operation{
		"the first blob": {
			run: putBy("new", byWrite), after: has("new"),
			steps: append([]faultfs.Op{faultfs.Stat, faultfs.Mkdir, faultfs.Chmod, faultfs.OpenDir, faultfs.Write}, storing...),
		},
		"a blob": {before: with("earlier"), run: putBy("new", byWrite), after: has("earlier", "new"), steps: append([]faultfs.Op{faultfs.Write}, storing...)},
		"a blob that the kernel copies": {
			before: with("earlier"), run: putBy("new", byKernel), after: has("earlier", "new"), steps: append([]faultfs.Op{faultfs.ReadFrom}, storing...),
		},
		"a blob that is read back": {
			before: with("earlier"), run: putBy("new", readBack), after: has("earlier", "new"), steps: append([]faultfs.Op{faultfs.ReadAt}, storing...),
		},
		"a large blob": {before: with("earlier"), run: putBy("large", byWrite), after: has("earlier", "large"), steps: storing},
		"a blob where there are no hard links": {
			before: with("earlier"), run: putBy("new", byWrite), after: has("earlier", "new"), hooks: []faultfs.Hook{faultfs.NoLinks},
			steps: []faultfs.Op{faultfs.Rename},
		},
		"a blob that is there": {before: with("earlier", "new"), run: putBy("new", byWrite), after: has("earlier", "new"), steps: storing},
		"other bytes under an id that is there": {
			before: with("earlier"),
			run: func(t *testing.T, st *Store) error {
				err := store(t, st, idOf("earlier"), contentOf("new"))
				if errors.Is(err, blob.ErrExists) {
					return nil
				} else if err == nil {
					t.Error("it was stored")
				}
				return err
			},
			after: has("earlier"), steps: []faultfs.Op{faultfs.Create, faultfs.Open},
		},
		"given up": {
			before: with("earlier"),
			run: func(t *testing.T, st *Store) error {
				s, err := st.Stage(t.Context())
				if err != nil {
					return err
				}
				return errors.Join(byWrite(s, contentOf("new")), s.Abort())
			},
			after: has("earlier"), steps: []faultfs.Op{faultfs.Write, faultfs.CloseWritten, faultfs.Remove},
		},
		"delete": {
			before: with("earlier", "new"),
			run:    func(t *testing.T, st *Store) error { return st.Delete(t.Context(), idOf("new")) },
			after:  has("earlier"), again: blob.ErrNotFound, steps: []faultfs.Op{faultfs.Lstat, faultfs.Lock, faultfs.Remove, faultfs.SyncDir},
		},
		"collect": {
			before: func(t *testing.T, st *Store) {
				with("earlier", "new", "old")(t, st)
				left := filepath.Join(st.Path(), durable.TempPrefix+"left")
				if err := os.WriteFile(left, []byte("left"), 0o600); err != nil {
					t.Fatal(err)
				}
				setTime(t, left, old)
				setTime(t, filepath.Join(st.Path(), idOf("old").String()+".txt"), old)
				setTime(t, filepath.Join(st.Path(), idOf("earlier").String()+".txt"), old)
			},
			run: func(t *testing.T, st *Store) error {
				return gcOf(st, old.Add(time.Minute), func() {}, idOf("earlier"))
			},
			after: func(t *testing.T, st *Store) {
				has("earlier", "new")(t, st)
				checkNoTemp(t, st.Path())
			},
			steps: []faultfs.Op{faultfs.Names, faultfs.Lstat, faultfs.Lock, faultfs.Open, faultfs.Remove, faultfs.SyncDir},
		},
		"read": {
			before: with("earlier", "new"),
			run: func(t *testing.T, st *Store) error {
				n := 0
				for info, err := range st.List(t.Context()) {
					if err != nil {
						return err
					}
					b, err := st.Open(t.Context(), info.ID)
					if err != nil {
						return err
					}
					n++
					if err := b.Close(); err != nil {
						return err
					}
				}
				if n != 2 {
					t.Errorf("%d blobs are listed, want 2", n)
				}
				return nil
			},
			after: has("earlier", "new"), steps: []faultfs.Op{faultfs.OpenRoot, faultfs.Open, faultfs.Names, faultfs.Lstat},
		},
	}
}

// survives reports whether an operation may succeed although a step of it failed: a second name that stays is but a file to
// collect, where a link fails a rename may not, and above the store what is read-only needs no syncing.
func survives(path string, c faultfs.Call, fault faultfs.Fault) bool {
	switch c.Op {
	case faultfs.Remove:
		return strings.HasPrefix(filepath.Base(c.Path), durable.TempPrefix)
	case faultfs.Link:
		return true
	case faultfs.SyncDir:
		return fault.Err == syscall.EROFS && c.Path != path && c.Path != filepath.Dir(path)
	}
	return false
}

// Each step of each operation fails in each way that it can. The fault is told, what there was is there, nothing is there by
// half, nothing is left but what is collected, no file stays open, and the operation can be done again.
func TestFaults(t *testing.T) {
	count, reached := 0, make(map[faultfs.Op]bool)
	for name, o := range operations() {
		t.Run(name, func(t *testing.T) {
			clean := &faultfs.Counter{}
			try(t, o, clean, faultfs.Fault{})
			steps := clean.Steps()
			for _, op := range o.steps {
				if !slices.ContainsFunc(steps, func(c faultfs.Call) bool { return c.Op == op }) {
					t.Errorf("there is no step %s", op)
				}
			}
			for i, step := range steps {
				reached[step.Op] = true
				for _, fault := range faultfs.Faults() {
					if !fault.Befalls(step.Op) {
						continue
					}
					t.Run(fmt.Sprintf("%d %s %s", i+1, step.Op, fault.Name), func(t *testing.T) { try(t, o, fault.At(i+1), fault) })
					count++
				}
			}
		})
	}
	for _, f := range faultfs.Faults() {
		for op := range reached {
			if f.Befalls(op) {
				delete(reached, op)
			}
		}
	}
	delete(reached, faultfs.Close) // of a file that was read: it has nothing to say
	if len(reached) > 0 {
		t.Errorf("no fault befalls %v", reached)
	}
	t.Attr("steps-x-faults", fmt.Sprint(count))
}

// try does an operation, in a store of its own, that meets a fault, and holds it to what is promised.
func try(t *testing.T, o operation, counter *faultfs.Counter, fault faultfs.Fault) {
	path := filepath.Join(faultfs.TempDir(t), "a", "store")
	plain := func() *Store { return open(t, path, Options{FS: faultfs.New(unsynced)}) }
	if o.before != nil {
		o.before(t, plain())
	}
	before := faultfs.OpenFiles()
	st, err := New(path, Options{FS: faultfs.New(append(o.hooks, counter.Hook, unsynced)...)})
	if err != nil {
		t.Fatal(err)
	}
	err = o.run(t, st)
	_ = st.Close() // it was only read
	for _, file := range before.Left() {
		t.Errorf("left open: %s", file)
	}
	failed := counter.Failed()
	switch {
	case counter.N > 0 && len(failed) == 0:
		t.Error("the fault was not reached")
	case err == nil && !slices.ContainsFunc(failed, func(c faultfs.Call) bool { return !survives(path, c, fault) }):
		o.after(t, plain())
	case err == nil:
		t.Errorf("the fault is swallowed")
	case !errors.Is(err, fault.Err):
		t.Errorf("got %v, want %v", err, fault.Err)
	}
	st = plain()
	if o.before != nil {
		checkWhole(t, st, "earlier")
	}
	for info, err := range st.List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		checkWhole(t, st, nameOf(info.ID))
	}
	if err := o.run(t, st); err != nil && !errors.Is(err, o.again) {
		t.Errorf("again: %v", err)
	}
	o.after(t, st)
	if _, _, err := st.CollectStaged(t.Context(), time.Now().Add(time.Hour), false); err != nil {
		t.Errorf("collect: %v", err)
	}
	for f, err := range st.Audit(t.Context()) {
		t.Errorf("left: %+v, %v", f, err)
	}
}

func nameOf(id blob.ID) string {
	for _, name := range []string{"earlier", "new", "large", "old"} {
		if idOf(name) == id {
			return name
		}
	}
	return ""
}

func checkWhole(t *testing.T, st *Store, name string) {
	t.Helper()
	b, err := st.Open(t.Context(), idOf(name))
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	defer b.Close()
	if got, err := blob.Bytes(b); err != nil || !bytes.Equal(got, contentOf(name)) {
		t.Errorf("%s is not whole: %d bytes, %v", name, len(got), err)
	}
}
