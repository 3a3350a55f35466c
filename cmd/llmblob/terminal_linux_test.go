package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"
)

// terminal opens a pseudo terminal that shows bytes as they are written.
func terminal(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("there are no pseudo terminals here: %v", err)
	}
	t.Cleanup(func() { master.Close() })
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	mode, err := unix.IoctlGetTermios(int(slave.Fd()), unix.TCGETS)
	if err == nil {
		mode.Oflag &^= unix.OPOST
		err = unix.IoctlSetTermios(int(slave.Fd()), unix.TCSETS, mode)
	}
	if err != nil {
		t.Fatal(err)
	}
	return master, slave
}

// onTerminal runs llmblob with standard output and error on a terminal and returns what it showed there.
func onTerminal(t *testing.T, env []string, stdin string, args ...string) string {
	t.Helper()
	master, slave := terminal(t)
	cmd := ownCommand(t, args...)
	cmd.Env = append(cmd.Environ(), env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), slave, slave
	shown := make(chan []byte)
	go func() {
		all, _ := io.ReadAll(master) // it ends with an error once nobody has the other side
		shown <- all
	}()
	err := cmd.Run()
	slave.Close()
	if _, isExit := err.(*exec.ExitError); err != nil && !isExit {
		t.Fatal(err)
	}
	return string(<-shown)
}

// steering are bytes that a terminal obeys: every control character of both sets, as UTF-8 and raw, and whole sequences.
func steering() string {
	var b strings.Builder
	b.WriteString("\x1b[31mred\x1b]0;title\x07\x1b]52;c;Zm9v\x1b\\\x9b2J\r")
	for r := rune(0); r < 0xa0; r++ {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			b.WriteRune(r)
			b.WriteByte(byte(r))
		}
	}
	return b.String()
}

// inJSON are those that a JSON string can hold as they are.
const inJSON = "\x7f\u0080\u009b31m\u009d0;t\u009c"

const hostileID, hostileJSON = "01234567-89ab-7def-8123-456789abcdef", "11234567-89ab-7def-8123-456789abcdef"

// hostileFiles makes a store and files that are full of what steers a terminal, also in their names, and returns the directory.
func hostileFiles(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	line := steering() + "\n"
	doc := `{"` + inJSON + `":"` + inJSON + `\u001b[31m","a":["` + inJSON + `",{"` + inJSON + `":1}]}`
	record := `{"role":"assistant","content":"` + inJSON + `","tool_calls":[{"id":"` + inJSON + `","type":"function","function":{"name":"` + inJSON + `","arguments":"{}"}}]}` + "\n" +
		`{"role":"tool","tool_call_id":"` + inJSON + `","content":"` + strings.Repeat(inJSON, 200) + `"}` + "\n" + `{"role":"assistant","content":"x"}` + "\n"
	for name, text := range map[string]string{
		"store/" + hostileID + ".txt":    strings.Repeat(line, 60),
		"store/" + hostileJSON + ".json": doc,
		"store/\x1b[31m\u009b\x7f":       "",
		"text\x1b[31m":                   line,
		"history":                        record,
		"refers":                         `{"role":"tool","tool_call_id":"` + inJSON + `","content":"[blob:` + hostileID + `]` + inJSON + "\"}\n",
		"torn":                           record + line,
		"config":                         `{"placeholder":"` + inJSON + `","only_tools":["` + inJSON + `x"]}`,
		"calls": `{"type":"tool_use","id":"` + inJSON + `","name":"inspect","input":{"blob_id":"` + hostileID + `","selector":"lines:1"}}` + "\n" +
			`{"type":"tool_use","id":"` + inJSON + `","name":"` + inJSON + `","input":{}}` + "\n" + `{"` + inJSON + `":"` + inJSON + "\"}\n",
		"home/.claude/settings.json": "{\"" + inJSON + "\": \"" + inJSON + "\"}\n",
		"home/.codex/config.toml":    "# \u009b31m\na = 1\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Nothing that a blob, a history, a setting or a name holds steers the terminal it is shown on, whatever command shows it.
func TestNothingSteersATerminal(t *testing.T) {
	manyProcesses(t)
	dir := hostileFiles(t)
	file := func(name string) string { return filepath.Join(dir, name) }
	env := []string{"LLMBLOB_STORE=" + file("store"), "HOME=" + file("home")}
	big := strings.Repeat(steering()+"\n", 100)
	initialize := `{"jsonrpc":"2.0","id":"` + inJSON + `","method":"` + inJSON + `"}` + "\n" + `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"inspect","arguments":{"blob_id":"` + hostileJSON + `"}}}` + "\n"
	hook := `{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_response":{"stdout":"` + strings.Repeat(inJSON, 200) + `","stderr":"` + inJSON + `","interrupted":false}}`
	argument := strings.ReplaceAll(steering(), "\x00", "") // which no argument can hold
	commands := map[string]bool{}
	for _, c := range []struct {
		stdin string
		args  []string
	}{
		{"", []string{"cat", hostileID, hostileJSON}},
		{"", []string{"inspect", hostileID}},
		{"", []string{"inspect", hostileID, "lines:1-2"}},
		{"", []string{"inspect", hostileID, "grep:red", "--max-bytes", "1000"}},
		{"", []string{"inspect", hostileID, "bytes:5..99"}},
		{"", []string{"inspect", hostileID, "--json"}},
		{"", []string{"inspect", hostileID, "grep:no" + argument}},
		{"", []string{"inspect", hostileJSON}},
		{"", []string{"inspect", hostileJSON, "--json"}},
		{"", []string{"inspect", hostileJSON, "keys"}},
		{"", []string{"inspect", hostileJSON, "key:a", "slice:0.."}},
		{"", []string{"inspect", hostileJSON, "path:a.1"}},
		{"", []string{"inspect", hostileJSON, "key:nosuch"}},
		{"", []string{"inspect", hostileJSON, "path:a.9"}},
		{big, []string{"inspect", "-"}},
		{"", []string{"inspect", file("text\x1b[31m")}},
		{"", []string{"inspect", file("no\x1b[31m")}},
		{"", []string{"stat", hostileID, hostileJSON}},
		{"", []string{"summarize", hostileID}},
		{"", []string{"summarize", hostileJSON}},
		{big, []string{"summarize"}},
		{"", []string{"summarize", file("text\x1b[31m"), "--type", "json"}},
		{big, []string{"capture"}},
		{big, []string{"capture", "--json"}},
		{"small" + inJSON, []string{"capture", "--json"}},
		{big, []string{"capture", "--summary", argument}},
		{"", []string{"capture", "cat", file("store/" + hostileID + ".txt")}},
		{"", []string{"capture", "no\x1b[31m"}},
		{big, []string{"store"}},
		{"", []string{"store", "--summary", argument, file("text\x1b[31m"), file("no\x1b[31m")}},
		{"", []string{"refs", file("torn")}},
		{"", []string{"ls"}},
		{"", []string{"ls", "--json"}},
		{"", []string{"path"}},
		{"", []string{"--store", file("st\x1b[31m\u009b"), "path"}},
		{"", []string{"--store", file("st\x1b[31m\u009b"), "cat", hostileID}},
		{"", []string{"rm", "\x1b[31m"}},
		{"\x1b[31m\n", []string{"rm", "-"}},
		{"", []string{"verify"}},
		{"\x1b[31m\n", []string{"verify", "-"}},
		{"", []string{"gc", "--dry-run", "--older-than", "0s", file("calls")}},
		{"", []string{"gc", file("no\x1b[31m")}},
		{"", []string{"project", file("history")}},
		{"", []string{"project", "--set", "protected_tokens=0", "--set", "min_savings=0", "--explain", file("history")}},
		{"", []string{"project", "--config", file("config"), file("history")}},
		{"", []string{"project", "--config", file("config"), "--print-config"}},
		{"", []string{"project", "--explain=/dev/stderr", file("history")}},
		{"", []string{"project", "--lenient", file("torn")}},
		{"", []string{"project", file("torn")}},
		{"", []string{"project", file("text\x1b[31m")}},
		{"", []string{"offload", file("history")}},
		{"", []string{"offload", "--lenient", file("torn")}},
		{"", []string{"restore", file("refers")}},
		{"", []string{"restore", "--by-reference", file("refers")}},
		{"", []string{"tool", "call", file("calls")}},
		{"", []string{"tool", "schema", "--for", "\x1b[31m"}},
		{"", []string{"tool", "prompt"}},
		{initialize, []string{"mcp"}},
		{steering() + "\n", []string{"mcp"}},
		{hook, []string{"hook", "claude-code"}},
		{steering(), []string{"hook", "claude-code"}},
		{"", []string{"setup", "claude-code"}},
		{"", []string{"setup", "codex"}},
		{"", []string{"schema", "prune"}},
		{"", []string{"no\x1b[31m"}},
		{"", []string{"cat", "--no\x1b[31m"}},
	} {
		for _, arg := range c.args {
			commands[arg] = true
		}
		shown := onTerminal(t, env, c.stdin, c.args...)
		if i := strings.IndexFunc(strings.ToValidUTF8(shown, "\x1b"), func(r rune) bool { return r != '\n' && r != '\t' && unicode.IsControl(r) }); i >= 0 || shown == "" && c.args[0] != "refs" {
			t.Errorf("llmblob %q shows, at %d, %q", c.args, i, shown[:min(len(shown), 2000)])
		}
	}
	var leaves func(cmd *cobra.Command)
	leaves = func(cmd *cobra.Command) {
		for _, c := range cmd.Commands() {
			leaves(c)
		}
		if !cmd.HasSubCommands() && !commands[cmd.Name()] && cmd.Name() != "help" {
			t.Errorf("%s is not tried", cmd.CommandPath())
		}
	}
	leaves(newRootCommand(&app{}, nil))
}

// Into a pipe the bytes are exact, and on a terminal where --raw asks for it.
func TestBytesAreExactElsewhere(t *testing.T) {
	dir := hostileFiles(t)
	env := []string{"LLMBLOB_STORE=" + filepath.Join(dir, "store")}
	want, err := os.ReadFile(filepath.Join(dir, "store", hostileID+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := ownCommand(t, "cat", hostileID)
	cmd.Env = append(cmd.Environ(), env...)
	if got, err := cmd.Output(); err != nil || !bytes.Equal(got, want) {
		t.Errorf("cat into a pipe: %v, %d bytes of %d", err, len(got), len(want))
	}
	for _, args := range [][]string{{"cat", "--raw", hostileID}, {"inspect", "--raw", hostileID, "lines:1-"}} {
		if got := onTerminal(t, env, "", args...); got != string(want) {
			t.Errorf("%q: %d bytes of %d", args, len(got), len(want))
		}
	}
}
