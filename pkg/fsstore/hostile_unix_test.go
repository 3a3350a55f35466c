//go:build unix

package fsstore

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/storetest"
)

func TestModesWhateverTheUmask(t *testing.T) {
	for _, mask := range []int{0, 0o777} {
		path := filepath.Join(t.TempDir(), "store")
		id := storetest.NewID(t)
		old := syscall.Umask(mask)
		_, err := storetest.Put(t, open(t, path, Options{}), blob.Text, id, []byte("x"))
		syscall.Umask(old)
		if err != nil {
			t.Fatal(err)
		}
		dir, _ := os.Stat(path)
		file, err := os.Stat(filepath.Join(path, id.String()+".txt"))
		if err != nil || dir.Mode().Perm() != 0o700 || file.Mode().Perm() != 0o600 {
			t.Errorf("umask %o: %v %v %v", mask, dir.Mode(), file.Mode(), err)
		}
	}
}

// What lies in a blob's place and is no regular file is neither followed, nor waited for, nor replaced.
func TestHostileNamesAreRefused(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, plant := range map[string]func(path string) error{
		"link out":     func(path string) error { return os.Symlink(secret, path) },
		"link in":      func(path string) error { return os.Symlink("inside", path) },
		"dangling":     func(path string) error { return os.Symlink("nowhere", path) },
		"fifo":         func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"directory":    func(path string) error { return os.Mkdir(path, 0o700) },
		"link to self": func(path string) error { return os.Symlink(filepath.Base(path), path) },
	} {
		t.Run(name, func(t *testing.T) {
			path := t.TempDir()
			if err := os.WriteFile(filepath.Join(path, "inside"), []byte("inside"), 0o600); err != nil {
				t.Fatal(err)
			}
			id := storetest.NewID(t)
			planted := filepath.Join(path, id.String()+".txt")
			if err := plant(planted); err != nil {
				t.Fatal(err)
			}
			before, _ := os.Lstat(planted)
			st := open(t, path, Options{})
			if _, err := st.Open(t.Context(), id); !errors.Is(err, blob.ErrDamaged) {
				t.Errorf("open: %v, want ErrDamaged", err)
			}
			if _, err := st.Stat(t.Context(), id); !errors.Is(err, blob.ErrDamaged) {
				t.Errorf("stat: %v, want ErrDamaged", err)
			}
			if err := st.Delete(t.Context(), id); !errors.Is(err, blob.ErrDamaged) {
				t.Errorf("delete: %v, want ErrDamaged", err)
			}
			for _, typ := range []blob.Type{blob.Text, blob.JSON} {
				if _, err := storetest.Put(t, st, typ, id, []byte("secret")); err == nil {
					t.Errorf("a %s blob was stored over it", typ)
				}
			}
			for range st.List(t.Context()) {
				t.Error("it is listed")
			}
			if after, err := os.Lstat(planted); err != nil || after.Mode() != before.Mode() {
				t.Errorf("it was changed: %v, %v", after, err)
			}
		})
	}
}

func TestAnOpenBlobOutlivesItsDeletion(t *testing.T) {
	st := open(t, t.TempDir(), Options{})
	id := storetest.NewID(t)
	if _, err := storetest.Put(t, st, blob.Text, id, []byte("content")); err != nil {
		t.Fatal(err)
	}
	b, err := st.Open(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := st.Delete(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(io.NewSectionReader(b, 0, 7)); err != nil || string(got) != "content" {
		t.Errorf("got %q, %v", got, err)
	}
}
