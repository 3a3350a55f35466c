package fsstore

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/storetest"
)

// madeAt is an id of version 7 of a time.
func madeAt(ms int64) blob.ID {
	id := blob.ID{6: 0x70, 8: 0x80, 15: byte(ms)}
	for i := range 6 {
		id[i] = byte(ms >> (8 * (5 - i)))
	}
	return id
}

// The newest are those that sorting all by their age gives, whatever only looks like a blob.
func TestNewest(t *testing.T) {
	path := t.TempDir()
	st := open(t, path, Options{NoSync: true})
	start := time.Now().Add(-time.Hour).UnixMilli()
	for i := range int64(400) {
		id := madeAt(start + i*i%397*1000)
		typ := []blob.Type{blob.Text, blob.JSON}[i%2]
		if i%5 == 0 { // its age is that of its file
			id = blob.ContentID(typ, fmt.Append(nil, i))
		}
		if _, err := storetest.Put(t, st, typ, id, fmt.Append(nil, i)); err != nil && !errors.Is(err, blob.ErrExists) {
			t.Fatal(err)
		}
		if i%5 == 0 {
			at := time.UnixMilli(start + i*1000)
			if err := os.Chtimes(filepath.Join(path, fileName(id, typ)), at, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := range int64(300) { // newer than all, and no blobs
		if err := os.Mkdir(filepath.Join(path, fileName(madeAt(start+3_000_000+i), blob.Text)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	all := collect(t, blob.Filter{}, st)
	for _, f := range []blob.Filter{{Newest: 1}, {Newest: 7}, {Newest: 100}, {Newest: 1000}, {Newest: math.MaxInt}, {Newest: math.MaxInt/2 + 1}, {Newest: 5, Type: blob.JSON}, {Newest: 3, Since: time.UnixMilli(start + 390_000)}} {
		var want []blob.Info
		for _, info := range all {
			if (f.Type == "" || f.Type == info.Type) && !info.Created.Before(f.Since) {
				want = append(want, info)
			}
		}
		slices.SortStableFunc(want, func(a, b blob.Info) int { return b.Created.Compare(a.Created) })
		want = want[:min(len(want), f.Newest)]
		slices.SortFunc(want, func(a, b blob.Info) int { return slices.Compare(a.ID[:], b.ID[:]) })
		if got := collect(t, f, st); !slices.Equal(got, want) {
			t.Errorf("%+v: got %d, want %d: %v want %v", f, len(got), len(want), got, want)
		}
	}
}

func collect(t *testing.T, f blob.Filter, st blob.Store) []blob.Info {
	t.Helper()
	var all []blob.Info
	for info, err := range f.List(t.Context(), st) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, info)
	}
	return all
}

// A part of an id means a blob, not what only has the name of one.
func TestResolveAmongWhatIsNoBlob(t *testing.T) {
	path := t.TempDir()
	st := open(t, path, Options{NoSync: true})
	real, other := madeAt(1<<40), madeAt(1<<40+1)
	other[15] = real[15]
	if _, err := storetest.Put(t, st, blob.Text, real, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(path, fileName(other, blob.Text)), 0o700); err != nil {
		t.Fatal(err)
	}
	for part, want := range map[string]blob.ID{real.String()[:8]: real, real.String()[24:]: real, real.String()[:13]: real, other.String()[:13]: {}} {
		got, err := blob.Resolve(t.Context(), st, part)
		if want == (blob.ID{}) && !errors.Is(err, blob.ErrNotFound) || want != (blob.ID{}) && (got != want || err != nil) {
			t.Errorf("%s: got %v, %v, want %v", part, got, err, want)
		}
	}
}
