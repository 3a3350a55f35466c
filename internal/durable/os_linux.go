package durable

import (
	"os"

	"golang.org/x/sys/unix"
)

// renameExclusive publishes where hard links are not to be had; without the call it returns the fault of the link.
func renameExclusive(d *Dir, from, to string, linkErr error) error {
	dir := int(d.self.Fd())
	err := unix.Renameat2(dir, from, dir, to, unix.RENAME_NOREPLACE)
	switch err {
	case nil:
		return nil
	case unix.ENOSYS, unix.EINVAL:
		return linkErr
	}
	return &os.LinkError{Op: "renameat2", Old: from, New: to, Err: err}
}
