package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// workshop is the temporary directory that everything lies in: programs, inputs, stores.
type workshop struct {
	ctx    context.Context
	dir    string
	tmpdir string // what TMPDIR was
	scale  float64
	tools  map[string]tool
}

func newWorkshop(ctx context.Context, o options) (*workshop, error) {
	dir, err := os.MkdirTemp(o.dir, "llmblob-bench-")
	if err != nil {
		return nil, err
	}
	w := &workshop{ctx: ctx, dir: dir, tmpdir: os.Getenv("TMPDIR"), scale: o.scale, tools: make(map[string]tool)}
	if err := os.Setenv("TMPDIR", dir); err != nil { // what others make on the way is removed too
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	err = errors.Join(w.build("llmblob", "cmd/llmblob"), w.build("tencobra", "scripts/bench/tencobra"), w.build("nothing", "scripts/bench/nothing"))
	if err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

// close removes everything.
func (w *workshop) close() error {
	return errors.Join(os.Setenv("TMPDIR", w.tmpdir), os.RemoveAll(w.dir))
}

// path names something in the directory.
func (w *workshop) path(name string) string { return filepath.Join(w.dir, name) }

const module = "github.com/llmblob/llmblob/"

// build makes a program as a release is built.
func (w *workshop) build(name, pkg string) error {
	build := exec.CommandContext(w.ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", w.path(name), module+pkg)
	build.Env = append(build.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", pkg, err, out)
	}
	return nil
}

// scaled is a number of bytes or records, as -scale says.
func (w *workshop) scaled(n int64) int64 { return max(1, int64(float64(n)*w.scale)) }

// input is the path of a file that write makes where it is not there yet, and its size.
func (w *workshop) input(name string, write func(path string) error) (string, int64, error) {
	path := w.path(name)
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		if err := write(path); err != nil {
			return "", 0, fmt.Errorf("make %s: %w", name, err)
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", 0, err
	}
	return path, info.Size(), w.ctx.Err()
}

// llmblob is a command of ours on the store of the name; the table shows what label says.
func (w *workshop) llmblob(label, store string, args ...string) *command {
	return &command{name: "llmblob " + label, args: append([]string{w.path("llmblob"), "--store", w.path(store)}, args...)}
}

// stored stores a file, without waiting for the disk, and returns its id.
func (w *workshop) stored(store, file string) (string, error) {
	out, err := w.output(w.llmblob("store", store, "store", "-q", "--no-sync", file))
	return strings.TrimSpace(string(out)), err
}

// output is what a command prints.
func (w *workshop) output(c *command) ([]byte, error) {
	var stderr bytes.Buffer
	cmd := exec.CommandContext(w.ctx, c.args[0], c.args[1:]...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", c.name, err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}

// removing returns a function that removes paths in the directory.
func (w *workshop) removing(names ...string) func() error {
	return func() error {
		var errs []error
		for _, name := range names {
			errs = append(errs, os.RemoveAll(w.path(name)))
		}
		return errors.Join(errs...)
	}
}
