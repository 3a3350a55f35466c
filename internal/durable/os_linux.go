package durable

import (
	"os"

	"golang.org/x/sys/unix"
)

// RenameExclusive implements FS.
func (System) RenameExclusive(dir *os.File, from, to string) error {
	fd := int(dir.Fd())
	err := unix.Renameat2(fd, from, fd, to, unix.RENAME_NOREPLACE)
	if err == unix.EINVAL { // the file system has it not
		err = unix.ENOTSUP
	}
	if err != nil {
		return &os.LinkError{Op: "renameat2", Old: from, New: to, Err: err}
	}
	return nil
}
