package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// command is a process that is measured.
type command struct {
	name   string // as the table shows it
	args   []string
	stdin  string // a file; none: no input
	stdout string // a file; none: a pipe that is read, for to /dev/null some programs (grep) do not do their work
	absent string // why it cannot be run; it is named, and not measured
	inside bool   // it prints the milliseconds that its work took without its start as its last line
	before func() error
	after  func() error // both are not timed
}

// result is what one run took.
type result struct {
	took   time.Duration
	inside time.Duration
	memory memory // zero where it was not watched
}

// memory is what a process had at most, in bytes.
type memory struct {
	resident  int64 // mapped files included
	anonymous int64 // what is its own: heap and stacks
}

func (m memory) max(n memory) memory {
	return memory{max(m.resident, n.resident), max(m.anonymous, n.anonymous)}
}

// run runs the command once. Watching takes time on the other core, so a watched run is not to be timed.
func (c *command) run(ctx context.Context, watched bool) (r result, err error) {
	if c.before != nil {
		if err := c.before(); err != nil {
			return r, fmt.Errorf("before %s: %w", c.name, err)
		}
	}
	if r, err = c.process(ctx, watched); err != nil {
		return r, fmt.Errorf("%s: %w", c.name, err)
	}
	if c.after != nil {
		err = c.after()
	}
	return r, err
}

func (c *command) process(ctx context.Context, watched bool) (r result, err error) {
	cmd := exec.CommandContext(ctx, c.args[0], c.args[1:]...)
	cmd.Env = append(cmd.Environ(), "LC_ALL=C") // the fast one of grep and wc
	var messages bytes.Buffer
	cmd.Stderr = &messages
	if c.stdin != "" {
		in, err := os.Open(c.stdin)
		if err != nil {
			return r, err
		}
		defer in.Close()
		cmd.Stdin = in
	}
	printed, out, err := c.output()
	if err != nil {
		return r, err
	}
	cmd.Stdout = out
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return r, errors.Join(err, out.Close(), printed.Close())
	}
	err = out.Close()
	ended, seen := make(chan struct{}), make(chan memory, 1)
	if watched {
		go func() { seen <- watch(cmd.Process.Pid, ended) }()
	} else {
		seen <- memory{}
	}
	last := make(chan string, 1)
	go func() { last <- drain(printed) }()
	err = errors.Join(err, cmd.Wait())
	r.took = time.Since(start)
	close(ended)
	r.memory = <-seen
	line := <-last
	if err = errors.Join(err, printed.Close()); err != nil {
		return r, fmt.Errorf("%w: %s", err, bytes.TrimSpace(messages.Bytes()))
	}
	if c.inside {
		ms, err := strconv.ParseFloat(line, 64)
		if err != nil {
			return r, fmt.Errorf("its last line is no time: %w", err)
		}
		r.inside = time.Duration(ms * float64(time.Millisecond))
	}
	return r, nil
}

// output returns where the command writes to, and what of it is to be read.
func (c *command) output() (printed io.ReadCloser, out *os.File, err error) {
	if c.stdout != "" {
		out, err = os.Create(c.stdout)
		return io.NopCloser(strings.NewReader("")), out, err
	}
	return os.Pipe()
}

// drain reads all and returns the last line.
func drain(r io.Reader) string {
	buf := make([]byte, 64<<10)
	var last []byte
	for {
		n, err := r.Read(buf)
		if n > 0 {
			last = append(last, buf[max(0, n-100):n]...)
			last = last[max(0, len(last)-100):]
		}
		if err != nil {
			lines := strings.Split(strings.TrimSpace(string(last)), "\n")
			return lines[len(lines)-1]
		}
	}
}

// figures are those of many runs of one command.
type figures struct {
	times, inside []time.Duration
	memory        memory
}

// add runs the command and keeps its time, or where it is watched its memory.
func (f *figures) add(ctx context.Context, c *command, watched bool) error {
	r, err := c.run(ctx, watched)
	if err != nil {
		return err
	}
	if watched {
		f.memory = f.memory.max(r.memory)
		return nil
	}
	f.times = append(f.times, r.took)
	f.inside = append(f.inside, r.inside)
	return nil
}
