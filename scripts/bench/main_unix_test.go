//go:build unix

package main

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Small runs go through, write their half of the page and leave nothing behind. What they measure says nothing.
func TestSmallRuns(t *testing.T) {
	dir := t.TempDir()
	page := filepath.Join(dir, "page.md")
	scratch := filepath.Join(dir, "scratch")
	if err := os.Mkdir(scratch, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"-only", "^(start|parts of text|small history|many items)$", "-rounds", "1"},
		{"-only", "^(Text|JSON|Events of hooks|Histories|Blobs in the store|Calls of a model)$", "-growth", "-rounds", "1"},
	} {
		t.Setenv("TMPDIR", dir) // run sets it
		args = append(args, "-scale", "0.0001", "-dir", scratch, "-out", page)
		if err := run(t.Context(), args); err != nil && !errors.Is(err, errMissed) {
			t.Fatalf("%q: %v", args, err)
		}
		if left, err := os.ReadDir(scratch); err != nil || len(left) > 0 {
			t.Errorf("%q: left %v, %v", args, left, err)
		}
	}
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# Benchmarks\n", "| start | `llmblob --version` |", "| project a history of 100 items", "Machine: ", growthHeading, "### Calls of a model\n", "`llmblob rm ID`"} {
		if strings.Count(string(data), want) == 0 {
			t.Errorf("no %q in\n%s", want, data)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "growth.svg")); err != nil {
		t.Error(err)
	}
}

// An interrupt ends a run in the middle, and nothing is left behind.
func TestInterrupt(t *testing.T) {
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		cmd := exec.Command(self, asBench, "-only", "^start$", "-rounds", "1000000", "-dir", dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		var stderr strings.Builder
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := bufio.NewReader(out).ReadString('\n'); err != nil { // the head of the table: it is under way
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != 1 {
			t.Errorf("%v: %v, %s", sig, err, stderr.String())
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%v: left %v, %v", sig, left, err)
		}
	}
}

func TestArguments(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{{"-only", "("}, {"-no-such"}, {"-only", "start", "-dir", filepath.Join(t.TempDir(), "none")}, {"-dir", t.TempDir()}} {
		if err := run(ctx, args); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
}
