// Package agents wires llmblob into coding agents: it edits their settings, and answers the hooks that these settings name.
//
// What is said here of an agent is what docs/agents.md tells, with its date.
package agents

import (
	"errors"
	"fmt"
	"strings"
)

// Agent is the name of an agent, as commands take it.
type Agent string

// The agents that are known.
const (
	ClaudeCode Agent = "claude-code"
	Codex      Agent = "codex"
	GeminiCLI  Agent = "gemini-cli"
)

// All are the agents, in the order of their names.
func All() []Agent { return []Agent{ClaudeCode, Codex, GeminiCLI} }

// ErrUnknown marks the name of an agent that is not known.
var ErrUnknown = errors.New("no such agent")

// Parse takes the name of an agent; an unknown one is ErrUnknown.
func Parse(name string) (Agent, error) {
	for _, a := range All() {
		if string(a) == name {
			return a, nil
		}
	}
	return "", fmt.Errorf("%q: %w", name, ErrUnknown)
}

// CommandLine writes words as a line that a POSIX shell reads as these words.
func CommandLine(words ...string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote(w)
	}
	return strings.Join(quoted, " ")
}

// quote leaves a word that no shell takes for anything else as it is, for permission rules compare it.
func quote(word string) string {
	plain := func(c rune) bool {
		return c < 0x80 && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("_@%+=:,./-", c))
	}
	if word != "" && strings.TrimFunc(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
