//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// ownCommand is llmblob, which this test binary is under that name.
func ownCommand(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, args...)
	cmd.Args[0] = "llmblob"
	return cmd
}

// ended is how a process of llmblob ended.
type ended struct {
	status         int // -1: by a signal
	stdout, stderr string
}

// runWithin runs llmblob on a store; one that hangs is killed and fails the test.
func runWithin(t *testing.T, store, stdin string, args ...string) ended {
	t.Helper()
	cmd := ownCommand(t, args...)
	cmd.Env = append(cmd.Environ(), "LLMBLOB_STORE="+store)
	return finish(t, cmd, stdin)
}

func finish(t *testing.T, cmd *exec.Cmd, stdin string) ended {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if cmd.Stdin == nil {
		cmd.Stdin = strings.NewReader(stdin)
	}
	if cmd.Stdout == nil {
		cmd.Stdout = &stdout
	}
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	hung := context.AfterFunc(deadline(t), func() {
		t.Errorf("%q hangs", cmd.Args) // and is killed, so that the test goes on
		_ = cmd.Process.Kill()
	})
	defer hung()
	var exit *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatalf("%q: %v", cmd.Args, err)
	}
	return ended{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// deadline ends when a process that is still running is taken to hang.
func deadline(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// put makes a private file.
func put(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// quote is a text of lines as a JSON string.
func quote(text string) string {
	return `"` + strings.NewReplacer("\n", `\n`, `"`, `\"`).Replace(text) + `"`
}

// jsonOf is a text as a JSON string.
func jsonOf(text string) string {
	var b bytes.Buffer
	if err := writeJSON(&b, text); err != nil {
		panic(err)
	}
	return strings.TrimSpace(b.String())
}

// manyProcesses skips a test that runs many processes, one after the other, where the race detector makes each slow to start.
func manyProcesses(t *testing.T) {
	t.Helper()
	if raceDetector {
		t.Skip("many processes, each slow to start with the race detector: this runs without it")
	}
}
