package blob_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/storetest"
)

// reference is what References looks for.
var reference = regexp.MustCompile(`\[blob:(?i:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\]`)

// FuzzReferences states that the ids a text refers to are those that a regular expression finds, each once, in order.
func FuzzReferences(f *testing.F) {
	const id = "0193b2c4-00aa-7abc-8def-00000000beef"
	for _, text := range []string{"", "[blob:" + id + "]", "[blob:[blob:" + id + "]]", "[BLOB:" + id + "]", "[blob:" + strings.ToUpper(id) + "][blob:" + id + "]", "[blob:" + id + "x", "[blob:{" + id[1:] + "}]", "[blob:" + id[:35] + "]",
		"[blob:" + strings.Repeat("[blob:"+id, 3) + "]", "[blob:../" + id[3:] + "]"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var want []string
		for _, m := range reference.FindAll(text, -1) {
			if id := strings.ToLower(string(m[len("[blob:") : len(m)-1])); !slices.Contains(want, id) {
				want = append(want, id)
			}
		}
		var got []string
		for id := range blob.References(text) {
			got = append(got, id.String())
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	})
}

// FuzzResolve states that a text stands for a blob that it names in full, or for the only one of the store that begins or ends so.
func FuzzResolve(f *testing.F) {
	ids := []string{"0193b2c4-00aa-7abc-8def-00000000beef", "0193b2c4-00aa-7abc-8def-00000001beef", "fedcba98-7654-7321-8fed-cba987654321"}
	st := storetest.NewMemory()
	for _, text := range ids {
		id, err := blob.ParseID(text)
		if err != nil {
			f.Fatal(err)
		}
		s, err := st.Stage(f.Context())
		if err != nil {
			f.Fatal(err)
		}
		if _, err := s.Commit(blob.Text, id); err != nil {
			f.Fatal(err)
		}
		for _, form := range []string{text, strings.ToUpper(text), "[blob:" + text + "]", "blob://" + text, text[:8], text[28:], text[:20], " " + text[9:] + " ", "-" + text[8:], "../" + text} {
			f.Add(form)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		id, err := blob.Resolve(t.Context(), st, text)
		if err != nil {
			if id != (blob.ID{}) {
				t.Errorf("%q: %v and %s", text, err, id)
			}
			return
		}
		lower := strings.ToLower(text)
		if strings.Contains(lower, id.String()) { // in full
			return
		}
		bare := strings.Map(func(r rune) rune {
			if r == '-' {
				return -1
			}
			return r
		}, lower)
		digits := regexp.MustCompile(`[0-9a-f]{8,32}\]?\s*$`).FindString(strings.TrimSpace(bare))
		digits = strings.TrimSuffix(strings.TrimSpace(digits), "]")
		matches := 0
		for _, one := range ids {
			whole := strings.ReplaceAll(one, "-", "")
			if strings.HasPrefix(whole, digits) || strings.HasSuffix(whole, digits) {
				matches++
				if one != id.String() {
					t.Errorf("%q: got %s, and it is a part of %s", text, id, one)
				}
			}
		}
		if digits == "" || matches != 1 {
			t.Errorf("%q: got %s, which %q is no only part of", text, id, digits)
		}
	})
}
