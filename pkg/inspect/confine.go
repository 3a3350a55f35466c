package inspect

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"sync"

	"github.com/llmblob/llmblob/internal/content"
	"github.com/llmblob/llmblob/pkg/blob"
)

// Confine returns the store with only those of its blobs that allowed lets through. The others are not found, as blobs
// are that do not exist. New blobs can be stored.
func Confine(st blob.Store, allowed func(blob.ID) bool) blob.Store {
	return &confined{st, allowed}
}

type confined struct {
	blob.Store
	allowed func(blob.ID) bool
}

func (c *confined) check(id blob.ID) error {
	if c.allowed(id) {
		return nil
	}
	return fmt.Errorf("blob %s: %w", id, blob.ErrNotFound)
}

func (c *confined) Open(ctx context.Context, id blob.ID) (blob.Blob, error) {
	if err := c.check(id); err != nil {
		return nil, err
	}
	return c.Store.Open(ctx, id)
}

func (c *confined) Stat(ctx context.Context, id blob.ID) (blob.Info, error) {
	if err := c.check(id); err != nil {
		return blob.Info{}, err
	}
	return c.Store.Stat(ctx, id)
}

func (c *confined) List(ctx context.Context) iter.Seq2[blob.Info, error] {
	return func(yield func(blob.Info, error) bool) {
		for info, err := range c.Store.List(ctx) {
			if err == nil && !c.allowed(info.ID) {
				continue
			}
			if !yield(info, err) {
				return
			}
		}
	}
}

func (c *confined) Delete(ctx context.Context, id blob.ID) error {
	if err := c.check(id); err != nil {
		return err
	}
	return c.Store.Delete(ctx, id)
}

// Refs are the ids that a file, the history of a session, refers to as [blob:ID]. A session goes on while it is asked: for
// an id that the file did not have it is read again where it has changed.
type Refs struct {
	path string

	mu   sync.Mutex
	seen fs.FileInfo // of the file as it was read
	ids  map[blob.ID]bool
}

// OpenRefs reads the file. Errors are those of reading it.
func OpenRefs(path string) (*Refs, error) {
	r := &Refs{path: path}
	if err := r.read(); err != nil {
		return nil, fmt.Errorf("read references: %w", err)
	}
	return r, nil
}

// Has reports whether the file refers to an id. Where it cannot be read any more, what it had holds.
func (r *Refs) Has(id blob.ID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.ids[id] && r.changed() {
		_ = r.read() // the next one to ask tries again
	}
	return r.ids[id]
}

// changed reports whether the file is another than the one that was read. What is no regular file is read once.
func (r *Refs) changed() bool {
	now, err := os.Stat(r.path)
	return err == nil && r.seen.Mode().IsRegular() && (now.Size() != r.seen.Size() || !now.ModTime().Equal(r.seen.ModTime()) || !os.SameFile(now, r.seen))
}

func (r *Refs) read() (err error) {
	f, err := os.Open(r.path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	seen, err := f.Stat() // before the bytes: what comes after them is a change
	if err != nil {
		return err
	}
	c, err := content.Read(f)
	if err != nil {
		return err
	}
	ids := make(map[blob.ID]bool)
	err = content.Guard(func() error {
		for id := range blob.References(c.Bytes()) {
			ids[id] = true
		}
		return nil
	})
	if err == nil {
		r.seen, r.ids = seen, ids
	}
	return errors.Join(err, c.Close())
}
