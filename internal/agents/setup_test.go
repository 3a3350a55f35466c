package agents

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/llmblob/llmblob/internal/jsonscan"
)

func newSetup(agent Agent, home string) Setup {
	return Setup{
		Agent: agent, Program: "/opt/llmblob", Store: "/data/blobs",
		Getenv: func(name string) string { return map[string]string{"HOME": home}[name] },
	}
}

// settingsPaths are the files of an agent, below the home directory.
func settingsPaths(t *testing.T, s Setup) []string {
	t.Helper()
	files, err := s.settings()
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, f := range files {
		paths = append(paths, f.path)
	}
	return paths
}

// planned is what Plan makes of the texts of an agent's files.
func planned(t *testing.T, s Setup, texts [][]byte, remove bool) [][]byte {
	t.Helper()
	files, err := s.settings()
	if err != nil {
		t.Fatal(err)
	}
	changed, old := make([][]byte, len(files)), ""
	for i, f := range files {
		if changed[i], err = f.change(texts[i], s.Wrap, remove, &old); err != nil {
			t.Fatalf("%v\n%s", err, texts[i])
		}
	}
	return changed
}

// same reports whether files have the same texts, and the same are missing.
func same(a, b [][]byte) bool {
	return slices.EqualFunc(a, b, func(x, y []byte) bool { return bytes.Equal(x, y) && (x == nil) == (y == nil) })
}

// generator makes settings files, some of which have what setup needs, or an empty place for it.
type generator struct{ *rand.Rand }

func (g generator) space() string {
	return []string{"", " ", "\n", "\n  ", "\n\t", "\r\n    ", "\n\n  "}[g.IntN(7)]
}

func (g generator) comment() string {
	if g.IntN(8) > 0 {
		return ""
	}
	return []string{"/* a { comment */", "// one, [ more\n"}[g.IntN(2)]
}

var generatedKeys = []string{"hooks", "PostToolUse", "PreToolUse", "AfterTool", "sandbox", "filesystem", "allowWrite", "mcpServers", "permissions", "allow", "tools", "sandboxAllowedPaths", "model", "a\\\"b", "é"}

// value makes a value that fits where setup looks: objects and arrays at the keys that it knows.
func (g generator) value(key string, depth int) string {
	switch key {
	case "PostToolUse", "PreToolUse", "AfterTool", "allowWrite", "allow", "sandboxAllowedPaths":
		return g.array(depth)
	case "hooks", "sandbox", "filesystem", "mcpServers", "permissions", "tools":
		return g.object(depth)
	}
	if depth < 3 && g.IntN(3) == 0 {
		return g.array(depth)
	}
	return []string{`"text, ] }"`, "1.50", "-0", "true", "null", `"\u00e9 // no comment"`, `{}`, `[ ]`}[g.IntN(8)]
}

func (g generator) object(depth int) string {
	var b strings.Builder
	b.WriteString("{" + g.space() + g.comment())
	space := g.space()
	for i, at := range g.Perm(len(generatedKeys))[:g.IntN(6-depth)] {
		key := generatedKeys[at]
		if i > 0 {
			b.WriteString("," + g.comment() + space)
		}
		b.WriteString(`"` + key + `"` + []string{":", ": ", " :\n"}[g.IntN(3)] + g.value(key, depth+1))
	}
	return b.String() + g.comment() + g.space() + "}"
}

func (g generator) array(depth int) string {
	var b strings.Builder
	b.WriteString("[" + g.space())
	space := g.space()
	for i := range g.IntN(4) {
		if i > 0 {
			b.WriteString("," + g.comment() + space)
		}
		b.WriteString([]string{`"x"`, `{"matcher": "y", "hooks": []}`, "1", `{"hooks":[{"command":"other"}]}`}[g.IntN(4)])
	}
	b.WriteString(g.space() + "]")
	return b.String()
}

func (g generator) toml() string {
	var b strings.Builder
	line := func(s string) { b.WriteString(s + "\n") }
	for range g.IntN(4) {
		line([]string{"# a comment", `model = "x" # [not a table]`, "", `notify = ["a", "b"]`, `when = 2026-12-01T10:00:00Z`, "s = '''\n[x]\n'''"}[g.IntN(6)])
		if strings.Count(b.String(), "model =")+strings.Count(b.String(), "notify =")+strings.Count(b.String(), "when =")+strings.Count(b.String(), "s =") > 1 {
			return g.toml()
		}
	}
	roots := []string{"", "writable_roots = []", "writable_roots = [ ]", `writable_roots = ["/a"]`, "writable_roots = [\n  '/a', # one, two\n  \"/b\",\n]", `writable_roots = [ "/a", "/b" ]`, "writable_roots = [\n  \"/a\", # one\n]", "writable_roots = [\n  \"/a\" # one\n]", "writable_roots = [\n  \"/a\",\n  \"/b\"\n  # end\n]"}[g.IntN(9)]
	if g.IntN(4) == 0 && roots != "" {
		line("sandbox_workspace_write." + roots)
	} else if g.IntN(4) == 0 {
		line("sandbox_workspace_write.network_access = true")
	} else if g.IntN(2) == 0 {
		line("[sandbox_workspace_write] # here")
		line("network_access = false")
		if roots != "" {
			line(roots)
		}
	} else if g.IntN(2) == 0 {
		line("[ sandbox_workspace_write ]")
	}
	for i := range g.IntN(3) {
		line([]string{"", "# about it"}[g.IntN(2)])
		line([]string{fmt.Sprintf("[mcp_servers.other%d]", i), fmt.Sprintf("[projects.\"/a.b%d\"]", i), "[[hooks.PreToolUse]]"}[g.IntN(3)])
		line(`command = "x"`)
	}
	text := b.String()
	if g.IntN(3) == 0 {
		text = strings.TrimSuffix(text, "\n")
	}
	if g.IntN(4) == 0 {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

// settings makes the files of an agent; a file is missing where its text is nil.
func (g generator) settings(paths []string) [][]byte {
	texts := make([][]byte, len(paths))
	for i, path := range paths {
		switch {
		case g.IntN(5) == 0:
		case filepath.Ext(path) == ".toml":
			texts[i] = []byte(g.toml())
		default:
			texts[i] = []byte([]string{"", bom, "\n", "// hello\n"}[max(0, g.IntN(12)-8)] + g.object(0) + []string{"", "\n", "\r\n"}[g.IntN(3)])
		}
	}
	return texts
}

// For any settings: what is written once is there, and writing it again changes nothing; taking it out gives the bytes that
// were there before.
func TestWriteAndRemove(t *testing.T) {
	for seed := range uint64(5000) {
		g := generator{rand.New(rand.NewPCG(seed, 1))}
		s := newSetup(All()[seed%3], "/home")
		s.Wrap = seed%2 == 0
		paths := settingsPaths(t, s)
		texts := g.settings(paths)
		written := planned(t, s, texts, false)
		if same(texts, written) {
			t.Fatalf("seed %d: nothing was written", seed)
		}
		for i, path := range paths {
			checkReadable(t, seed, path, written[i])
		}
		if again := planned(t, s, written, false); !same(again, written) {
			t.Fatalf("seed %d: written again:\n%s\nwant:\n%s", seed, again, written)
		}
		other := s
		other.Store, other.Wrap = "/other/blobs", !s.Wrap
		if back := planned(t, s, planned(t, other, written, false), false); !same(back, written) {
			t.Fatalf("seed %d: another setup and back:\n%s\nwant:\n%s", seed, back, written)
		}
		s.Store, s.Wrap = "/given/by/nobody", false // what was written tells
		if left := planned(t, s, written, true); !same(left, texts) {
			t.Fatalf("seed %d: removed:\n%q\nwant:\n%q\nwritten:\n%s", seed, left, texts, written)
		}
	}
}

// checkReadable holds a text that was written to a reader of its own.
func checkReadable(t *testing.T, seed uint64, path string, text []byte) {
	t.Helper()
	if text == nil {
		return
	}
	if filepath.Ext(path) == ".toml" {
		if parsed, err := parseTOML(text); err != nil || !parsed.has(tomlEntry{`"/opt/llmblob"`, `["mcp", "--store", "/data/blobs"]`, "/data/blobs"}, "") {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		return
	}
	if _, err := parseJSON(text); err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, text)
	}
}

// What a user adds to an entry of ours stays while the entry is right.
func TestWhatAUserAddedStays(t *testing.T) {
	s := newSetup(ClaudeCode, "/home")
	written := planned(t, s, [][]byte{nil, nil}, false)
	written[0] = bytes.Replace(written[0], []byte(`"command"`), []byte(`"env": {"A": "b"}, "command"`), 1)
	if again := planned(t, s, written, false); !same(again, written) {
		t.Errorf("got %s", again)
	}
	s = newSetup(Codex, "/home")
	written = planned(t, s, [][]byte{nil, nil}, false)
	written[0] = bytes.Replace(written[0], []byte("args"), []byte("startup_timeout_sec = 5\nargs"), 1)
	if again := planned(t, s, written, false); !same(again, written) {
		t.Errorf("got %s", again)
	}
}

// hooksOf are the elements of all groups of an event that are not ours, as they are written.
func hooksOf(t *testing.T, text []byte, event string) (others []string, ours int) {
	t.Helper()
	parsed, err := parseJSON(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for group := range parsed.root.Get("hooks").Get(event).Elements() {
		for hook := range group.Get("hooks").Elements() {
			if start, end := hook.Span(); bytes.Contains(hook.Raw(), []byte("llmblob")) {
				ours++
			} else {
				others = append(others, string(text[start:end]))
			}
		}
	}
	return others, ours
}

// In a group of hooks others may have commands beside ours. Whatever is written or removed, they keep their bytes.
func TestGroupsWithHooksOfOthers(t *testing.T) {
	for seed := range uint64(2000) {
		g := generator{rand.New(rand.NewPCG(seed, 2))}
		s := newSetup(ClaudeCode, "/home")
		s.Wrap = seed%3 == 0
		matcher := []string{"Edit", "Bash|PowerShell|WebFetch|WebSearch|mcp__.*"}[g.IntN(2)]
		at, n := -1, g.IntN(4)
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(`{"type":%s"command", "command": "other %d" }`, g.space(), i))
		}
		if g.IntN(4) > 0 {
			at = g.IntN(n + 1)
			list = slices.Insert(list, at, `{"type": "command", "command": "`+s.hookCommand()+`", "timeout": 30}`)
		}
		text := []byte(`{"hooks": {"PostToolUse": [{"matcher": "` + matcher + `", "hooks": [` + g.space() + strings.Join(list, ","+g.comment()+g.space()) + g.comment() + g.space() + `]}` + g.space() + "]}}\n")
		want, _ := hooksOf(t, text, "PostToolUse")
		written := planned(t, s, [][]byte{nil, text}, false)
		if again := planned(t, s, written, false); !same(again, written) {
			t.Fatalf("seed %d: written again:\n%s\nwant:\n%s", seed, again, written)
		}
		if others, ours := hooksOf(t, written[1], "PostToolUse"); !slices.Equal(others, want) || ours != 1 {
			t.Fatalf("seed %d:\n%s\nbecame\n%s", seed, text, written[1])
		}
		removed := planned(t, s, written, true)[1]
		if at < 0 && !bytes.Equal(removed, text) {
			t.Fatalf("seed %d: removed:\n%s\nwant:\n%s", seed, removed, text)
		}
		if removed == nil {
			if len(want) > 0 {
				t.Fatalf("seed %d: nothing is left of\n%s", seed, text)
			}
			continue
		}
		if others, ours := hooksOf(t, removed, "PostToolUse"); !slices.Equal(others, want) || ours != 0 {
			t.Fatalf("seed %d:\n%s\nbecame\n%s", seed, text, removed)
		}
	}
}

// A command that a user adds to our group stays where it is while ours is right, and is left when ours goes.
func TestAHookThatAUserAddsToOurGroup(t *testing.T) {
	s := newSetup(ClaudeCode, "/home")
	written := planned(t, s, [][]byte{nil, nil}, false)
	written[1] = bytes.Replace(written[1], []byte(`"hooks": [{`), []byte(`"hooks": [{"command": "mine"}, {`), 1)
	if again := planned(t, s, written, false); !same(again, written) {
		t.Errorf("got %s", again)
	}
	s.Store = "/other"
	for _, remove := range []bool{false, true} {
		changed := planned(t, s, written, remove)
		if others, ours := hooksOf(t, changed[1], "PostToolUse"); fmt.Sprint(others) != `[{"command": "mine"}]` || ours == 1 == remove {
			t.Errorf("remove %v: got %s", remove, changed[1])
		}
	}
}

// A rule that a user has too is the user's where commands are not wrapped, and where they are the user keeps one.
func TestTheUsersOwnRuleStays(t *testing.T) {
	rule := []byte(`{"permissions": {"allow": ["Bash(set -o pipefail)", "Bash(ls)"]}}` + "\n")
	for _, wrap := range []bool{false, true} {
		s := newSetup(ClaudeCode, "/home")
		s.Wrap = wrap
		texts := [][]byte{nil, rule}
		written := planned(t, s, texts, false)
		if again := planned(t, s, written, false); !same(again, written) {
			t.Errorf("wrap %v: written again: %s", wrap, again)
		}
		s.Wrap = false
		if left := planned(t, s, written, true); !same(left, texts) {
			t.Errorf("wrap %v: left %s", wrap, left)
		}
		if plain := planned(t, s, written, false); bytes.Count(plain[1], []byte("pipefail")) != 1 {
			t.Errorf("wrap %v: without: %s", wrap, plain[1])
		}
	}
}

// What agents take for no settings is taken for none.
func TestSettingsThatAreNothing(t *testing.T) {
	for _, agent := range All() {
		s := newSetup(agent, "/home")
		s.Wrap = true
		none := make([][]byte, len(settingsPaths(t, s)))
		want := planned(t, s, none, false)
		for _, blank := range []string{"", " \n"} {
			for i, path := range settingsPaths(t, s) {
				if filepath.Ext(path) == ".toml" {
					continue
				}
				texts := slices.Clone(none)
				texts[i] = []byte(blank)
				if got := planned(t, s, texts, false); !same(got, want) {
					t.Errorf("%s, %q: got %s", agent, blank, got)
				}
				if left := planned(t, s, texts, true); !same(left, texts) {
					t.Errorf("%s, %q: removed: %q", agent, blank, left)
				}
			}
		}
	}
	s := newSetup(ClaudeCode, "/home")
	for null, want := range map[string]string{
		`{"hooks": null, "a": 1}`:                   `{"hooks": {}, "a": 1}`,
		`{"hooks": {"PostToolUse":null}, "a":1}`:    `{"hooks": {"PostToolUse":[]}, "a":1}`,
		`{"sandbox": {"filesystem" : null },"a":1}`: `{"sandbox": {"filesystem" : {} },"a":1}`,
	} {
		written := planned(t, s, [][]byte{[]byte(`{"mcpServers": null}`), []byte(null)}, false)
		if again := planned(t, s, written, false); !same(again, written) || !bytes.Contains(written[1], []byte("llmblob hook")) {
			t.Errorf("%s: wrote %s", null, written)
		}
		if left := planned(t, s, written, true); string(left[0]) != `{"mcpServers": {}}` || string(left[1]) != want {
			t.Errorf("%s: left %s", null, left)
		}
	}
}

// A link that leads nowhere stays, and what it leads to is made.
func TestApplyBehindADanglingLink(t *testing.T) {
	dir := t.TempDir()
	first, second, target := filepath.Join(dir, "first"), filepath.Join(dir, "second"), filepath.Join(dir, "sub", "target")
	if err := errors.Join(os.Symlink("second", first), os.Symlink(target, second)); err != nil {
		t.Fatal(err)
	}
	if err := Apply([]Change{{first, nil, []byte("new")}}); err != nil {
		t.Fatal(err)
	}
	for _, link := range []string{first, second} {
		if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s: %v, %v", link, info, err)
		}
	}
	if text, err := os.ReadFile(target); string(text) != "new" {
		t.Errorf("got %q, %v", text, err)
	}
	loop := filepath.Join(dir, "loop")
	if err := errors.Join(os.Symlink("loop", loop), Apply([]Change{{loop, nil, []byte("x")}})); err == nil {
		t.Error("a link to itself was written")
	}
}

// What was written since the change was planned is not lost.
func TestApplyToAFileThatChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("newer"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []Change{{path, []byte("old"), []byte("new")}, {path, nil, []byte("new")}, {path, []byte("old"), nil}, {path + "x", []byte("old"), []byte("new")}} {
		if err := Apply([]Change{c}); err == nil || !strings.Contains(err.Error(), "changed meanwhile, run it again") {
			t.Errorf("%q: got %v", c, err)
		}
	}
	if text, err := os.ReadFile(path); string(text) != "newer" {
		t.Errorf("got %q, %v", text, err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestSettingsThatAreRefused(t *testing.T) {
	for _, c := range []struct{ agent, file, text, want string }{
		{"claude-code", ".claude/settings.json", "{\n  \"a\": 1,\n  oops\n}", "line 3, column 3"},
		{"claude-code", ".claude/settings.json", `{} {}`, "line 1, column 4: something follows"},
		{"claude-code", ".claude/settings.json", `[]`, "no JSON object"},
		{"claude-code", ".claude/settings.json", `{"hooks": {"PostToolUse": "x"}}`, "line 1, column 27: hooks.PostToolUse is no array"},
		{"claude-code", ".claude/settings.json", `{"hooks": []}`, "hooks is no object"},
		{"claude-code", ".claude.json", `{"mcpServers": 1}`, "mcpServers is no object"},
		{"gemini-cli", ".gemini/settings.json", `{"tools": {"sandboxAllowedPaths": {}}}`, "tools.sandboxAllowedPaths is no array"},
		{"codex", ".codex/config.toml", "a = 1\nb = [1,\n c = 2", "line 3, column 2"},
		{"codex", ".codex/config.toml", "x = 1\nmcp_servers = { a = {} }", "line 2, column 1: mcp_servers is written in a form"},
		{"codex", ".codex/config.toml", "[mcp_servers]\nllmblob = { command = 'x' }", "line 2, column 1: mcp_servers.llmblob is written"},
		{"codex", ".codex/config.toml", "sandbox_workspace_write = {}", "line 1, column 1: sandbox_workspace_write is written"},
		{"codex", ".codex/config.toml", "[sandbox_workspace_write]\nwritable_roots = 'x'", "line 2, column 1: sandbox_workspace_write.writable_roots is written"},
		{"codex", ".codex/config.toml", "[sandbox_workspace_write]\nwritable_roots = [1]", "an element is no string"},
	} {
		home := t.TempDir()
		path := filepath.Join(home, c.file)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(c.text), 0o600)); err != nil {
			t.Fatal(err)
		}
		changes, err := newSetup(Agent(c.agent), home).Plan(false)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) || changes != nil {
			t.Errorf("%s: got %v, want %s", c.text, err, c.want)
		}
	}
}

// A change behind a symbolic link leaves the link; where one change fails the others are undone.
func TestApply(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(target, []byte("old"), 0o600), os.Symlink(target, link)); err != nil {
		t.Fatal(err)
	}
	inAFile := Change{filepath.Join(target, "x"), nil, []byte("y")}
	if err := Apply([]Change{{link, []byte("old"), []byte("new")}, inAFile}); err == nil {
		t.Fatal("a file in a file was written")
	}
	if text, _ := os.ReadFile(target); string(text) != "old" {
		t.Errorf("not undone: %s", text)
	}
	if err := errors.Join(os.Chmod(target, 0o640), Apply([]Change{{link, []byte("old"), []byte("new")}})); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(link)
	if text, _ := os.ReadFile(target); string(text) != "new" || err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("got %s, %v, %v", text, info, err)
	}
	if info, err := os.Stat(target); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode: got %v, %v", info, err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 2 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestWhereSettingsAre(t *testing.T) {
	for _, c := range []struct {
		agent   Agent
		env     map[string]string
		project string
		want    string
	}{
		{ClaudeCode, map[string]string{"HOME": "/h"}, "", "/h/.claude.json /h/.claude/settings.json"},
		{ClaudeCode, map[string]string{"HOME": "/h", "CLAUDE_CONFIG_DIR": "/c"}, "", "/c/.claude.json /c/settings.json"},
		{ClaudeCode, nil, "/p", "/p/.mcp.json /p/.claude/settings.json"},
		{Codex, map[string]string{"HOME": "/h"}, "", "/h/.codex/config.toml /h/.codex/hooks.json"},
		{Codex, map[string]string{"CODEX_HOME": "/c"}, "", "/c/config.toml /c/hooks.json"},
		{Codex, nil, "/p", "/p/.codex/config.toml /p/.codex/hooks.json"},
		{GeminiCLI, map[string]string{"USERPROFILE": "/h"}, "", "/h/.gemini/settings.json"},
		{GeminiCLI, nil, "/p", "/p/.gemini/settings.json"},
	} {
		s := Setup{Agent: c.agent, Project: c.project, Getenv: func(name string) string { return c.env[name] }}
		if got := filepath.ToSlash(strings.Join(settingsPaths(t, s), " ")); got != c.want {
			t.Errorf("%s: got %s, want %s", c.agent, got, c.want)
		}
	}
	if _, err := (Setup{Agent: Codex, Getenv: func(string) string { return "" }}).Plan(false); err == nil {
		t.Error("no home, no error")
	}
}

func TestCommandLine(t *testing.T) {
	if got, want := CommandLine("/a/b", "it's", "", "x y", "a=b"), `/a/b 'it'\''s' '' 'x y' a=b`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

var emptyWithComma = regexp.MustCompile(`[\[{]\s*,`)

// What setup writes into any JSON text that it reads can be read, and taking it out gives the text.
func FuzzSetJSON(f *testing.F) {
	for _, text := range []string{"{}", "{ }\n", `{"hooks":{"PostToolUse":[1]}}`, "{\n  // x\n  \"hooks\": {},\n}", bom + "{\"a\":1}"} {
		f.Add([]byte(text))
	}
	s := newSetup(ClaudeCode, "/h")
	entries := []jsonEntry{s.serverEntry(""), s.hookEntry("PostToolUse", "x", 1), stringEntry("/s", "sandbox", "allow")}
	f.Fuzz(func(t *testing.T, text []byte) {
		parsed, err := parseJSON(text)
		if emptyWithComma.Match(text) { // passes here, but no agent reads it
			return
		}
		if err != nil || bytes.Contains(text, []byte("llmblob")) || bytes.Contains(text, []byte("null")) || bytes.Contains(text, []byte(`\u`)) || hasDuplicates(parsed.root) {
			return
		}
		if has := parsed.find(entries[2]); len(has) > 0 {
			return
		}
		written, err := setJSON(text, entries, entries)
		if err != nil {
			return // a place of ours is something else
		}
		if ok, err := hasJSON(written, entries, entries); !ok || err != nil {
			t.Fatalf("%q: wrote %q: %v", text, written, err)
		}
		if removed, err := removeJSON(written, entries); err != nil || !bytes.Equal(removed, text) {
			t.Fatalf("%q: wrote %q, removed %q, %v", text, written, removed, err)
		}
	})
}

// The same of TOML.
func FuzzSetTOML(f *testing.F) {
	for _, text := range []string{"", "\n", "a = 1", "[sandbox_workspace_write]\nwritable_roots = [ 'a', # b\n]", "sandbox_workspace_write.writable_roots = ['a']\r\n", "[x]\na = \"\"\"\n[y]\"\"\" # z"} {
		f.Add([]byte(text))
	}
	e := tomlEntry{command: `"/l"`, args: `["mcp", "--store", "/s"]`, store: "/s"}
	f.Fuzz(func(t *testing.T, text []byte) {
		parsed, err := parseTOML(text)
		if err != nil || bytes.Contains(text, []byte("llmblob")) || bytes.Contains(text, []byte("/s")) || bytes.Contains(text, []byte(`\`)) {
			return
		}
		for i, table := range parsed.tables { // a table or key that is there twice is no TOML, which only the whole tells
			for _, other := range parsed.tables[:i] {
				if table.name == other.name {
					return
				}
			}
			for j, pair := range table.pairs {
				for _, other := range table.pairs[:j] {
					if within(pair.name, other.name) {
						return
					}
				}
			}
		}
		written, err := e.set(text, "")
		if err != nil {
			return // in a form that is not edited
		}
		if p, err := parseTOML(written); err != nil || !p.has(e, "") {
			t.Fatalf("%q: wrote %q: %v", text, written, err)
		}
		if removed, err := e.remove(written, ""); err != nil || !bytes.Equal(removed, text) || (removed == nil) != (text == nil) {
			t.Fatalf("%q: wrote %q, removed %q, %v", text, written, removed, err)
		}
	})
}

// hasDuplicates reports whether an object has a key twice: setup takes the last, as agents do.
func hasDuplicates(v jsonscan.Value) bool {
	seen := map[string]bool{}
	for key, member := range v.Members() {
		if seen[string(key)] || hasDuplicates(member) {
			return true
		}
		seen[string(key)] = true
	}
	return false
}
