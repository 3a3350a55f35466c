package blob_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/storetest"
)

var limit = time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)

// shelf is a blob.Collector whose blobs have what times a test likes.
type shelf struct {
	blob.Store
	blobs   []blob.Info
	listErr error
	before  func(id blob.ID) error // called by Collect
	gone    []blob.ID
	cleaned int
}

// newShelf holds blobs of 10 bytes and the given ages beyond the limit.
func newShelf(ages ...time.Duration) *shelf {
	s := &shelf{before: func(blob.ID) error { return nil }}
	for i, age := range ages {
		s.blobs = append(s.blobs, blob.NewInfo(shelfID(i), blob.Text, 10, limit.Add(-age)))
	}
	return s
}

func shelfID(i int) blob.ID { return blob.ID{byte(i + 1), 6: 0x40, 8: 0x80, 15: byte(i)} }

func (s *shelf) List(context.Context) iter.Seq2[blob.Info, error] {
	return func(yield func(blob.Info, error) bool) {
		for _, info := range s.blobs {
			if !yield(info, nil) {
				return
			}
		}
		if s.listErr != nil {
			yield(blob.Info{}, s.listErr)
		}
	}
}

func (s *shelf) Collect(ctx context.Context, id blob.ID, olderThan time.Time) (bool, error) {
	if err := errors.Join(ctx.Err(), s.before(id)); err != nil {
		return false, err
	}
	for _, info := range s.blobs {
		if info.ID == id && info.ModTime.Before(olderThan) {
			s.gone = append(s.gone, id)
			return true, nil
		}
	}
	return false, nil
}

func (s *shelf) CollectStaged(_ context.Context, _ time.Time, dryRun bool) (int, int64, error) {
	if !dryRun {
		s.cleaned++
	}
	return 2, 7, nil
}

func texts(all ...string) iter.Seq2[io.Reader, error] {
	return func(yield func(io.Reader, error) bool) {
		for _, s := range all {
			if !yield(strings.NewReader(s), nil) {
				return
			}
		}
	}
}

// collect returns the numbers of the blobs that deleted was called with.
func collect(t *testing.T, g blob.Garbage, st blob.Store) ([]int, blob.Collected, error) {
	t.Helper()
	g.OlderThan = limit
	var all []int
	c, err := g.Collect(t.Context(), st, func(info blob.Info) error {
		all = append(all, int(info.ID[15]))
		return nil
	})
	return all, c, err
}

func TestGarbage(t *testing.T) {
	const second = time.Second
	mention := fmt.Sprintf("x%sx\n%s", shelfID(1), strings.ToUpper(strings.ReplaceAll(shelfID(4).String(), "-", "")))
	for _, c := range []struct {
		name    string
		garbage blob.Garbage
		ages    []time.Duration
		want    []int
		count   blob.Collected
	}{
		{"oldest first, equally old by id", blob.Garbage{Histories: texts("")}, []time.Duration{second, 3 * second, 2 * second, 3 * second}, []int{1, 3, 2, 0},
			blob.Collected{Deleted: 4, Bytes: 40}},
		{"what is referenced or young stays", blob.Garbage{Histories: texts("a", mention)}, []time.Duration{second, second, 0, -second, 0, second}, []int{0, 5},
			blob.Collected{Deleted: 2, Bytes: 20, Referenced: 2, Young: 2}},
		{"until the rest fits", blob.Garbage{Histories: texts(mention), KeepBytes: 30}, []time.Duration{2 * second, second, 3 * second, 0, second, second}, []int{2, 0, 5},
			blob.Collected{Deleted: 3, Bytes: 30, Referenced: 2, Young: 1}},
		{"a byte less", blob.Garbage{Histories: texts(""), KeepBytes: 29}, []time.Duration{second, second, second}, []int{0},
			blob.Collected{Deleted: 1, Bytes: 10, KeepBytes: 2}},
		{"all fits", blob.Garbage{Histories: texts(""), KeepBytes: 30}, []time.Duration{second, second, second}, nil,
			blob.Collected{KeepBytes: 3}},
		{"what is kept does not fit", blob.Garbage{Histories: texts(mention), KeepBytes: 1}, []time.Duration{second, second}, []int{0},
			blob.Collected{Deleted: 1, Bytes: 10, Referenced: 1}},
		{"no history, as is wanted", blob.Garbage{Histories: texts(), NoHistoryOK: true}, []time.Duration{second}, []int{0},
			blob.Collected{Deleted: 1, Bytes: 10}},
		{"nothing", blob.Garbage{Histories: texts("")}, nil, nil, blob.Collected{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.count.Staged, c.count.StagedBytes = 2, 7
			for _, dryRun := range []bool{true, false} {
				c.garbage.DryRun = dryRun
				st := newShelf(c.ages...)
				got, count, err := collect(t, c.garbage, st)
				if err != nil || !slices.Equal(got, c.want) || count != c.count {
					t.Errorf("dry run %v: got %v, %+v, %v, want %v, %+v", dryRun, got, count, err, c.want, c.count)
				}
				if dryRun && len(st.gone)+st.cleaned > 0 || !dryRun && (len(st.gone) != len(c.want) || st.cleaned != 1) {
					t.Errorf("dry run %v: deleted %v, cleaned %d times", dryRun, st.gone, st.cleaned)
				}
			}
		})
	}
}

// Whatever goes wrong before all histories are read, nothing is deleted.
func TestGarbageIsKeptWhereAHistoryCannotBeRead(t *testing.T) {
	fault := errors.New("fault")
	for name, c := range map[string]struct {
		garbage blob.Garbage
		listErr error
		want    error
	}{
		"no history": {blob.Garbage{Histories: texts()}, nil, blob.ErrNoHistory},
		"the second cannot be opened": {blob.Garbage{Histories: func(yield func(io.Reader, error) bool) {
			_ = yield(strings.NewReader("x"), nil) && yield(nil, fault)
		}}, nil, fault},
		"the second cannot be read": {blob.Garbage{Histories: func(yield func(io.Reader, error) bool) {
			_ = yield(strings.NewReader("x"), nil) && yield(io.MultiReader(strings.NewReader("x"), failing{fault}), nil)
		}}, nil, fault},
		"the store cannot be listed": {blob.Garbage{Histories: texts("x")}, fault, fault},
	} {
		t.Run(name, func(t *testing.T) {
			st := newShelf(time.Second)
			st.listErr = c.listErr
			if got, count, err := collect(t, c.garbage, st); !errors.Is(err, c.want) || len(got)+len(st.gone)+st.cleaned > 0 || count != (blob.Collected{}) {
				t.Errorf("got %v, %+v, %v, want %v", got, count, err, c.want)
			}
		})
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// What became of a blob since it was listed decides.
func TestGarbageThatChangesMeanwhile(t *testing.T) {
	fault := errors.New("fault")
	st := newShelf(5*time.Second, 4*time.Second, 3*time.Second, 2*time.Second, time.Second)
	st.before = func(id blob.ID) error {
		switch id {
		case shelfID(0):
			st.blobs[0].ModTime = limit // stored again
		case shelfID(1):
			return fmt.Errorf("blob: %w", blob.ErrNotFound)
		case shelfID(3):
			return fault
		}
		return nil
	}
	got, count, err := collect(t, blob.Garbage{Histories: texts("")}, st)
	if want := (blob.Collected{Deleted: 1, Bytes: 10, Young: 1}); !errors.Is(err, fault) || !slices.Equal(got, []int{2}) || count != want || st.cleaned != 0 {
		t.Errorf("got %v, %+v, %v, want %+v and the fault", got, count, err, want)
	}
	// What another deleted makes room too.
	st = newShelf(3*time.Second, 2*time.Second, time.Second)
	st.before = func(blob.ID) error { return blob.ErrNotFound }
	if got, count, err := collect(t, blob.Garbage{Histories: texts(""), KeepBytes: 20}, st); err != nil || len(got) > 0 || count.KeepBytes != 2 {
		t.Errorf("got %v, %+v, %v, want two kept", got, count, err)
	}
}

func TestGarbageEndsBetweenDeletions(t *testing.T) {
	for _, dryRun := range []bool{true, false} {
		ctx, cancel := context.WithCancel(t.Context())
		st := newShelf(2*time.Second, time.Second)
		count, err := blob.Garbage{Histories: texts(""), OlderThan: limit, DryRun: dryRun}.Collect(ctx, st, func(blob.Info) error {
			cancel()
			return nil
		})
		if !errors.Is(err, context.Canceled) || count.Deleted != 1 || st.cleaned != 0 {
			t.Errorf("dry run %v: got %+v, %v, want one and context.Canceled", dryRun, count, err)
		}
		if _, err := (blob.Garbage{Histories: texts(""), OlderThan: limit}).Collect(ctx, newShelf(), nil); !errors.Is(err, context.Canceled) {
			t.Errorf("reading: got %v, want context.Canceled", err)
		}
	}
	fault := errors.New("fault")
	st := newShelf(2*time.Second, time.Second)
	if _, err := (blob.Garbage{Histories: texts(""), OlderThan: limit}).Collect(t.Context(), st, func(blob.Info) error { return fault }); err != fault || len(st.gone) != 1 {
		t.Errorf("got %v after %v, want the fault after one", err, st.gone)
	}
}

func TestGarbageOfAStoreThatIsNoCollector(t *testing.T) {
	st := struct{ blob.Store }{storetest.NewMemory()}
	if _, err := (blob.Garbage{Histories: texts("")}).Collect(t.Context(), st, nil); err == nil {
		t.Error("got no error")
	}
}

// All that are mentioned are found among many blobs.
func TestGarbageOfManyBlobs(t *testing.T) {
	st := newShelf()
	var history strings.Builder
	want := 0
	for i := range 5_000 {
		id := blob.ContentID(blob.Text, []byte{byte(i), byte(i >> 8)})
		st.blobs = append(st.blobs, blob.NewInfo(id, blob.Text, 1, limit.Add(-time.Second)))
		if i%3 == 0 {
			fmt.Fprintln(&history, id)
			want++
		}
	}
	if _, count, err := collect(t, blob.Garbage{Histories: texts(history.String())}, st); err != nil || count.Referenced != want || count.Deleted != len(st.blobs)-want {
		t.Errorf("got %+v, %v, want %d referenced", count, err, want)
	}
}

// BenchmarkGarbage reads histories: records as agents write them, and what costs most.
func BenchmarkGarbage(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	digits := make([]byte, 8<<20)
	for i := range digits {
		digits[i] = "0123456789abcdef"[rng.IntN(16)]
	}
	record := `{"type":"user","uuid":"0193b2c4-00aa-7abc-8def-00000000beef","message":{"role":"user","content":[{"tool_use_id":"toolu_01AbC",` +
		`"type":"tool_result","content":"the quick brown fox jumps over the lazy dog -- and so on\n\tfor a while, 0x0193b2c4"}]}}` + "\n"
	st := newShelf()
	for i := range 10_000 {
		st.blobs = append(st.blobs, blob.NewInfo(blob.ContentID(blob.Text, []byte{byte(i), byte(i >> 8)}), blob.Text, 1, limit))
	}
	for name, text := range map[string][]byte{
		"records": bytes.Repeat([]byte(record), 64<<20/len(record)),
		"digits":  digits,
		"hyphens": bytes.Repeat([]byte("-"), 8<<20),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				histories := func(yield func(io.Reader, error) bool) { yield(bytes.NewReader(text), nil) }
				if _, err := (blob.Garbage{Histories: histories, OlderThan: limit}).Collect(b.Context(), st, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
