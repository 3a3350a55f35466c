package blob_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/storetest"
)

func TestContentID(t *testing.T) {
	// printf 'hello\0txt' | sha256sum, its first half, with version 8 and variant 10.
	const want = "4b7e2aa8-f265-87d5-8ca6-c59351afe8b3"
	id := blob.ContentID(blob.Text, []byte("hello"))
	if id.String() != want {
		t.Errorf("got %s, want %s", id, want)
	}
	if id.Version() != 8 || id == blob.ContentID(blob.JSON, []byte("hello")) || id == blob.ContentID(blob.Text, []byte("hello\x00txt")) {
		t.Errorf("id %s", id)
	}
	if err := blob.CheckContent(id, blob.Text, []byte("hello")); err != nil {
		t.Error(err)
	}
	if err := blob.CheckContent(id, blob.Text, []byte("hell")); !errors.Is(err, blob.ErrDamaged) {
		t.Errorf("got %v, want ErrDamaged", err)
	}
}

func TestParseIDTakesTheCanonicalFormAlone(t *testing.T) {
	const id = "0193b2c4-00aa-7000-8000-00000000beef"
	for _, s := range []string{id, strings.ToUpper(id)} {
		if got, err := blob.ParseID(s); err != nil || got.String() != id {
			t.Errorf("%q: got %v, %v", s, got, err)
		}
	}
	for _, s := range []string{"", "{" + id + "}", "urn:uuid:" + id, strings.ReplaceAll(id, "-", ""), id + " ", " " + id, id[:35], id + "0",
		"../" + id, strings.Replace(id, "-", "/", 1), strings.Replace(id, "0", "\x00", 1), strings.Repeat("0", 4096)} {
		var syntax *blob.SyntaxError
		if _, err := blob.ParseID(s); !errors.As(err, &syntax) {
			t.Errorf("%q: got %v, want a SyntaxError", s, err)
		}
	}
}

// FuzzParseID states that what is taken is one name, in canonical form.
func FuzzParseID(f *testing.F) {
	f.Add("0193b2c4-00aa-7000-8000-00000000beef")
	f.Add("{0193B2C4-00AA-7000-8000-00000000BEEF}")
	f.Fuzz(func(t *testing.T, s string) {
		if id, err := blob.ParseID(s); err == nil && (!strings.EqualFold(id.String(), s) || len(s) != 36 || strings.ContainsAny(s, "/\\.\x00")) {
			t.Fatalf("%q is %s", s, id)
		}
	})
}

func TestResolve(t *testing.T) {
	st := storetest.NewMemory()
	var ids []string
	for i := range 7 {
		id := blob.ID{0xaa, 0xbb, 0xcc, 0xdd, 0xee, byte(i), 0x70, 0, 0x80, 0, 0, 0, 0, 0xfe, 0xed, byte(i)}
		ids = append(ids, id.String())
		if _, err := storetest.Put(t, st, blob.Text, id, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range []string{ids[3], strings.ToUpper(ids[3]), "[blob:" + ids[3] + "]", "[BLOB:" + strings.ToUpper(ids[3]) + "]", "blob://" + ids[3],
		" " + ids[3] + "\n", "aabbccdd-ee03", "AABBCCDDEE03", "blob://aabbccddee03", "00fe-ed03", "0000feed03", "[blob:aabbccddee03]"} {
		if id, err := blob.Resolve(t.Context(), st, s); err != nil || id.String() != ids[3] {
			t.Errorf("%q: got %v, %v, want %s", s, id, err, ids[3])
		}
	}
	var ambiguous *blob.AmbiguousError
	if _, err := blob.Resolve(t.Context(), st, "aabbccdd"); !errors.As(err, &ambiguous) || len(ambiguous.Candidates) != 5 || !ambiguous.More {
		t.Errorf("got %v, want five candidates and more", err)
	}
	for _, s := range []string{"", "aabbccd", "aabbccdx", "[blob:" + ids[3], strings.Repeat("a", 33), "--------"} {
		var syntax *blob.SyntaxError
		if _, err := blob.Resolve(t.Context(), st, s); !errors.As(err, &syntax) {
			t.Errorf("%q: got %v, want a SyntaxError", s, err)
		}
	}
	if _, err := blob.Resolve(t.Context(), st, "ffffffff"); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
}

func TestReferences(t *testing.T) {
	const a, b = "0193b2c4-00aa-7000-8000-00000000beef", "1193b2c4-00aa-7000-8000-00000000beef"
	text := fmt.Sprintf("[blob:%s] [blob:%s][blob:%s] %s [blob:%s x] [blob:{%s}] [blob:", b, strings.ToUpper(a), b, a, a, a)
	var got []string
	for id := range blob.References([]byte(text)) {
		got = append(got, id.String())
	}
	if want := []string{b, a}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
