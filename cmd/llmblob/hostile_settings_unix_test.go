//go:build unix

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Settings that are a pipe, a device or another thing that is no file are neither waited for nor replaced, and nothing is written
// beside them.
func TestHostileSettings(t *testing.T) {
	manyProcesses(t)
	for name, plant := range plants {
		if name == "link to a device" || name == "link out" || name == "link in" || name == "link to nowhere" {
			continue // links to files are followed, for users have them; and a true device is not to be risked
		}
		for agent, place := range map[string]string{"claude-code": ".claude/settings.json", "codex": ".codex/config.toml", "gemini-cli": ".gemini/settings.json"} {
			home := t.TempDir()
			path, secretFile := filepath.Join(home, place), filepath.Join(home, "secret")
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), syscall.Mkfifo(secretFile+".fifo", 0o600)); err != nil {
				t.Fatal(err)
			}
			if err := plant(path, secretFile); errors.Is(err, syscall.EPERM) {
				t.Logf("SKIPPED: this user cannot make a %s: %v", name, err)
				continue
			} else if err != nil {
				t.Fatal(err)
			}
			before, err := os.Lstat(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, flag := range []string{"--write", "--remove", "--wrap"} {
				cmd := ownCommand(t, "setup", agent, flag)
				cmd.Env = append(cmd.Environ(), "HOME="+home, "LLMBLOB_STORE="+filepath.Join(home, "store"), "CLAUDE_CONFIG_DIR=", "CODEX_HOME=", "GEMINI_CLI_HOME=")
				got := finish(t, cmd, "")
				if got.status != 1 || got.stdout != "" || !strings.Contains(got.stderr, filepath.Base(place)) {
					t.Errorf("%s: %s %s: %+v", name, agent, flag, got)
				}
			}
			if after, err := os.Lstat(path); err != nil || !os.SameFile(before, after) {
				t.Errorf("%s: %s: it was replaced: %v", name, agent, err)
			}
			if entries, _ := os.ReadDir(home); len(entries) != 2 {
				t.Errorf("%s: %s: something was written: %v", name, agent, entries)
			}
		}
	}
}
