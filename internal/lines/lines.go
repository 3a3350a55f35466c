// Package lines counts and passes over lines of bytes.
package lines

import (
	"bytes"
	"io"
)

// Count counts as people do: a last line needs no line feed.
func Count(data []byte) int {
	n := Feeds(data)
	if len(data) > 0 && data[len(data)-1] != '\n' {
		n++
	}
	return n
}

// countBuffer is how many bytes are read at once.
const countBuffer = 256 << 10

// CountReader is Count of the size bytes that r reads. Of a large file it is faster than Count of its mapping, up to six
// times on a virtual machine: the kernel copies from large pages, a mapping has small ones.
func CountReader(r io.ReaderAt, size int64) (int, error) {
	buf := make([]byte, min(size, countBuffer))
	n := 0
	for off := int64(0); off < size; {
		m, err := r.ReadAt(buf[:min(int64(len(buf)), size-off)], off)
		n += Feeds(buf[:m])
		off += int64(m)
		switch {
		case off == size:
			if buf[m-1] != '\n' {
				n++
			}
		case err == io.EOF:
			return 0, io.ErrUnexpectedEOF
		case err != nil:
			return 0, err
		}
	}
	return n, nil
}

// Feeds counts the line feeds.
func Feeds(data []byte) int { return bytes.Count(data, []byte{'\n'}) }

// block is how many bytes are counted at once where lines are passed over: much more than a line, and within a cache.
const block = 32 << 10

// Skip returns the offset after the first n lines of data and how many those are: n, or all where there are fewer.
func Skip(data []byte, n int) (off, skipped int) {
	for skipped < n && off < len(data) {
		if rest := data[off:]; len(rest) > block {
			if c := Feeds(rest[:block]); c < n-skipped {
				off += block
				skipped += c
				continue
			}
		}
		i := bytes.IndexByte(data[off:], '\n')
		if i < 0 {
			return len(data), skipped + 1
		}
		off += i + 1
		skipped++
	}
	// A block may have ended in the middle of the last line, which then has no line feed.
	if off == len(data) && skipped < n && len(data) > 0 && data[len(data)-1] != '\n' {
		skipped++
	}
	return off, skipped
}
