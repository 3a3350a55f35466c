//go:build unix

package content

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func mmap(f *os.File, size int) ([]byte, error) {
	return syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
}

func unmap(b []byte) error { return syscall.Munmap(b) }

// release gives up the pages of a mapping, which come back from the file when they are read.
func release(b []byte) { _ = unix.Madvise(b, unix.MADV_DONTNEED) } // it is only advice
