package agents

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/llmblob/llmblob/internal/jsonscan"
)

// Setup says what an agent's settings are to hold.
type Setup struct {
	Agent   Agent
	Program string // the absolute path of llmblob: agents start it with an environment and a PATH of their own
	Store   string // the absolute path of the store
	Flags   []string
	Wrap    bool // commands are wrapped before they run
	// Project is the directory whose settings are meant; "" are those of the user.
	Project string
	Getenv  func(string) string
}

// hookSeconds is how long an agent waits for a hook. The hook itself gives up before.
const hookSeconds = 30

// Sink is the command that wrapped commands send their output to. It never fails where the store does, for its status would
// become that of the command.
func (s Setup) Sink() string {
	tool := "Bash"
	if s.Agent == GeminiCLI {
		tool = "run_shell_command"
	}
	words := append([]string{s.Program, "capture", "--store", s.Store, "--tool", tool, "--no-fail"}, s.Flags...)
	return CommandLine(words...)
}

// hookCommand is the command of a hook.
func (s Setup) hookCommand() string {
	words := []string{s.Program, "hook", string(s.Agent), "--store", s.Store}
	if s.Wrap {
		words = append(words, "--wrap")
	}
	return CommandLine(append(words, s.Flags...)...)
}

// settings are the files of an agent and what belongs in them.
func (s Setup) settings() ([]settingsFile, error) {
	switch s.Agent {
	case ClaudeCode:
		return s.claudeCode()
	case Codex:
		return s.codex()
	case GeminiCLI:
		return s.geminiCLI()
	}
	return nil, fmt.Errorf("%q: %w", s.Agent, ErrUnknown)
}

// Claude Code keeps the MCP servers of a user beside its own state, and those of a project in a file that is shared.
func (s Setup) claudeCode() ([]settingsFile, error) {
	servers, settings := filepath.Join(s.Project, ".mcp.json"), filepath.Join(s.Project, ".claude", "settings.json")
	if s.Project == "" {
		dir, err := s.userDir("CLAUDE_CONFIG_DIR", "")
		if err != nil {
			return nil, err
		}
		servers, settings = filepath.Join(dir, ".claude.json"), filepath.Join(dir, ".claude", "settings.json")
		if s.Getenv("CLAUDE_CONFIG_DIR") != "" {
			settings = filepath.Join(dir, "settings.json")
		}
	}
	const matcher = "Bash|PowerShell|WebFetch|WebSearch|mcp__.*"
	entries := []jsonEntry{
		s.hookEntry("PostToolUse", matcher, hookSeconds),
		storeEntry(s.Store, "sandbox", "filesystem", "allowWrite"),
	}
	wrapping := []jsonEntry{
		s.hookEntry("PreToolUse", "Bash", hookSeconds),
		// The two commands that a wrapped command brings along, to the letter: rules are asked of each part of a line.
		stringEntry("Bash(set -o pipefail)", "permissions", "allow"),
		stringEntry("Bash("+s.Sink()+")", "permissions", "allow"),
	}
	wrapping[1].shared = true
	wrapping[2].ours = func(v jsonscan.Value) bool {
		text := string(v.Text())
		return strings.HasPrefix(text, "Bash(") && strings.Contains(text, "llmblob") && strings.Contains(text, " capture --store ") && strings.Contains(text, " --no-fail")
	}
	return []settingsFile{
		{path: servers, json: []jsonEntry{s.serverEntry(`"type": "stdio", `)}},
		{path: settings, json: entries, wrapping: wrapping},
	}, nil
}

// Codex takes hooks from a file of their own, in which it reads JSON.
func (s Setup) codex() ([]settingsFile, error) {
	dir := filepath.Join(s.Project, ".codex")
	if s.Project == "" {
		var err error
		if dir, err = s.userDir("CODEX_HOME", ".codex"); err != nil {
			return nil, err
		}
	}
	toml := &tomlEntry{
		command: jsonString(s.Program),
		args:    `["mcp", "--store", ` + jsonString(s.Store) + `]`,
		store:   s.Store,
	}
	return []settingsFile{
		{path: filepath.Join(dir, "config.toml"), toml: toml},
		{path: filepath.Join(dir, "hooks.json"), wrapping: []jsonEntry{s.hookEntry("PreToolUse", "^Bash$", hookSeconds)}},
	}, nil
}

func (s Setup) geminiCLI() ([]settingsFile, error) {
	dir := filepath.Join(s.Project, ".gemini")
	if s.Project == "" {
		home, err := s.userDir("GEMINI_CLI_HOME", "")
		if err != nil {
			return nil, err
		}
		dir = filepath.Join(home, ".gemini")
	}
	const inMilliseconds = 1000 * hookSeconds
	return []settingsFile{{
		path: filepath.Join(dir, "settings.json"),
		json: []jsonEntry{
			s.serverEntry(""),
			s.hookEntry("AfterTool", "run_shell_command|web_fetch|google_web_search|mcp_.*", inMilliseconds),
			storeEntry(s.Store, "tools", "sandboxAllowedPaths"),
		},
		wrapping: []jsonEntry{s.hookEntry("BeforeTool", "run_shell_command", inMilliseconds)},
	}}, nil
}

// userDir is a directory of the user's settings: that of a variable, else one in the home directory.
func (s Setup) userDir(variable, name string) (string, error) {
	if dir := s.Getenv(variable); dir != "" {
		return filepath.Abs(dir)
	}
	for _, home := range []string{"HOME", "USERPROFILE"} {
		if dir := s.Getenv(home); dir != "" {
			return filepath.Join(dir, name), nil
		}
	}
	return "", fmt.Errorf("settings of %s: there is no home directory", s.Agent)
}

// serverEntry is the MCP server.
func (s Setup) serverEntry(before string) jsonEntry {
	return jsonEntry{
		path:  []string{"mcpServers"},
		key:   "llmblob",
		value: `{` + before + `"command": ` + jsonString(s.Program) + `, "args": ["mcp", "--store", ` + jsonString(s.Store) + `]}`,
	}
}

// hookEntry is a hook of an event for the tools that a pattern names.
func (s Setup) hookEntry(event, matcher string, timeout int) jsonEntry {
	return jsonEntry{
		path: []string{"hooks", event},
		value: `{"matcher": ` + jsonString(matcher) + `, "hooks": [{"type": "command", "command": ` + jsonString(s.hookCommand()) +
			`, "timeout": ` + strconv.Itoa(timeout) + `}]}`,
		list: "hooks",
		ours: func(hook jsonscan.Value) bool {
			command := string(hook.Get("command").Text())
			return strings.Contains(command, "llmblob") && strings.Contains(command, " hook "+string(s.Agent)+" ")
		},
	}
}

// stringEntry is a string in an array.
func stringEntry(text string, path ...string) jsonEntry {
	return jsonEntry{path: path, value: jsonString(text), ours: func(v jsonscan.Value) bool { return v.Is(text) }}
}

// storeEntry is the path of the store in an array.
func storeEntry(path string, keys ...string) jsonEntry {
	e := stringEntry(path, keys...)
	e.isStore = true
	return e
}
