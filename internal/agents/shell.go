package agents

import (
	"path"
	"slices"
	"strings"
)

// pipeTo sends the output of each command of a shell line to a sink, so that the exit status stays that of the command: a
// simple command, or several with && || and ; between them. ok is false where the line is to be left alone:
//
//   - a pipeline, whose status is that of its last command alone;
//   - a background command, and one that changes the shell that runs it (cd, export, source, an assignment);
//   - whatever a permission rule or a reader would no longer find: groups, loops, functions, here documents, lines.
//
// Pipes are what permission rules look through: they are asked of each command in turn. With joinStderr the standard error
// goes the same way, where the command does not redirect an output itself.
func pipeTo(line, sink string, joinStderr bool) (_ string, ok bool) {
	s := &shellScanner{text: strings.TrimSpace(line), joinStderr: joinStderr, sink: sink}
	if !s.list() {
		return "", false
	}
	return "set -o pipefail; " + s.out.String(), true
}

// shellScanner reads a line once. What it does not know for sure it refuses.
type shellScanner struct {
	text       string
	i          int
	joinStderr bool
	sink       string
	out        strings.Builder
}

// list is commands with operators between them.
func (s *shellScanner) list() bool {
	for {
		start := s.i
		redirected, ok := s.command()
		if !ok {
			return false
		}
		s.out.WriteString(strings.TrimRight(s.text[start:s.i], " \t"))
		if s.joinStderr && !redirected {
			s.out.WriteString(" 2>&1")
		}
		s.out.WriteString(" | " + s.sink)
		if s.i == len(s.text) {
			return true
		}
		switch rest := s.text[s.i:]; {
		case strings.HasPrefix(rest, "&&"), strings.HasPrefix(rest, "||"):
			s.out.WriteString(" " + rest[:2])
			s.i += 2
		case rest[0] == ';':
			s.out.WriteString(";")
			s.i++
		default: // a pipe, a background command, a group, a comment or a line feed
			return false
		}
		s.out.WriteString(" ")
		for s.i < len(s.text) && (s.text[s.i] == ' ' || s.text[s.i] == '\t') {
			s.i++
		}
	}
}

// command passes over a simple command and reports whether it redirects an output.
func (s *shellScanner) command() (redirected, ok bool) {
	named := false
	for {
		for s.i < len(s.text) && (s.text[s.i] == ' ' || s.text[s.i] == '\t') {
			s.i++
		}
		if s.i == len(s.text) {
			return redirected, named
		}
		switch c := s.text[s.i]; {
		case c == '>' || c == '<' || strings.HasPrefix(s.text[s.i:], "&>"):
			redirected = redirected || c != '<'
			if !s.redirection() {
				return false, false
			}
			continue
		case strings.IndexByte("&|;()#\n\r", c) >= 0:
			return redirected, named
		}
		word, ok := s.word()
		if !ok {
			return false, false
		}
		switch {
		case named:
		case isAssignment(word): // before a command it is the command's own
		case !isCommand(word):
			return false, false
		default:
			named = true
		}
	}
}

// redirection passes over an operator; the word after it is read as any. Here documents and process substitutions are refused.
func (s *shellScanner) redirection() bool {
	for _, op := range []string{"&>>", "&>", ">>", ">&", ">|", "<&", ">", "<"} {
		rest, ok := strings.CutPrefix(s.text[s.i:], op)
		if !ok {
			continue
		}
		s.i += len(op)
		return rest != "" && rest[0] != '<' && rest[0] != '>' && rest[0] != '('
	}
	return false
}

// word passes over a word with its quotes and substitutions.
func (s *shellScanner) word() (string, bool) {
	start := s.i
	for s.i < len(s.text) {
		switch c := s.text[s.i]; {
		case strings.IndexByte(" \t\r\n&|;()<>", c) >= 0:
			return s.text[start:s.i], true
		case c == '\\' && s.i+1 < len(s.text) && s.text[s.i+1] != '\n':
			s.i += 2
		case c == '\'' || c == '"' || c == '`' || c == '$':
			if !s.quoted() {
				return "", false
			}
		case c == '\\':
			return "", false
		default:
			s.i++
		}
	}
	return s.text[start:s.i], true
}

// quoted passes over what begins with a quote, a backquote or a dollar sign. Of substitutions with parentheses only those
// without quotes and parentheses inside are passed over: a reader of permission rules gives up on them too.
func (s *shellScanner) quoted() bool {
	rest := s.text[s.i:]
	end := -1
	switch {
	case rest[0] == '\'':
		end = strings.IndexByte(rest[1:], '\'') + 2
	case rest[0] == '"':
		return s.doubleQuoted()
	case strings.HasPrefix(rest, "$'"), strings.HasPrefix(rest, `$"`), rest[0] == '`':
		return false
	case strings.HasPrefix(rest, "$("):
		if end = strings.IndexByte(rest, ')') + 1; end > 0 && strings.ContainsAny(rest[2:end-1], "(`'\"\\#\n") {
			return false
		}
	case strings.HasPrefix(rest, "${"):
		if end = strings.IndexByte(rest, '}') + 1; end > 0 && strings.ContainsAny(rest[2:end-1], "{`'\"\\$\n") {
			return false
		}
	default:
		end = 1
	}
	s.i += end
	return end > 1 || end == 1 && rest[0] == '$'
}

func (s *shellScanner) doubleQuoted() bool {
	for s.i++; s.i < len(s.text); s.i++ {
		switch s.text[s.i] {
		case '"':
			s.i++
			return true
		case '\\':
			s.i++
		case '`':
			return false
		case '$':
			if strings.HasPrefix(s.text[s.i:], "$(") || strings.HasPrefix(s.text[s.i:], "${") {
				if !s.quoted() {
					return false
				}
				s.i--
			}
		}
	}
	return false
}

// isAssignment reports whether a word is NAME=VALUE.
func isAssignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && strings.Trim(strings.TrimSuffix(name, "+"), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789[]") == ""
}

// notCommands are words in the place of a command that change the shell, begin something else than a simple command, or
// whose output is not to be kept from a person.
var notCommands = []string{
	"cd", "pushd", "popd", "export", "source", ".", "set", "unset", "shopt", "setopt", "unsetopt", "alias", "unalias",
	"declare", "typeset", "local", "readonly", "let", "eval", "exec", "exit", "return", "break", "continue", "trap", "umask",
	"ulimit", "wait", "read", "mapfile", "readarray", "getopts", "hash", "enable", "builtin", "command", "jobs", "fg", "bg",
	"disown", "suspend", "shift", "times", "logout", "dirs", "bind", "emulate", "autoload", "zmodload",
	"if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "select", "in", "function",
	"time", "coproc", "repeat", "foreach", "end", "noglob", "nocorrect", "!", "{", "}", "[[", "]]",
}

// isCommand reports whether a word names a command that a pipe changes nothing of. One that is quoted or substituted could be
// any, and llmblob itself needs no other.
func isCommand(word string) bool {
	return !strings.ContainsAny(word, "\\'\"$`*?[]{}~!") && !slices.Contains(notCommands, word) &&
		strings.TrimSuffix(path.Base(word), ".exe") != "llmblob"
}
