package fsstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/llmblob/llmblob/internal/durable"
	"github.com/llmblob/llmblob/pkg/blob"
)

var _ blob.Collector = (*Store)(nil)

// Collect implements blob.Collector. What a crash brings back is garbage again; CollectStaged rules that out.
func (s *Store) Collect(ctx context.Context, id blob.ID, olderThan time.Time) (bool, error) {
	dir, _, err := s.find(id)
	if err != nil {
		return false, err
	}
	unlock, err := dir.Lock()
	if err != nil {
		return false, err
	}
	defer unlock()
	if err := ctx.Err(); err != nil { // the lock may have been waited for
		return false, err
	}
	// Of an id under both endings, which another program made, the younger counts.
	for _, t := range []blob.Type{blob.Text, blob.JSON} {
		info, err := dir.Info(fileName(id, t))
		if err == nil && !info.ModTime().Before(olderThan) {
			return false, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, fmt.Errorf("collect blob %s: %w", id, err)
		}
	}
	removed, err := s.removeAll(id)
	if err != nil {
		return false, fmt.Errorf("collect blob %s: %w", id, err)
	}
	if removed == 0 {
		return false, notFound(id)
	}
	return true, nil
}

// CollectStaged implements blob.Collector: it removes temporary files of which no process holds the lock.
func (s *Store) CollectStaged(ctx context.Context, olderThan time.Time, dryRun bool) (n int, bytes int64, err error) {
	dir, names, err := s.names()
	if err != nil || dir == nil {
		return 0, 0, err
	}
	for _, name := range names {
		if !strings.HasPrefix(name, durable.TempPrefix) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return n, bytes, err
		}
		size, gone, err := collectTemp(dir, name, olderThan, dryRun)
		if err != nil {
			return n, bytes, fmt.Errorf("collect %s: %w", name, err)
		}
		if gone {
			n++
			bytes += size
		}
	}
	if dryRun {
		return n, bytes, nil
	}
	return n, bytes, dir.Sync()
}

func collectTemp(dir *durable.Dir, name string, olderThan time.Time, dryRun bool) (size int64, gone bool, err error) {
	unlock, err := dir.Lock()
	if err != nil {
		return 0, false, err
	}
	defer unlock()
	gone, size, err = dir.RemoveAbandoned(name, olderThan, dryRun)
	return size, gone, err
}
