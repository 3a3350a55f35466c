// Package fsstore keeps blobs as plain files in a flat directory: {id}.txt for text, {id}.json for JSON.
package fsstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"sync"
	"time"

	"github.com/llmblob/llmblob/internal/content"
	"github.com/llmblob/llmblob/internal/durable"
	"github.com/llmblob/llmblob/pkg/blob"
)

// Options of a Store.
type Options struct {
	NoSync bool             // leave it to the system when bytes reach the disk
	Now    func() time.Time // the clock for the times of blobs; time.Now where nil
	FS     durable.FS       // what the store reaches the disk by; durable.System where nil. For tests of this module
}

// Store is a blob.Store in a directory. The directory is opened at the first use, and made, private and with its
// parents, at the first Stage.
type Store struct {
	path string
	opts Options

	mu  sync.Mutex
	dir *durable.Dir // nil until opened
}

var _ blob.Store = (*Store)(nil)

// New returns the store in the directory at path, and touches nothing.
func New(path string, opts Options) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.FS == nil {
		opts.FS = durable.System{}
	}
	return &Store{path: path, opts: opts}, nil
}

// Path returns the absolute path of the store's directory.
func (s *Store) Path() string { return s.path }

// BlobPath returns the path of the file of a blob.
func (s *Store) BlobPath(info blob.Info) string {
	return filepath.Join(s.path, fileName(info.ID, info.Type))
}

func fileName(id blob.ID, t blob.Type) string { return id.String() + "." + t.Ending() }

// open opens the directory. Where there is none it is made, or is fs.ErrNotExist.
func (s *Store) open(mk bool) (*durable.Dir, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir != nil {
		return s.dir, nil
	}
	open := durable.OpenDir
	if mk {
		open = durable.MakeDir
	}
	dir, err := open(s.opts.FS, s.path, s.opts.NoSync)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	s.dir = dir
	return dir, nil
}

// Close releases the directory. Blobs that are open stay open.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir == nil {
		return nil
	}
	err := s.dir.Close()
	s.dir = nil
	return err
}

// find returns the type and the facts of the file of a blob.
func (s *Store) find(id blob.ID) (*durable.Dir, blob.Info, error) {
	dir, err := s.open(false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, blob.Info{}, notFound(id)
	} else if err != nil {
		return nil, blob.Info{}, err
	}
	for _, t := range []blob.Type{blob.Text, blob.JSON} {
		info, err := dir.Info(fileName(id, t))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return nil, blob.Info{}, fmt.Errorf("blob %s: %w", id, err)
		}
		if !info.Mode().IsRegular() {
			return nil, blob.Info{}, fmt.Errorf("blob %s: %w: %s is %w", id, blob.ErrDamaged, fileName(id, t), durable.ErrNotRegular)
		}
		return dir, blob.NewInfo(id, t, info.Size(), info.ModTime()), nil
	}
	return nil, blob.Info{}, notFound(id)
}

func notFound(id blob.ID) error { return fmt.Errorf("blob %s: %w", id, blob.ErrNotFound) }

// Stat implements blob.Store.
func (s *Store) Stat(ctx context.Context, id blob.ID) (blob.Info, error) {
	if err := ctx.Err(); err != nil {
		return blob.Info{}, err
	}
	_, info, err := s.find(id)
	return info, err
}

// Open implements blob.Store. The Blob has a method Bytes that maps the file.
func (s *Store) Open(ctx context.Context, id blob.ID) (blob.Blob, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	dir, info, err := s.find(id)
	if err != nil {
		return nil, err
	}
	f, facts, err := dir.Open(fileName(id, info.Type))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, notFound(id)
	case errors.Is(err, durable.ErrNotRegular):
		return nil, fmt.Errorf("blob %s: %w: %w", id, blob.ErrDamaged, err)
	case err != nil:
		return nil, fmt.Errorf("blob %s: %w", id, err)
	}
	return &file{File: f, info: blob.NewInfo(id, info.Type, facts.Size(), facts.ModTime())}, nil
}

// file is an open blob.
type file struct {
	*os.File
	info   blob.Info
	mapped *content.Content
}

func (f *file) Info() blob.Info { return f.info }

func (f *file) Bytes() ([]byte, error) {
	if f.mapped == nil {
		c, err := content.Map(f.File)
		if err != nil {
			return nil, fmt.Errorf("blob %s: %w", f.info.ID, err)
		}
		f.mapped = c
	}
	return f.mapped.Bytes(), nil
}

func (f *file) Close() error {
	var err error
	if f.mapped != nil {
		err = f.mapped.Close()
	}
	return errors.Join(err, f.File.Close())
}

// names returns the sorted names in the directory, none where there is no directory.
func (s *Store) names() (*durable.Dir, []string, error) {
	dir, err := s.open(false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	} else if err != nil {
		return nil, nil, err
	}
	names, err := dir.Names()
	if err != nil {
		return nil, nil, fmt.Errorf("list store: %w", err)
	}
	sort.Strings(names)
	return dir, names, nil
}

// Delete implements blob.Store.
func (s *Store) Delete(ctx context.Context, id blob.ID) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	dir, _, err := s.find(id)
	if err != nil {
		return err
	}
	unlock, err := dir.Lock()
	if err != nil {
		return err
	}
	removed, err := s.removeAll(id)
	unlock()
	if removed > 0 {
		err = errors.Join(err, dir.Sync())
	}
	if err != nil {
		return fmt.Errorf("delete blob %s: %w", id, err)
	}
	if removed == 0 {
		return notFound(id)
	}
	return nil
}

// removeAll removes an id under both endings, under which something else than this package may have put it.
func (s *Store) removeAll(id blob.ID) (removed int, err error) {
	for {
		dir, info, err := s.find(id)
		if errors.Is(err, blob.ErrNotFound) {
			return removed, nil
		}
		if err == nil {
			err = dir.Remove(fileName(id, info.Type))
		}
		if err != nil {
			return removed, err
		}
		removed++
	}
}

// Stage implements blob.Store.
func (s *Store) Stage(ctx context.Context) (blob.Stage, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	dir, err := s.open(true)
	if err != nil {
		return nil, err
	}
	f, err := dir.Create()
	if err != nil {
		return nil, fmt.Errorf("create file in store: %w", err)
	}
	return &stage{File: f, ctx: ctx, dir: dir, now: s.opts.Now}, nil
}

// overlapBytes is from which size syncing and scanning side by side is worth a thread.
const overlapBytes = 1 << 20

// stage is a blob in the making.
type stage struct {
	*durable.File
	ctx    context.Context
	dir    *durable.Dir
	now    func() time.Time
	mapped *content.Content
	synced chan error // the result of the sync that Bytes began
	ended  bool
}

// Bytes implements blob.Stage. It begins to sync, so that this and the use of the bytes go on side by side.
func (s *stage) Bytes() ([]byte, error) {
	if s.mapped == nil {
		c, err := content.Map(s.OS())
		if err != nil {
			return nil, err
		}
		s.mapped = c
		s.synced = make(chan error, 1)
		now := s.now()
		sync := func() { s.synced <- s.sync(now) }
		if len(c.Bytes()) >= overlapBytes {
			go sync()
		} else {
			sync()
		}
	}
	return s.mapped.Bytes(), nil
}

// sync makes the bytes durable, and young: the last write may be long ago, and a blob is as old as its storing.
func (s *stage) sync(now time.Time) error {
	// A file system that keeps no times but its own has that of the last write.
	if err := s.Touch(now); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return s.Sync()
}

// Commit implements blob.Stage.
func (s *stage) Commit(t blob.Type, id blob.ID) (blob.Info, error) {
	if s.ended {
		return blob.Info{}, fmt.Errorf("store blob %s: %w", id, os.ErrClosed)
	}
	info, err := s.commit(t, id)
	if err != nil {
		return blob.Info{}, fmt.Errorf("store blob %s: %w", id, err)
	}
	return info, nil
}

func (s *stage) commit(t blob.Type, id blob.ID) (blob.Info, error) {
	data, err := s.Bytes()
	if err != nil {
		return blob.Info{}, err
	}
	if err := <-s.synced; err != nil {
		s.synced <- err // a second Commit fails too
		return blob.Info{}, err
	}
	s.synced <- nil
	if err := s.ctx.Err(); err != nil {
		return blob.Info{}, err
	}
	facts, err := s.publish(fileName(id, t), fileName(id, otherType(t)), data)
	if err != nil {
		return blob.Info{}, err
	}
	if err := s.dir.Sync(); err != nil {
		return blob.Info{}, err
	}
	info := blob.NewInfo(id, t, int64(len(data)), facts.ModTime())
	_ = s.Abort() // the blob is there; what may be left is but a file to collect
	return info, nil
}

// publish gives the bytes their name, or refreshes the blob of that name that has the same bytes. It returns the facts of the
// file of now: once the lock is released another may delete it.
func (s *stage) publish(name, otherName string, data []byte) (fs.FileInfo, error) {
	// An id exists once under either ending, and what is refreshed here must not be collected in between.
	unlock, err := s.dir.Lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	if _, err := s.dir.Info(otherName); err == nil {
		return nil, fmt.Errorf("%w as %s", blob.ErrExists, otherName)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	err = s.Publish(name)
	if errors.Is(err, fs.ErrExist) {
		err = s.refresh(name, data)
	}
	if err != nil {
		return nil, err
	}
	return s.dir.Info(name)
}

// refresh makes a blob that has the same bytes as young as if it were stored now.
func (s *stage) refresh(name string, data []byte) error {
	there, _, err := s.dir.Open(name)
	if err != nil {
		return err
	}
	defer there.Close()
	old, err := content.Map(there)
	if err != nil {
		return err
	}
	defer old.Close()
	if !bytes.Equal(old.Bytes(), data) {
		return blob.ErrExists
	}
	return s.dir.Touch(name, s.now())
}

func otherType(t blob.Type) blob.Type {
	if t == blob.JSON {
		return blob.Text
	}
	return blob.JSON
}

// Abort implements blob.Stage.
func (s *stage) Abort() error {
	if s.ended {
		return nil
	}
	s.ended = true
	var err error
	if s.mapped != nil {
		err = s.mapped.Close()
	}
	return errors.Join(err, s.Discard())
}
