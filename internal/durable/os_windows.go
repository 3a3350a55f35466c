package durable

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

const nonblock = 0

// lockName is the file that stands for the lock where a directory cannot be locked.
const lockName = TempPrefix + "lock"

func lockDir(d *Dir) (release func(), err error) {
	f, err := d.root.OpenFile(lockName, os.O_RDWR|os.O_CREATE, fileMode)
	if err != nil {
		return nil, err
	}
	if err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, new(windows.Overlapped)); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { _ = f.Close() }, nil
}
