// Command e2e-agents runs Claude Code, Codex CLI and Gemini CLI, installed from npm, against a scripted model on loopback: without
// llmblob, with its hook after each call, and with commands wrapped. Each run reads a long output, finds one line in it and
// finishes; Claude Code reads that of an MCP server too. What permission rules allow, ask and deny is compared, and the sessions that the agents wrote are taken through
// project, offload and restore. It prints the bytes that each request carried.
//
//	go run ./scripts/e2e-agents [-npm DIR]
//
// It needs Go, Node.js, npm and its registry, and bash. No account is needed and no model is asked.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

func main() {
	npm := flag.String("npm", "", "directory where the agents are installed, or will be; default a temporary one")
	keep := flag.Bool("keep", false, "keep what the runs leave")
	noise := flag.Bool("noise", false, "be the MCP server that the runs call")
	flag.Parse()
	if *noise {
		serveNoise()
		return
	}
	if err := run(*npm, *keep); err != nil {
		fmt.Fprintln(os.Stderr, "e2e-agents:", err)
		os.Exit(1)
	}
}

// bench is where everything lies while it runs.
type bench struct {
	dir, npm, llmblob string
	faults            int
}

func run(npm string, keep bool) (err error) {
	b := &bench{npm: npm}
	if b.dir, err = os.MkdirTemp("", "llmblob-e2e-"); err != nil {
		return err
	}
	if keep {
		fmt.Println("runs are in", b.dir)
	} else {
		defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	}
	if b.npm == "" {
		b.npm = filepath.Join(b.dir, "npm")
	}
	b.llmblob = filepath.Join(b.dir, "bin", "llmblob")
	if err := command("", "go", "build", "-o", b.llmblob, "./cmd/llmblob"); err != nil {
		return err
	}
	if err := b.install("@anthropic-ai/claude-code", "@openai/codex", "@google/gemini-cli"); err != nil {
		return err
	}
	for _, a := range []agent{claudeCode{b}, codex{b}, geminiCLI{b}} {
		if err := b.try(a); err != nil {
			return fmt.Errorf("%s: %w", a.name(), err)
		}
	}
	if b.faults > 0 {
		return fmt.Errorf("%d faults", b.faults)
	}
	return nil
}

// install takes packages from npm that are not there yet.
func (b *bench) install(packages ...string) error {
	var missing []string
	for _, p := range packages {
		if _, err := os.Stat(filepath.Join(b.npm, "node_modules", p)); err != nil {
			missing = append(missing, p)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	if err := os.MkdirAll(b.npm, 0o700); err != nil {
		return err
	}
	return command(b.npm, "npm", append([]string{"install", "--no-audit", "--no-fund", "--prefix", b.npm}, missing...)...)
}

func command(dir, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	return nil
}

// check counts and prints what is not as it should be.
func (b *bench) check(ok bool, format string, args ...any) {
	verdict := "ok   "
	if !ok {
		verdict = "FAULT"
		b.faults++
	}
	fmt.Printf("  %s %s\n", verdict, fmt.Sprintf(format, args...))
}
