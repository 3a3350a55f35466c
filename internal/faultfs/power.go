package faultfs

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Disk is a model of a file system that keeps nothing but what was synced: the bytes and the time of a file by a sync of the
// file, a name by a sync of its directory. Its Hook follows what is done below Base. It knows no order among what was not
// synced, so each of it may be there or not after a loss of power, whatever else is.
type Disk struct {
	Base string
	// Before is called before each step that changes the disk, when the power may be lost.
	Before func()
	// Ignore, where set, says of a sync that it is not made.
	Ignore func(c *Call) bool

	mu    sync.Mutex
	root  *dir
	files map[*os.File]*file
}

// entry is what a name stands for: a *dir or a *file.
type entry any

type dir struct {
	synced  map[string]entry
	pending []change // in order
}

// change is one change of a directory, which happens as a whole or not at all.
type change struct {
	remove string // "" for none
	add    string
	entry  entry
}

type file struct {
	synced, now Content
}

// Content is what a file holds, and its time.
type Content struct {
	data []byte
	at   time.Time
}

// NewDisk returns a model of the empty directory at base.
func NewDisk(base string) *Disk {
	return &Disk{Base: base, root: newDir(), files: make(map[*os.File]*file)}
}

func newDir() *dir { return &dir{synced: make(map[string]entry)} }

// names returns what is in a directory as long as there is power.
func (d *dir) names() map[string]entry { return d.after(^uint64(0)) }

// after returns what is in a directory once those changes are made whose bits are set.
func (d *dir) after(which uint64) map[string]entry {
	names := maps.Clone(d.synced)
	for i, c := range d.pending {
		if which>>i&1 == 0 {
			continue
		}
		delete(names, c.remove)
		if c.add != "" {
			names[c.add] = c.entry
		}
	}
	return names
}

// Hook is a Hook.
func (d *Disk) Hook(c *Call, do func() error) error {
	rel, err := filepath.Rel(d.Base, c.Path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		return do()
	}
	switch c.Op {
	case Mkdir, Create, Chtimes, Link, Rename, Remove, Write, ReadFrom, Sync, SyncDir:
		if d.Before != nil {
			d.Before()
		}
	}
	if c.Op == Sync || c.Op == SyncDir {
		if d.Ignore != nil && d.Ignore(c) {
			return nil
		}
	} else if err := do(); err != nil { // what is modelled needs no waiting for the disk
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.done(c)
}

// done does in the model what was done.
func (d *Disk) done(c *Call) error {
	in, name := d.parent(c.Path)
	switch c.Op {
	case Mkdir:
		in.pending = append(in.pending, change{add: name, entry: newDir()})
	case Create:
		f := &file{}
		f.now.at = time.Now()
		f.synced.at = f.now.at
		d.files[c.File] = f
		in.pending = append(in.pending, change{add: name, entry: f})
	case Open:
		if f, ok := d.find(c.Path).(*file); ok {
			d.files[c.File] = f
		}
	case Chtimes:
		d.find(c.Path).(*file).now.at = c.At
	case Write, ReadFrom:
		info, err := c.File.Stat()
		if err != nil {
			return err
		}
		data := make([]byte, info.Size())
		if _, err := c.File.ReadAt(data, 0); err != nil {
			return err
		}
		d.files[c.File].now = Content{data, info.ModTime()}
	case Link:
		to, toName := d.parent(c.To)
		to.pending = append(to.pending, change{add: toName, entry: d.find(c.Path)})
	case Rename:
		in.pending = append(in.pending, change{remove: name, add: filepath.Base(c.To), entry: d.find(c.Path)})
	case Remove:
		in.pending = append(in.pending, change{remove: name})
	case Sync:
		f := d.files[c.File]
		f.synced = f.now
	case SyncDir:
		synced := d.find(c.Path).(*dir)
		synced.synced, synced.pending = synced.names(), nil
	case Close, CloseWritten:
		delete(d.files, c.File)
	}
	return nil
}

// find returns what a path stands for, nil for nothing.
func (d *Disk) find(path string) entry {
	var at entry = d.root
	if path == d.Base {
		return at
	}
	for name := range strings.SplitSeq(strings.TrimPrefix(path, d.Base+"/"), "/") {
		in, ok := at.(*dir)
		if !ok {
			return nil
		}
		at = in.names()[name]
	}
	return at
}

func (d *Disk) parent(path string) (*dir, string) {
	in, _ := d.find(filepath.Dir(path)).(*dir)
	return in, filepath.Base(path)
}

// maxPending bounds the changes of one directory that are not synced: their subsets are all tried.
const maxPending = 14

// Lost yields each state that a loss of power now can leave.
func (d *Disk) Lost() iter.Seq[State] {
	return func(yield func(State) bool) {
		d.mu.Lock()
		defer d.mu.Unlock()
		dirStates(d.root, "", yield)
	}
}

// State is what a directory holds after a loss of power: the paths in it, ending in a slash for directories.
type State map[string]Content

// dirStates yields each state of a directory whose path, with its slash, is prefix. It reports whether to go on.
func dirStates(d *dir, prefix string, yield func(State) bool) bool {
	if len(d.pending) > maxPending {
		panic(fmt.Sprintf("%d changes of a directory are not synced", len(d.pending)))
	}
	for which := range uint64(1) << len(d.pending) {
		names := d.after(which)
		if !entryStates(names, slices.Sorted(maps.Keys(names)), prefix, State{}, yield) {
			return false
		}
	}
	return true
}

// entryStates yields what is in soFar, together with each combination of the states of the entries that are left.
func entryStates(names map[string]entry, left []string, prefix string, soFar State, yield func(State) bool) bool {
	if len(left) == 0 {
		return yield(soFar)
	}
	path := prefix + left[0]
	more := func(s State) bool {
		with := maps.Clone(soFar)
		maps.Copy(with, s)
		return entryStates(names, left[1:], prefix, with, yield)
	}
	switch e := names[left[0]].(type) {
	case *dir:
		return dirStates(e, path+"/", func(s State) bool {
			s = maps.Clone(s)
			s[path+"/"] = Content{}
			return more(s)
		})
	case *file:
		for _, c := range e.states() {
			if !more(State{path: c}) {
				return false
			}
		}
	}
	return true
}

// states returns what can be in a file: of what was not synced all, nothing, half, or its length alone.
func (f *file) states() []Content {
	datas := [][]byte{f.synced.data}
	if !bytes.Equal(f.synced.data, f.now.data) {
		datas = append(datas, f.now.data, f.now.data[:len(f.now.data)/2], make([]byte, len(f.now.data)))
	}
	times := []time.Time{f.synced.at}
	if !f.synced.at.Equal(f.now.at) {
		times = append(times, f.now.at)
	}
	var all []Content
	for _, data := range datas {
		for _, at := range times {
			all = append(all, Content{data, at})
		}
	}
	return all
}

// Key is the same for equal states.
func (s State) Key() string {
	var b strings.Builder
	for _, path := range slices.Sorted(maps.Keys(s)) {
		fmt.Fprintf(&b, "%q %x %d\n", path, sha256.Sum256(s[path].data), s[path].at.UnixNano())
	}
	return b.String()
}

// Write makes the directories and files of a state below a directory.
func (s State) Write(base string) error {
	var errs []error
	for _, path := range slices.Sorted(maps.Keys(s)) {
		at := filepath.Join(base, path)
		if strings.HasSuffix(path, "/") {
			errs = append(errs, os.Mkdir(at, 0o700))
			continue
		}
		errs = append(errs, os.WriteFile(at, s[path].data, 0o600), os.Chtimes(at, s[path].at, s[path].at))
	}
	return errors.Join(errs...)
}
