// Package durable is the only code that creates, syncs and publishes the files of a store. A file is written under a
// name that no reader looks at and appears under its final name whole, once, and without replacing anything.
package durable

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

const (
	dirMode  = 0o700
	fileMode = 0o600
	// TempPrefix begins the names of files that are not published. One that stays is left by a crash.
	TempPrefix = ".tmp-"
	// LockName is the file that stands for the lock on Windows, where a directory cannot be locked.
	LockName = ".lock"
)

// Dir is a directory of published files. No name leads out of it. It is safe for concurrent use.
type Dir struct {
	fs     FS
	root   *os.Root
	self   *os.File // the directory itself, to sync and to lock
	noSync bool
	mu     sync.Mutex // the file lock is between processes, this between goroutines
}

// OpenDir opens a directory that exists. With noSync nothing is ever synced.
func OpenDir(fsys FS, path string, noSync bool) (*Dir, error) {
	if info, err := fsys.Stat(path); err != nil {
		return nil, err
	} else if !info.IsDir() { // to open a pipe would be to wait for its writer
		return nil, &fs.PathError{Op: "open", Path: path, Err: syscall.ENOTDIR}
	}
	root, err := fsys.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	self, err := fsys.Open(root, ".")
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &Dir{fs: fsys, root: root, self: self, noSync: noSync}, nil
}

// MakeDir opens a directory, and creates it and its parents, private and durable, where they are missing. What exists
// is not changed.
func MakeDir(fsys FS, path string, noSync bool) (*Dir, error) {
	path = filepath.Clean(path)
	m := maker{fsys}
	if _, err := fsys.Stat(path); errors.Is(err, fs.ErrNotExist) {
		// The names of the parents are durable before there is the directory: who finds it need not think of them.
		if err := m.parents(path); err != nil {
			return nil, err
		}
		if err := m.mkdir(path); err != nil {
			return nil, err
		}
	} else if err != nil {
		return nil, err
	}
	if !noSync {
		// Who made the directory, a moment ago or without syncing, may not have come to this.
		if err := m.syncName(path); err != nil {
			return nil, err
		}
	}
	return OpenDir(fsys, path, noSync)
}

// maker makes directories.
type maker struct{ FS }

// parents makes what is missing above a path, and makes all of it durable: another may have made it a moment ago. That is
// done once in the life of a store, and also for who does not sync, for the next may.
func (m maker) parents(path string) error {
	parent := filepath.Dir(path)
	if parent == path {
		return nil
	}
	if err := m.parents(parent); err != nil {
		return err
	}
	if _, err := m.Stat(parent); errors.Is(err, fs.ErrNotExist) {
		if err := m.mkdir(parent); err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	err := m.syncName(parent)
	if errors.Is(err, syscall.EROFS) { // nobody has made it a moment ago
		return nil
	}
	return err
}

func (m maker) mkdir(path string) error {
	err := m.Mkdir(path, dirMode)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return m.Chmod(path, dirMode) // the umask may have taken more away
}

// syncName makes the name of a directory durable, as far as who may not read its parent can.
func (m maker) syncName(path string) error {
	dir, err := m.OpenDir(filepath.Dir(path))
	if errors.Is(err, fs.ErrPermission) {
		return nil
	} else if err != nil {
		return err
	}
	return errors.Join(m.SyncDir(dir), m.Close(dir))
}

// Close releases the directory.
func (d *Dir) Close() error { return errors.Join(d.fs.Close(d.self), d.root.Close()) }

// Sync makes durable what was published and removed.
func (d *Dir) Sync() error {
	if d.noSync {
		return nil
	}
	return d.fs.SyncDir(d.self)
}

// Names returns the names of everything in the directory, in no order.
func (d *Dir) Names() (names []string, err error) {
	err = d.EachName(func(name string) error {
		names = append(names, name)
		return nil
	})
	return names, err
}

// EachName calls f for everything in the directory, in no order, until that fails: a few names at a time, for there may be millions.
func (d *Dir) EachName(f func(name string) error) (err error) {
	const atOnce = 1024
	dir, err := d.fs.Open(d.root, ".")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.fs.Close(dir)) }()
	for {
		names, err := d.fs.Names(dir, atOnce)
		for _, name := range names {
			if err := f(name); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// Info tells about a name, or about the directory where it is ".". Links are not followed.
func (d *Dir) Info(name string) (fs.FileInfo, error) { return d.fs.Lstat(d.root, name) }

// ErrNotRegular says that there is something else than a regular file under a name.
var ErrNotRegular = errors.New("not a regular file")

// Open opens a regular file for reading. Anything else in its place is ErrNotRegular and is neither followed nor waited
// for.
func (d *Dir) Open(name string) (*os.File, fs.FileInfo, error) {
	f, info, err := d.open(name)
	if errors.Is(err, errReplaced) { // it was removed and published again in between
		f, info, err = d.open(name)
	}
	return f, info, err
}

var errReplaced = fmt.Errorf("%w, or replaced meanwhile", ErrNotRegular)

func (d *Dir) open(name string) (*os.File, fs.FileInfo, error) {
	before, err := d.fs.Lstat(d.root, name)
	if err != nil {
		return nil, nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, nil, &fs.PathError{Op: "open", Path: name, Err: ErrNotRegular}
	}
	f, err := d.fs.Open(d.root, name)
	if err != nil {
		return nil, nil, err
	}
	after, err := f.Stat()
	if err == nil && !os.SameFile(before, after) {
		err = &fs.PathError{Op: "open", Path: name, Err: errReplaced}
	}
	if err != nil {
		return nil, nil, errors.Join(err, d.fs.Close(f))
	}
	return f, after, nil
}

// RemoveAbandoned removes a file that was not published, if it was written last before olderThan and is in use by nobody,
// and reports whether it was and how many bytes it had. With dryRun it only reports. Where the file system has no locks
// the age alone tells.
func (d *Dir) RemoveAbandoned(name string, olderThan time.Time, dryRun bool) (abandoned bool, bytes int64, err error) {
	f, info, err := d.Open(name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrNotRegular) {
		return false, 0, nil
	} else if err != nil {
		return false, 0, err
	}
	// What held found stays true until the file is closed.
	defer func() { err = errors.Join(err, d.fs.Close(f)) }()
	if !info.ModTime().Before(olderThan) || held(f) {
		return false, info.Size(), nil
	}
	if !dryRun {
		err = d.Remove(name)
	}
	if errors.Is(err, fs.ErrNotExist) { // its owner has just ended, and removed it
		return false, info.Size(), nil
	}
	return err == nil, info.Size(), err
}

// Remove removes a file. Sync makes that durable.
func (d *Dir) Remove(name string) error { return d.fs.Remove(d.root, name) }

// Touch makes a file as young as now, unless it is younger, and makes that durable, with the bytes that it has.
func (d *Dir) Touch(name string, now time.Time) (err error) {
	f, info, err := d.Open(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.fs.Close(f)) }()
	// Another's clock may be ahead, and the file was promised to be that young.
	if info.ModTime().Before(now) {
		if err := d.fs.Chtimes(d.root, name, now); err != nil {
			return err
		}
	}
	if d.noSync {
		return nil
	}
	return d.fs.Sync(f)
}

// Lock keeps others, who lock too, from publishing and removing until the function it returns is called. On file
// systems without locks it keeps off this process alone.
func (d *Dir) Lock() (unlock func(), err error) {
	d.mu.Lock()
	release, err := d.fs.Lock(d.root, d.self)
	if err != nil {
		d.mu.Unlock()
		return nil, fmt.Errorf("lock store: %w", err)
	}
	return func() {
		release()
		d.mu.Unlock()
	}, nil
}

// File is a file that is not published yet. Its bytes are private to its owner.
type File struct {
	file *os.File
	dir  *Dir
	name string // the unpublished name; "" once there is none
}

// createTries bounds how often a new file can be taken for one that a crash left.
const createTries = 100

// Create creates an empty, private file. It ends with Discard, published or not.
func (d *Dir) Create() (*File, error) {
	for range createTries {
		t, err := d.create()
		if err != nil {
			return nil, err
		}
		// Before it was held it could be taken for abandoned, by who collects up to this moment.
		_, err = d.Info(t.name)
		if err == nil {
			return t, nil
		}
		if err = errors.Join(err, t.Discard()); !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return nil, errors.New("a new file vanishes")
}

func (d *Dir) create() (*File, error) {
	name := TempPrefix + rand.Text()
	f, err := d.fs.Create(d.root, name, fileMode)
	if err != nil {
		return nil, err
	}
	hold(f)
	t := &File{file: f, dir: d, name: name}
	if err := d.fs.Fchmod(f, fileMode); err != nil { // the umask may have taken more away
		return nil, errors.Join(err, t.Discard())
	}
	return t, nil
}

// OS returns the file of the system, to be mapped.
func (f *File) OS() *os.File { return f.file }

// Write appends, as os.File does.
func (f *File) Write(p []byte) (int, error) { return f.dir.fs.Write(f.file, p) }

// ReadFrom appends all of r; the kernel copies where it can.
func (f *File) ReadFrom(r io.Reader) (int64, error) { return f.dir.fs.ReadFrom(f.file, r) }

// ReadAt reads what was written.
func (f *File) ReadAt(p []byte, off int64) (int, error) { return f.dir.fs.ReadAt(f.file, p, off) }

// Close closes the file, which others may then take for abandoned.
func (f *File) Close() error { return f.dir.fs.Close(f.file) }

// Sync makes the bytes written so far durable. After a failure the file is to be discarded: a second try may succeed
// without having written anything.
func (f *File) Sync() error {
	if f.dir.noSync {
		return nil
	}
	return f.dir.fs.Sync(f.file)
}

// Touch makes now the time of a file that has its unpublished name. Sync makes that durable.
func (f *File) Touch(now time.Time) error {
	if f.name == "" {
		return os.ErrClosed
	}
	return f.dir.fs.Chtimes(f.dir.root, f.name, now)
}

// Publish closes the file and gives it its final name, or fails with fs.ErrExist where there is one. Dir.Sync makes that
// durable.
func (f *File) Publish(name string) error {
	if err := f.Close(); err != nil { // what a network file system could not write, it says here
		return err
	}
	d := f.dir
	err := d.fs.Link(d.root, f.name, name)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		// A file system without hard links.
		if renameErr := d.fs.RenameExclusive(d.self, f.name, name); !errors.Is(renameErr, errors.ErrUnsupported) {
			return renameErr
		}
	}
	if err == nil {
		_ = f.Withdraw() // the blob is there; a second name is but a file to collect
	}
	return err
}

// Withdraw removes the unpublished name of a file that is not to be published any more, so that nothing is left whatever
// happens. Its bytes stay readable until Discard.
func (f *File) Withdraw() error {
	if f.name == "" {
		return nil
	}
	err := f.dir.Remove(f.name)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		f.name = ""
		return nil
	}
	return err
}

// Discard closes the file and removes its unpublished name.
func (f *File) Discard() error {
	err := f.Close()
	if errors.Is(err, os.ErrClosed) {
		err = nil
	}
	return errors.Join(err, f.Withdraw())
}
