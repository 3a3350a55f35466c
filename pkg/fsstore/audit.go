package fsstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"runtime"
	"strings"

	"github.com/llmblob/llmblob/internal/durable"
	"github.com/llmblob/llmblob/pkg/blob"
)

// Finding is something about the directory that is not as this package leaves it.
type Finding struct {
	Name  string // of the file, "." for the directory
	Blob  *blob.ID
	What  string
	Wrong bool // it endangers blobs or what they keep; else it is only in the way
}

// Audit looks at the names and modes of everything in the directory, and reads no blob. After an error it yields no
// more.
func (s *Store) Audit(ctx context.Context) iter.Seq2[Finding, error] {
	return func(yield func(Finding, error) bool) {
		dir, names, err := s.names()
		if err != nil || dir == nil {
			if err != nil {
				yield(Finding{}, err)
			}
			return
		}
		a := auditor{seen: make(map[blob.ID]bool)}
		for _, name := range append([]string{"."}, names...) {
			err := ctx.Err()
			var info fs.FileInfo
			if err == nil {
				info, err = dir.Info(name)
			}
			if errors.Is(err, fs.ErrNotExist) {
				continue // a temporary file of a moment ago
			}
			if err != nil {
				yield(Finding{}, fmt.Errorf("audit store: %w", err))
				return
			}
			if name == durable.LockName {
				continue
			}
			if f, ok := a.audit(name, info); ok && !yield(f, nil) {
				return
			}
		}
	}
}

// auditor looks at one name after the other, at the directory first.
type auditor struct {
	seen map[blob.ID]bool
	dir  fs.FileInfo
}

func (a *auditor) audit(name string, info fs.FileInfo) (Finding, bool) {
	f := Finding{Name: name}
	if name == "." {
		a.dir = info
		if f.What, f.Wrong = openMode(info); !f.Wrong {
			f.What, f.Wrong = foreignDir(info, ownUser())
		}
		return f, f.Wrong
	}
	entry, ok := parseName(name)
	id := entry.id
	switch {
	case strings.HasPrefix(name, durable.TempPrefix):
		f.What = "temporary file of a run that goes on or crashed"
		return f, true
	case !ok:
		f.What = "foreign file"
		return f, true
	}
	f.Blob, f.Wrong = &id, true
	switch {
	case !info.Mode().IsRegular():
		f.What = durable.ErrNotRegular.Error()
	case a.seen[id]:
		f.What = "the id exists under both endings"
	default:
		if f.What, f.Wrong = openMode(info); !f.Wrong {
			f.What, f.Wrong = a.foreignFile(info)
		}
	}
	a.seen[id] = true
	return f, f.Wrong
}

// foreignDir tells whether the directory is that of another user than self, who can do anything with what is in it. Whoever is root looks
// after the stores of others.
func foreignDir(info fs.FileInfo, self uint32) (string, bool) {
	uid, ok := owner(info)
	return fmt.Sprintf("belongs to another user, %d", uid), ok && self != 0 && uid != self
}

// foreignFile tells whether a file is not of the user whose directory it is in.
func (a *auditor) foreignFile(info fs.FileInfo) (string, bool) {
	uid, ok := owner(info)
	dir, _ := owner(a.dir)
	return fmt.Sprintf("belongs to another user, %d", uid), ok && uid != dir
}

// openMode tells whether others than the owner may get at a file. Windows keeps that elsewhere.
func openMode(info fs.FileInfo) (string, bool) {
	mode := info.Mode().Perm()
	return fmt.Sprintf("mode %04o lets others in", mode), mode&0o077 != 0 && runtime.GOOS != "windows"
}
