package blob_test

import (
	"bytes"
	"testing"

	"github.com/llmblob/llmblob/pkg/blob"
)

func BenchmarkParseID(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := blob.ParseID("0193b2c4-00aa-7abc-8def-00000000beef"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkContentID(b *testing.B) {
	data := bytes.Repeat([]byte("a line of a log of usual length\n"), 1<<15)
	b.ReportAllocs()
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		blob.ContentID(blob.Text, data)
	}
}

// BenchmarkResolve finds a blob by a part of its id among a hundred thousand.
func BenchmarkResolve(b *testing.B) {
	st := newShelf()
	for i := range 100_000 {
		st.blobs = append(st.blobs, blob.NewInfo(blob.ContentID(blob.Text, []byte{byte(i), byte(i >> 8), byte(i >> 16)}), blob.Text, 1, limit))
	}
	id := st.blobs[50_000].ID.String()
	for name, part := range map[string]string{"full": id, "prefix": id[:13], "suffix": id[24:]} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := blob.Resolve(b.Context(), st, part); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkReferences(b *testing.B) {
	text := bytes.Repeat([]byte(`{"role":"tool","content":"[blob:0193b2c4-00aa-7abc-8def-00000000beef] text | 100 lines, and what was shown of it"}`+"\n"), 10_000)
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		for range blob.References(text) {
		}
	}
}
