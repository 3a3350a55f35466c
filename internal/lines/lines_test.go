package lines

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

func FuzzCount(f *testing.F) {
	f.Add([]byte(""), 0)
	f.Add([]byte("a\nb"), 1)
	f.Add([]byte(strings.Repeat("line\n", 60_000)+"end"), 59_999)
	f.Add([]byte(strings.Repeat("\n", 300_000)), 7)
	f.Fuzz(func(t *testing.T, data []byte, n int) {
		all := bytes.SplitAfter(data, []byte{'\n'})
		want := len(all)
		if len(all[want-1]) == 0 {
			want--
		}
		if got := Count(data); got != want {
			t.Fatalf("count %d, want %d", got, want)
		}
		if got, err := CountReader(bytes.NewReader(data), int64(len(data))); got != want || err != nil {
			t.Fatalf("read: count %d, %v, want %d", got, err, want)
		}
		if n < 0 {
			return
		}
		skip := min(n, want)
		if off, skipped := Skip(data, n); off != len(bytes.Join(all[:skip], nil)) || skipped != skip {
			t.Fatalf("skip %d: %d bytes, %d lines", n, off, skipped)
		}
	})
}

func TestCountReaderOfAFileThatShrank(t *testing.T) {
	if _, err := CountReader(strings.NewReader("a\nb"), 10); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v, want io.ErrUnexpectedEOF", err)
	}
}
