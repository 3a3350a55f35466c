package blob_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/llmblob/llmblob/pkg/blob"
)

// scan returns the ids that ScanIDs finds.
func scan(t testing.TB, r io.Reader) map[blob.ID]bool {
	t.Helper()
	got := make(map[blob.ID]bool)
	if err := blob.ScanIDs(r, func(id blob.ID) { got[id] = true }); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestScanIDs(t *testing.T) {
	const id, plain = "0193b2c4-00aa-7abc-8def-00000000beef", "0193b2c400aa7abc8def00000000beef"
	for text, want := range map[string]bool{
		"":                                     false,
		id:                                     true,
		strings.ToUpper(id):                    true,
		"0193B2c4-00aA-7abc-8DEF-00000000bEEf": true,
		plain:                                  true,
		strings.ToUpper(plain):                 true,
		"[blob:" + id + "]":                    true,
		"blob://" + id + " ":                   true,
		`{"blob_id":"` + id + `"}`:             true,
		`\u000a` + id + `\f`:                   true,
		`\u000a` + plain + `\f`:                true,
		"---" + id + "-1-" + id + "---":        true,
		"ab" + plain + "cd":                    true,
		"\x00\xff" + plain + "\xff":            true,
		id[:35]:                                false,
		id[1:]:                                 false,
		plain[:31]:                             false,
		plain[:31] + "g":                       false,
		strings.Replace(id, "-", "", 1):        false,
		strings.Replace(id, "-", "_", 1):       false,
		strings.Replace(id, "-7", "7-", 1):     false,
		id[:20] + "\n" + id[20:]:               false,
		strings.Repeat("-", 100):               false,
	} {
		got := scan(t, strings.NewReader(text))
		if got[uuid(t, id)] != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

func uuid(t *testing.T, s string) blob.ID {
	t.Helper()
	id, err := blob.ParseID(s)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// An id is found wherever the parts in which a stream comes end.
func TestScanIDsAcrossReads(t *testing.T) {
	const id = "0193b2c4-00aa-7abc-8def-00000000beef"
	for _, form := range []string{id, strings.ReplaceAll(id, "-", "")} {
		for at := 256<<10 - 40; at < 256<<10+5; at++ {
			text := strings.Repeat("x", at) + form + "x"
			if got := scan(t, strings.NewReader(text)); len(got) != 1 || !got[uuid(t, id)] {
				t.Errorf("%s at %d: got %v", form, at, got)
			}
		}
		text := "x" + form + "x"
		for name, r := range map[string]io.Reader{
			"a byte at a time":     iotest.OneByteReader(strings.NewReader(text)),
			"data with the end":    iotest.DataErrReader(strings.NewReader(text)),
			"two parts and no end": io.MultiReader(strings.NewReader(text[:17]), strings.NewReader(text[17:])),
		} {
			if got := scan(t, r); len(got) != 1 {
				t.Errorf("%s: got %v", name, got)
			}
		}
	}
}

func TestScanIDsTellsWhatFailed(t *testing.T) {
	fault := errors.New("fault")
	if err := blob.ScanIDs(io.MultiReader(strings.NewReader("text"), iotest.ErrReader(fault)), func(blob.ID) {}); err != fault {
		t.Errorf("got %v, want %v", err, fault)
	}
}

// mention is what ScanIDs looks for, at the beginning of a text.
var mention = regexp.MustCompile(`^(?i:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32})`)

// mentioned returns the ids that the regular expression finds at each place.
func mentioned(t *testing.T, text []byte) map[blob.ID]bool {
	t.Helper()
	ids := make(map[blob.ID]bool)
	for i := range text {
		if m := mention.Find(text[i:]); m != nil {
			var id blob.ID
			if _, err := hex.Decode(id[:], bytes.ReplaceAll(m, []byte("-"), nil)); err != nil {
				t.Fatal(err)
			}
			ids[id] = true
		}
	}
	return ids
}

// FuzzScanIDs states that the ids found are those that a regular expression finds at each place, however the text comes.
func FuzzScanIDs(f *testing.F) {
	const id, plain = "0193b2c4-00aa-7abc-8def-00000000beef", "0193b2c400aa7abc8def00000000beef"
	f.Add([]byte(id), byte(0))
	f.Add([]byte(id+id[8:]+plain+plain), byte(3))
	f.Add([]byte(strings.ToUpper(id)+"-"+id[:35]+"-"+plain[:31]+"x"+plain), byte(35))
	f.Fuzz(func(t *testing.T, text []byte, part byte) {
		want := mentioned(t, text)
		if got := scan(t, &parts{text, int(part) + 1}); !maps.Equal(got, want) {
			t.Errorf("%q in parts of %d: got %v, want %v", text, int(part)+1, got, want)
		}
	})
}

// parts reads text in parts of at most n bytes.
type parts struct {
	text []byte
	n    int
}

func (p *parts) Read(b []byte) (int, error) {
	if len(p.text) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.text[:min(p.n, len(p.text))])
	p.text = p.text[n:]
	return n, nil
}

// The law of FuzzScanIDs, of texts that have ids and what is nearly one.
func TestScanIDsOfNearlyIDs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"0193b2c4", "-", "00aa", "-7abc-", "8DEF", "00000000beef", "-", "x", "0193b2c400aa7abc8def00000000beef", "0193b2c4-00aa-7abc-8def-"}
	found := 0
	for range 3000 {
		var text []byte
		for range rng.IntN(20) {
			text = append(text, pieces[rng.IntN(len(pieces))]...)
		}
		want := mentioned(t, text)
		found += len(want)
		if got := scan(t, &parts{text, 1 + rng.IntN(50)}); !maps.Equal(got, want) {
			t.Fatalf("%q: got %v, want %v", text, got, want)
		}
	}
	if found < 1000 {
		t.Errorf("%d ids in all texts", found)
	}
}
