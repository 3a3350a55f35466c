package fsstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"time"

	"github.com/llmblob/llmblob/internal/durable"
	"github.com/llmblob/llmblob/pkg/blob"
)

// List implements blob.Store. Files that are no blobs are passed over.
func (s *Store) List(ctx context.Context) iter.Seq2[blob.Info, error] {
	return func(yield func(blob.Info, error) bool) {
		for e, err := range s.entries(ctx) {
			if err != nil {
				yield(blob.Info{}, err)
				return
			}
			info, err := e.dir.Info(e.fileName())
			if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
				continue
			}
			if err != nil {
				yield(blob.Info{}, fmt.Errorf("blob %s: %w", e.id, err))
				return
			}
			if !yield(blob.NewInfo(e.id, e.typ(), info.Size(), info.ModTime()), nil) {
				return
			}
		}
	}
}

// QuickList implements blob.QuickLister.
func (s *Store) QuickList(ctx context.Context) iter.Seq2[blob.Info, error] {
	return func(yield func(blob.Info, error) bool) {
		for e, err := range s.entries(ctx) {
			if err != nil {
				yield(blob.Info{}, err)
				return
			}
			if !yield(blob.NewInfo(e.id, e.typ(), 0, time.Time{}), nil) {
				return
			}
		}
	}
}

// entry is a name of a blob in the directory, in little memory: there may be millions.
type entry struct {
	id     blob.ID
	isJSON bool
}

func (e entry) typ() blob.Type {
	if e.isJSON {
		return blob.JSON
	}
	return blob.Text
}

func (e entry) fileName() string { return fileName(e.id, e.typ()) }

// located is an entry and where it is.
type located struct {
	entry
	dir *durable.Dir
}

// entries yields the names that are those of blobs, in the order of their ids and each id once: none where there is no directory.
func (s *Store) entries(ctx context.Context) iter.Seq2[located, error] {
	return func(yield func(located, error) bool) {
		dir, err := s.open(false)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			yield(located{}, err)
			return
		}
		var list []entry
		err = dir.EachName(func(name string) error {
			if e, ok := parseName(name); ok {
				list = append(list, e)
			}
			return ctx.Err()
		})
		if err != nil {
			yield(located{}, fmt.Errorf("list store: %w", err))
			return
		}
		slices.SortFunc(list, entry.compare)
		for i, e := range list {
			if i > 0 && list[i-1].id == e.id {
				continue
			}
			if err := ctx.Err(); err != nil {
				yield(located{}, err)
				return
			}
			if !yield(located{e, dir}, nil) {
				return
			}
		}
	}
}

// compare puts text first under an id that exists twice, as Open finds it first.
func (e entry) compare(other entry) int {
	if c := bytes.Compare(e.id[:], other.id[:]); c != 0 || e.isJSON == other.isJSON {
		return c
	} else if e.isJSON {
		return 1
	}
	return -1
}

// parseName reads the name of the file of a blob: a canonical id, which is in lower case, and an ending.
func parseName(name string) (entry, bool) {
	const idLen = 36
	if len(name) <= idLen || name[idLen] != '.' {
		return entry{}, false
	}
	for i := range idLen {
		if c := name[i]; 'A' <= c && c <= 'Z' {
			return entry{}, false
		}
	}
	id, err := blob.ParseID(name[:idLen])
	ending := name[idLen+1:]
	isJSON := ending == blob.JSON.Ending()
	return entry{id, isJSON}, err == nil && (isJSON || ending == blob.Text.Ending())
}
