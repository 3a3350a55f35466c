package tokens

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestKnownCounts has the counts of OpenAI's cookbook ("How to count tokens with tiktoken") and of the tests of tiktoken; the
// others are what tiktoken and two more implementations agree on.
func TestKnownCounts(t *testing.T) {
	for _, c := range []struct {
		text                 string
		bytes, cl100k, o200k int
	}{
		{"", 0, 0, 0},
		{"tiktoken is great!", 4, 6, 6},           // README
		{"antidisestablishmentarianism", 7, 6, 6}, // cookbook
		{"2 + 2 = 4", 2, 7, 7},                    // cookbook
		{"お誕生日おめでとう", 6, 9, 8},                    // cookbook
		{"hello world", 2, 2, 2},                  // test_encoding.py, from here on
		{"0000000000000000", 4, 6, 6},
		{"'rer", 1, 2, 2},
		{"today\n ", 1, 3, 3},
		{"today\n \n", 2, 2, 2},
		{"today\n  \n", 2, 2, 2},
		{" \u00850", 1, 4, 4},
		{"👍", 1, 3, 1},
		{"<|endoftext|>", 3, 7, 7},
		{"hello <|endoftext|>", 4, 7, 8},
		{"I'm, you'RE, we'll; DON'T", 6, 11, 9},
		{"func main() {\n\tfmt.Println(\"x\")\n}\n", 8, 10, 10},
		{"XMLHttpRequest iPhone ABC'S", 6, 5, 7},
		{"e\u0301A\u0301BC \u0301\u0301ABC", 4, 9, 9},
		{`{"id":"0193b2c4-7a1e-7000-8000-5f3c9d2b1a00","at":"2026-02-03T04:05:06.789Z"}`, 19, 51, 51},
		{"한국어 العربية हिन्दी ไทย", 13, 19, 5},
		{"\ufffd\ufffdabc\ufffd", 3, 3, 3},
		{"\xff\xffabc\xff", 1, 3, 3},
		{"\x00\x00a\x00", 1, 4, 3},
		{"  \r\n\t x  ", 2, 4, 4},
		{"👩‍👩‍👧 🇩🇪 ©™", 8, 21, 14},
		{"https://example.com/a/b//c\n///\nx", 8, 11, 11},
	} {
		for i, name := range []string{BytesName, CL100kBase, O200kBase} {
			if got, want := count(t, mustNew(t, name), c.text)[0], []int{c.bytes, c.cl100k, c.o200k}[i]; got != want {
				t.Errorf("%s of %q: got %d, want %d", name, c.text, got, want)
			}
		}
	}
}

func TestCountsComeInOrder(t *testing.T) {
	for _, name := range Names() {
		c := mustNew(t, name)
		got := count(t, c, samples...)
		for i, text := range samples {
			if want := count(t, c, text); got[i] != want[0] {
				t.Errorf("%s of %q: got %d among others, %d alone", name, text, got[i], want[0])
			}
		}
		if got := count(t, c); len(got) != 0 {
			t.Errorf("%s: got %v of nothing", name, got)
		}
	}
}

func TestUnknownName(t *testing.T) {
	_, err := New("p50k_base")
	if want := `token counter "p50k_base": there are bytes, o200k_base, cl100k_base`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestNoProgram(t *testing.T) {
	for _, args := range [][]string{nil, {}, {""}, {"", "x"}} {
		if _, err := NewCommand(args, nil); err == nil {
			t.Errorf("%q is a command", args)
		}
	}
}

// TestBytesRunLowOnDigits has the figures of the documentation of the package.
func TestBytesRunLowOnDigits(t *testing.T) {
	for _, c := range []struct {
		name, text  string
		least, most float64
	}{
		{"prose", prose(1 << 17), 1.03, 1.05},
		{"code", code(1 << 17), 0.80, 0.83},
		{"log", digits(1 << 17), 0.41, 0.43},
	} {
		for _, name := range []string{CL100kBase, O200kBase} {
			ratio := float64(count(t, Bytes{}, c.text)[0]) / float64(count(t, mustNew(t, name), c.text)[0])
			t.Logf("%s: bytes/4 is %.2f of %s", c.name, ratio, name)
			if ratio < c.least || ratio > c.most {
				t.Errorf("%s: bytes/4 is %.2f of %s, not from %.2f to %.2f", c.name, ratio, name, c.least, c.most)
			}
		}
	}
}

func prose(size int) string {
	words := strings.Fields(`the a of and to in that it is was for on with as at by from they we this have be are not but what all when can there
		use an each which do how their if will other about out many then them these so some would make like into time has look two more write
		go see number no way could people my than first water been call who oil its now find long down day did get come made may part file`)
	rng := rand.New(rand.NewPCG(5, 6))
	var b strings.Builder
	for b.Len() < size {
		n := 5 + rng.IntN(15)
		for i := range n {
			word := words[rng.IntN(len(words))]
			if i == 0 {
				word = strings.ToUpper(word[:1]) + word[1:]
			} else {
				b.WriteByte(' ')
			}
			b.WriteString(word)
		}
		b.WriteString(". ")
	}
	return b.String()
}

func code(size int) string {
	return strings.Repeat(`func (s *Store) Open(ctx context.Context, id string) (*Blob, error) {
	for i, entry := range s.entries {
		if entry.ID != id || entry.deleted {
			continue // look further
		}
		f, err := os.Open(filepath.Join(s.dir, entry.name+".txt"))
		if err != nil {
			return nil, fmt.Errorf("open %s: %w", id, err)
		}
		return &Blob{file: f, size: entry.size, index: i}, nil
	}
	return nil, ErrNotFound
}

`, 1+size/200)[:size]
}

// digits is a log of times and UUIDs.
func digits(size int) string {
	rng := rand.New(rand.NewPCG(7, 8))
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "2026-02-03T%02d:%02d:%02d.%06dZ %08x-%04x-4%03x-8%03x-%012x 10.%d.%d.%d %d\n", i/3600%24, i/60%60, i%60, rng.IntN(1e6),
			rng.Uint32(), rng.IntN(1<<16), rng.IntN(1<<12), rng.IntN(1<<12), rng.Int64N(1<<48), rng.IntN(256), rng.IntN(256), rng.IntN(256), rng.IntN(1e9))
	}
	return b.String()
}

// FuzzCount holds the counters to what follows from their definition for any text, and to themselves.
func FuzzCount(f *testing.F) {
	counters := []Counter{Bytes{}, mustNew(f, CL100kBase), mustNew(f, O200kBase)}
	for _, s := range samples {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		for _, c := range counters {
			twice, err := c.Count(context.Background(), slices.Values([]Content{{Text: in}, {Text: in}}))
			if err != nil || len(twice) != 2 || twice[0] != twice[1] || twice[0] > len(in) || c != (Bytes{}) && len(in) > 0 && twice[0] < 1 {
				t.Fatalf("%T: %v, %v of %d bytes", c, twice, err, len(in))
			}
		}
	})
}
