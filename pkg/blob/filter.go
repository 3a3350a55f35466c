package blob

import (
	"context"
	"iter"
	"sort"
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
	if f.Newest > 0 {
		return f.newest(ctx, st)
	}
	return func(yield func(Info, error) bool) {
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

func (f Filter) newest(ctx context.Context, st Store) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		var kept []Info
		for info, err := range st.List(ctx) {
			if err != nil {
				yield(Info{}, err)
				return
			}
			if f.matches(info) {
				kept = append(kept, info)
			}
		}
		sort.SliceStable(kept, func(i, j int) bool { return kept[i].Created.After(kept[j].Created) })
		kept = kept[:min(f.Newest, len(kept))]
		sort.Slice(kept, func(i, j int) bool { return kept[i].ID.String() < kept[j].ID.String() })
		for _, info := range kept {
			if !yield(info, nil) {
				return
			}
		}
	}
}
