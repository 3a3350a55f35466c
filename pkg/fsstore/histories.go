package fsstore

import (
	"io"
	"iter"
	"os"
	"path/filepath"
)

// Histories yields the contents of the files that paths name, each valid until the next: of a directory those of all
// regular files below it. Links are followed, a directory is read once however many lead to it. The path - means what open
// makes of it. Files are opened with open. After an error it yields no more; what vanishes meanwhile is one, for it may
// have been moved to where this has been already.
func Histories(paths []string, open func(path string) (io.ReadCloser, error)) iter.Seq2[io.Reader, error] {
	return func(yield func(io.Reader, error) bool) {
		w := walk{open: open, yield: yield, seen: make(map[string]bool)}
		for _, path := range paths {
			if !w.operand(path) {
				return
			}
		}
	}
}

// walk goes over files. Its methods report whether to go on.
type walk struct {
	open  func(path string) (io.ReadCloser, error)
	yield func(io.Reader, error) bool
	seen  map[string]bool // directories, by their paths without links
}

func (w *walk) fail(err error) bool {
	w.yield(nil, err)
	return false
}

func (w *walk) operand(path string) bool {
	if path == "-" {
		return w.file(path)
	}
	info, err := os.Stat(path)
	if err != nil {
		return w.fail(err)
	}
	if info.IsDir() {
		return w.dir(path)
	}
	return w.file(path) // a pipe too
}

func (w *walk) dir(path string) bool {
	real, err := filepath.Abs(path)
	if err == nil {
		real, err = filepath.EvalSymlinks(real)
	}
	if err != nil {
		return w.fail(err)
	}
	if w.seen[real] {
		return true
	}
	w.seen[real] = true
	entries, err := os.ReadDir(path)
	if err != nil {
		return w.fail(err)
	}
	for _, e := range entries {
		if !w.entry(filepath.Join(path, e.Name()), e.Type()) {
			return false
		}
	}
	return true
}

// entry goes over what is in a directory. Pipes, sockets and devices are no histories there.
func (w *walk) entry(path string, mode os.FileMode) bool {
	if !mode.IsRegular() && !mode.IsDir() {
		info, err := os.Stat(path)
		if err != nil {
			return w.fail(err)
		}
		mode = info.Mode()
	}
	switch {
	case mode.IsDir():
		return w.dir(path)
	case mode.IsRegular():
		return w.file(path)
	}
	return true
}

func (w *walk) file(path string) bool {
	f, err := w.open(path)
	if err != nil {
		return w.fail(err)
	}
	ok := w.yield(f, nil)
	if err := f.Close(); err != nil && ok {
		return w.fail(err)
	}
	return ok
}
