package content

import (
	"os"
	"syscall"
	"unsafe"
)

func mmap(f *os.File, size int) ([]byte, error) {
	mapping, err := syscall.CreateFileMapping(syscall.Handle(f.Fd()), nil, syscall.PAGE_READONLY, 0, 0, nil)
	if err != nil {
		return nil, err
	}
	defer syscall.CloseHandle(mapping) // the view keeps it
	addr, err := syscall.MapViewOfFile(mapping, syscall.FILE_MAP_READ, 0, 0, uintptr(size))
	if err != nil {
		return nil, err
	}
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&addr)), size), nil
}

func unmap(b []byte) error { return syscall.UnmapViewOfFile(uintptr(unsafe.Pointer(&b[0]))) }

// release does nothing: the system takes back the pages of a file when it needs them.
func release([]byte) {}
