package fsstore

import (
	"bytes"
	"testing"

	"github.com/llmblob/llmblob/pkg/blob"
)

// put stores data under a new id.
func put(b *testing.B, st *Store, data []byte) blob.ID {
	b.Helper()
	id, err := blob.NewID()
	if err != nil {
		b.Fatal(err)
	}
	s, err := st.Stage(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	if _, err := s.Write(data); err != nil {
		b.Fatal(err)
	}
	if _, err := s.Bytes(); err != nil {
		b.Fatal(err)
	}
	if _, err := s.Commit(blob.Text, id); err != nil {
		b.Fatal(err)
	}
	return id
}

func benchStore(b *testing.B, opts Options) *Store {
	b.Helper()
	st, err := New(b.TempDir(), opts)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := st.Close(); err != nil {
			b.Error(err)
		}
	})
	return st
}

// BenchmarkStore stores and deletes, so that the directory stays small.
func BenchmarkStore(b *testing.B) {
	for name, size := range map[string]int{"10 kB": 10_000, "10 MB": 10_000_000} {
		data := bytes.Repeat([]byte("0123456789"), size/10)
		for how, opts := range map[string]Options{"synced": {}, "not synced": {NoSync: true}} {
			b.Run(name+" "+how, func(b *testing.B) {
				st := benchStore(b, opts)
				b.ReportAllocs()
				b.SetBytes(int64(size))
				for b.Loop() {
					if err := st.Delete(b.Context(), put(b, st, data)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	st := benchStore(b, Options{NoSync: true})
	id := put(b, st, bytes.Repeat([]byte("0123456789"), 1000))
	b.ReportAllocs()
	for b.Loop() {
		f, err := st.Open(b.Context(), id)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := blob.Bytes(f); err != nil {
			b.Fatal(err)
		}
		if err := f.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkList reports the time of a whole list of a thousand blobs.
func BenchmarkList(b *testing.B) {
	st := benchStore(b, Options{NoSync: true})
	for range 1000 {
		put(b, st, []byte("x"))
	}
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for _, err := range st.List(b.Context()) {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != 1000 {
			b.Fatal(n)
		}
	}
}
