//go:build unix

package durable

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

const nonblock = unix.O_NONBLOCK

// lockDir takes the advisory lock on the directory itself, so that no lock file lies between the blobs.
func lockDir(d *Dir) (release func(), err error) {
	fd := int(d.self.Fd())
	for {
		err = unix.Flock(fd, unix.LOCK_EX)
		if err != unix.EINTR {
			break
		}
	}
	for _, none := range []error{unix.EBADF, unix.ENOLCK, unix.ENOTSUP, unix.EOPNOTSUPP, unix.ENOSYS} {
		if errors.Is(err, none) {
			return func() {}, nil
		}
	}
	if err != nil {
		return nil, err
	}
	return func() { _ = unix.Flock(fd, unix.LOCK_UN) }, nil
}

// hold marks a file as in use until it is closed, or the process ends, as far as the file system has locks.
func hold(f *os.File) { _ = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }

// held reports whether another holds a file. The lock is shared, for NFS has no other for a file open for reading.
func held(f *os.File) bool {
	return errors.Is(unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB), unix.EWOULDBLOCK)
}
