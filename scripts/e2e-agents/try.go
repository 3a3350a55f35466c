package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// agent is how one is run.
type agent interface {
	name() string // as llmblob knows it
	version() string
	// settings writes what a user has before llmblob comes: rules that allow sh, deny rm and ask before touch.
	settings(home, url string) error
	command(ctx context.Context, prompt string) *exec.Cmd
	env(home, url string) []string
	shell(line string) reply // a call of its shell
	sessions(home string) string
}

// mode is a way of running with llmblob: the arguments of setup, nil without it.
type mode struct {
	title string
	setup []string
}

// outcome is what a run left.
type outcome struct {
	home, work, store string
	requests          []int // bytes
	results           []string
	final             string
}

// noisy prints 5,000 lines, of which one matters, and exits with its argument.
const noisy = `awk 'BEGIN { for (i = 1; i <= 5000; i++) print (i == 4321 ? "FATAL: disk quota exceeded" : i) }'
exit $1
`

const wanted = "FATAL: disk quota exceeded"

var reference = regexp.MustCompile(`\[blob:([0-9a-f-]{36})\]`)

// reader is the model that finds the line: in the output, or with the inspect tool where there is a summary of it.
func reader(first reply) script {
	return func(results []string) reply {
		if len(results) == 0 {
			return first
		}
		last := results[len(results)-1]
		if m := reference.FindStringSubmatch(last); m != nil && !strings.Contains(last, wanted) {
			return reply{tool: "mcp__llmblob__inspect|mcp_llmblob_inspect", input: map[string]any{"blob_id": m[1], "selector": []string{"grep:FATAL"}}}
		}
		if strings.Contains(last, wanted) {
			return reply{text: "found: " + wanted}
		}
		return reply{text: "not found"}
	}
}

// prober is the model that tries what the rules are about.
func prober(a agent) script {
	lines := []string{"sh noisy.sh 0", "rm -rf denied", "touch asked"}
	return func([]string) reply {
		if len(lines) == 0 {
			return reply{text: "done"}
		}
		line := lines[0]
		lines = lines[1:]
		return a.shell(line)
	}
}

func (b *bench) try(a agent) error {
	fmt.Printf("\n%s %s\n", a.name(), a.version())
	without, hook, wrap := mode{"without", nil}, mode{"hook", []string{}}, mode{"--wrap", []string{"--wrap"}}
	modes := map[string][]mode{
		"claude-code": {without, hook, wrap},
		"codex":       {without, wrap}, // no hook could replace a result
		"gemini-cli":  {without, hook}, // wrapped commands are beyond its policies
	}[a.name()]
	var reads []*outcome
	for _, m := range modes {
		for _, failing := range []bool{false, true} {
			line := "sh noisy.sh 0"
			if failing {
				line = "sh noisy.sh 3"
			}
			o, err := b.run(a, m, reader(a.shell(line)))
			if err != nil {
				return fmt.Errorf("%s: %w", m.title, err)
			}
			summary := m.setup != nil && (!failing || m.title == "--wrap" || a.name() != "claude-code")
			b.check(summary == (reference.MatchString(strings.Join(o.results, "\n"))), "%s, failing %v: a summary: %v", m.title, failing, summary)
			if !failing {
				reads = append(reads, o)
			}
			if summary {
				b.check(strings.Contains(o.final, wanted), "%s, failing %v: the line was found by inspect in %d requests", m.title, failing, len(o.requests))
			}
			if failing {
				b.check(strings.Contains(o.results[0], "3"), "%s: the exit status is told", m.title)
			}
			b.sessions(a, o)
		}
		if m.title == "hook" && a.name() == "claude-code" {
			o, err := b.run(a, m, reader(reply{tool: "mcp__noise__dump", input: map[string]any{}}))
			if err != nil {
				return err
			}
			b.check(reference.MatchString(o.results[0]) && strings.Contains(o.final, wanted), "%s: an MCP result of %d bytes is a summary, and inspected", m.title, len(o.results[0]))
		}
		o, err := b.run(a, m, prober(a))
		if err != nil {
			return err
		}
		_, denied := os.Stat(filepath.Join(o.work, "denied"))
		_, asked := os.Stat(filepath.Join(o.work, "asked"))
		b.check(denied == nil && asked != nil && strings.Contains(o.results[0], "5000"), "%s: allowed, denied and asked for as the rules say", m.title)
	}
	table(modes, reads)
	return nil
}

// table prints the bytes of each request.
func table(modes []mode, reads []*outcome) {
	fmt.Printf("\n  | request |")
	rows := 0
	for i, m := range modes {
		fmt.Printf(" %s |", m.title)
		rows = max(rows, len(reads[i].requests))
	}
	fmt.Println()
	for row := range rows {
		fmt.Printf("  | %d |", row+1)
		for _, o := range reads {
			if row < len(o.requests) {
				fmt.Printf(" %d |", o.requests[row])
			} else {
				fmt.Printf(" |")
			}
		}
		fmt.Println()
	}
	fmt.Println()
}

// run is one run of an agent in a home of its own.
func (b *bench) run(a agent, m mode, play script) (_ *outcome, err error) {
	o := &outcome{}
	if o.home, err = os.MkdirTemp(b.dir, a.name()+"-"); err != nil {
		return nil, err
	}
	o.work, o.store = filepath.Join(o.home, "work"), filepath.Join(o.home, "blobs")
	if err := os.MkdirAll(filepath.Join(o.work, "denied"), 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(o.work, "noisy.sh"), []byte(noisy), 0o600); err != nil {
		return nil, err
	}
	server, err := startModel(func(results []string) reply {
		o.results = append(o.results, results...)
		return play(results)
	})
	if err != nil {
		return nil, err
	}
	defer server.stop()
	if err := a.settings(o.home, server.url); err != nil {
		return nil, err
	}
	env := append(a.env(o.home, server.url), "HOME="+o.home, "PATH="+os.Getenv("PATH"), "SHELL=/bin/bash", "TERM=dumb")
	if m.setup != nil {
		setup := exec.Command(b.llmblob, append([]string{"setup", a.name(), "--write", "--store", o.store}, m.setup...)...)
		setup.Env = env
		if out, err := setup.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("setup: %w\n%s", err, out)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := a.command(ctx, "Find what is fatal in the output of noisy.sh.")
	cmd.Dir, cmd.Env = o.work, env
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%w\n%s%s", err, stdout.Bytes(), stderr.Bytes())
	}
	server.mu.Lock()
	defer server.mu.Unlock()
	o.final = stdout.String()
	for _, r := range server.requests {
		o.requests = append(o.requests, len(r))
	}
	if len(o.results) == 0 {
		return nil, fmt.Errorf("no tool was called\n%s%s", stdout.Bytes(), stderr.Bytes())
	}
	return o, nil
}

// sessions takes the session file that a run left through project, offload and restore.
func (b *bench) sessions(a agent, o *outcome) {
	files, err := filepath.Glob(a.sessions(o.home))
	if err != nil || len(files) != 1 {
		b.check(false, "session files: %v, %v", files, err)
		return
	}
	history, err := os.ReadFile(files[0])
	llmblob := func(input []byte, args ...string) []byte {
		cmd := exec.Command(b.llmblob, append([]string{"--store", filepath.Join(o.home, "offloaded")}, args...)...)
		cmd.Stdin = bytes.NewReader(input)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, e := cmd.Output()
		if e != nil {
			err = fmt.Errorf("%s: %w %s", args[0], e, stderr.Bytes())
		}
		return out
	}
	projected := llmblob(history, "project")
	small := llmblob(history, "offload", "--format", a.name())
	restored := llmblob(small, "restore", "--format", a.name())
	b.check(err == nil && len(projected) > 0, "session of %d bytes: project, offload and restore succeed: %v", len(history), err)
	b.check(sameJSON(history, restored), "session: offloaded to %d bytes and restored to the same JSON", len(small))
}
