package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func readme(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// example is a command of the README and what it is said to print.
type example struct{ command, output string }

var block = regexp.MustCompile("(?s)```console\n(.*?)```")

func examples(text string) []example {
	var all []example
	for _, m := range block.FindAllStringSubmatch(text, -1) {
		for line := range strings.Lines(m[1]) {
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				all = append(all, example{command: strings.TrimSuffix(command, "\n")})
			} else {
				all[len(all)-1].output += line
			}
		}
	}
	return all
}

var anyID = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// The examples of the README, run one after the other in one shell, print what it says; ids aside.
func TestREADMEExamples(t *testing.T) {
	all := examples(readme(t))
	if len(all) < 10 {
		t.Fatalf("%d examples", len(all))
	}
	dir := t.TempDir()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(exe, filepath.Join(dir, "llmblob")); err != nil {
		t.Fatal(err)
	}
	const mark = "@@next@@"
	var script strings.Builder
	for _, e := range all {
		fmt.Fprintf(&script, "%s\nprintf '%s\\n'\n", strings.ReplaceAll(e.command, "go run ./cmd/llmblob", "llmblob"), mark)
	}
	cmd := exec.Command("sh", "-c", script.String())
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"), "LLMBLOB_STORE="+filepath.Join(dir, "store"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got := strings.Split(string(out), mark+"\n")
	for i, e := range all {
		if g, w := anyID.ReplaceAllString(got[i], "<id>"), anyID.ReplaceAllString(e.output, "<id>"); g != w {
			t.Errorf("$ %s\ngot:\n%s\nwant:\n%s", e.command, g, w)
		}
	}
}

// The table of exit statuses in the README has those of exit.go and no other.
func TestREADMEExitStatuses(t *testing.T) {
	_, section, ok := strings.Cut(readme(t), "## Exit statuses")
	if !ok {
		t.Fatal("no section on exit statuses")
	}
	var got []int
	for _, m := range regexp.MustCompile(`(?m)^\| (\d+)`).FindAllStringSubmatch(section, -1) {
		n, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, n)
	}
	want := map[int]bool{}
	for _, file := range []string{"exit.go", "capture_source.go"} {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^\texit[A-Z]\w+ += (\d+)`).FindAllStringSubmatch(string(source), -1) {
			n, _ := strconv.Atoi(m[1])
			want[n] = true
		}
	}
	delete(want, exitInterrupted) // in the row of 128+n
	if exitInterrupted != exitSignalBase+2 || len(want) < 10 {
		t.Fatalf("statuses in the source: %v", want)
	}
	for _, n := range got {
		if !want[n] {
			t.Errorf("%d is no status", n)
		}
		delete(want, n)
	}
	if len(want) > 0 {
		t.Errorf("not in the README: %v", want)
	}
}

// The test command of the README is the one that continuous integration runs.
func TestREADMETestCommand(t *testing.T) {
	ci, err := os.ReadFile("../../.ci/run")
	if err != nil {
		t.Fatal(err)
	}
	const command = "\ngo test ./...\n"
	if !strings.Contains(readme(t), "```sh"+command+"```") || !strings.Contains(string(ci), command) {
		t.Errorf("%q is not in both", command)
	}
}

// Every flag that the README names is one.
func TestREADMEFlags(t *testing.T) {
	help := map[string]bool{"--help": true}
	root := newRootCommand(newApp(), nil)
	for _, c := range append(root.Commands(), root) {
		for _, m := range regexp.MustCompile(`--[a-z][a-z-]*`).FindAllString(c.UsageString(), -1) {
			help[m] = true
		}
	}
	for _, m := range regexp.MustCompile("`(--[a-z][a-z-]*)").FindAllStringSubmatch(readme(t), -1) {
		if !help[m[1]] {
			t.Errorf("%s is no flag", m[1])
		}
	}
}
