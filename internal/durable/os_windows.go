package durable

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

const nonblock = 0

func lockDir(d *Dir) (release func(), err error) {
	f, err := d.root.OpenFile(LockName, os.O_RDWR|os.O_CREATE, fileMode)
	if err != nil {
		return nil, err
	}
	if err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, new(windows.Overlapped)); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { _ = f.Close() }, nil
}
