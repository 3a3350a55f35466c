// Package durable is the only code that creates, syncs and publishes the files of a store. A file is written under a
// name that no reader looks at and appears under its final name whole, once, and without replacing anything.
package durable

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
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
	root   *os.Root
	self   *os.File // the directory itself, to sync and to lock
	noSync bool
	mu     sync.Mutex // the file lock is between processes, this between goroutines
}

// OpenDir opens a directory that exists. With noSync nothing is ever synced.
func OpenDir(path string, noSync bool) (*Dir, error) {
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if !info.IsDir() { // to open a pipe would be to wait for its writer
		return nil, &fs.PathError{Op: "open", Path: path, Err: syscall.ENOTDIR}
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	self, err := root.Open(".")
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &Dir{root: root, self: self, noSync: noSync}, nil
}

// MakeDir opens a directory, and creates it and its parents, private and durable, where they are missing. What exists
// is not changed.
func MakeDir(path string, noSync bool) (*Dir, error) {
	path = filepath.Clean(path)
	if err := mkdir(path); err != nil {
		return nil, err
	}
	if !noSync {
		// Who made the directory, a moment ago or without syncing, may not have come to this.
		if err := syncNames(filepath.Dir(path)); err != nil {
			return nil, err
		}
	}
	return OpenDir(path, noSync)
}

// mkdir makes what is missing of a path, each name durable.
func mkdir(path string) error {
	err := os.Mkdir(path, dirMode)
	parent := filepath.Dir(path)
	if errors.Is(err, fs.ErrNotExist) && parent != path {
		if err := mkdir(parent); err != nil {
			return err
		}
		err = os.Mkdir(path, dirMode)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := os.Chmod(path, dirMode); err != nil { // the umask may have taken more away
		return err
	}
	return syncNames(parent)
}

// syncNames makes the names in the directory at path durable, as far as who may not read it can.
func syncNames(path string) error {
	dir, err := os.Open(path)
	if errors.Is(err, fs.ErrPermission) {
		return nil
	} else if err != nil {
		return err
	}
	defer dir.Close()
	return syncDir(dir, false)
}

// syncDir makes the names in a directory durable. Windows has no such call: NTFS writes names ahead in its journal.
func syncDir(dir *os.File, noSync bool) error {
	if noSync || runtime.GOOS == "windows" {
		return nil
	}
	return dir.Sync()
}

// Close releases the directory.
func (d *Dir) Close() error { return errors.Join(d.self.Close(), d.root.Close()) }

// Sync makes durable what was published and removed.
func (d *Dir) Sync() error { return syncDir(d.self, d.noSync) }

// Names returns the names of everything in the directory, in no order.
func (d *Dir) Names() ([]string, error) {
	dir, err := d.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.Readdirnames(-1)
}

// Info tells about a name, or about the directory where it is ".". Links are not followed.
func (d *Dir) Info(name string) (fs.FileInfo, error) { return d.root.Lstat(name) }

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
	before, err := d.root.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, nil, &fs.PathError{Op: "open", Path: name, Err: ErrNotRegular}
	}
	f, err := d.root.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, nil, err
	}
	after, err := f.Stat()
	if err == nil && !os.SameFile(before, after) {
		err = &fs.PathError{Op: "open", Path: name, Err: errReplaced}
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, after, nil
}

// Abandoned tells whether a file that was not published was written last before olderThan and is in use by nobody, and
// how many bytes it has. The caller holds the Lock, or the file may be published meanwhile. Where the file system has no
// locks its age alone tells.
func (d *Dir) Abandoned(name string, olderThan time.Time) (abandoned bool, bytes int64, err error) {
	f, info, err := d.Open(name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrNotRegular) {
		return false, 0, nil
	} else if err != nil {
		return false, 0, err
	}
	defer f.Close()
	// Who has just created it may not hold it yet, but then it is young.
	return info.ModTime().Before(olderThan) && !held(f), info.Size(), nil
}

// Remove removes a file. Sync makes that durable.
func (d *Dir) Remove(name string) error { return d.root.Remove(name) }

// Touch sets the time of a file and makes it durable, with the bytes that it has.
func (d *Dir) Touch(name string, now time.Time) error {
	f, _, err := d.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := d.root.Chtimes(name, now, now); err != nil {
		return err
	}
	if d.noSync {
		return nil
	}
	return f.Sync()
}

// Lock keeps others, who lock too, from publishing and removing until the function it returns is called. On file
// systems without locks it keeps off this process alone.
func (d *Dir) Lock() (unlock func(), err error) {
	d.mu.Lock()
	release, err := lockDir(d)
	if err != nil {
		d.mu.Unlock()
		return nil, fmt.Errorf("lock store: %w", err)
	}
	return func() {
		release()
		d.mu.Unlock()
	}, nil
}

// File is a file that is not published yet.
type File struct {
	*os.File
	dir  *Dir
	name string // the unpublished name; "" once there is none
}

// Create creates an empty, private file. It ends with Discard, published or not.
func (d *Dir) Create() (*File, error) {
	name := TempPrefix + rand.Text()
	f, err := d.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return nil, err
	}
	hold(f)
	t := &File{File: f, dir: d, name: name}
	if err := f.Chmod(fileMode); err != nil { // the umask may have taken more away
		return nil, errors.Join(err, t.Discard())
	}
	return t, nil
}

// Sync makes the bytes written so far durable. After a failure the file is to be discarded: a second try may succeed
// without having written anything.
func (f *File) Sync() error {
	if f.dir.noSync {
		return nil
	}
	return f.File.Sync()
}

// Touch makes now the time of a file that has its unpublished name. Sync makes that durable.
func (f *File) Touch(now time.Time) error {
	if f.name == "" {
		return os.ErrClosed
	}
	return f.dir.root.Chtimes(f.name, now, now)
}

// Publish closes the file and gives it its final name, or fails with fs.ErrExist where there is one. Dir.Sync makes that
// durable.
func (f *File) Publish(name string) error {
	if err := f.Close(); err != nil { // what a network file system could not write, it says here
		return err
	}
	err := f.dir.root.Link(f.name, name)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		// A file system without hard links.
		return renameExclusive(f.dir, f.name, name, err)
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
	err := f.dir.root.Remove(f.name)
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
