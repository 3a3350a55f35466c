package main

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/history"
)

// made is what a writer writes, the same each time.
func made(t *testing.T, write func(path string) error) []byte {
	t.Helper()
	var all [2][]byte
	for i := range all {
		path := filepath.Join(t.TempDir(), "input")
		if err := write(path); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all[i] = data
	}
	if !bytes.Equal(all[0], all[1]) {
		t.Error("two times are not the same")
	}
	return all[0]
}

func TestText(t *testing.T) {
	for _, n := range []int64{10 * kB, 2 * mB} {
		data := made(t, func(path string) error { return writeText(path, n) })
		first, _, _ := bytes.Cut(data, []byte("\n"))
		if int64(len(data)) != n || !bytes.Contains(first, []byte(needle)) {
			t.Errorf("%d bytes of %d", len(data), n)
		}
	}
	data := made(t, func(path string) error { return writeText(path, 33*mB) })
	if n := len(data) / bytes.Count(data, []byte("\n")); n < 70 || n > 120 {
		t.Errorf("lines of %d bytes", n)
	}
	if n := bytes.Count(data, []byte(needle)); n < 10 || n > 60 {
		t.Errorf("%d lines in 33 MB", n)
	}
}

func TestJSONInputs(t *testing.T) {
	const n = 100_000
	near := func(name string, data []byte) {
		if len(data) < n || len(data) > n+300 {
			t.Errorf("%s: %d bytes", name, len(data))
		}
	}
	array := made(t, func(path string) error { return writeArray(path, n) })
	near("array", array)
	var elements []map[string]any
	if err := json.Unmarshal(array, &elements); err != nil || len(elements) < 800 || elements[7]["id"] != 7.0 {
		t.Errorf("%d elements, %v", len(elements), err)
	}
	object := made(t, func(path string) error { return writeObject(path, n) })
	near("object", object)
	var members map[string]any
	if err := json.Unmarshal(object, &members); err != nil || members[keyOf(len(members)-1)] == nil || len(members) < n/(memberBytes+2) || len(members) > n/(memberBytes-8) {
		t.Errorf("%d members, %v", len(members), err)
	}
	lines := made(t, func(path string) error { return writeRecords(path, n) })
	near("lines", lines)
	for line := range bytes.Lines(lines) {
		if !json.Valid(line) {
			t.Fatalf("%s", line)
		}
	}
}

func TestHistories(t *testing.T) {
	for name, c := range map[string]struct {
		write  func(string, int, resultSize) error
		format history.Format
		items  int // of 300
	}{
		"session": {writeHistory, "claude-code", 257}, // without the lines of progress
		"items":   {writeItems, "items", 300},
		"request": {writeRequest, "openai-chat", 301}, // with the message of the user
	} {
		for _, results := range []resultSize{usual, small} {
			data := made(t, func(path string) error { return c.write(path, 300, results) })
			h, err := history.Parse(data, history.Options{})
			if err != nil || h.Format != c.format || len(h.Items) != c.items {
				t.Errorf("%s: %v, %v of %s, want %v", name, err, len(h.Items), h.Format, c.items)
			}
			for _, it := range h.Items {
				if it.Kind == history.Result && it.Tool == 0 {
					t.Errorf("%s: a result without its call", name)
				}
			}
		}
	}
}

// The sizes that the table speaks of.
func TestResultSizes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	sum, large := 0, 0
	for range 10_000 {
		sum += usual(r)
		if n := small(r); n > 800 {
			large++
		}
	}
	if sum < 10_000*1800 || sum > 10_000*2100 || large < 900 || large > 1100 {
		t.Errorf("%d bytes, %d large", sum/10_000, large)
	}
}

func TestBlobs(t *testing.T) {
	var ids []string
	for n := range 2000 {
		id := blobID(n)
		if parsed, err := blob.ParseID(id); err != nil || parsed.Version() != 7 {
			t.Fatal(id, err)
		}
		ids = append(ids, id)
	}
	if !slices.IsSorted(ids) || len(slices.Compact(slices.Clone(ids))) != len(ids) || blobID(7) != ids[7] {
		t.Error("not in order, or not each its own")
	}
	w := &workshop{ctx: t.Context()}
	store := filepath.Join(t.TempDir(), "store")
	for _, to := range []int{1, 10, 57} {
		from, _ := os.ReadDir(store)
		if err := w.fillStore(store, len(from), to); err != nil {
			t.Fatal(err)
		}
		files, err := os.ReadDir(store)
		if err != nil || len(files) != to {
			t.Errorf("%d files of %d, %v", len(files), to, err)
		}
		for _, f := range files {
			info, err := f.Info()
			if err != nil || info.Size() == 0 {
				t.Errorf("%s: %v", f.Name(), err)
			}
		}
	}
}
