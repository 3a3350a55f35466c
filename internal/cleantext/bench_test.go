package cleantext

import (
	"bytes"
	"io"
	"testing"
)

func BenchmarkAppendLine(b *testing.B) {
	for name, line := range map[string][]byte{
		"plain":    bytes.Repeat([]byte("plain words "), 1000),
		"colours":  bytes.Repeat([]byte("\x1b[1;31mred\x1b[0m "), 1000),
		"progress": bytes.Repeat([]byte("\r 17% of it"), 1000),
		"Chinese":  bytes.Repeat([]byte("一行文字 "), 1000),
	} {
		b.Run(name, func(b *testing.B) {
			var dst []byte
			b.ReportAllocs()
			b.SetBytes(int64(len(line)))
			for b.Loop() {
				dst = AppendLine(dst[:0], line, len(line))
			}
		})
	}
}

func BenchmarkVisibleWriter(b *testing.B) {
	data := bytes.Repeat([]byte("a line \x1b[31mof a log\x1b[0m of usual length\n"), 10_000)
	b.ReportAllocs()
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		w := NewVisibleWriter(io.Discard)
		if _, err := w.Write(data); err != nil {
			b.Fatal(err)
		}
	}
}
