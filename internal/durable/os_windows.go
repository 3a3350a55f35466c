package durable

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

const nonblock = 0

// Lock implements FS with a file, for a directory cannot be locked here.
func (System) Lock(dir *os.Root, _ *os.File) (unlock func(), err error) {
	f, err := dir.OpenFile(LockName, os.O_RDWR|os.O_CREATE, fileMode)
	if err != nil {
		return nil, err
	}
	if err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, new(windows.Overlapped)); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { _ = f.Close() }, nil
}

// SyncDir implements FS: there is no such call, NTFS writes names ahead in its journal.
func (System) SyncDir(*os.File) error { return nil }

// A lock on Windows keeps others from the bytes under it, so the one that marks a file is far beyond its end.
func farLock(f *os.File, flags uint32) error {
	far := windows.Overlapped{OffsetHigh: 1 << 30}
	return windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &far)
}

// hold marks a file as in use until it is closed, or the process ends, as far as the file system has locks. It waits for
// who looks whether it is.
func hold(f *os.File) { _ = farLock(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// held reports whether another holds a file, and keeps others from holding it until f is closed.
func held(f *os.File) bool {
	return errors.Is(farLock(f, windows.LOCKFILE_FAIL_IMMEDIATELY), windows.ERROR_LOCK_VIOLATION)
}
