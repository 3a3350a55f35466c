package faultfs

import (
	"slices"
	"sync"
	"syscall"
)

// Fault is how a step fails.
type Fault struct {
	Name  string
	Err   syscall.Errno
	Short bool // half of what was to be written is
	Done  bool // the step was made all the same
	Stays bool // every later step of the kinds that it can befall fails too
	ops   []Op
}

var (
	allocating = []Op{Mkdir, Create, Chtimes, Link, Rename, Write, ReadFrom, Sync, SyncDir, CloseWritten}
	changing   = []Op{Mkdir, Chmod, Create, Chtimes, Link, Rename, Remove, Fchmod, Write, ReadFrom, Sync, SyncDir}
	every      = []Op{
		Stat, Mkdir, Chmod, OpenRoot, OpenDir, Lstat, Open, Create, Chtimes, Link, Rename, Remove, Lock, Names, Fchmod, Write,
		ReadFrom, ReadAt, Sync, SyncDir, CloseWritten,
	}
)

// Faults returns all faults.
func Faults() []Fault {
	once := []Fault{
		{Name: "no space", Err: syscall.ENOSPC, ops: allocating},
		{Name: "over quota", Err: syscall.EDQUOT, ops: allocating},
		{Name: "input/output error", Err: syscall.EIO, ops: every},
		{Name: "read-only", Err: syscall.EROFS, ops: changing},
		{Name: "short write", Err: syscall.ENOSPC, Short: true, ops: []Op{Write, ReadFrom}},
		{Name: "done, and the answer lost", Err: syscall.EIO, Done: true, ops: []Op{Mkdir, Create, Chtimes, Link, Rename, Remove, Sync, SyncDir}},
	}
	faults := once
	for _, f := range once {
		f.Name += " that stays"
		f.Stays = true
		faults = append(faults, f)
	}
	return faults
}

// Befalls reports whether a kind of step can fail so.
func (f Fault) Befalls(op Op) bool { return slices.Contains(f.ops, op) }

// Counter is a Hook that counts steps and, at one of them, does something else.
type Counter struct {
	N     int                                  // the step, from 1; 0: none
	At    func(c *Call, do func() error) error // what is done at step N
	After func(c *Call, do func() error) error // at every step after it; nil: the step itself

	mu            sync.Mutex
	steps, failed []Call
}

// Hook is a Hook.
func (k *Counter) Hook(c *Call, do func() error) error {
	k.mu.Lock()
	k.steps = append(k.steps, *c)
	n := len(k.steps)
	k.mu.Unlock()
	switch {
	case n == k.N:
		return k.At(c, do)
	case k.N > 0 && n > k.N && k.After != nil:
		return k.After(c, do)
	}
	return do()
}

// Steps returns the steps so far.
func (k *Counter) Steps() []Call {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.steps)
}

// Failed returns the steps that failed.
func (k *Counter) Failed() []Call {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.failed)
}

// At returns a Counter that fails step n.
func (f Fault) At(n int) *Counter {
	k := &Counter{N: n}
	k.At = func(c *Call, do func() error) error {
		if !f.Befalls(c.Op) {
			return do()
		}
		k.mu.Lock()
		k.failed = append(k.failed, *c)
		k.mu.Unlock()
		return f.fail(c, do)
	}
	if f.Stays {
		k.After = k.At
	}
	return k
}

func (f Fault) fail(c *Call, do func() error) error {
	if f.Short {
		c.AtMost(100)
	}
	if f.Short || f.Done || c.Op == CloseWritten { // a file is closed whatever close says
		if err := do(); err != nil {
			return err
		}
	}
	return f.Err
}

// Dead is what steps return that are after the end of a process.
const Dead = syscall.ESHUTDOWN

// DieAt returns a Counter after which the process is as dead before step n: nothing is done any more but what the system
// does then, which closes files.
func DieAt(n int) *Counter {
	die := func(c *Call, do func() error) error {
		if c.Op == Close || c.Op == CloseWritten {
			_ = do()
		}
		return Dead
	}
	return &Counter{N: n, At: die, After: die}
}

// NoLinks is the Hook of a file system without hard links.
func NoLinks(c *Call, do func() error) error {
	if c.Op == Link {
		return syscall.EPERM
	}
	return do()
}
