package lines

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

func TestCountingAhead(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		data := make([]byte, rng.IntN(2*countBuffer))
		for i := range data {
			data[i] = "a\n"[rng.IntN(2)]
		}
		f, err := os.Create(filepath.Join(t.TempDir(), "file"))
		if err != nil {
			t.Fatal(err)
		}
		a := NewAhead(f)
		for at := 0; at < len(data); {
			n := min(1+rng.IntN(1+len(data)/4), len(data)-at)
			if _, err := f.Write(data[at : at+n]); err != nil {
				t.Fatal(err)
			}
			at += n
			if rng.IntN(3) > 0 {
				a.Written(int64(at))
			}
		}
		if got, err := a.Lines(int64(len(data))); got != Count(data) || err != nil {
			t.Errorf("seed %d: %d lines, %v, want %d", seed, got, err, Count(data))
		}
		a.Stop()
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// faulty fails from an offset on.
type faulty struct {
	io.ReaderAt
	from int64
	err  error
}

func (f faulty) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > f.from {
		n, _ := f.ReaderAt.ReadAt(p[:max(0, f.from-off)], off)
		return n, f.err
	}
	return f.ReaderAt.ReadAt(p, off)
}

func TestCountingAheadTellsFaults(t *testing.T) {
	data := bytes.Repeat([]byte("\n"), 3*countBuffer)
	fault := errors.New("fault")
	for _, c := range []struct{ told, want error }{{fault, fault}, {io.EOF, io.ErrUnexpectedEOF}} {
		for _, from := range []int64{0, 7, countBuffer, 2*countBuffer + 1} {
			a := NewAhead(faulty{bytes.NewReader(data), from, c.told})
			a.Written(countBuffer)
			if _, err := a.Lines(int64(len(data))); !errors.Is(err, c.want) {
				t.Errorf("%v from %d on: got %v", c.told, from, err)
			}
		}
	}
}

func TestCountingAheadStops(t *testing.T) {
	a := NewAhead(bytes.NewReader(nil))
	a.Stop()
	a.Stop()
}
