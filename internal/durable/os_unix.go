//go:build unix

package durable

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

const nonblock = unix.O_NONBLOCK

// Lock implements FS with the advisory lock on the directory itself, so that no lock file lies between the blobs.
func (System) Lock(_ *os.Root, self *os.File) (unlock func(), err error) {
	err = flock(self)
	for _, none := range []error{unix.EBADF, unix.ENOLCK, unix.ENOTSUP, unix.EOPNOTSUPP, unix.ENOSYS} {
		if errors.Is(err, none) {
			return func() {}, nil
		}
	}
	if err != nil {
		return nil, err
	}
	return func() { _ = unix.Flock(int(self.Fd()), unix.LOCK_UN) }, nil
}

// SyncDir implements FS. A file system that cannot sync a directory keeps its names as it keeps them.
func (System) SyncDir(dir *os.File) error {
	err := dir.Sync()
	if errors.Is(err, unix.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}

// flock takes the lock on a file, and waits for it.
func flock(f *os.File) error {
	for {
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != unix.EINTR {
			return err
		}
	}
}

// hold marks a file as in use until it is closed, or the process ends, as far as the file system has locks. It waits for
// who looks whether it is.
func hold(f *os.File) { _ = flock(f) }

// held reports whether another holds a file, and keeps others from holding it until f is closed. The lock is shared, for NFS has no other for a file open for reading.
func held(f *os.File) bool {
	return errors.Is(unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB), unix.EWOULDBLOCK)
}
