package inspect

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"strings"
	"sync"

	"github.com/llmblob/llmblob/internal/content"
	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/history"
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
			switch {
			case err != nil:
				err = c.withoutIDs(err)
			case !c.allowed(info.ID):
				continue
			}
			if !yield(info, err) {
				return
			}
		}
	}
}

// errOther stands for an error that names blobs which do not exist here.
var errOther = errors.New("list blobs: the store cannot be read")

// withoutIDs returns an error of the store below that names none of the blobs that are not let through.
func (c *confined) withoutIDs(err error) error {
	named := err
	_ = blob.ScanIDs(strings.NewReader(err.Error()), func(id blob.ID) { // which reads a text, and does not fail
		if !c.allowed(id) {
			named = errOther
		}
	})
	return named
}

func (c *confined) Delete(ctx context.Context, id blob.ID) error {
	if err := c.check(id); err != nil {
		return err
	}
	return c.Store.Delete(ctx, id)
}

// Refs are the ids that a file, the history of a session, refers to as [blob:ID]: in a format that is known, where people and
// tools said so. What the model wrote does not count, or its call for a blob would be the reference that allows it; nor what it
// has others write for it: answers of the inspect tool, which repeat what was asked, prompts of sub-agents, summaries of what was
// compacted. A session goes on while it is asked: for an id that the file did not have it is read again where it has changed.
type Refs struct {
	path   string
	isTool func(name string) bool

	mu   sync.Mutex
	seen fs.FileInfo // of the file as it was read
	ids  map[blob.ID]bool
}

// OpenRefs reads the file. isTool says under which names the history knows the inspect tool, beside ToolName; it may be nil. Errors
// are those of reading the file.
func OpenRefs(path string, isTool func(name string) bool) (*Refs, error) {
	r := &Refs{path: path, isTool: isTool}
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

// said yields the texts of a history that its model did not write; of a format that is not known all there is.
func (r *Refs) said(c *content.Content) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		h, err := history.Parse(c.Bytes(), history.Options{Lenient: true, Behind: c.Release}) // its last line may be half written
		if err != nil || h.Format == "" {
			yield(c.Bytes())
			return
		}
		for i := range h.Items {
			if r.counts(h, &h.Items[i]) {
				for text := range h.Texts(i) {
					if !yield(text) {
						return
					}
				}
			}
		}
	}
}

// counts reports whether a reference in an item is one that somebody else than the model made.
func (r *Refs) counts(h *history.History, it *history.Item) bool {
	switch it.Kind {
	case history.Result:
		name := h.Name(it.Tool)
		return name != ToolName && (r.isTool == nil || !r.isTool(name))
	case history.Message:
		// Where a user's message is no turn, an agent put it there; where it is in no request, the model asked a sub-agent.
		return it.Role != history.Assistant && (it.Role != history.User || it.Turn && !it.Outside)
	}
	return false
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
		for text := range r.said(c) {
			for id := range blob.References(text) {
				ids[id] = true
			}
		}
		return nil
	})
	if err == nil {
		r.seen, r.ids = seen, ids
	}
	return errors.Join(err, c.Close())
}
