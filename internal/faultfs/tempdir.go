package faultfs

import (
	"os"
	"testing"
)

// TempDir is t.TempDir, in memory where the system has such: those who lose power by the thousand need no disk for it.
func TempDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "llmblob-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}
