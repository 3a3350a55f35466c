package agents

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"
)

// settingsFile is one file and what belongs in it.
type settingsFile struct {
	path     string
	toml     *tomlEntry
	json     []jsonEntry
	wrapping []jsonEntry // what belongs in it where commands are wrapped
}

// SyntaxError says why and where a settings file is not what it should be.
type SyntaxError struct {
	Line, Column int // 1-based
	Msg          string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Msg)
}

// syntaxError is one at an offset.
func syntaxError(text []byte, off int, format string, args ...any) error {
	before := text[:off]
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return &SyntaxError{bytes.Count(before, []byte("\n")) + 1, column, fmt.Sprintf(format, args...)}
}

// newline is what the lines of a text end with.
func newline(text []byte) string {
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// Change is what becomes of a settings file.
type Change struct {
	Path string
	Old  []byte // nil: there is no file
	New  []byte // nil: none is left
}

// Plan reads the settings and returns what is to be changed for them to hold what Setup says, or with remove nothing of it.
// Files that stay as they are, are not among it. Nothing is written. A file that cannot be read as what it should be is an
// error that names the place.
func (s Setup) Plan(remove bool) ([]Change, error) {
	files, err := s.settings()
	if err != nil {
		return nil, err
	}
	var changes []Change
	old := "" // the store of the setup before, where it was another
	for _, f := range files {
		text, err := readSettings(f.path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			text = nil
		case err != nil:
			return nil, err
		case text == nil:
			text = []byte{}
		}
		changed, err := f.change(text, s.Wrap, remove, &old)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.path, err)
		}
		if !bytes.Equal(text, changed) || (text == nil) != (changed == nil) {
			changes = append(changes, Change{f.path, text, changed})
		}
	}
	return changes, nil
}

// longestSettings bounds a file of settings, in bytes.
const longestSettings = 64 << 20

// readSettings reads a file of settings. A pipe is not waited for, and a device, which a link can lead to, is not to be
// replaced by a file.
func readSettings(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", path)
	}
	if info.Size() > longestSettings {
		return nil, fmt.Errorf("%s: more than %d bytes, which no settings have", path, longestSettings)
	}
	return os.ReadFile(path)
}

// change returns the text of a file as it is to be. The store of the setup before is kept in old, from one file to the next.
func (f settingsFile) change(text []byte, wrap, remove bool, old *string) ([]byte, error) {
	if f.toml != nil {
		t, err := parseTOML(text)
		if err != nil {
			return nil, err
		}
		if remove {
			return f.toml.remove(text, t.serverStore())
		}
		return f.toml.set(text, t.serverStore())
	}
	if text != nil && len(bytes.TrimSpace(text)) == 0 { // agents take it for no settings
		changed, err := f.change(nil, wrap, remove, old)
		if changed == nil {
			changed = text
		}
		return changed, err
	}
	wrapped := false // by the setup before
	if text != nil {
		t, err := parseJSON(text)
		if err != nil {
			return nil, err
		}
		wrapped = slices.ContainsFunc(f.wrapping, func(e jsonEntry) bool { return !e.shared && len(t.find(e)) > 0 })
		if s := t.serverStore(); s != "" {
			*old = s
		}
	}
	entries := f.json
	if wrap {
		entries = append(entries[:len(entries):len(entries)], f.wrapping...)
	}
	known := f.json[:len(f.json):len(f.json)]
	for _, e := range f.wrapping {
		if wrapped || !e.shared {
			known = append(known, e)
		}
	}
	for _, e := range f.json {
		if e.isStore && *old != "" && e.value != jsonString(*old) {
			known = append(known, storeEntry(*old, e.path...))
		}
	}
	if remove {
		return removeJSON(text, known)
	}
	return setJSON(text, entries, known)
}

// serverStore is the store that the MCP server of a file is given; "" where there is none.
func (t *jsonText) serverStore() string {
	flag := false
	for v := range t.root.Get("mcpServers").Get("llmblob").Get("args").Elements() {
		if flag {
			return string(v.Text())
		}
		flag = v.Is("--store")
	}
	return ""
}

// Diff returns the change as a unified diff.
func (c Change) Diff() []byte {
	oldName, newName := c.Path, c.Path
	if c.Old == nil {
		oldName = os.DevNull
	}
	if c.New == nil {
		newName = os.DevNull
	}
	text := diff.Diff(oldName, c.Old, newName, c.New)
	_, text, _ = bytes.Cut(text, []byte("\n")) // a line that says what was run
	return text
}

// Apply makes all changes, or none: what was written is put back where a later one fails.
func Apply(changes []Change) error {
	for i, c := range changes {
		if err := c.apply(); err != nil {
			for _, done := range changes[:i] {
				err = errors.Join(err, Change{done.Path, done.New, done.Old}.apply())
			}
			return err
		}
	}
	return nil
}

// apply replaces a file in one step, and removes one that is to be no more. Of a symbolic link it is the file behind it.
func (c Change) apply() error {
	path, err := behindLinks(c.Path)
	if err != nil {
		return err
	}
	if c.New == nil {
		if err := c.unchanged(path); err != nil {
			return err
		}
		return os.Remove(path)
	}
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return c.replace(path, mode)
}

// behindLinks is the file that symbolic links lead to, which need not exist.
func behindLinks(path string) (string, error) {
	const most = 40 // as systems have it
	for range most {
		if target, err := filepath.EvalSymlinks(path); err == nil {
			return target, nil
		}
		target, err := os.Readlink(path)
		if err != nil {
			return path, nil // no link, or nothing
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	return "", fmt.Errorf("%s: too many symbolic links", path)
}

// unchanged is an error where a file is not what the change was made from: agents write their settings too.
func (c Change) unchanged(path string) error {
	text, err := readSettings(path)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return err
	}
	if missing != (c.Old == nil) || !bytes.Equal(text, c.Old) {
		return fmt.Errorf("%s: the file changed meanwhile, run it again", c.Path)
	}
	return nil
}

func (c Change) replace(path string, mode fs.FileMode) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".llmblob-")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name()) // what went wrong is told
		}
	}()
	_, err = f.Write(c.New)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err == nil {
		err = c.unchanged(path)
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
