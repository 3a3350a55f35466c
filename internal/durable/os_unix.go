//go:build unix

package durable

import (
	"errors"

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
