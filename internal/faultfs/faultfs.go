// Package faultfs puts something between a store and its file system: a fault at a step, the end of the process, a loss of
// power. For tests alone.
package faultfs

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/llmblob/llmblob/internal/durable"
)

// Op is a kind of step.
type Op string

// The steps, one for each method of durable.FS. A file that was created is closed by CloseWritten, another by Close.
const (
	Stat         Op = "stat"
	Mkdir        Op = "mkdir"
	Chmod        Op = "chmod"
	OpenRoot     Op = "openroot"
	OpenDir      Op = "opendir"
	Lstat        Op = "lstat"
	Open         Op = "open"
	Create       Op = "create"
	Chtimes      Op = "chtimes"
	Link         Op = "link"
	Rename       Op = "rename"
	Remove       Op = "remove"
	Lock         Op = "lock"
	Names        Op = "names"
	Fchmod       Op = "fchmod"
	Write        Op = "write"
	ReadFrom     Op = "readfrom"
	ReadAt       Op = "readat"
	Sync         Op = "sync"
	SyncDir      Op = "syncdir"
	Close        Op = "close"
	CloseWritten Op = "close written"
)

// Call is a step.
type Call struct {
	Op   Op
	Path string      // what it works on
	To   string      // the new name of Link and Rename
	At   time.Time   // of Chtimes
	File *os.File    // what it works on, or what Create made
	most func(n int) // set for Write and ReadFrom
}

// AtMost bounds how many bytes a Write or ReadFrom is to write.
func (c *Call) AtMost(n int) { c.most(n) }

// Hook is called for each step, which do makes. What it returns the step returns.
type Hook func(c *Call, do func() error) error

// FS is a durable.FS whose steps go through a Hook. A nil Hook changes nothing.
type FS struct {
	Hook Hook

	below   durable.System
	mu      sync.Mutex
	created map[*os.File]bool
}

var _ durable.FS = (*FS)(nil)

// New returns the file system of the system behind hooks: the first is asked first.
func New(hooks ...Hook) *FS {
	f := &FS{created: make(map[*os.File]bool)}
	for i := len(hooks) - 1; i >= 0; i-- {
		f.Hook = chain(hooks[i], f.Hook)
	}
	return f
}

func chain(first, next Hook) Hook {
	if next == nil {
		return first
	}
	return func(c *Call, do func() error) error {
		return first(c, func() error { return next(c, do) })
	}
}

func (f *FS) step(c *Call, do func() error) error {
	if f.Hook == nil {
		return do()
	}
	return f.Hook(c, do)
}

func at(dir *os.Root, name string) string { return filepath.Join(dir.Name(), name) }

func (f *FS) Stat(path string) (info fs.FileInfo, err error) {
	err = f.step(&Call{Op: Stat, Path: path}, func() error {
		info, err = f.below.Stat(path)
		return err
	})
	return info, err
}

func (f *FS) Mkdir(path string, mode fs.FileMode) error {
	return f.step(&Call{Op: Mkdir, Path: path}, func() error { return f.below.Mkdir(path, mode) })
}

func (f *FS) Chmod(path string, mode fs.FileMode) error {
	return f.step(&Call{Op: Chmod, Path: path}, func() error { return f.below.Chmod(path, mode) })
}

func (f *FS) OpenRoot(path string) (root *os.Root, err error) {
	err = f.step(&Call{Op: OpenRoot, Path: path}, func() error {
		root, err = f.below.OpenRoot(path)
		return err
	})
	if err != nil && root != nil {
		_ = root.Close()
		root = nil
	}
	return root, err
}

// opened closes what was opened where the step failed all the same.
func opened(file *os.File, err error) (*os.File, error) {
	if err != nil && file != nil {
		_ = file.Close()
		file = nil
	}
	return file, err
}

func (f *FS) OpenDir(path string) (file *os.File, err error) {
	err = f.step(&Call{Op: OpenDir, Path: path}, func() error {
		file, err = f.below.OpenDir(path)
		return err
	})
	return opened(file, err)
}

func (f *FS) Lstat(dir *os.Root, name string) (info fs.FileInfo, err error) {
	err = f.step(&Call{Op: Lstat, Path: at(dir, name)}, func() error {
		info, err = f.below.Lstat(dir, name)
		return err
	})
	return info, err
}

func (f *FS) Open(dir *os.Root, name string) (file *os.File, err error) {
	c := &Call{Op: Open, Path: at(dir, name)}
	err = f.step(c, func() error {
		file, err = f.below.Open(dir, name)
		c.File = file
		return err
	})
	return opened(file, err)
}

func (f *FS) Create(dir *os.Root, name string, mode fs.FileMode) (file *os.File, err error) {
	c := &Call{Op: Create, Path: at(dir, name)}
	err = f.step(c, func() error {
		file, err = f.below.Create(dir, name, mode)
		c.File = file
		return err
	})
	if file, err = opened(file, err); err == nil {
		f.mu.Lock()
		f.created[file] = true
		f.mu.Unlock()
	}
	return file, err
}

func (f *FS) Chtimes(dir *os.Root, name string, t time.Time) error {
	return f.step(&Call{Op: Chtimes, Path: at(dir, name), At: t}, func() error { return f.below.Chtimes(dir, name, t) })
}

func (f *FS) Link(dir *os.Root, from, to string) error {
	return f.step(&Call{Op: Link, Path: at(dir, from), To: at(dir, to)}, func() error { return f.below.Link(dir, from, to) })
}

func (f *FS) RenameExclusive(dir *os.File, from, to string) error {
	c := &Call{Op: Rename, Path: filepath.Join(dir.Name(), from), To: filepath.Join(dir.Name(), to)}
	return f.step(c, func() error { return f.below.RenameExclusive(dir, from, to) })
}

func (f *FS) Remove(dir *os.Root, name string) error {
	return f.step(&Call{Op: Remove, Path: at(dir, name)}, func() error { return f.below.Remove(dir, name) })
}

func (f *FS) Lock(dir *os.Root, self *os.File) (unlock func(), err error) {
	err = f.step(&Call{Op: Lock, Path: dir.Name()}, func() error {
		unlock, err = f.below.Lock(dir, self)
		return err
	})
	if err != nil && unlock != nil {
		unlock()
	}
	return unlock, err
}

func (f *FS) Names(dir *os.File, n int) (names []string, err error) {
	err = f.step(&Call{Op: Names, Path: dir.Name(), File: dir}, func() error {
		names, err = f.below.Names(dir, n)
		return err
	})
	return names, err
}

func (f *FS) Fchmod(file *os.File, mode fs.FileMode) error {
	return f.step(&Call{Op: Fchmod, Path: file.Name(), File: file}, func() error { return f.below.Fchmod(file, mode) })
}

func (f *FS) Write(file *os.File, p []byte) (n int, err error) {
	c := &Call{Op: Write, Path: file.Name(), File: file, most: func(n int) { p = p[:min(n, len(p))] }}
	err = f.step(c, func() error {
		n, err = f.below.Write(file, p)
		return err
	})
	return n, err
}

func (f *FS) ReadFrom(file *os.File, r io.Reader) (n int64, err error) {
	c := &Call{Op: ReadFrom, Path: file.Name(), File: file, most: func(n int) { r = io.LimitReader(r, int64(n)) }}
	err = f.step(c, func() error {
		n, err = f.below.ReadFrom(file, r)
		return err
	})
	return n, err
}

func (f *FS) ReadAt(file *os.File, p []byte, off int64) (n int, err error) {
	err = f.step(&Call{Op: ReadAt, Path: file.Name(), File: file}, func() error {
		n, err = f.below.ReadAt(file, p, off)
		return err
	})
	return n, err
}

func (f *FS) Sync(file *os.File) error {
	return f.step(&Call{Op: Sync, Path: file.Name(), File: file}, func() error { return f.below.Sync(file) })
}

func (f *FS) SyncDir(dir *os.File) error {
	return f.step(&Call{Op: SyncDir, Path: filepath.Clean(dir.Name()), File: dir}, func() error { return f.below.SyncDir(dir) })
}

func (f *FS) Close(file *os.File) error {
	c := &Call{Op: Close, Path: file.Name(), File: file}
	f.mu.Lock()
	if f.created[file] {
		c.Op = CloseWritten
	}
	delete(f.created, file)
	f.mu.Unlock()
	return f.step(c, func() error { return f.below.Close(file) })
}
