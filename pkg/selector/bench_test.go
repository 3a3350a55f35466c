package selector

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
)

// BenchmarkSelect parses, chooses and writes, each near the end of a few megabytes.
func BenchmarkSelect(b *testing.B) {
	const lines, entries = 50_000, 40_000
	var log, members strings.Builder
	for n := range lines {
		fmt.Fprintf(&log, "2026-01-02 03:04:05 INFO request %06d of usual length, with some words\n", n)
	}
	for n := range entries {
		fmt.Fprintf(&members, `,"k%06d": {"id": %d, "name": "item", "tags": ["a", "b"], "ok": true}`, n, n)
	}
	record := `,{"id": 123, "name": "a name of some length", "tags": ["x", "y"], "ok": true, "score": 0.25}`
	text := Source{Data: []byte(log.String())}
	array := Source{Data: []byte("[" + strings.Repeat(record, entries)[1:] + "]"), Kind: ValidJSON}
	object := Source{Data: []byte("{" + members.String()[1:] + "}"), Kind: ValidJSON}
	jsonLines := Source{Data: bytes.Repeat([]byte(record[1:]+"\n"), entries)}
	for _, c := range []struct {
		src   Source
		exprs []string
	}{
		{text, []string{"lines:49990-50000"}},
		{text, []string{"grep:request 049990"}},
		{text, []string{"grep:request 04999[0-9] of"}},
		{text, []string{"grep:(?i)REQUEST 049990"}},
		{text, []string{"grep:[0-9]{6} of usual"}},
		{array, []string{"slice:39990..39995"}},
		{array, []string{"slice:-5.."}},
		{array, []string{"tail:1"}},
		{array, []string{"keys"}},
		{array, []string{"path:39990.name"}},
		{object, []string{"key:k039990"}},
		{object, []string{"path:k039990"}},
		{jsonLines, []string{"json", "tail:1"}},
		{jsonLines, []string{"lines:39990", "json", "key:name"}},
	} {
		b.Run(strings.Join(c.exprs, " "), func(b *testing.B) {
			b.SetBytes(int64(len(c.src.Data)))
			measure(b, c.src, c.exprs...)
		})
	}
	b.Run("keys of an object", func(b *testing.B) {
		b.SetBytes(int64(len(object.Data)))
		measure(b, object, "keys")
	})
	for _, expr := range []string{"head:5", "tail:5", "bytes:3000000.."} { // whatever the size
		b.Run(expr, func(b *testing.B) { measure(b, text, expr) })
	}
}

func measure(b *testing.B, src Source, exprs ...string) {
	b.ReportAllocs()
	for b.Loop() {
		sels, err := ParseAll(exprs)
		if err != nil {
			b.Fatal(err)
		}
		sel, err := Select(src, Options{}, sels...)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := sel.WriteTo(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}
