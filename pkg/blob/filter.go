package blob

import (
	"context"
	"errors"
	"iter"
	"math"
	"slices"
	"time"
)

// Filter chooses blobs of a store. Its zero value chooses all.
type Filter struct {
	Type   Type      // "": any
	Since  time.Time // created at that time or later
	Newest int       // of those the newest alone, at most so many; 0: all
}

// List yields the blobs that the filter chooses, in the order of their ids. After an error it yields no more.
func (f Filter) List(ctx context.Context, st Store) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		if f.Newest > 0 {
			kept, err := f.newest(ctx, st)
			for _, info := range kept {
				if !yield(info, nil) {
					return
				}
			}
			if err != nil {
				yield(Info{}, err)
			}
			return
		}
		for info, err := range st.List(ctx) {
			if err == nil && !f.matches(info) {
				continue
			}
			if !yield(info, err) || err != nil {
				return
			}
		}
	}
}

func (f Filter) matches(info Info) bool {
	return (f.Type == "" || info.Type == f.Type) && !info.Created.Before(f.Since)
}

// newest returns the newest that match, in the order of their ids.
func (f Filter) newest(ctx context.Context, st Store) ([]Info, error) {
	if q, ok := st.(QuickLister); ok {
		if newest, all, err := f.newestOf(ctx, st, q.QuickList(ctx)); all || err != nil {
			return newest, err
		}
	}
	newest, _, err := f.newestOf(ctx, st, st.List(ctx))
	return newest, err
}

// newestOf is newest of a list, whose blobs are looked at only then. It reports whether those are all: not where
// more of the newest names were no blobs than it has in reserve.
func (f Filter) newestOf(ctx context.Context, st Store, list iter.Seq2[Info, error]) (newest []Info, all bool, err error) {
	spare := 2*min(f.Newest, math.MaxInt/8) + 64 // some may be no blobs, or be deleted meanwhile
	byAge := func(a, b Info) int { return b.Created.Compare(a.Created) }
	var kept []Info
	var passed time.Time // when the newest was created that was not kept
	for info, err := range list {
		if err != nil {
			return nil, false, err
		}
		if info.Created.IsZero() {
			if info, err = st.Stat(ctx, info.ID); isNoBlob(err) {
				continue
			} else if err != nil {
				return nil, false, err
			}
		}
		if !f.matches(info) {
			continue
		}
		if kept = append(kept, info); len(kept) == 2*spare {
			slices.SortStableFunc(kept, byAge)
			if at := kept[spare].Created; at.After(passed) {
				passed = at
			}
			kept = kept[:spare]
		}
	}
	slices.SortStableFunc(kept, byAge)
	for _, info := range kept {
		if len(newest) == f.Newest {
			break
		}
		info, err := st.Stat(ctx, info.ID)
		if isNoBlob(err) {
			continue
		} else if err != nil {
			return nil, false, err
		}
		newest = append(newest, info)
	}
	all = passed.IsZero() || len(newest) == f.Newest && newest[len(newest)-1].Created.After(passed)
	slices.SortFunc(newest, func(a, b Info) int { return slices.Compare(a.ID[:], b.ID[:]) })
	return newest, all, nil
}

// quickList lists a store in the fastest way it has.
func quickList(ctx context.Context, st Store) iter.Seq2[Info, error] {
	if q, ok := st.(QuickLister); ok {
		return q.QuickList(ctx)
	}
	return st.List(ctx)
}

// isNoBlob tells from an error of Stat that there is no blob, though its name may be there.
func isNoBlob(err error) bool { return errors.Is(err, ErrNotFound) || errors.Is(err, ErrDamaged) }
