package fsstore

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// read returns the contents that Histories yields for paths, in the order of their texts.
func read(t *testing.T, paths ...string) ([]string, error) {
	t.Helper()
	opened := 0
	open := func(path string) (io.ReadCloser, error) {
		if path == "-" {
			return io.NopCloser(strings.NewReader("standard input")), nil
		}
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		opened++
		return closer{f, func() { opened-- }}, nil
	}
	var all []string
	for r, err := range Histories(paths, open) {
		if err != nil {
			return all, err
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(data))
	}
	if opened != 0 {
		t.Errorf("%d files are left open", opened)
	}
	slices.Sort(all)
	return all, nil
}

type closer struct {
	io.ReadCloser
	closed func()
}

func (c closer) Close() error {
	c.closed()
	return c.ReadCloser.Close()
}

// tree makes files, directories (which end in a /) and links (path -> target) and returns their directory.
func tree(t *testing.T, names ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range names {
		name, target, link := strings.Cut(name, " -> ")
		path := filepath.Join(root, name)
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		switch {
		case link:
			err = errors.Join(err, os.Symlink(target, path))
		case strings.HasSuffix(name, "/"):
			err = errors.Join(err, os.Mkdir(path, 0o700))
		default:
			err = errors.Join(err, os.WriteFile(path, []byte(name), 0o600))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestHistories(t *testing.T) {
	root := tree(t, "one", "d/two", "d/e/.three", "d/empty/", "d/link -> ../one", "d/out -> ../other", "other/four", "other/back -> ../d",
		"d/self -> .", "ring/a/to -> ../b", "ring/b/to -> ../a", "ring/b/five", "to-file -> one", "to-dir -> ring")
	at := func(name string) string { return filepath.Join(root, name) }
	for _, c := range []struct {
		paths []string
		want  []string
	}{
		{nil, nil},
		{[]string{at("one"), "-", at("one")}, []string{"one", "one", "standard input"}},
		{[]string{at("d")}, []string{"d/e/.three", "d/two", "one", "other/four"}},
		{[]string{at("d") + "/", at("other"), at("d/self/self")}, []string{"d/e/.three", "d/two", "one", "other/four"}},
		{[]string{at("to-file"), at("to-dir")}, []string{"one", "ring/b/five"}},
		{[]string{at("d/empty")}, nil},
	} {
		if got, err := read(t, c.paths...); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%v: got %v, %v, want %v", c.paths, got, err, c.want)
		}
	}
}

func TestHistoriesThatCannotBeRead(t *testing.T) {
	root := tree(t, "good/one", "dangling/link -> nowhere", "loop/link -> link", "top -> nowhere", "file")
	for name, want := range map[string]string{"missing": "missing", "dangling": "link", "loop": "link", "top": "top", "file/x": "file"} {
		_, err := read(t, filepath.Join(root, "good"), filepath.Join(root, name))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error that names %s", name, err, want)
		}
	}
}

// A directory that changes while it is read: what has vanished may have been moved to where it is not looked for.
func TestAHistoryThatVanishes(t *testing.T) {
	root := tree(t, "d/1", "d/2")
	var last error
	for _, err := range Histories([]string{filepath.Join(root, "d")}, func(path string) (io.ReadCloser, error) {
		f, err := os.Open(path)
		if err == nil && filepath.Base(path) == "1" {
			err = os.Rename(filepath.Join(root, "d", "2"), filepath.Join(root, "d", "0"))
		}
		return f, err
	}) {
		last = err
	}
	if !errors.Is(last, os.ErrNotExist) {
		t.Errorf("got %v, want os.ErrNotExist", last)
	}
}

func TestHistoriesEndEarly(t *testing.T) {
	root := tree(t, "d/1", "d/2", "e")
	for range Histories([]string{filepath.Join(root, "d"), filepath.Join(root, "e")}, func(path string) (io.ReadCloser, error) { return os.Open(path) }) {
		break
	}
}
