//go:build unix

package fsstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/llmblob/llmblob/internal/durable"
	"github.com/llmblob/llmblob/internal/faultfs"
	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/storetest"
)

var (
	processes = flag.Int("processes", 16, "how many processes use one store")
	forTime   = flag.Duration("for", 0, "how long they do; 0: a number of operations each")
)

// operationsEach is how many operations a process does where it is not told a time.
const operationsEach = 100

func TestMain(m *testing.M) {
	if path := os.Getenv("LLMBLOB_TEST_USER"); path != "" {
		os.Exit(beUser(path))
	}
	os.Exit(m.Run())
}

// grace is longer than any run; what is stored with the clock of before was stored before it.
const (
	grace  = time.Hour
	before = 2 * grace
)

// user is one of the processes. It knows what it may find, and what it must.
type user struct {
	random     *rand.Rand
	ctx        context.Context
	dir        string // of the store and the histories
	number     int
	st, past   *Store // of now, and with a clock that is behind
	history    *os.File
	own        []blob.ID // that must be there
	Broken     []string
	Done       map[string]int // operations, by their names
	Lasting    map[int]bool   // shared contents that must be there from now on
	Referenced []blob.ID
}

func beUser(dir string) int {
	number, err := strconv.Atoi(os.Getenv("LLMBLOB_TEST_NUMBER"))
	if err != nil {
		panic(err)
	}
	u := &user{
		random: rand.New(rand.NewPCG(uint64(number), 1)), ctx: context.Background(), dir: dir, number: number,
		Done: make(map[string]int), Lasting: make(map[int]bool),
	}
	u.history, err = os.Create(filepath.Join(dir, "histories", strconv.Itoa(number)))
	if err != nil {
		panic(err)
	}
	// All begin at once.
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		panic(err)
	}
	var end time.Time
	n := 0
	if d, err := time.ParseDuration(os.Getenv("LLMBLOB_TEST_FOR")); err == nil && d > 0 {
		end = time.Now().Add(d)
	} else {
		n = operationsEach
	}
	for i := 0; time.Now().Before(end) || i < n; i++ {
		if u.dies() && i == operationsEach/2 {
			break
		}
		u.do(i)
	}
	u.check()
	if err := json.NewEncoder(os.Stdout).Encode(u); err != nil {
		panic(err)
	}
	if u.dies() {
		u.die()
	}
	return 0
}

// dies reports whether it is one of those that do not come to their end.
func (u *user) dies() bool { return u.number%8 == 7 }

// die is killed while it stores.
func (u *user) die() {
	kill := func(*faultfs.Call, func() error) error {
		if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
			panic(err)
		}
		select {}
	}
	counter := &faultfs.Counter{N: 5 + u.random.IntN(10), At: kill}
	st, err := New(filepath.Join(u.dir, "store"), Options{FS: faultfs.New(counter.Hook)})
	if err != nil {
		panic(err)
	}
	u.store("", st, sharedContent(u.number))
	panic("it is alive")
}

func (u *user) broken(format string, args ...any) {
	u.Broken = append(u.Broken, fmt.Sprintf(format, args...))
}

// open opens the store anew now and then, as commands do.
func (u *user) open() {
	if u.st != nil && u.random.IntN(4) > 0 {
		return
	}
	for _, st := range []*Store{u.st, u.past} {
		if st != nil {
			if err := st.Close(); err != nil {
				u.broken("close: %v", err)
			}
		}
	}
	path := filepath.Join(u.dir, "store")
	var errs [2]error
	u.st, errs[0] = New(path, Options{})
	u.past, errs[1] = New(path, Options{Now: func() time.Time { return time.Now().Add(-before) }})
	if err := errors.Join(errs[:]...); err != nil {
		panic(err)
	}
}

// do does operation i. What others do at the same time is about the same contents, for they are chosen by i.
func (u *user) do(i int) {
	u.open()
	shared := i/8*4 + u.random.IntN(4)
	switch n := u.random.IntN(20); {
	case n < 4:
		u.storeLasting(shared)
	case n < 7: // it may be collected, but what another has stored lately may not
		u.store("store, long ago", u.past, sharedContent(shared))
	case n < 9:
		u.store("store, to be deleted", u.st, sharedContent(-1-u.random.IntN(4)))
	case n < 11:
		u.delete(blob.ContentID(blob.Text, sharedContent(-1-u.random.IntN(4))))
	case n < 13:
		u.storeReferenced()
	case n < 15:
		u.readOne(blob.ContentID(blob.Text, sharedContent(shared)))
	case n < 16:
		u.list()
	case n < 17:
		u.ownComesAndGoes()
	case n < 18:
		u.stageThatIsSilent()
	case n < 19:
		u.collect()
	default:
		u.collectStaged()
	}
	if u.random.IntN(16) == 0 {
		u.check()
	}
}

// sharedContent is a content that all know by its number.
func sharedContent(n int) []byte {
	return bytes.Repeat(fmt.Appendf(nil, "shared %d\n", n), 100+n&7*1000)
}

func (u *user) store(name string, st *Store, data []byte) bool {
	u.Done[name]++
	id := blob.ContentID(blob.Text, data)
	s, err := st.Stage(u.ctx)
	if err == nil {
		_, err = s.Write(data)
		if err == nil {
			_, err = s.Commit(blob.Text, id)
		}
		err = errors.Join(err, s.Abort())
	}
	if err != nil {
		u.broken("%s: %v", name, err)
	}
	return err == nil
}

func (u *user) storeLasting(n int) {
	if u.store("store", u.st, sharedContent(n)) {
		u.Lasting[n] = true
		u.mustRead(blob.ContentID(blob.Text, sharedContent(n)))
	}
}

// ownContent begins with the hash of what follows.
func ownContent(text string) []byte {
	rest := bytes.Repeat([]byte(text+"\n"), 200)
	sum := sha256.Sum256(rest)
	return append([]byte(hex.EncodeToString(sum[:])), rest...)
}

func (u *user) newID() blob.ID {
	id, err := blob.NewID()
	if err != nil {
		panic(err)
	}
	return id
}

// storeReferenced stores something that could be collected at once, were it not for the history that mentions it.
func (u *user) storeReferenced() {
	if len(u.Referenced) >= 50 {
		return
	}
	u.Done["store, referenced"]++
	id := u.newID()
	if _, err := fmt.Fprintf(u.history, "[blob:%s]\n", id); err != nil {
		panic(err)
	}
	if err := u.storeOwn(u.past, id); err != nil {
		u.broken("store, referenced: %v", err)
		return
	}
	u.Referenced = append(u.Referenced, id)
	u.mustRead(id)
}

func (u *user) storeOwn(st *Store, id blob.ID) error {
	s, err := st.Stage(u.ctx)
	if err != nil {
		return err
	}
	if _, err = s.Write(ownContent(id.String())); err == nil {
		_, err = s.Commit(blob.Text, id)
	}
	return errors.Join(err, s.Abort())
}

// read reads a blob and holds its bytes to its hash.
func (u *user) read(id blob.ID) error {
	info, err := u.st.Stat(u.ctx, id)
	if err != nil {
		return err
	}
	b, err := u.st.Open(u.ctx, id)
	if err != nil {
		return err
	}
	defer b.Close()
	data, err := blob.Bytes(b)
	if err != nil {
		return err
	}
	right := id == blob.ContentID(blob.Text, data)
	if id.Version() == 7 {
		right = bytes.Equal(data, ownContent(id.String()))
	}
	if !right || int64(len(data)) != info.Bytes {
		u.broken("%s has %d other bytes, stat says %d", id, len(data), info.Bytes)
	}
	return nil
}

func (u *user) mustRead(id blob.ID) {
	u.Done["read what must be there"]++
	if err := u.read(id); err != nil {
		u.broken("lost: %v", err)
	}
}

// readOne reads what may be there.
func (u *user) readOne(id blob.ID) {
	u.Done["read"]++
	if err := u.read(id); err != nil && !errors.Is(err, blob.ErrNotFound) {
		u.broken("read: %v", err)
	}
}

func (u *user) list() {
	u.Done["list"]++
	var last string
	for info, err := range u.st.List(u.ctx) {
		if err != nil {
			u.broken("list: %v", err)
			return
		}
		if info.ID.String() <= last {
			u.broken("list: %s after %s", info.ID, last)
		}
		last = info.ID.String()
		if u.random.IntN(64) == 0 {
			u.readOne(info.ID)
		}
	}
}

func (u *user) delete(id blob.ID) {
	u.Done["delete"]++
	if err := u.st.Delete(u.ctx, id); err != nil && !errors.Is(err, blob.ErrNotFound) {
		u.broken("delete: %v", err)
	}
}

func (u *user) ownComesAndGoes() {
	u.Done["store, read, delete"]++
	id := u.newID()
	if err := u.storeOwn(u.st, id); err != nil {
		u.broken("store: %v", err)
		return
	}
	u.mustRead(id)
	if err := u.st.Delete(u.ctx, id); err != nil {
		u.broken("delete: %v", err)
	}
	if err := u.read(id); !errors.Is(err, blob.ErrNotFound) {
		u.broken("deleted, and read: %v", err)
	}
}

// stageThatIsSilent is a command that has written nothing for longer than the grace period.
func (u *user) stageThatIsSilent() {
	u.Done["stage for long"]++
	s, err := u.st.Stage(u.ctx)
	if err != nil {
		u.broken("stage: %v", err)
		return
	}
	id := u.newID()
	_, err = s.Write(ownContent(id.String()))
	then := time.Now().Add(-before)
	err = errors.Join(err, os.Chtimes(s.(*stage).OS().Name(), then, then))
	u.collect()
	if err == nil {
		_, err = s.Commit(blob.Text, id)
	}
	if err = errors.Join(err, s.Abort()); err != nil {
		u.broken("stage for long: %v", err)
		return
	}
	u.own = append(u.own, id)
	u.mustRead(id)
}

// collect collects what no history mentions, and what a crash left.
func (u *user) collect() {
	left := filepath.Join(u.dir, "store", fmt.Sprintf("%s%d-%d", durable.TempPrefix, u.number, u.Done["collect"]))
	u.Done["collect"]++
	then := time.Now().Add(-before)
	if err := errors.Join(os.WriteFile(left, nil, 0o600), os.Chtimes(left, then, then)); err != nil && !errors.Is(err, os.ErrNotExist) {
		u.broken("%v", err) // another may have collected it
	}
	g := blob.Garbage{
		OlderThan: time.Now().Add(-grace),
		Histories: Histories([]string{filepath.Join(u.dir, "histories")}, func(path string) (io.ReadCloser, error) { return os.Open(path) }),
	}
	count, err := g.Collect(u.ctx, u.st, func(blob.Info) error { return nil })
	if err != nil {
		u.broken("collect: %v", err)
	}
	u.Done["collected"] += count.Deleted
	u.Done["collected, temporary"] += count.Staged
}

// collectStaged takes what any process stages for old: that it is in use is enough.
func (u *user) collectStaged() {
	u.Done["collect what is staged"]++
	if _, _, err := u.st.CollectStaged(u.ctx, time.Now().Add(grace), false); err != nil {
		u.broken("collect what is staged: %v", err)
	}
}

// check reads what must be there.
func (u *user) check() {
	for _, id := range append(u.Referenced, u.own...) {
		u.mustRead(id)
	}
	for n := range u.Lasting {
		u.mustRead(blob.ContentID(blob.Text, sharedContent(n)))
	}
}

// Many processes store equal and different contents, read, list, delete and collect in one store. Every success is held to
// its hash, and nothing is collected that is young, that a history mentions, or that is being stored.
func TestProcesses(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := faultfs.TempDir(t)
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "store"), 0o700), os.Mkdir(filepath.Join(dir, "histories"), 0o700)); err != nil {
		t.Fatal(err)
	}
	// One at least is there to be collected.
	past := open(t, filepath.Join(dir, "store"), Options{Now: func() time.Time { return time.Now().Add(-before) }})
	if err := store(t, past, storetest.NewID(t), []byte("old")); err != nil {
		t.Fatal(err)
	}
	start, begin, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer start.Close()
	outs := make([]bytes.Buffer, *processes)
	errs := make([]bytes.Buffer, *processes)
	cmds := make([]*exec.Cmd, *processes)
	for i := range cmds {
		cmds[i] = exec.Command(exe)
		cmds[i].Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0", "GOMAXPROCS=2", "LLMBLOB_TEST_USER="+dir,
			"LLMBLOB_TEST_NUMBER="+strconv.Itoa(i), "LLMBLOB_TEST_FOR="+forTime.String())
		cmds[i].Stdin, cmds[i].Stdout, cmds[i].Stderr = start, &outs[i], &errs[i]
		if err := cmds[i].Start(); err != nil {
			t.Fatal(err)
		}
	}
	begin.Close()
	killed := 0
	all := user{ctx: t.Context(), Done: make(map[string]int), Lasting: make(map[int]bool)}
	for i, cmd := range cmds {
		err := cmd.Wait()
		if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && (&user{number: i}).dies() && status.Signal() == syscall.SIGKILL {
			killed, err = killed+1, nil
		}
		if err != nil {
			t.Errorf("process %d: %v\n%s", i, err, errs[i].Bytes())
			continue
		}
		var u user
		if err := json.Unmarshal(outs[i].Bytes(), &u); err != nil {
			t.Fatalf("process %d: %v: %s", i, err, outs[i].Bytes())
		}
		for j, what := range u.Broken {
			if t.Errorf("process %d: %s", i, what); j == 5 {
				t.Errorf("and %d more", len(u.Broken)-j)
				break
			}
		}
		for name, n := range u.Done {
			all.Done[name] += n
		}
		for n := range u.Lasting {
			all.Lasting[n] = true
		}
		all.Referenced = append(all.Referenced, u.Referenced...)
	}
	operations := 0
	for name, n := range all.Done {
		if !strings.HasPrefix(name, "collected") {
			operations += n
		}
		t.Logf("%8d %s", n, name)
		if n == 0 {
			t.Errorf("none: %s", name)
		}
	}
	all.st = open(t, filepath.Join(dir, "store"), Options{})
	all.check()
	if _, _, err := all.st.CollectStaged(t.Context(), time.Now().Add(grace), false); err != nil {
		t.Error(err)
	}
	for f, err := range all.st.Audit(t.Context()) {
		t.Errorf("left: %+v, %v", f, err)
	}
	for _, what := range all.Broken {
		t.Error(what)
	}
	if killed != *processes/8 {
		t.Errorf("%d processes were killed", killed)
	}
	t.Attr("processes", strconv.Itoa(*processes))
	t.Attr("operations", strconv.Itoa(operations))
}
