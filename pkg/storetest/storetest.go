// Package storetest states what a blob.Store promises, as a suite that any Store runs in a few lines, and has an
// in-memory Store as the reference.
package storetest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/llmblob/llmblob/pkg/blob"
)

// Run holds the stores that open makes, each empty, to the promises of blob.Store, and of blob.Collector where they are one.
func Run(t *testing.T, open func(t *testing.T) blob.Store) {
	for _, c := range []struct {
		name string
		test func(t *testing.T, st blob.Store)
	}{
		{"what is committed comes back", roundTrip},
		{"what is not committed is not there", invisibleBeforeCommit},
		{"what is written can be read while more is", readWhileWritten},
		{"equal content under one id is success", sameAgain},
		{"other content under one id is refused", otherContent},
		{"a failed commit still gives the bytes", bytesAfterFailure},
		{"what is not there is not found", notFound},
		{"a deleted blob is gone", deleted},
		{"of many deletions one succeeds", oneDeletes},
		{"the list is whole and in order", listed},
		{"of many writers to one id one wins", oneWinner},
		{"many writers of equal content all succeed", equalWriters},
		{"a cancelled context is an error", cancelled},
		{"what is old is collected", collected},
		{"what is stored again is not collected", storedAgain},
		{"a stage that goes on is not collected", stageNotCollected},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, open(t)) })
	}
}

// Put stores data, in two writes, under id.
func Put(t *testing.T, st blob.Store, typ blob.Type, id blob.ID, data []byte) (blob.Info, error) {
	t.Helper()
	s, err := st.Stage(t.Context())
	if err != nil {
		t.Fatalf("stage: %v", err)
	}
	defer func() {
		if err := s.Abort(); err != nil {
			t.Errorf("abort: %v", err)
		}
	}()
	for _, part := range [][]byte{data[:len(data)/2], data[len(data)/2:]} {
		if n, err := s.Write(part); n != len(part) || err != nil {
			t.Fatalf("write: %d of %d, %v", n, len(part), err)
		}
	}
	return s.Commit(typ, id)
}

func mustPut(t *testing.T, st blob.Store, typ blob.Type, id blob.ID, data []byte) blob.Info {
	t.Helper()
	info, err := Put(t, st, typ, id, data)
	if err != nil {
		t.Fatalf("commit: %v", err)
	}
	return info
}

// NewID returns a new id.
func NewID(t *testing.T) blob.ID {
	t.Helper()
	id, err := blob.NewID()
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// Content returns n bytes among which are all values.
func Content(n int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(i * 7)
	}
	return data
}

func roundTrip(t *testing.T, st blob.Store) {
	start := time.Now().Add(-2 * time.Second)
	for _, n := range []int{0, 1, 4095, 4096, 1 << 20} {
		for _, typ := range []blob.Type{blob.Text, blob.JSON} {
			data, id := Content(n), NewID(t)
			want := mustPut(t, st, typ, id, data)
			if want.ID != id || want.Type != typ || want.Bytes != int64(n) || want.Created.Before(start) || want.ModTime.Before(start) {
				t.Errorf("commit of %d bytes: %+v", n, want)
			}
			if info, err := st.Stat(t.Context(), id); err != nil || !equal(info, want) {
				t.Errorf("stat of %d bytes: %+v, %v, want %+v", n, info, err, want)
			}
			checkContent(t, st, id, data)
		}
	}
}

func equal(a, b blob.Info) bool {
	return a.ID == b.ID && a.Type == b.Type && a.Bytes == b.Bytes && a.Created.Equal(b.Created)
}

func checkContent(t *testing.T, st blob.Store, id blob.ID, want []byte) {
	t.Helper()
	b, err := st.Open(t.Context(), id)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	defer b.Close()
	if got, err := blob.Bytes(b); err != nil || !bytes.Equal(got, want) {
		t.Errorf("got %d bytes, %v, want %d", len(got), err, len(want))
	}
	if got, err := io.ReadAll(io.NewSectionReader(b, 0, b.Info().Bytes)); err != nil || !bytes.Equal(got, want) {
		t.Errorf("read %d bytes, %v, want %d", len(got), err, len(want))
	}
	if n, err := b.ReadAt(make([]byte, 1), int64(len(want))); n != 0 || err != io.EOF {
		t.Errorf("read at the end: %d, %v, want io.EOF", n, err)
	}
}

func invisibleBeforeCommit(t *testing.T, st blob.Store) {
	s, err := st.Stage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write(Content(10_000)); err != nil {
		t.Fatal(err)
	}
	if ids := list(t, st); len(ids) != 0 {
		t.Errorf("a stage is listed: %v", ids)
	}
	if got, err := io.ReadAll(io.NewSectionReader(s, 0, 20_000)); err != nil || !bytes.Equal(got, Content(10_000)) {
		t.Errorf("read %d bytes of the stage, %v", len(got), err)
	}
	for range 2 {
		if err := s.Abort(); err != nil {
			t.Errorf("abort: %v", err)
		}
	}
	if ids := list(t, st); len(ids) != 0 {
		t.Errorf("an aborted stage is listed: %v", ids)
	}
	if _, err := s.Commit(blob.Text, NewID(t)); err == nil {
		t.Error("an aborted stage was committed")
	}
}

// readWhileWritten reads behind the writer, which the race detector watches.
func readWhileWritten(t *testing.T, st blob.Store) {
	s, err := st.Stage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Abort()
	part := bytes.Repeat([]byte("a line\n"), 1000)
	const parts = 50
	written := make(chan int, parts)
	go func() {
		defer close(written)
		for n := range parts {
			if _, err := s.Write(part); err != nil {
				t.Error(err)
				return
			}
			written <- n
		}
	}()
	got := make([]byte, len(part))
	for n := range written {
		if m, err := s.ReadAt(got, int64(n*len(part))); m != len(got) || err != nil && err != io.EOF || !bytes.Equal(got, part) {
			t.Fatalf("part %d: %d bytes, %v", n, m, err)
		}
	}
}

func sameAgain(t *testing.T, st blob.Store) {
	data := Content(5000)
	id := blob.ContentID(blob.Text, data)
	first := mustPut(t, st, blob.Text, id, data)
	second := mustPut(t, st, blob.Text, id, data)
	if second.ModTime.Before(first.ModTime) {
		t.Errorf("stored again at %v, before %v", second.ModTime, first.ModTime)
	}
	if ids := list(t, st); len(ids) != 1 {
		t.Errorf("stored twice: %v", ids)
	}
}

func otherContent(t *testing.T, st blob.Store) {
	id := NewID(t)
	data := Content(5000)
	mustPut(t, st, blob.Text, id, data)
	for name, other := range map[string][]byte{"shorter": data[1:], "longer": append(Content(5000), 1), "changed": append([]byte{9}, data[1:]...)} {
		if _, err := Put(t, st, blob.Text, id, other); !errors.Is(err, blob.ErrExists) {
			t.Errorf("%s: got %v, want ErrExists", name, err)
		}
	}
	if _, err := Put(t, st, blob.JSON, id, data); !errors.Is(err, blob.ErrExists) {
		t.Errorf("other type: got %v, want ErrExists", err)
	}
	checkContent(t, st, id, data)
}

func bytesAfterFailure(t *testing.T, st blob.Store) {
	id := NewID(t)
	mustPut(t, st, blob.Text, id, Content(10))
	s, err := st.Stage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Abort()
	want := Content(100_000)
	if _, err := s.Write(want); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Commit(blob.Text, id); !errors.Is(err, blob.ErrExists) {
		t.Fatalf("got %v, want ErrExists", err)
	}
	if got, err := s.Bytes(); err != nil || !bytes.Equal(got, want) {
		t.Errorf("got %d bytes, %v, want %d", len(got), err, len(want))
	}
}

func notFound(t *testing.T, st blob.Store) {
	for range 2 { // in a store never used, and in one in use
		id := NewID(t)
		if _, err := st.Open(t.Context(), id); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("open: got %v, want ErrNotFound", err)
		}
		if _, err := st.Stat(t.Context(), id); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("stat: got %v, want ErrNotFound", err)
		}
		if err := st.Delete(t.Context(), id); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("delete: got %v, want ErrNotFound", err)
		}
		mustPut(t, st, blob.Text, NewID(t), nil)
	}
}

func deleted(t *testing.T, st blob.Store) {
	id, other := NewID(t), NewID(t)
	mustPut(t, st, blob.JSON, id, []byte("[]"))
	mustPut(t, st, blob.Text, other, []byte("x"))
	if err := st.Delete(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if _, err := st.Stat(t.Context(), id); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("stat: got %v, want ErrNotFound", err)
	}
	if ids := list(t, st); len(ids) != 1 || ids[0] != other {
		t.Errorf("list: got %v, want %v alone", ids, other)
	}
}

func oneDeletes(t *testing.T, st blob.Store) {
	id := NewID(t)
	mustPut(t, st, blob.Text, id, []byte("x"))
	var wg sync.WaitGroup
	var won atomic.Int32
	for range 8 {
		wg.Go(func() {
			switch err := st.Delete(t.Context(), id); {
			case err == nil:
				won.Add(1)
			case !errors.Is(err, blob.ErrNotFound):
				t.Errorf("delete: %v", err)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 {
		t.Errorf("%d deletions of one blob succeeded", won.Load())
	}
}

func list(t *testing.T, st blob.Store) []blob.ID {
	t.Helper()
	var ids []blob.ID
	for info, err := range st.List(t.Context()) {
		if err != nil {
			t.Fatalf("list: %v", err)
		}
		if want, err := st.Stat(t.Context(), info.ID); err != nil || !equal(info, want) {
			t.Errorf("listed %+v, stat %+v, %v", info, want, err)
		}
		ids = append(ids, info.ID)
	}
	return ids
}

func listed(t *testing.T, st blob.Store) {
	want := make(map[blob.ID]bool)
	for i := range 20 {
		id := NewID(t)
		if i == 0 {
			id = blob.ID{} // an id as any other
		} else if i%2 == 0 {
			id = blob.ContentID(blob.Text, []byte{byte(i)})
		}
		want[id] = true
		mustPut(t, st, blob.Text, id, []byte{byte(i)})
	}
	ids := list(t, st)
	for i, id := range ids {
		if !want[id] || i > 0 && id.String() <= ids[i-1].String() {
			t.Errorf("entry %d is %v", i, id)
		}
	}
	if len(ids) != len(want) {
		t.Errorf("got %d blobs, want %d", len(ids), len(want))
	}
	for range st.List(t.Context()) {
		break // an iteration may end early
	}
	if q, ok := st.(blob.QuickLister); ok {
		quickListed(t, st, q)
	}
}

// quickListed holds the quick list to the list.
func quickListed(t *testing.T, st blob.Store, q blob.QuickLister) {
	var all []blob.Info
	for info, err := range st.List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, info)
	}
	n := 0
	for info, err := range q.QuickList(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		want := all[n]
		if info.ID != want.ID || info.Type != want.Type || !info.Created.IsZero() && !info.Created.Equal(want.Created) || want.ID.Version() == 7 && info.Created.IsZero() {
			t.Errorf("entry %d is %+v, want %+v", n, info, want)
		}
		n++
	}
	if n != len(all) {
		t.Errorf("%d blobs in the quick list, %d in the list", n, len(all))
	}
}

// commitAll commits stages made by many goroutines at once and returns how many succeeded.
func commitAll(t *testing.T, st blob.Store, writers int, commit func(i int, s blob.Stage) error) int {
	var wg sync.WaitGroup
	var mu sync.Mutex
	won := 0
	for i := range writers {
		s, err := st.Stage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			defer s.Abort()
			switch err := commit(i, s); {
			case err == nil:
				mu.Lock()
				won++
				mu.Unlock()
			case !errors.Is(err, blob.ErrExists):
				t.Errorf("writer %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	return won
}

func oneWinner(t *testing.T, st blob.Store) {
	for range 20 {
		id := NewID(t)
		won := commitAll(t, st, 8, func(i int, s blob.Stage) error {
			if _, err := s.Write([]byte{'0' + byte(i)}); err != nil {
				return err
			}
			_, err := s.Commit([]blob.Type{blob.Text, blob.JSON}[i%2], id)
			return err
		})
		if won != 1 {
			t.Fatalf("%d writers of one id succeeded", won)
		}
	}
}

func equalWriters(t *testing.T, st blob.Store) {
	data := Content(10_000)
	id := blob.ContentID(blob.Text, data)
	won := commitAll(t, st, 8, func(_ int, s blob.Stage) error {
		if _, err := s.Write(data); err != nil {
			return err
		}
		_, err := s.Commit(blob.Text, id)
		return err
	})
	if won != 8 {
		t.Errorf("%d of 8 writers succeeded", won)
	}
	checkContent(t, st, id, data)
}

func cancelled(t *testing.T, st blob.Store) {
	id := NewID(t)
	mustPut(t, st, blob.Text, id, []byte("x"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	commitCtx, cancelCommit := context.WithCancel(t.Context())
	staged, err := st.Stage(commitCtx)
	if err != nil {
		t.Fatal(err)
	}
	defer staged.Abort()
	cancelCommit()
	_, commit := staged.Commit(blob.Text, NewID(t))
	_, stage := st.Stage(ctx)
	_, open := st.Open(ctx, id)
	_, stat := st.Stat(ctx, id)
	var listErr error
	for _, err := range st.List(ctx) {
		listErr = err
	}
	for call, err := range map[string]error{"stage": stage, "commit": commit, "open": open, "stat": stat, "list": listErr, "delete": st.Delete(ctx, id)} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want context.Canceled", call, err)
		}
	}
}

func collector(t *testing.T, st blob.Store) blob.Collector {
	t.Helper()
	c, ok := st.(blob.Collector)
	if !ok {
		t.Skip("this store is no blob.Collector")
	}
	return c
}

func collected(t *testing.T, st blob.Store) {
	c := collector(t, st)
	if _, err := c.Collect(t.Context(), NewID(t), time.Now()); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("in a store never used: got %v, want ErrNotFound", err)
	}
	id, other := NewID(t), NewID(t)
	mustPut(t, st, blob.JSON, id, []byte("[]"))
	mustPut(t, st, blob.Text, other, []byte("x"))
	info, err := st.Stat(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if gone, err := c.Collect(ctx, id, info.ModTime.Add(1)); gone || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v, %v, want context.Canceled", gone, err)
	}
	if gone, err := c.Collect(t.Context(), id, info.ModTime); gone || err != nil {
		t.Errorf("what was stored at that time: got %v, %v, want it to stay", gone, err)
	}
	if ids := list(t, st); len(ids) != 2 {
		t.Fatalf("list: got %v, want both", ids)
	}
	if gone, err := c.Collect(t.Context(), id, info.ModTime.Add(1)); !gone || err != nil {
		t.Errorf("what was stored before: got %v, %v, want it gone", gone, err)
	}
	if ids := list(t, st); len(ids) != 1 || ids[0] != other {
		t.Errorf("list: got %v, want %v alone", ids, other)
	}
	if _, err := c.Collect(t.Context(), id, info.ModTime.Add(1)); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("again: got %v, want ErrNotFound", err)
	}
}

// storedAgain collects a blob while others store it: whoever stored it after the time that is collected up to has it.
func storedAgain(t *testing.T, st blob.Store) {
	c := collector(t, st)
	data := Content(100)
	id := blob.ContentID(blob.Text, data)
	for range 20 {
		limit := mustPut(t, st, blob.Text, id, data).ModTime.Add(1)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if _, err := c.Collect(t.Context(), id, limit); err != nil && !errors.Is(err, blob.ErrNotFound) {
					t.Errorf("collect: %v", err)
				}
			})
		}
		var young atomic.Bool
		commitAll(t, st, 4, func(_ int, s blob.Stage) error {
			if _, err := s.Write(data); err != nil {
				return err
			}
			info, err := s.Commit(blob.Text, id)
			if err == nil && !info.ModTime.Before(limit) {
				young.Store(true)
			}
			return err
		})
		wg.Wait()
		if young.Load() {
			checkContent(t, st, id, data)
		}
	}
}

func stageNotCollected(t *testing.T, st blob.Store) {
	c := collector(t, st)
	s, err := st.Stage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Abort()
	if _, err := s.Write(Content(10_000)); err != nil {
		t.Fatal(err)
	}
	if n, bytes, err := c.CollectStaged(t.Context(), time.Now().Add(24*time.Hour), false); n != 0 || bytes != 0 || err != nil {
		t.Errorf("got %d, %d bytes, %v, want nothing", n, bytes, err)
	}
	id := NewID(t)
	if _, err := s.Commit(blob.Text, id); err != nil {
		t.Fatal(err)
	}
	checkContent(t, st, id, Content(10_000))
}
