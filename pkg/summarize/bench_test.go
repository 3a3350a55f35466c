package summarize

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// contents are what is summarized, of about a megabyte each.
func contents() map[string][]byte {
	var members strings.Builder
	for n := range 15_000 {
		fmt.Fprintf(&members, `,"k%06d": {"id": %d, "name": "item", "tags": ["a", "b"], "ok": true}`, n, n)
	}
	record := `,{"id": 123, "name": "a name of some length", "tags": ["x", "y"], "ok": true, "score": 0.25}`
	return map[string][]byte{
		"log":      bytes.Repeat([]byte("2026-01-02 03:04:05 INFO a line of a log of usual length, with some words\n"), 14_000),
		"one line": bytes.Repeat([]byte("no end "), 150_000),
		"progress": bytes.Repeat([]byte("\r\x1b[32m 17%\x1b[0m of it"), 50_000),
		"array":    []byte("[" + strings.Repeat(record, 11_000)[1:] + "]"),
		"object":   []byte("{" + members.String()[1:] + "}"),
	}
}

func BenchmarkScan(b *testing.B) {
	for name, data := range contents() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if _, err := ScanReader(data, bytes.NewReader(data), Auto, DefaultLimits()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSummary(b *testing.B) {
	for name, data := range contents() {
		b.Run(name, func(b *testing.B) {
			f, err := Scan(data, Auto, DefaultLimits())
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if f.Summary(testID) == "" {
					b.Fatal("no summary")
				}
			}
		})
	}
}
