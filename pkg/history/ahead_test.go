package history

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/llmblob/llmblob/internal/content"
)

// told is what is told of a record.
type told struct {
	span      Span
	malformed *MalformedError
}

// someRecords are lines of all kinds, among them such as are broken.
func someRecords(r *rand.Rand, size int, broken bool) []byte {
	var b bytes.Buffer
	for b.Len() < size {
		switch n := r.IntN(40); {
		case n == 0:
			fmt.Fprintf(&b, "{\"a\":%q}\n", strings.Repeat("漢\n", r.IntN(200<<10)))
		case n == 1:
			b.WriteString(strings.Repeat("{}\n", r.IntN(10_000)))
		case n == 2:
			b.WriteString("\n \n")
		case n == 3 && broken:
			b.WriteString([]string{"{\"a\":[1\n", "x\n", "{\"a\":\"\xff\"}\n", "{\"a\":\"\n"}[r.IntN(4)])
		case n < 10:
			fmt.Fprintf(&b, "{\"n\":[%s1]}", strings.Repeat("1,\n", r.IntN(100)))
		default:
			fmt.Fprintf(&b, "{\"i\":%d,\"text\":%q}\n", b.Len(), strings.Repeat("y", r.IntN(300)))
		}
	}
	return b.Bytes()
}

func TestParsingAheadIsParsingInOrder(t *testing.T) {
	if runtime.GOMAXPROCS(0) == 1 {
		t.Skip("nothing is parsed ahead with one processor")
	}
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 1))
		data := someRecords(rng, leastAhead+rng.IntN(2<<20), seed%3 > 0)
		records := Span{0, len(data)}
		if seed%3 == 0 { // the elements of an array
			data = append(append([]byte("["), bytes.ReplaceAll(data, []byte("}\n"), []byte("},\n"))...), ']')
			records = Span{1, len(data) - 1}
		}
		for _, lenient := range []bool{true, false} {
			var want, got []told
			for v, malformed := range (&reader{data: data, records: records}).values() {
				start, end := v.Span()
				want = append(want, told{Span{start, end}, malformed})
				if malformed != nil && !lenient {
					break
				}
			}
			for v, malformed := range (&reader{data: data, records: records}).all(lenient) {
				start, end := v.Span()
				got = append(got, told{Span{start, end}, malformed})
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("seed %d, lenient %v: %d records ahead, %d in order", seed, lenient, len(got), len(want))
			}
		}
	}
}

// Once the iteration has ended nobody looks at the bytes any more: the race detector tells.
func TestParsingAheadEnds(t *testing.T) {
	data := someRecords(rand.New(rand.NewPCG(1, 1)), 4*leastAhead, false)
	for range (&reader{data: data, records: Span{0, len(data)}}).all(false) {
		break
	}
	clear(data)
}

// Bytes that are gone are told to who parses, though it is another goroutine that meets it.
func TestParsingAheadOfAFileThatShrank(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a mapped file cannot become shorter on this system")
	}
	name := filepath.Join(t.TempDir(), "history.jsonl")
	if err := os.WriteFile(name, bytes.Repeat([]byte(userLine+"\n"), 4*leastAhead/len(userLine)), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c, err := content.Map(f)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, left := range []int64{3 * leastAhead, 0} {
		if err := os.Truncate(name, left); err != nil {
			t.Fatal(err)
		}
		err := content.Guard(func() error {
			_, err := Parse(c.Bytes(), Options{})
			return err
		})
		if !errors.Is(err, content.ErrShrunk) {
			t.Errorf("%d bytes are left: got %v", left, err)
		}
	}
}
