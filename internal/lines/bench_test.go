package lines

import (
	"bytes"
	"testing"
)

func logOf(n int) []byte {
	return bytes.Repeat([]byte("2026-01-02 03:04:05 INFO a line of a log of usual length, with some words\n"), n)
}

func BenchmarkCount(b *testing.B) {
	data := logOf(200_000)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		Count(data)
	}
}

func BenchmarkCountReader(b *testing.B) {
	data := logOf(200_000)
	b.ReportAllocs()
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := CountReader(bytes.NewReader(data), int64(len(data))); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSkip(b *testing.B) {
	for name, data := range map[string][]byte{"log": logOf(200_000), "empty lines": bytes.Repeat([]byte{'\n'}, 1<<20)} {
		b.Run(name, func(b *testing.B) {
			n := Count(data) - 1
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				Skip(data, n)
			}
		})
	}
}
