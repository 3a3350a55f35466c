//go:build unix

package fsstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/llmblob/llmblob/internal/durable"
	"github.com/llmblob/llmblob/internal/faultfs"
	"github.com/llmblob/llmblob/pkg/blob"
)

// machine is a disk, the processes that use a store on it, and what they have promised.
type machine struct {
	t       *testing.T
	disk    *faultfs.Disk
	links   bool // the file system has hard links
	enough  int  // broken promises, to end
	path    string
	scratch string
	now     time.Time

	known    map[blob.ID][]byte  // what may be found under an id
	promised map[blob.ID]promise // what must be
	careless map[blob.ID]bool    // stored without syncing, and nothing is promised of it

	outcomes int             // of losses of power
	seen     map[string]bool // those that have been looked at
	broken   []string        // promises
}

// promise is that a blob is there, of a time or later, or that it is not.
type promise struct {
	there bool
	since time.Time
}

func newMachine(t *testing.T, links bool) *machine {
	base := faultfs.TempDir(t)
	m := &machine{
		t: t, disk: faultfs.NewDisk(base), links: links, path: filepath.Join(base, "a", "b", "store"), scratch: faultfs.TempDir(t), now: time.Now(),
		known: make(map[blob.ID][]byte), promised: make(map[blob.ID]promise), careless: make(map[blob.ID]bool), seen: make(map[string]bool),
	}
	m.disk.Before = m.losePower
	return m
}

// process is a new process with the store open, which goes through hooks.
func (m *machine) process(noSync bool, hooks ...faultfs.Hook) *Store {
	hooks = append(hooks, m.disk.Hook)
	if !m.links {
		hooks = append([]faultfs.Hook{faultfs.NoLinks}, hooks...)
	}
	st, err := New(m.path, Options{NoSync: noSync, Now: func() time.Time { return m.now }, FS: faultfs.New(hooks...)})
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { _ = st.Close() }) // a dead one cannot
	return st
}

// contentOf is the content that a name stands for.
func contentOf(name string) []byte {
	n := 300
	if name == "large" {
		n = overlapBytes
	}
	return bytes.Repeat([]byte(name+"\n"), n/(len(name)+1)+1)
}

// put stores a content as a command does, and then it is promised.
func (m *machine) put(st *Store, name string) error {
	data := contentOf(name)
	id := blob.ContentID(blob.Text, data)
	m.known[id] = data
	if p := m.promised[id]; !p.there {
		delete(m.promised, id)
	}
	if st.opts.NoSync {
		m.careless[id] = true
	}
	s, err := st.Stage(m.t.Context())
	if err != nil {
		return err
	}
	defer s.Abort()
	if _, err := s.Write(data); err != nil {
		return err
	}
	if _, err := s.Commit(blob.Text, id); err != nil {
		return err
	}
	if !st.opts.NoSync {
		m.promised[id] = promise{there: true, since: m.now}
		delete(m.careless, id)
	}
	return nil
}

func (m *machine) mustPut(st *Store, name string) blob.ID {
	m.t.Helper()
	if err := m.put(st, name); err != nil {
		m.t.Fatal(err)
	}
	return blob.ContentID(blob.Text, contentOf(name))
}

// unsynced is the Hook of a disk that nobody need wait for.
func unsynced(c *faultfs.Call, do func() error) error {
	if c.Op == faultfs.Sync || c.Op == faultfs.SyncDir {
		return nil
	}
	return do()
}

// losePower looks at everything that a loss of power can leave now.
func (m *machine) losePower() {
	if len(m.broken) >= m.enough {
		return
	}
	for s := range m.disk.Lost() {
		m.outcomes++
		key := fmt.Sprintln(m.promised, m.careless) + withoutTemp(s).Key()
		if m.seen[key] {
			continue
		}
		m.seen[key] = true
		base := filepath.Join(m.scratch, fmt.Sprint(len(m.seen)))
		if err := errors.Join(os.Mkdir(base, 0o700), s.Write(base)); err != nil {
			m.t.Fatal(err)
		}
		for _, what := range m.reopen(filepath.Join(base, "a", "b", "store")) {
			m.broken = append(m.broken, what+" in\n"+strings.Join(slices.Sorted(maps.Keys(s)), "\n"))
		}
		if err := os.RemoveAll(base); err != nil {
			m.t.Fatal(err)
		}
		if len(m.broken) >= m.enough {
			return
		}
	}
}

// withoutTemp is a state in which temporary files are as good as the same: nobody reads one that another left.
func withoutTemp(s faultfs.State) faultfs.State {
	s = maps.Clone(s)
	n := 0
	maps.DeleteFunc(s, func(path string, _ faultfs.Content) bool {
		temp := strings.HasPrefix(filepath.Base(path), durable.TempPrefix)
		if temp {
			n++
		}
		return temp
	})
	s[fmt.Sprint(n, " temporary")] = faultfs.Content{}
	return s
}

// reopen returns what a store does not keep of what it promised.
func (m *machine) reopen(path string) (broken []string) {
	fail := func(format string, args ...any) { broken = append(broken, fmt.Sprintf(format, args...)) }
	st, err := New(path, Options{Now: func() time.Time { return m.now }, FS: faultfs.New(unsynced)})
	if err != nil {
		m.t.Fatal(err)
	}
	defer st.Close()
	for id, want := range m.promised {
		info, err := st.Stat(m.t.Context(), id)
		switch {
		case !want.there && !errors.Is(err, blob.ErrNotFound):
			fail("%s was deleted: %+v, %v", id, info, err)
		case want.there && err != nil:
			fail("%s is lost: %v", id, err)
		case want.there && info.ModTime.Before(want.since):
			fail("%s has aged: %v, stored at %v", id, info.ModTime, want.since)
		}
	}
	for info, err := range st.List(m.t.Context()) {
		if err != nil {
			fail("list: %v", err)
		} else if !m.careless[info.ID] && !m.whole(st, info.ID) {
			fail("%s is not whole", info.ID)
		}
	}
	// It goes on: what a crash left is collected, and everything can be stored.
	if _, _, err := st.CollectStaged(m.t.Context(), m.now.Add(time.Hour), false); err != nil {
		fail("collect: %v", err)
	}
	for f, err := range st.Audit(m.t.Context()) {
		if err != nil || f.Name != "." { // the scratch directory has the mode that it has
			fail("left over: %+v, %v", f, err)
		}
	}
	for id, data := range m.known {
		if m.careless[id] {
			continue
		}
		if err := store(m.t, st, id, data); err != nil || !m.whole(st, id) {
			fail("%s cannot be stored: %v", id, err)
		}
	}
	return broken
}

func store(t *testing.T, st *Store, id blob.ID, data []byte) error {
	s, err := st.Stage(t.Context())
	if err != nil {
		return err
	}
	defer s.Abort()
	if _, err := s.Write(data); err != nil {
		return err
	}
	_, err = s.Commit(blob.Text, id)
	return err
}

func (m *machine) whole(st *Store, id blob.ID) bool {
	b, err := st.Open(m.t.Context(), id)
	if err != nil {
		return false
	}
	defer b.Close()
	data, err := blob.Bytes(b)
	return err == nil && bytes.Equal(data, m.known[id])
}

// days passes time.
func (m *machine) days(n int) { m.now = m.now.AddDate(0, 0, n) }

// lives are what processes do until the power is lost.
var lives = map[string]func(m *machine){
	"store": func(m *machine) {
		st := m.process(false)
		m.mustPut(st, "one")
		m.mustPut(st, "two")
	},
	"store what is synced on the side": func(m *machine) {
		m.mustPut(m.process(false), "large")
	},
	"store again": func(m *machine) {
		m.mustPut(m.process(false), "one")
		m.days(2)
		m.mustPut(m.process(false), "one")
	},
	"store what is not synced": func(m *machine) {
		m.mustPut(m.process(true), "one")
		m.days(2)
		m.mustPut(m.process(false), "one")
	},
	"delete": func(m *machine) {
		st := m.process(false)
		m.mustPut(st, "one")
		id := m.mustPut(st, "two")
		delete(m.promised, id)
		if err := m.process(false).Delete(m.t.Context(), id); err != nil {
			m.t.Fatal(err)
		}
		m.promised[id] = promise{}
		m.losePower()
		m.mustPut(m.process(false), "two")
	},
	"collect": func(m *machine) {
		st := m.process(false)
		kept := m.mustPut(st, "referenced")
		var old []blob.ID
		for _, name := range []string{"old one", "old two"} {
			old = append(old, m.mustPut(st, name))
		}
		m.mustPut(st, "old, and stored again")
		m.days(2)
		m.mustPut(st, "old, and stored again")
		m.mustPut(st, "young")
		for _, id := range old {
			delete(m.promised, id)
		}
		n := 0
		err := gcOf(m.process(false), m.now.AddDate(0, 0, -1), func() { n++ }, kept)
		if err != nil || n != len(old) {
			m.t.Fatalf("%d blobs were deleted, %v", n, err)
		}
		for _, id := range old {
			m.promised[id] = promise{}
		}
	},
}

// afterACrash has a first process end before any of its steps, and a second one then do the same.
func afterACrash(noSync bool) func(t *testing.T, run func(life func(m *machine))) {
	return func(t *testing.T, run func(life func(m *machine))) {
		for n, ended := 1, false; !ended; n++ {
			run(func(m *machine) {
				dying := faultfs.DieAt(n)
				_ = m.put(m.process(noSync, dying.Hook), "one")
				ended = len(dying.Steps()) < n
				m.days(2)
				m.mustPut(m.process(false), "one")
				m.mustPut(m.process(false), "two")
			})
		}
	}
}

// live runs everything on a machine of its own, with the syncs of a place in the code ignored, until enough promises are
// broken. It returns these, how many losses of power there were, and the places that sync.
func live(t *testing.T, enough int, ignored string) (broken []string, outcomes, distinct int, places map[string]int) {
	places = make(map[string]int)
	run := func(life func(m *machine)) {
		for _, links := range []bool{true, false} {
			m := newMachine(t, links)
			m.enough = enough
			m.disk.Ignore = func(*faultfs.Call) bool {
				p := place()
				places[p]++
				return p == ignored
			}
			life(m)
			m.losePower()
			broken = append(broken, m.broken...)
			outcomes += m.outcomes
			distinct += len(m.seen)
			if len(broken) >= enough {
				return
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(lives)) {
		if run(lives[name]); len(broken) >= enough {
			return
		}
	}
	for _, noSync := range []bool{false, true} {
		if afterACrash(noSync)(t, run); len(broken) >= enough {
			return
		}
	}
	return
}

// place tells where in the code a sync is called: the functions of the store that lead to it.
func place() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	var in []string
	for {
		f, more := frames.Next()
		name := f.Function[strings.LastIndexByte(f.Function, '/')+1:]
		pkg := filepath.Base(filepath.Dir(f.File))
		if own := (pkg == "fsstore" || pkg == "durable") && !strings.HasSuffix(f.File, "_test.go"); own && (len(in) == 0 || in[len(in)-1] != name) {
			in = append(in, name)
		}
		if !more {
			return strings.Join(in, " < ")
		}
	}
}

// Whenever the power is lost, and whatever of what was not synced is lost with it, the store keeps what it has promised.
// And it is the syncs that do it: without those of any one place in the code it does not.
func TestPowerLoss(t *testing.T) {
	broken, outcomes, distinct, places := live(t, 5, "")
	for _, what := range broken {
		t.Error(what)
	}
	if t.Failed() {
		return
	}
	t.Attr("power-loss-outcomes", fmt.Sprint(outcomes))
	t.Attr("power-loss-outcomes-that-differ", fmt.Sprint(distinct))
	t.Attr("places-that-sync", fmt.Sprint(len(places)))
	for _, place := range slices.Sorted(maps.Keys(places)) {
		t.Run(place, func(t *testing.T) {
			if broken, _, _, _ := live(t, 1, place); len(broken) == 0 {
				t.Error("nothing is lost without this sync: it is not needed, or the power is lost too gently here")
			}
		})
	}
}

// gcOf collects what is older than a time and not among the ids of a history.
func gcOf(st *Store, olderThan time.Time, deleted func(), history ...blob.ID) error {
	text := fmt.Sprint(history)
	g := blob.Garbage{OlderThan: olderThan, Histories: func(yield func(io.Reader, error) bool) { yield(strings.NewReader(text), nil) }}
	_, err := g.Collect(context.Background(), st, func(blob.Info) error {
		deleted()
		return nil
	})
	return err
}
