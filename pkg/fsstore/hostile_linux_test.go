package fsstore

import (
	"os/exec"
	"testing"

	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/storetest"
)

// Where names can be added and not removed, a blob is there once it is published, and its second name is but litter.
func TestATemporaryNameThatCannotBeRemoved(t *testing.T) {
	path := t.TempDir()
	if out, err := exec.Command("chattr", "+a", path).CombinedOutput(); err != nil {
		t.Skipf("this user, or this file system, has no append-only directories: %v %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("chattr", "-a", path).CombinedOutput(); err != nil {
			t.Errorf("%v %s", err, out)
		}
	})
	st := open(t, path, Options{})
	s, err := st.Stage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write(storetest.Content(10_000)); err != nil {
		t.Fatal(err)
	}
	id := storetest.NewID(t)
	if _, err := s.Commit(blob.Text, id); err != nil {
		t.Errorf("commit: %v", err)
	}
	if info, err := st.Stat(t.Context(), id); err != nil || info.Bytes != 10_000 {
		t.Errorf("got %+v, %v", info, err)
	}
}
