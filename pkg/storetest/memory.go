package storetest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"sort"
	"sync"
	"time"

	"github.com/llmblob/llmblob/pkg/blob"
)

// Memory is the reference: a blob.Store in memory, as plain as one can be.
type Memory struct {
	mu    sync.Mutex
	blobs map[blob.ID]memoryBlob
}

type memoryBlob struct {
	info blob.Info
	data []byte
}

var _ blob.Collector = (*Memory)(nil)

// NewMemory returns an empty store.
func NewMemory() *Memory { return &Memory{blobs: make(map[blob.ID]memoryBlob)} }

// Stage implements blob.Store.
func (m *Memory) Stage(ctx context.Context) (blob.Stage, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return &memoryStage{m: m, ctx: ctx}, nil
}

// Open implements blob.Store.
func (m *Memory) Open(ctx context.Context, id blob.ID) (blob.Blob, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	b, ok := m.blobs[id]
	if !ok {
		return nil, noBlob(id)
	}
	return &openMemory{Reader: bytes.NewReader(b.data), info: b.info}, nil
}

// Stat implements blob.Store.
func (m *Memory) Stat(ctx context.Context, id blob.ID) (blob.Info, error) {
	b, err := m.Open(ctx, id)
	if err != nil {
		return blob.Info{}, err
	}
	return b.Info(), nil
}

// List implements blob.Store.
func (m *Memory) List(ctx context.Context) iter.Seq2[blob.Info, error] {
	m.mu.Lock()
	defer m.mu.Unlock()
	var infos []blob.Info
	for _, b := range m.blobs {
		infos = append(infos, b.info)
	}
	sort.Slice(infos, func(i, j int) bool { return infos[i].ID.String() < infos[j].ID.String() })
	return func(yield func(blob.Info, error) bool) {
		for _, info := range infos {
			if err := ctx.Err(); err != nil {
				yield(blob.Info{}, err)
				return
			}
			if !yield(info, nil) {
				return
			}
		}
	}
}

// Delete implements blob.Store.
func (m *Memory) Delete(ctx context.Context, id blob.ID) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.blobs[id]; !ok {
		return noBlob(id)
	}
	delete(m.blobs, id)
	return nil
}

// Collect implements blob.Collector.
func (m *Memory) Collect(ctx context.Context, id blob.ID, olderThan time.Time) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	b, ok := m.blobs[id]
	if !ok {
		return false, noBlob(id)
	}
	if !b.info.ModTime.Before(olderThan) {
		return false, nil
	}
	delete(m.blobs, id)
	return true, nil
}

// CollectStaged implements blob.Collector: what is in memory no crash leaves behind.
func (m *Memory) CollectStaged(ctx context.Context, _ time.Time, _ bool) (int, int64, error) {
	return 0, 0, ctx.Err()
}

func noBlob(id blob.ID) error { return fmt.Errorf("blob %s: %w", id, blob.ErrNotFound) }

type openMemory struct {
	*bytes.Reader
	info blob.Info
}

func (b *openMemory) Info() blob.Info { return b.info }
func (b *openMemory) Close() error    { return nil }

var _ io.ReaderAt = (*openMemory)(nil)

type memoryStage struct {
	m     *Memory
	ctx   context.Context
	ended bool

	mu   sync.RWMutex
	data []byte
}

func (s *memoryStage) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.data = append(s.data, p...)
	return len(p), nil
}

func (s *memoryStage) ReadAt(p []byte, off int64) (int, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return bytes.NewReader(s.data).ReadAt(p, off)
}

func (s *memoryStage) Bytes() ([]byte, error) { return s.data, nil }

func (s *memoryStage) Commit(t blob.Type, id blob.ID) (blob.Info, error) {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	if s.ended {
		return blob.Info{}, fmt.Errorf("store blob %s: %w", id, os.ErrClosed)
	}
	if err := s.ctx.Err(); err != nil {
		return blob.Info{}, err
	}
	if old, ok := s.m.blobs[id]; ok && (old.info.Type != t || !bytes.Equal(old.data, s.data)) {
		return blob.Info{}, fmt.Errorf("store blob %s: %w", id, blob.ErrExists)
	}
	s.ended = true
	info := blob.NewInfo(id, t, int64(len(s.data)), time.Now())
	s.m.blobs[id] = memoryBlob{info: info, data: s.data}
	return info, nil
}

func (s *memoryStage) Abort() error {
	s.ended = true
	return nil
}
