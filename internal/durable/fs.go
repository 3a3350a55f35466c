package durable

import (
	"io"
	"io/fs"
	"os"
	"time"
)

// FS is every call by which a Dir reaches the disk and that can fail, be the last of a process, or be lost with the power.
// System makes them; tests put something before it. Files are those of the system, so that they can be mapped and the
// kernel can copy.
type FS interface {
	Stat(path string) (fs.FileInfo, error)
	Mkdir(path string, mode fs.FileMode) error // less the umask
	Chmod(path string, mode fs.FileMode) error
	OpenRoot(path string) (*os.Root, error)
	OpenDir(path string) (*os.File, error) // to sync the names in it

	Lstat(dir *os.Root, name string) (fs.FileInfo, error)
	Open(dir *os.Root, name string) (*os.File, error)                     // to read, waiting for nobody
	Create(dir *os.Root, name string, mode fs.FileMode) (*os.File, error) // to read and write, less the umask; fs.ErrExist where it is
	Chtimes(dir *os.Root, name string, at time.Time) error                // both times
	Link(dir *os.Root, from, to string) error                             // replaces nothing: fs.ErrExist
	RenameExclusive(dir *os.File, from, to string) error                  // the same; errors.ErrUnsupported where there is no such call
	Remove(dir *os.Root, name string) error
	Lock(dir *os.Root, self *os.File) (unlock func(), err error) // waits; where there are no locks it does nothing

	Names(dir *os.File, n int) ([]string, error) // as os.File.Readdirnames
	Fchmod(f *os.File, mode fs.FileMode) error
	Write(f *os.File, p []byte) (int, error)
	ReadFrom(f *os.File, r io.Reader) (int64, error)
	ReadAt(f *os.File, p []byte, off int64) (int, error)
	Sync(f *os.File) error
	SyncDir(dir *os.File) error
	Close(f *os.File) error
}

// System is the FS of the operating system.
type System struct{}

var _ FS = System{}

func (System) Stat(path string) (fs.FileInfo, error)                { return os.Stat(path) }
func (System) Mkdir(path string, mode fs.FileMode) error            { return os.Mkdir(path, mode) }
func (System) Chmod(path string, mode fs.FileMode) error            { return os.Chmod(path, mode) }
func (System) OpenRoot(path string) (*os.Root, error)               { return os.OpenRoot(path) }
func (System) OpenDir(path string) (*os.File, error)                { return os.Open(path) }
func (System) Lstat(dir *os.Root, name string) (fs.FileInfo, error) { return dir.Lstat(name) }
func (System) Link(dir *os.Root, from, to string) error             { return dir.Link(from, to) }
func (System) Remove(dir *os.Root, name string) error               { return dir.Remove(name) }
func (System) Names(dir *os.File, n int) ([]string, error)          { return dir.Readdirnames(n) }
func (System) Fchmod(f *os.File, mode fs.FileMode) error            { return f.Chmod(mode) }
func (System) Write(f *os.File, p []byte) (int, error)              { return f.Write(p) }
func (System) ReadFrom(f *os.File, r io.Reader) (int64, error)      { return f.ReadFrom(r) }
func (System) ReadAt(f *os.File, p []byte, off int64) (int, error)  { return f.ReadAt(p, off) }
func (System) Sync(f *os.File) error                                { return f.Sync() }
func (System) Close(f *os.File) error                               { return f.Close() }

func (System) Open(dir *os.Root, name string) (*os.File, error) {
	return dir.OpenFile(name, os.O_RDONLY|nonblock, 0)
}

func (System) Create(dir *os.Root, name string, mode fs.FileMode) (*os.File, error) {
	return dir.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
}

func (System) Chtimes(dir *os.Root, name string, at time.Time) error {
	return dir.Chtimes(name, at, at)
}
