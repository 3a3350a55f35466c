package main

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// gojqVersion is the one that is built.
const gojqVersion = "v0.12.19"

// langchainFiles are the script with LangChain's edit and the versions of what it needs.
//
//go:embed langchain
var langchainFiles embed.FS

// tool is a program of others.
type tool struct {
	path    string
	version string
	absent  string // why there is none
}

// tool finds a program, once, and asks for its version.
func (w *workshop) tool(name string) tool {
	if t, ok := w.tools[name]; ok {
		return t
	}
	var t tool
	switch name {
	case "gojq":
		t = w.gojq()
	default:
		t = find(name)
	}
	if t.absent == "" {
		t.version = version(t.path, name)
	}
	w.tools[name] = t
	return t
}

func find(name string) tool {
	path, err := exec.LookPath(name)
	if err != nil {
		return tool{absent: "not installed"}
	}
	return tool{path: path}
}

// gojq is built where the rest lies, so that the module needs nothing of it.
func (w *workshop) gojq() tool {
	cmd := exec.CommandContext(w.ctx, "go", "install", "github.com/itchyny/gojq/cmd/gojq@"+gojqVersion)
	cmd.Env = append(cmd.Environ(), "GOBIN="+w.dir, "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "bench: gojq: %v\n%s", err, out)
		return tool{absent: "could not be built"}
	}
	return tool{path: w.path("gojq")}
}

// version is the first line that a program prints about itself.
func version(path, name string) string {
	out, err := exec.Command(path, "--version").Output()
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if err != nil || line == "" {
		return name + ", version not known"
	}
	return line
}

// rival is a command of a tool of others. The table shows what label says.
func (w *workshop) rival(name, label string, args ...string) *command {
	t := w.tool(name)
	return &command{name: strings.TrimSpace(name + " " + label), args: append([]string{t.path}, args...), absent: t.absent}
}

// langchain is the script that takes a history through LangChain's edit.
func (w *workshop) langchain(history string) (*command, error) {
	c := &command{name: "LangChain ClearToolUsesEdit", inside: true}
	node, npm := w.tool("node"), w.tool("npm")
	if node.absent != "" || npm.absent != "" {
		c.absent = "node or npm not installed"
		return c, nil
	}
	if err := os.CopyFS(w.dir, langchainFiles); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, err
	}
	dir := w.path("langchain")
	if _, ok := w.tools["langchain"]; !ok {
		install := exec.CommandContext(w.ctx, npm.path, "ci", "--prefix", dir, "--ignore-scripts", "--no-audit", "--no-fund")
		t := tool{version: "langchain " + langchainVersion(dir)}
		if out, err := install.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "bench: npm ci: %v\n%s", err, out)
			t = tool{absent: "could not be installed"}
		}
		w.tools["langchain"] = t
	}
	c.absent = w.tools["langchain"].absent
	c.args = []string{node.path, "--max-old-space-size=8192", filepath.Join(dir, "edit.mjs"), history}
	return c, w.ctx.Err()
}

// langchainVersion is what package.json of the script asks for.
func langchainVersion(dir string) string {
	data, _ := os.ReadFile(filepath.Join(dir, "package.json"))
	var p struct{ Dependencies map[string]string }
	_ = json.Unmarshal(data, &p) // no version is shown as none
	return p.Dependencies["langchain"]
}
