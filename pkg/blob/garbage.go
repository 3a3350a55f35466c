package blob

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"time"
)

// Collector is what a Store can do beyond, so that blobs nobody needs can be deleted while others are stored.
type Collector interface {
	// Collect deletes a blob that was stored last before olderThan, and reports whether it was; ErrNotFound where there is
	// none. The time is looked at in one step with the deletion: a Commit of the same blob comes before, and the blob stays,
	// or after, and stores it anew.
	Collect(ctx context.Context, id ID, olderThan time.Time) (deleted bool, err error)
	// CollectStaged removes what Stages that have not ended left behind: what was written last before olderThan, by processes
	// that do not run any more. It makes durable what Collect did. With dryRun it only counts.
	CollectStaged(ctx context.Context, olderThan time.Time, dryRun bool) (n int, bytes int64, err error)
}

// Garbage says which blobs are to go: those that no history mentions and that were stored last before a time.
type Garbage struct {
	Histories   iter.Seq2[io.Reader, error] // read as ScanIDs does; an error keeps every blob
	NoHistoryOK bool                        // collect even where there is no history
	OlderThan   time.Time                   // what was stored at that time or later stays
	KeepBytes   int64                       // delete no more, oldest first, once all blobs are at most so many bytes; 0: delete all
	DryRun      bool                        // delete nothing
}

// Collected counts what Garbage.Collect deleted, or with DryRun would delete, and the blobs that it kept.
type Collected struct {
	Deleted     int   `json:"deleted"`
	Bytes       int64 `json:"bytes"` // of what was deleted
	Referenced  int   `json:"referenced"`
	Young       int   `json:"young"`      // stored lately, and not referenced
	KeepBytes   int   `json:"keep_bytes"` // kept for all blobs were few enough bytes
	Staged      int   `json:"temporary"`  // removed, of crashed processes
	StagedBytes int64 `json:"temporary_bytes"`
}

// ErrNoHistory says that there is no history, so that every blob would be garbage.
var ErrNoHistory = errors.New("no history")

// Collect reads all histories and then deletes the garbage of a store, oldest first; deleted is called after each. It
// ends between two deletions where ctx does. Errors are ErrNoHistory, those of the histories, of a store that is no
// Collector, of the store, and of deleted. What was done is counted also then.
func (g Garbage) Collect(ctx context.Context, st Store, deleted func(Info) error) (Collected, error) {
	c, ok := st.(Collector)
	if !ok {
		return Collected{}, errors.New("this kind of store cannot be collected")
	}
	// Blobs first: one that is stored from here on is no candidate, whatever the histories say.
	var blobs []candidate
	total := int64(0)
	for info, err := range st.List(ctx) {
		if err != nil {
			return Collected{}, err
		}
		blobs = append(blobs, candidate{
			id: info.ID, isJSON: info.Type == JSON, bytes: info.Bytes, sec: info.ModTime.Unix(), nsec: int32(info.ModTime.Nanosecond()),
		})
		total += info.Bytes
	}
	byID := func(a, b candidate) int { return bytes.Compare(a.id[:], b.id[:]) }
	if !slices.IsSortedFunc(blobs, byID) { // a blob that is not found again would be lost
		slices.SortFunc(blobs, byID)
	}
	if err := g.markReferenced(ctx, blobs); err != nil {
		return Collected{}, fmt.Errorf("nothing is deleted: %w", err)
	}
	var count Collected
	old := blobs[:0]
	for _, c := range blobs {
		switch {
		case c.referenced:
			count.Referenced++
		case c.info().ModTime.Before(g.OlderThan):
			old = append(old, c)
		default:
			count.Young++
		}
	}
	slices.SortFunc(old, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.sec, b.sec), cmp.Compare(a.nsec, b.nsec), bytes.Compare(a.id[:], b.id[:]))
	})
	for _, candidate := range old {
		info := candidate.info()
		if g.KeepBytes > 0 && total <= g.KeepBytes {
			count.KeepBytes++
			continue
		}
		gone, err := g.delete(ctx, c, info.ID)
		switch {
		case errors.Is(err, ErrNotFound): // another deleted it meanwhile
			total -= info.Bytes
			continue
		case err != nil:
			return count, err
		case !gone: // it was stored again meanwhile
			count.Young++
			continue
		}
		total -= info.Bytes
		count.Deleted++
		count.Bytes += info.Bytes
		if err := deleted(info); err != nil {
			return count, err
		}
	}
	var err error
	count.Staged, count.StagedBytes, err = c.CollectStaged(ctx, g.OlderThan, g.DryRun)
	return count, err
}

func (g Garbage) delete(ctx context.Context, c Collector, id ID) (bool, error) {
	if g.DryRun {
		return true, ctx.Err()
	}
	return c.Collect(ctx, id, g.OlderThan)
}

// candidate is a blob that may be garbage, in little memory: there may be millions.
type candidate struct {
	id         ID
	bytes      int64
	sec        int64 // its ModTime, since 1970
	nsec       int32
	isJSON     bool
	referenced bool
}

func (c candidate) info() Info {
	t := Text
	if c.isJSON {
		t = JSON
	}
	return NewInfo(c.id, t, c.bytes, time.Unix(c.sec, int64(c.nsec)))
}

// markReferenced marks the blobs, which are in the order of their ids, that a history mentions.
func (g Garbage) markReferenced(ctx context.Context, blobs []candidate) error {
	wanted := newSieve(len(blobs), func(yield func(ID) bool) {
		for i := range blobs {
			if !yield(blobs[i].id) {
				return
			}
		}
	})
	mark := func(id ID) {
		i, ok := slices.BinarySearchFunc(blobs, id, func(c candidate, id ID) int { return bytes.Compare(c.id[:], id[:]) })
		if ok {
			blobs[i].referenced = true
		}
	}
	histories := 0
	for r, err := range g.Histories {
		if err == nil {
			err = wanted.scan(cancelReader{ctx, r}, mark)
		}
		if err != nil {
			return err
		}
		histories++
	}
	if histories == 0 && !g.NoHistoryOK {
		return ErrNoHistory
	}
	return nil
}

// cancelReader reads until ctx ends.
type cancelReader struct {
	ctx context.Context
	r   io.Reader
}

func (c cancelReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
