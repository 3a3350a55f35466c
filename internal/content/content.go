// Package content gives the bytes of anything, a file, a stream or memory, as one slice that is mapped rather than read,
// so that its size costs no memory.
package content

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime/debug"
	"syscall"
)

// spoolMemory is how much of a stream is held in memory before a temporary file takes it.
const spoolMemory = 1 << 20

// Content is some bytes, valid until Close.
type Content struct {
	data    []byte
	mapping []byte // data is within it; nil where nothing is mapped
	reader  io.ReaderAt
	spool   *os.File // a temporary file to remove, where the system cannot remove an open one
}

// Bytes returns the bytes. They must not be changed. Reading them may fault where a file shrank: see Guard.
func (c *Content) Bytes() []byte { return c.data }

// Reader reads the same bytes, as long as the file that was read is open; nil where they are in no file.
func (c *Content) Reader() io.ReaderAt { return c.reader }

// Release tells that the bytes before an offset will not be looked at for a while, so that they need no memory. They can be
// looked at all the same.
func (c *Content) Release(off int) {
	start := len(c.mapping) - len(c.data)
	if end := (start + off) / pageSize * pageSize; c.mapping != nil && end > 0 {
		release(c.mapping[:end])
	}
}

// pageSize is a multiple of every system's.
const pageSize = 64 << 10

// Close releases the bytes. Of no Content there is nothing to release.
func (c *Content) Close() error {
	if c == nil {
		return nil
	}
	var err error
	if c.mapping != nil {
		err = unmap(c.mapping)
	}
	if c.spool != nil {
		err = errors.Join(err, c.spool.Close(), os.Remove(c.spool.Name()))
	}
	*c = Content{}
	return err
}

// Read gives the bytes that are left in r: mapped where it is a regular file, else spooled, in memory while they are few
// and then in a temporary file that is gone after Close. Where that cannot be had the error is a *SpoolError; where
// reading fails there is a Content of what came, to be closed too.
func Read(r io.Reader) (*Content, error) {
	if f, ok := r.(*os.File); ok {
		if c, err := mapRest(f); c != nil || err != nil {
			return c, err
		}
	}
	var head bytes.Buffer
	if _, err := io.CopyN(&head, r, spoolMemory); err == io.EOF {
		return &Content{data: head.Bytes()}, nil
	} else if err != nil {
		return &Content{data: head.Bytes()}, err
	}
	return spool(&head, r)
}

// SpoolError says that a stream could not be held: there is no room for a temporary file. Rest still reads all of the
// stream, from its beginning.
type SpoolError struct {
	Err  error
	Rest io.Reader
}

func (e *SpoolError) Error() string { return "hold input: " + e.Err.Error() }

func (e *SpoolError) Unwrap() error { return e.Err }

// spool puts the head and the rest of a stream into a temporary file.
func spool(head *bytes.Buffer, r io.Reader) (*Content, error) {
	f, err := os.CreateTemp("", "llmblob-")
	if err != nil {
		return nil, &SpoolError{err, io.MultiReader(head, r)}
	}
	c := &Content{}
	if os.Remove(f.Name()) != nil {
		c.spool = f
	}
	whole := io.MultiReader(head, r)
	buf := make([]byte, 256<<10)
	var readErr error
	for readErr == nil {
		var n int
		n, readErr = whole.Read(buf)
		if m, err := f.Write(buf[:n]); err != nil {
			rest := io.MultiReader(io.NewSectionReader(f, 0, math.MaxInt64), bytes.NewReader(buf[m:n]), whole)
			return nil, &SpoolError{err, rest} // f stays open, Rest reads it
		}
	}
	if readErr == io.EOF {
		readErr = nil
	}
	mapped, err := Map(f)
	if err != nil {
		return nil, &SpoolError{err, io.NewSectionReader(f, 0, math.MaxInt64)}
	}
	c.data, c.mapping = mapped.data, mapped.mapping
	if c.spool == nil {
		readErr = errors.Join(readErr, f.Close())
	}
	return c, readErr
}

// mapRest maps what is left of a regular file and moves its offset to the end, as reading would. It gives nothing for
// what must be read: pipes, devices, and the files of /proc, which have no size.
func mapRest(f *os.File) (*Content, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() == 0 {
		return nil, nil
	}
	off, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, err
	}
	c, err := Map(f)
	if err != nil {
		return nil, err
	}
	c.data = c.data[min(off, int64(len(c.data))):]
	c.reader = io.NewSectionReader(f, off, int64(len(c.data)))
	if _, err := f.Seek(0, io.SeekEnd); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// Map gives the bytes of a regular file of now. The file may be closed.
func Map(f *os.File) (*Content, error) {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return &Content{}, err
	}
	if int64(int(info.Size())) != info.Size() {
		return nil, &os.PathError{Op: "mmap", Path: f.Name(), Err: errors.New("too large for this machine's addresses")}
	}
	mapping, err := mmap(f, int(info.Size()))
	switch {
	case errors.Is(err, syscall.ENOMEM):
		return nil, &os.PathError{Op: "mmap", Path: f.Name(), Err: err}
	case err != nil: // some file systems cannot map; their files can be read
		data, err := io.ReadAll(io.NewSectionReader(f, 0, info.Size()))
		return &Content{data: data}, err
	}
	return &Content{data: mapping, mapping: mapping}, nil
}

// ErrShrunk says that a file became shorter while its bytes were in use.
var ErrShrunk = errors.New("a file became shorter while it was read")

// Guard calls f, which uses the bytes of Contents on its own goroutine, and returns ErrShrunk where they are gone.
func Guard(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			if _, fault := p.(interface{ Addr() uintptr }); !fault {
				panic(p)
			}
			err = ErrShrunk
		}
	}()
	err = f()
	if errors.Is(err, syscall.EFAULT) { // the kernel met the fault, in a write of these bytes
		return fmt.Errorf("%w: %w", ErrShrunk, err)
	}
	return err
}
