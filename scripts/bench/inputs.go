package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
)

// needle is in the first line, and in one of about ten thousand.
const needle = "connection reset by peer"

// writeFile makes a file with what write writes, and waits until it is on the disk, so that nothing of it is left to do while
// others are measured.
func writeFile(path string, write func(w *bufio.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	return errors.Join(write(w), w.Flush(), f.Sync(), f.Close())
}

// writeText writes lines of a log of the usual kind, of exactly so many bytes. They repeat after 32 MB, more than a cache holds.
func writeText(path string, bytesOf int64) error {
	r := rand.New(rand.NewPCG(1, 2))
	var block bytes.Buffer
	for block.Len() < int(min(bytesOf, 32*mB)) {
		what := "served"
		if block.Len() == 0 || r.IntN(10_000) == 0 {
			what = needle
		}
		fmt.Fprintf(&block, "2026-01-02T03:04:%02d.%03dZ INFO request id=%016x path=/v1/items/%d %s took=%dms\n",
			r.IntN(60), r.IntN(1000), r.Uint64(), r.IntN(1_000_000), what, r.IntN(500))
	}
	return writeFile(path, func(w *bufio.Writer) error {
		for left := bytesOf; left > 0; {
			n := min(left, int64(block.Len()))
			if _, err := w.Write(block.Bytes()[:n]); err != nil {
				return err
			}
			left -= n
		}
		return nil
	})
}

// record writes an element of about a hundred bytes.
func record(w io.Writer, r *rand.Rand, n int) {
	fmt.Fprintf(w, `{"id": %d, "name": "item \u2013 %x", "tags": ["t%d", "blue"], "score": %.3f, "ok": %t, "note": null}`,
		n, r.Uint32(), r.IntN(100), r.Float64()*100, r.IntN(2) == 0)
}

// writeArray writes a JSON array of records of about so many bytes.
func writeArray(path string, bytesOf int64) error {
	return writeElements(path, bytesOf, "[", "]\n", record)
}

// memberBytes is about what a member of an object takes.
const memberBytes = 97

// writeObject writes a JSON object of about so many bytes, whose values are small objects.
func writeObject(path string, bytesOf int64) error {
	return writeElements(path, bytesOf, "{", "}\n", func(w io.Writer, r *rand.Rand, n int) {
		fmt.Fprintf(w, `"%s": {"id": %d, "name": "item %08x", "score": %.3f, "ok": %t, "note": null}`, keyOf(n), n, r.Uint32(), r.Float64()*100, r.IntN(2) == 0)
	})
}

// keyOf is the name of the nth member.
func keyOf(n int) string { return fmt.Sprintf("k%07d", n) }

// writeElements writes elements between brackets.
func writeElements(path string, bytesOf int64, open, closing string, write func(w io.Writer, r *rand.Rand, n int)) error {
	r := rand.New(rand.NewPCG(5, 6))
	var element bytes.Buffer
	return writeFile(path, func(w *bufio.Writer) error {
		_, err := w.WriteString(open)
		for n, written := 0, int64(0); written < bytesOf && err == nil; n++ {
			element.Reset()
			if n > 0 {
				element.WriteString(", ")
			}
			write(&element, r, n)
			written += int64(element.Len())
			_, err = w.Write(element.Bytes())
		}
		if err == nil {
			_, err = w.WriteString(closing)
		}
		return err
	})
}

// writeRecords writes JSON Lines of about so many bytes.
func writeRecords(path string, bytesOf int64) error {
	r := rand.New(rand.NewPCG(5, 6))
	var line bytes.Buffer
	return writeFile(path, func(w *bufio.Writer) error {
		for n, written := 0, int64(0); written < bytesOf; n++ {
			line.Reset()
			record(&line, r, n)
			line.WriteByte('\n')
			written += int64(line.Len())
			if _, err := w.Write(line.Bytes()); err != nil {
				return err
			}
		}
		return nil
	})
}
