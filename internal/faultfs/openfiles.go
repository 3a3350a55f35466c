package faultfs

import (
	"os"
	"path/filepath"
)

// Files are the files that this process has open, each with its number, where the system tells.
type Files map[string]bool

// OpenFiles are those of now.
func OpenFiles() Files {
	const dir = "/proc/self/fd"
	entries, _ := os.ReadDir(dir) // none elsewhere
	files := Files{}
	for _, e := range entries {
		if target, err := os.Readlink(filepath.Join(dir, e.Name())); err == nil { // else it was the directory itself
			files[e.Name()+" "+target] = true
		}
	}
	return files
}

// Left returns the files that have been opened since and are open. Others may have been closed, as the garbage collector closes what earlier
// tests have let go.
func (f Files) Left() []string {
	var left []string
	for file := range OpenFiles() {
		if !f[file] {
			left = append(left, file)
		}
	}
	return left
}
