package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
)

// claudeCode is run in print mode, in which what would be asked is refused.
type claudeCode struct{ b *bench }

func (claudeCode) name() string { return "claude-code" }

func (c claudeCode) version() string { return versionOf(c.b.binary("claude")) }

func (claudeCode) settings(home, _ string) error {
	dir := filepath.Join(home, ".claude")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	own, err := os.Executable()
	if err != nil {
		return err
	}
	server, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"noise": map[string]any{"command": own, "args": []string{"-noise"}}}})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(home, ".claude.json"), server, 0o600); err != nil {
		return err
	}
	const rules = `{"permissions": {"allow": ["Bash(sh noisy.sh:*)", "mcp__llmblob__inspect", "mcp__noise__dump"], "deny": ["Bash(rm:*)"], "ask": ["Bash(touch:*)"]}}`
	return os.WriteFile(filepath.Join(dir, "settings.json"), []byte(rules), 0o600)
}

func (c claudeCode) command(ctx context.Context, prompt string) *exec.Cmd {
	return exec.CommandContext(ctx, c.b.binary("claude"), "-p", prompt)
}

func (claudeCode) env(_, url string) []string {
	return []string{"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=sk-none", "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"}
}

func (claudeCode) shell(line string) reply {
	return reply{tool: "Bash", input: map[string]any{"command": line, "description": "runs " + line}}
}

func (claudeCode) sessions(home string) string {
	return filepath.Join(home, ".claude", "projects", "*", "*.jsonl")
}

// codex is run by exec, in which what would be asked is refused, in a sandbox that may write to the project alone.
type codex struct{ b *bench }

func (codex) name() string { return "codex" }

func (c codex) version() string { return versionOf(c.b.binary("codex")) }

func (codex) settings(home, url string) error {
	dir := filepath.Join(home, ".codex")
	if err := os.MkdirAll(filepath.Join(dir, "rules"), 0o700); err != nil {
		return err
	}
	config := `model = "scripted"
model_provider = "loopback"
sandbox_mode = "workspace-write"

[model_providers.loopback]
name = "a scripted model"
base_url = "` + url + `/v1"
wire_api = "responses"
env_key = "NO_KEY"

[sandbox_workspace_write]
exclude_slash_tmp = true
exclude_tmpdir_env_var = true
`
	const rules = `prefix_rule(pattern=["rm"], decision="forbidden")
prefix_rule(pattern=["touch"], decision="prompt")
`
	if err := os.WriteFile(filepath.Join(dir, "rules", "default.rules"), []byte(rules), 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "config.toml"), []byte(config), 0o600)
}

func (c codex) command(ctx context.Context, prompt string) *exec.Cmd {
	// A user trusts a hook once, in the terminal; there is nobody here who could.
	return exec.CommandContext(ctx, c.b.binary("codex"), "exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", prompt)
}

func (codex) env(home, _ string) []string {
	return []string{"CODEX_HOME=" + filepath.Join(home, ".codex"), "NO_KEY=none"}
}

func (codex) shell(line string) reply {
	return reply{tool: "exec_command|shell_command", input: map[string]any{"cmd": line, "command": line}}
}

func (codex) sessions(home string) string {
	return filepath.Join(home, ".codex", "sessions", "*", "*", "*", "*.jsonl")
}

// geminiCLI is run with a prompt, in which what would be asked is refused.
type geminiCLI struct{ b *bench }

func (geminiCLI) name() string { return "gemini-cli" }

func (g geminiCLI) version() string { return versionOf(g.b.binary("gemini")) }

func (geminiCLI) settings(home, _ string) error {
	dir := filepath.Join(home, ".gemini")
	if err := os.MkdirAll(filepath.Join(dir, "policies"), 0o700); err != nil {
		return err
	}
	var rules strings.Builder
	for _, r := range [][2]string{{"sh noisy.sh", "allow"}, {"rm", "deny"}, {"touch", "ask_user"}} {
		fmt.Fprintf(&rules, "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = %q\ndecision = %q\npriority = 100\n\n", r[0], r[1])
	}
	rules.WriteString("[[rule]]\ntoolName = \"mcp_llmblob_inspect\"\ndecision = \"allow\"\npriority = 100\n")
	if err := os.WriteFile(filepath.Join(dir, "policies", "rules.toml"), []byte(rules.String()), 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "settings.json"), []byte(`{"security": {"auth": {"selectedType": "gemini-api-key"}}}`), 0o600)
}

func (g geminiCLI) command(ctx context.Context, prompt string) *exec.Cmd {
	return exec.CommandContext(ctx, g.b.binary("gemini"), "-m", "gemini-2.5-pro", "-p", prompt)
}

func (geminiCLI) env(_, url string) []string {
	return []string{"GEMINI_API_KEY=none", "GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_CLI_TRUST_WORKSPACE=true"}
}

func (geminiCLI) shell(line string) reply {
	return reply{tool: "run_shell_command", input: map[string]any{"command": line, "description": "runs " + line}}
}

func (geminiCLI) sessions(home string) string {
	return filepath.Join(home, ".gemini", "tmp", "*", "chats", "*.jsonl")
}

func (b *bench) binary(name string) string { return filepath.Join(b.npm, "node_modules", ".bin", name) }

func versionOf(binary string) string {
	out, err := exec.Command(binary, "--version").Output()
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(out))
}

// sameJSON reports whether two texts are the same JSON values, numbers as they are spelled.
func sameJSON(a, b []byte) bool {
	da, db := json.NewDecoder(bytes.NewReader(a)), json.NewDecoder(bytes.NewReader(b))
	da.UseNumber()
	db.UseNumber()
	for {
		var va, vb any
		errA, errB := da.Decode(&va), db.Decode(&vb)
		if errA == io.EOF || errB == io.EOF || errA != nil || errB != nil {
			return errA == io.EOF && errB == io.EOF
		}
		if !reflect.DeepEqual(va, vb) {
			return false
		}
	}
}
