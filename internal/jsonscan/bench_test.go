package jsonscan

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// shapes are documents of about a megabyte each, of what a scan can be fast or slow at.
func shapes() map[string][]byte {
	list := func(element string) []byte {
		return []byte("[" + strings.Repeat(element+",", 1_000_000/(len(element)+1)) + element + "]")
	}
	var members strings.Builder
	for n := range 20_000 {
		fmt.Fprintf(&members, `,"k%06d": {"id": %d, "ok": true, "score": %d.25}`, n, n, n)
	}
	return map[string][]byte{
		"records":      list(`{"id": 123, "name": "a name of some length", "tags": ["x", "y"], "ok": true, "score": 0.25}`),
		"object":       []byte("{" + members.String()[1:] + "}"),
		"numbers":      list("-12.5e3"),
		"empty":        list("{}"),
		"long strings": list(`"` + strings.Repeat("text of a file, ", 500) + `"`),
		"escapes":      list(`"` + strings.Repeat(`\tx := \"y\"\n`, 500) + `"`),
		"Chinese":      list(`"` + strings.Repeat("一行文字", 500) + `"`),
		"deep":         []byte(strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000)),
	}
}

func BenchmarkScanShapes(b *testing.B) {
	for name, doc := range shapes() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(doc)))
			for b.Loop() {
				if _, err := Scan(doc, 2); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkTapeShapes(b *testing.B) {
	for name, doc := range shapes() {
		b.Run(name, func(b *testing.B) {
			var tape Tape
			b.ReportAllocs()
			b.SetBytes(int64(len(doc)))
			for b.Loop() {
				if _, _, ok := tape.Parse(doc, 0); !ok {
					b.Fatal("no JSON")
				}
			}
		})
	}
}

// Walks of what is known to be valid.
func BenchmarkChildren(b *testing.B) {
	for _, name := range []string{"records", "object", "numbers", "long strings"} {
		doc := shapes()[name]
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(doc)))
			for b.Loop() {
				for range Children(doc) {
				}
			}
		})
	}
}

func BenchmarkValues(b *testing.B) {
	lines := bytes.Repeat([]byte(`{"id": 123, "name": "a name of some length", "tags": ["x", "y"], "ok": true}`+"\n"), 10_000)
	b.ReportAllocs()
	b.SetBytes(int64(len(lines)))
	for b.Loop() {
		for range Values(lines) {
		}
	}
}

func BenchmarkUnescape(b *testing.B) {
	for name, inner := range map[string][]byte{
		"plain":   bytes.Repeat([]byte("text of a file, "), 1000),
		"escapes": bytes.Repeat([]byte(`\tx := \"y\"\n`), 1000),
		"Chinese": bytes.Repeat([]byte(`\u4e00\u884c`), 1000),
	} {
		b.Run("whole "+name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(inner)))
			for b.Loop() {
				Unescape(inner)
			}
		})
		b.Run("length "+name, func(b *testing.B) {
			b.SetBytes(int64(len(inner)))
			for b.Loop() {
				UnescapedLen(inner)
			}
		})
	}
}

func BenchmarkLastWins(b *testing.B) {
	doc := shapes()["object"]
	b.ReportAllocs()
	b.SetBytes(int64(len(doc)))
	for b.Loop() {
		LastWins(doc)
	}
}
