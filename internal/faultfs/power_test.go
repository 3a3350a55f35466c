//go:build unix

package faultfs

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// lost returns the names and bytes that a loss of power now can leave, each state as a line, without the times.
func lost(d *Disk) []string {
	states := make(map[string]bool)
	for s := range d.Lost() {
		var b strings.Builder
		for _, path := range slices.Sorted(maps.Keys(s)) {
			fmt.Fprintf(&b, "%s=%q ", path, s[path].data)
		}
		states[strings.TrimSpace(b.String())] = true
	}
	return slices.Sorted(maps.Keys(states))
}

func TestDiskForgetsWhatIsNotSynced(t *testing.T) {
	base := TempDir(t)
	disk := NewDisk(base)
	fsys := New(disk.Hook)
	root, err := os.OpenRoot(base)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	self, err := root.Open(".")
	if err != nil {
		t.Fatal(err)
	}
	defer self.Close()
	var f *os.File
	for _, c := range []struct {
		what string
		do   func() error
		want []string
	}{
		{"create", func() (err error) { f, err = fsys.Create(root, "a", 0o600); return err }, []string{"", `a=""`}},
		{"write", func() error { _, err := fsys.Write(f, []byte("1234")); return err }, []string{"", `a=""`, `a="12"`, `a="1234"`, `a="\x00\x00\x00\x00"`}},
		{"sync", func() error { return fsys.Sync(f) }, []string{"", `a="1234"`}},
		{"link", func() error { return fsys.Link(root, "a", "b") }, []string{"", `a="1234"`, `a="1234" b="1234"`, `b="1234"`}},
		{"sync names", func() error { return fsys.SyncDir(self) }, []string{`a="1234" b="1234"`}},
		{"remove", func() error { return fsys.Remove(root, "a") }, []string{`a="1234" b="1234"`, `b="1234"`}},
		{"write more", func() error { _, err := fsys.Write(f, []byte("56")); return err }, []string{
			`a="1234" b="1234"`, `a="1234" b="123"`, `a="1234" b="123456"`, `a="1234" b="\x00\x00\x00\x00\x00\x00"`,
			`a="123" b="1234"`, `a="123" b="123"`, `a="123" b="123456"`, `a="123" b="\x00\x00\x00\x00\x00\x00"`,
			`a="123456" b="1234"`, `a="123456" b="123"`, `a="123456" b="123456"`, `a="123456" b="\x00\x00\x00\x00\x00\x00"`,
			`a="\x00\x00\x00\x00\x00\x00" b="1234"`, `a="\x00\x00\x00\x00\x00\x00" b="123"`,
			`a="\x00\x00\x00\x00\x00\x00" b="123456"`, `a="\x00\x00\x00\x00\x00\x00" b="\x00\x00\x00\x00\x00\x00"`,
			`b="123"`, `b="1234"`, `b="123456"`, `b="\x00\x00\x00\x00\x00\x00"`,
		}},
	} {
		if err := c.do(); err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		slices.Sort(c.want)
		if got := lost(disk); !slices.Equal(got, c.want) {
			t.Errorf("%s: got\n%s\nwant\n%s", c.what, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
	if err := fsys.Close(f); err != nil {
		t.Error(err)
	}
}
