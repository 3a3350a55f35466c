package tokens

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// encodings are the two, with what is published of them: the pattern without its last two alternatives, which regexp cannot
// say, and the hash of the table.
var encodings = []struct {
	name, table, sha256 string
	pattern             *regexp.Regexp
	cut                 func([]byte, int) int
}{
	{CL100kBase, cl100kTable, "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
		pattern(`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+`), cutCL100k},
	{O200kBase, o200kTable, "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
		pattern(`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?` +
			`|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?` +
			`|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+`), cutO200k},
}

// whiteSpace is what \s is in the published patterns.
const whiteSpace = `\t-\r\x{85}\p{Z}`

func pattern(s string) *regexp.Regexp {
	s = strings.ReplaceAll(s, `[^\s`, `[^`+whiteSpace)
	return regexp.MustCompile(`^(?:` + strings.ReplaceAll(s, `\s`, `[`+whiteSpace+`]`) + `)`)
}

var spaceRun = regexp.MustCompile(`^[` + whiteSpace + `]+`)

// wantCut is the pattern as it is written: the published one with \s+(?!\S)|\s+ at its end.
func wantCut(p *regexp.Regexp, text []byte) int {
	if m := p.Find(text); m != nil {
		return len(m)
	}
	run := spaceRun.Find(text)
	_, last := utf8.DecodeLastRune(run)
	if len(run) < len(text) && len(run) > last {
		return len(run) - last
	}
	return len(run)
}

// wantTokens merges as it is defined: the pair of the lowest rank, the first of equal ones, as long as there is one. Its time is
// the square of the length.
func wantTokens(r *ranks, piece []byte) int {
	cuts := make([]int, len(piece)+1) // part i is piece[cuts[i]:cuts[i+1]]
	for i := range cuts {
		cuts[i] = i
	}
	for {
		best, at := uint32(noRank), 0
		for i := range len(cuts) - 2 {
			if rank := r.of(piece[cuts[i]:cuts[i+2]]); rank < best {
				best, at = rank, i
			}
		}
		if best == noRank {
			return len(cuts) - 1
		}
		cuts = slices.Delete(cuts, at+1, at+2)
	}
}

func mustNew(t testing.TB, name string) Counter {
	t.Helper()
	c, err := New(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func count(t testing.TB, c Counter, texts ...string) []int {
	t.Helper()
	n, err := c.Count(context.Background(), contents(texts...))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func contents(texts ...string) func(func(Content) bool) {
	return func(yield func(Content) bool) {
		for _, text := range texts {
			if !yield(Content{Kind: "tool_result", Tool: "sh", Text: []byte(text)}) {
				return
			}
		}
	}
}

func TestTablesAreThosePublished(t *testing.T) {
	for _, e := range encodings {
		h := sha256.New()
		rank := 0
		for table := e.table; table != ""; rank++ {
			n := 1 + int(table[0])
			fmt.Fprintf(h, "%s %d\n", base64.StdEncoding.EncodeToString([]byte(table[1:n])), rank)
			table = table[n:]
		}
		if got := hex.EncodeToString(h.Sum(nil)); got != e.sha256 {
			t.Errorf("%s: %d tokens, sha256 %s, want %s", e.name, rank, got, e.sha256)
		}
	}
}

// FuzzPieces holds the cut pieces to the published pattern, and what is merged to its definition.
func FuzzPieces(f *testing.F) {
	for _, s := range samples {
		f.Add([]byte(s))
	}
	var tables []*ranks
	for _, e := range encodings {
		tables = append(tables, readRanks(e.table))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		in = in[:min(len(in), 1024)] // for wantTokens: the fuzzer takes an input of ten seconds for one that hangs
		text := []byte(string([]rune(string(in))))
		for i, e := range encodings {
			m := &merger{ranks: tables[i]}
			total := 0
			for at := 0; at < len(text); {
				end := e.cut(text, at)
				if want := at + wantCut(e.pattern, text[at:]); end != want {
					t.Fatalf("%s: %q is cut at %d, want %d", e.name, text[at:], end-at, want-at)
				}
				got := m.count(text[at:end])
				if want := wantTokens(tables[i], text[at:end]); got != want && tables[i].of(text[at:end]) == noRank {
					t.Fatalf("%s: %q has %d tokens, want %d", e.name, text[at:end], got, want)
				}
				total += got
				at = end
			}
			whole := &BPE{cut: e.cut}
			if got, err := whole.count(t.Context(), m, in); got != total || err != nil {
				t.Fatalf("%s: %q: got %d, %v, its pieces have %d", e.name, in, got, err, total)
			}
			if total > len(in) {
				t.Fatalf("%s: %q has %d tokens", e.name, in, total)
			}
		}
	})
}

// samples have every alternative of the patterns.
var samples = []string{
	"", "hello world", "tiktoken is great!", "I'm, you'RE, we'll; 'tis John's, DON'T she'd I'VE 'ſx 'ſ 'r 'l 'x '", "12345 1 22 ½Ⅷ٣",
	"today\n ", "today\n \n", "today\n  \n", "  \r\n\t x", " \t", "a  b   c ", " \u0085\u00a0\u20280", "func main() {\n\tfmt.Println(\"x\")\n}\n//\n///\r\n/x",
	"HTTPServer iPhone ABCdef XMLHttpRequest ABC'S Abc'd ǅungla ʰa aʰB Aʰ", "漢字かな交じり文 한국어 العربية हिन्दी ไทย", "e\u0301A\u0301BC \u0301\u0301ABC \u0301abc .\u0301",
	"👩‍👩‍👧 🇩🇪 ©™", "\xff\xfe\x80abc\xc3", "\x00\x00a\x00", "<|endoftext|><|fim_prefix|>", strings.Repeat("aB", 200), strings.Repeat("漢", 100),
	`{"id":"0193b2c4-7a1e-7000-8000-5f3c9d2b1a00","at":"2026-02-03T04:05:06.789Z","n":-1.5e10}`, "A" + strings.Repeat("ʰ", 5) + "BBBB",
}

func TestPiecesOfRandomText(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	alphabet := []rune(" \t\r\n/'sStTrRelLvVmMdDaAbB019½.,-_ʰǅ漢é\u0301\u00a0\u2028\ufffdſ👍")
	for range 20000 {
		var b []byte
		for range rng.IntN(12) {
			b = utf8.AppendRune(b, alphabet[rng.IntN(len(alphabet))])
		}
		for _, e := range encodings {
			for at := 0; at < len(b); {
				end, want := e.cut(b, at), at+wantCut(e.pattern, b[at:])
				if end != want {
					t.Fatalf("%s: %q is cut at %d, want %d", e.name, b[at:], end-at, want-at)
				}
				at = end
			}
		}
	}
}

func TestHostileText(t *testing.T) {
	const size = 4 * maxPiece
	counters := []Counter{mustNew(t, CL100kBase), mustNew(t, O200kBase)}
	for _, s := range []string{"a", "A", " ", "\n", " \n", "\t ", "\xff", "\x00", "-", "9", "'", "Aa", "漢", "\u0301", "<|endoftext|>", "0af3", "👩‍👩‍👧", " \r", "ʰA"} {
		text := strings.Repeat(s, size/len(s))
		for i, c := range counters {
			n := count(t, c, text)[0]
			if n < 1 || n > len(text) {
				t.Errorf("%s: %q repeated: %d tokens of %d bytes", encodings[i].name, s, n, len(text))
			}
		}
	}
}

// A piece that is cut at maxPiece has a few tokens more than it would have.
func TestLongPieces(t *testing.T) {
	for _, e := range encodings {
		rng := rand.New(rand.NewPCG(3, 4))
		text := make([]byte, 4*maxPiece+1)
		for i := range text {
			text[i] = 'a' + byte(rng.IntN(26))
		}
		m := &merger{ranks: readRanks(e.table)}
		whole, cut := m.count(text), count(t, mustNew(t, e.name), string(text))[0]
		if cut < whole || cut > whole+4*4 {
			t.Errorf("%s: %d tokens cut, %d whole", e.name, cut, whole)
		}
	}
}

func TestConcurrentCounts(t *testing.T) {
	c := mustNew(t, O200kBase)
	want := count(t, mustNew(t, O200kBase), samples...)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				if got, err := c.Count(context.Background(), contents(samples...)); err != nil || !slices.Equal(got, want) {
					t.Errorf("got %v, %v, want %v", got, err, want)
				}
			}
		})
	}
	wg.Wait()
}

func TestCancelledCount(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cause := errors.New("enough")
	cancel(cause)
	for _, name := range Names() {
		if n, err := mustNew(t, name).Count(ctx, contents("a")); n != nil || !errors.Is(err, cause) {
			t.Errorf("%s: got %v, %v", name, n, err)
		}
	}
}

func BenchmarkCount(b *testing.B) {
	for _, name := range []string{CL100kBase, O200kBase} {
		for _, in := range []struct{ name, text string }{
			{"code", code(1 << 20)}, {"log", digits(1 << 20)}, {"letter", strings.Repeat("a", 1<<20)}, {"han", strings.Repeat("漢字かな交じり文", 1<<16)},
		} {
			b.Run(name+"/"+in.name, func(b *testing.B) {
				c := mustNew(b, name)
				count(b, c, "")
				b.SetBytes(int64(len(in.text)))
				for b.Loop() {
					count(b, c, in.text)
				}
			})
		}
	}
}

// BenchmarkFirst has what a process pays that counts at all.
func BenchmarkFirst(b *testing.B) {
	for _, name := range []string{CL100kBase, O200kBase} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				count(b, mustNew(b, name), "hello world")
			}
		})
	}
}
