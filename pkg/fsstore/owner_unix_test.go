//go:build unix

package fsstore

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/storetest"
)

// What another user owns, that user can read and change whatever its mode is.
func TestAuditOfAnotherOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files to others")
	}
	const other = 65534
	path := t.TempDir()
	if err := os.Chmod(path, 0o700); err != nil {
		t.Fatal(err)
	}
	st := open(t, path, Options{})
	own, given := storetest.NewID(t), storetest.NewID(t)
	for _, id := range []blob.ID{own, given} {
		if _, err := storetest.Put(t, st, blob.Text, id, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chown(filepath.Join(path, given.String()+".txt"), other, other); err != nil {
		t.Fatal(err)
	}
	wrong := func() (names []string) {
		for f, err := range st.Audit(t.Context()) {
			if err != nil || !f.Wrong || f.What != "belongs to another user, 65534" && f.What != "belongs to another user, 0" {
				t.Errorf("%+v, %v", f, err)
			}
			names = append(names, f.Name)
		}
		return names
	}
	if names := wrong(); len(names) != 1 || names[0] != given.String()+".txt" {
		t.Errorf("found %q, want the blob that was given away", names)
	}
	// Of a store of another user, looked at by root, it is the blob of root.
	if err := os.Chown(path, other, other); err != nil {
		t.Fatal(err)
	}
	if names := wrong(); len(names) != 1 || names[0] != own.String()+".txt" {
		t.Errorf("found %q, want the blob of root", names)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	for self, want := range map[uint32]bool{0: false, other: false, 1000: true} {
		if what, is := foreignDir(info, self); is != want {
			t.Errorf("user %d finds %q: %v, want %v", self, what, is, want)
		}
	}
}
