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

// A lock on Windows keeps others from the bytes under it, so the one that marks a file is far beyond its end.
func farLock(f *os.File, flags uint32) error {
	far := windows.Overlapped{OffsetHigh: 1 << 30}
	return windows.LockFileEx(windows.Handle(f.Fd()), flags|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &far)
}

// hold marks a file as in use until it is closed, or the process ends, as far as the file system has locks.
func hold(f *os.File) { _ = farLock(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// held reports whether another holds a file.
func held(f *os.File) bool { return errors.Is(farLock(f, 0), windows.ERROR_LOCK_VIOLATION) }
