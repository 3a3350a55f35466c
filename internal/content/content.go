// Package content gives the bytes of anything, a file, a stream or memory, as one slice that is mapped rather than read,
// so that its size costs no memory.
package content

import (
	"bytes"
	"errors"
	"io"
	"os"
	"runtime/debug"
)

// spoolMemory is how much of a stream is held in memory before a temporary file takes it.
const spoolMemory = 1 << 20

// Content is some bytes, valid until Close.
type Content struct {
	data    []byte
	mapping []byte   // data is within it; nil where nothing is mapped
	spool   *os.File // a temporary file to remove, where the system cannot remove an open one
}

// Bytes returns the bytes. They must not be changed. Reading them may fault where a file shrank: see Guard.
func (c *Content) Bytes() []byte { return c.data }

// Close releases the bytes.
func (c *Content) Close() error {
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

// Open gives the bytes of the file at path, which may be a pipe or a device too.
func Open(path string) (*Content, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f)
}

// Read gives the bytes that are left in r: mapped where it is a regular file, else spooled, in memory while they are few
// and then in a temporary file that is gone after Close.
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
		return nil, err
	}
	f, err := os.CreateTemp("", "llmblob-")
	if err != nil {
		return nil, err
	}
	c := &Content{}
	if os.Remove(f.Name()) == nil {
		defer f.Close()
	} else {
		c.spool = f
	}
	if _, err := io.Copy(f, io.MultiReader(&head, r)); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	mapped, err := Map(f)
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	c.data, c.mapping = mapped.data, mapped.mapping
	return c, nil
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
	_, err = f.Seek(0, io.SeekEnd)
	return c, err
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
	if err != nil {
		return nil, &os.PathError{Op: "mmap", Path: f.Name(), Err: err}
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
	return f()
}
