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
//   - a background command, and one that changes the shell that runs it (cd, export, source, an assignment): behind a pipe it
//     would change a shell of its own, which ends with it;
//   - an expansion that may end the shell or assign: behind a pipe what follows it would run all the same;
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
	foreign    bool // a command is not known to leave its shell as it is
	pattern    bool // a word may end the whole line in zsh, where it matches nothing
}

// list is commands with operators between them.
func (s *shellScanner) list() bool {
	goesOn := false // whatever became of a command
	for several := false; ; several = true {
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
			return !(several && s.foreign) && !(goesOn && s.pattern)
		}
		switch rest := s.text[s.i:]; {
		case strings.HasPrefix(rest, "&&"), strings.HasPrefix(rest, "||"):
			goesOn = goesOn || rest[0] == '|'
			s.out.WriteString(" " + rest[:2])
			s.i += 2
		case rest[0] == ';':
			goesOn = true
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
	name := ""
	for first := true; ; {
		for s.i < len(s.text) && (s.text[s.i] == ' ' || s.text[s.i] == '\t') {
			s.i++
		}
		if s.i == len(s.text) {
			return redirected, name != ""
		}
		switch c := s.text[s.i]; {
		case c == '>' || c == '<' || strings.HasPrefix(s.text[s.i:], "&>"):
			redirected = redirected || c != '<'
			if name == "" || !s.redirection() { // before a name it would hide the name
				return false, false
			}
			continue
		case strings.IndexByte("&|;()#\n\r", c) >= 0:
			return redirected, name != ""
		}
		word, ok := s.word()
		if !ok {
			return false, false
		}
		switch {
		case s.i < len(s.text) && (s.text[s.i] == '<' || s.text[s.i] == '>') && (word[0] == '{' || strings.Trim(word, digits) == ""):
			if name == "" || word[0] == '{' { // {NAME} assigns
				return false, false
			} // else the number of what is redirected
		case name != "":
			if first && name == "printf" && !isFormat(word) {
				return false, false
			}
			first = false
		case isAssignment(word): // before a command it is the command's own
		case !isCommand(word):
			return false, false
		default:
			name = word
			s.foreign = s.foreign || !strings.Contains(word, "/") && !slices.Contains(programs, word)
		}
	}
}

// redirection passes over an operator and the word after it. Here documents and process substitutions are refused.
func (s *shellScanner) redirection() bool {
	for _, op := range []string{"&>>", "&>", ">>", ">&", ">|", "<&", ">", "<"} {
		rest, ok := strings.CutPrefix(s.text[s.i:], op)
		if !ok {
			continue
		}
		target := strings.TrimLeft(rest, " \t")
		s.i = len(s.text) - len(target)
		word, ok := s.word()
		return ok && word != ""
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
			s.pattern = s.pattern || strings.IndexByte("*?[", c) >= 0 || s.i == start && c == '=' ||
				c == '~' && (s.i == start || strings.IndexByte("=:", s.text[s.i-1]) >= 0) && s.i+1 < len(s.text) && strings.IndexByte("/ \t;&|", s.text[s.i+1]) < 0
			s.i++
		}
	}
	return s.text[start:s.i], true
}

// quoted passes over what begins with a quote, a backquote or a dollar sign.
func (s *shellScanner) quoted() bool {
	rest := s.text[s.i:]
	switch {
	case rest[0] == '"':
		return s.doubleQuoted()
	case rest[0] == '\'':
		end := strings.IndexByte(rest[1:], '\'') + 2
		s.i += end
		return end > 1
	case strings.HasPrefix(rest, "$'"), strings.HasPrefix(rest, `$"`), rest[0] == '`':
		return false
	}
	n := expansion(rest)
	s.i += n
	return n > 0
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
			n := expansion(s.text[s.i:])
			if n == 0 {
				return false
			}
			s.i += n - 1
		}
	}
	return false
}

const (
	digits     = "0123456789"
	nameStarts = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
	nameChars  = nameStarts + digits
)

// shellNames are variables that tell of the shell or of what it ran before, which is something else behind a pipe.
var shellNames = []string{"_", "PIPESTATUS", "pipestatus", "status", "BASHPID", "BASH_SUBSHELL", "ZSH_SUBSHELL", "SHELLOPTS", "BASH_COMMAND"}

// operators are those in braces that neither end the shell nor assign.
var operators = []string{":-", "-", ":+", "+", "##", "#", "%%", "%"}

// expansion is the length of the one that a text starts with, or of a dollar sign that is no more than that. It is 0 where an
// expansion is not known to leave the shell as it is: it may end it (:?), assign (:=, arithmetic), or tell of a status.
func expansion(text string) int {
	if len(text) == 1 {
		return 1
	}
	n := 0
	switch c := text[1]; {
	case c == '(':
		n = substitution(text)
	case c == '{':
		n = braces(text)
	case strings.IndexByte(nameStarts, c) >= 0:
		if n = 1 + nameLen(text[1:]); slices.Contains(shellNames, text[1:n]) {
			return 0
		}
	case strings.IndexByte(digits+"@*#$", c) >= 0:
		n = 2
	case strings.IndexByte(" \t\"/.,|);", c) >= 0:
		return 1
	}
	if strings.HasPrefix(text[n:], "[") { // to zsh a subscript, which is arithmetic
		return 0
	}
	return n
}

// nameLen is the length of the name that a text starts with.
func nameLen(text string) int { return len(text) - len(strings.TrimLeft(text, nameChars)) }

// substitution is the length of one without quotes and parentheses inside: a reader of permission rules gives up on them too.
func substitution(text string) int {
	end := strings.IndexByte(text, ')')
	if end < 0 {
		return 0
	}
	inner := text[2:end]
	if strings.ContainsAny(inner, "(`'\"\\#\n") {
		return 0
	}
	for i := 0; i < len(inner); i++ {
		if inner[i] == '$' && expansion(inner[i:]) == 0 {
			return 0
		}
	}
	return end + 1
}

// braces is the length of a variable in braces, with an operator and plain text at most.
func braces(text string) int {
	end := strings.IndexByte(text, '}')
	if end < 0 {
		return 0
	}
	inner := text[2:end]
	n := nameLen(inner)
	if n == 0 || strings.IndexByte(digits, inner[0]) >= 0 || slices.Contains(shellNames, inner[:n]) {
		return 0
	}
	if n == len(inner) {
		return end + 1
	}
	for _, op := range operators {
		if plain, ok := strings.CutPrefix(inner[n:], op); ok {
			if strings.Trim(plain, nameChars+"-./,:@%+*") != "" {
				return 0
			}
			return end + 1
		}
	}
	return 0
}

// isAssignment reports whether a word is NAME=VALUE.
func isAssignment(word string) bool {
	n := nameLen(word)
	return n > 0 && strings.IndexByte(digits, word[0]) < 0 && (strings.HasPrefix(word[n:], "=") || strings.HasPrefix(word[n:], "+="))
}

// isFormat reports whether the first argument of printf is a format for sure: -v assigns, and an expansion may be that.
func isFormat(word string) bool {
	text := strings.TrimLeft(word, `'"\`)
	return text != "" && strings.IndexByte("-${*?[~", text[0]) < 0
}

// notCommands are words in the place of a command that change the shell, begin something else than a simple command, or
// whose output is not to be kept from a person.
var notCommands = []string{
	"cd", "pushd", "popd", "export", "source", ".", "set", "unset", "shopt", "setopt", "unsetopt", "alias", "unalias",
	"declare", "typeset", "local", "readonly", "let", "eval", "exec", "exit", "return", "break", "continue", "trap", "umask",
	"ulimit", "wait", "read", "mapfile", "readarray", "getopts", "hash", "enable", "builtin", "command", "jobs", "fg", "bg",
	"disown", "suspend", "shift", "times", "logout", "dirs", "bind", "emulate", "autoload", "zmodload", ":", "compopt", "complete",
	"disable", "fc", "float", "functions", "history", "integer", "limit", "print", "private", "rehash", "setenv", "unfunction",
	"unhash", "unlimit", "unsetenv", "vared", "zparseopts", "zstyle",
	// Functions that tools add to a shell to change it.
	"activate", "asdf", "autojump", "chruby", "conda", "deactivate", "direnv", "fnm", "j", "jenv", "mamba", "micromamba", "mise",
	"mkvirtualenv", "ml", "module", "nodenv", "nvm", "pyenv", "rbenv", "rvm", "sdk", "spack", "use", "workon", "z",
	"if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "select", "in", "function",
	"time", "coproc", "repeat", "foreach", "end", "noglob", "nocorrect", "!", "{", "}", "[[", "]]",
}

// programs are commands that leave the shell as it is: programs of their own, and builtins that only print or tell. Any other
// name may be a function or a builtin that changes what the commands behind it find, so a line of several has only these.
var programs = []string{
	"ant", "apk", "apt", "apt-get", "aws", "awk", "az", "base64", "basename", "bazel", "biome", "black", "brew", "buf", "bun", "bundle", "bunx",
	"cargo", "cat", "chmod", "clang", "clang++", "clang-format", "cmake", "cmp", "column", "comm", "composer", "cp", "ctest", "curl",
	"cut", "date", "deno", "df", "diff", "dirname", "docker", "docker-compose", "dotnet", "du", "echo", "egrep", "env", "eslint", "false",
	"fd", "fgrep", "file", "find", "flake8", "free", "g++", "gcc", "gcloud", "gem", "gh", "git", "go", "gofmt", "golangci-lint",
	"gradle", "grep", "gunzip", "gzip", "head", "helm", "hexdump", "hostname", "id", "isort", "java", "javac", "jest", "jq", "just", "kubectl",
	"ld", "ldd", "ln", "ls", "lsof", "make", "md5sum", "meson", "mkdir", "mv", "mvn", "mypy", "mysql", "nl", "nm", "node", "npm", "npx",
	"ninja", "objdump", "od", "openssl", "perl", "php", "pip", "pip3", "pnpm", "podman", "poetry", "prettier", "printf", "ps", "psql", "pwd",
	"pylint", "pytest", "python", "python3", "rake", "readlink", "realpath", "rg", "rm", "rmdir", "rspec", "rsync", "rubocop", "ruby", "ruff",
	"rustc", "rustup", "sed", "seq", "sha256sum", "sleep", "sort", "sqlite3", "ss", "stat", "staticcheck", "strings", "swift", "tail", "tar",
	"terraform", "test", "tofu", "touch", "tox", "tr", "tree", "true", "tsc", "tsx", "uname", "uniq", "unzip", "uv", "uvx", "vite", "vitest",
	"wc", "wget", "which", "whoami", "xargs", "xxd", "yarn", "yq", "zip",
}

// isCommand reports whether a word names a command that a pipe changes nothing of. One that is quoted or substituted could be
// any, and llmblob itself needs no other.
func isCommand(word string) bool {
	return !strings.ContainsAny(word, "\\'\"$`*?[]{}~!") && !slices.Contains(notCommands, word) &&
		strings.TrimSuffix(path.Base(word), ".exe") != "llmblob"
}
