// Command corpus takes every file below the given directories through llmblob as a user would: store, cat, summarize,
// and inspect with a selector of each kind that fits. It compares what comes out with the file itself.
//
// Files in a directory that has the name of a format are histories: project, offload and restore are checked too.
//
// Files named y_*.json must be taken as JSON, files named n_*.json refused with their place (nst/JSONTestSuite).
//
//	go run ./scripts/corpus DIR…
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./scripts/corpus DIR…")
		os.Exit(2)
	}
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(1)
	}
}

type checker struct {
	llmblob string
	store   string
	files   int
	checks  int
	faults  int
}

func run(dirs []string) (err error) {
	temp, err := os.MkdirTemp("", "llmblob-corpus-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	c := &checker{llmblob: filepath.Join(temp, "llmblob"), store: filepath.Join(temp, "store")}
	if out, err := exec.Command("go", "build", "-o", c.llmblob, "./cmd/llmblob").CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			path, err = filepath.Abs(path)
			if err != nil {
				return err
			}
			return c.file(path)
		})
		if err != nil {
			return err
		}
	}
	fmt.Printf("%d files, %d checks, %d faults\n", c.files, c.checks, c.faults)
	if c.faults > 0 {
		return fmt.Errorf("%d faults", c.faults)
	}
	return nil
}

// llm runs llmblob and returns what it printed and its exit status.
func (c *checker) llm(args ...string) (stdout []byte, stderr string, status int) {
	cmd := exec.Command(c.llmblob, append([]string{"--store", c.store}, args...)...)
	var out, msg bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &msg
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		status = exit.ExitCode()
	case err != nil:
		status = -1
	}
	return out.Bytes(), msg.String(), status
}

func (c *checker) check(ok bool, format string, args ...any) {
	c.checks++
	if !ok {
		c.faults++
		fmt.Printf("FAULT "+format+"\n", args...)
	}
}

// record is what store prints.
type record struct {
	ID      string
	Type    string
	Bytes   int
	Lines   int
	Entries int
	Keys    int
	Summary string
}

func (c *checker) file(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	c.files++
	name := filepath.Base(path)
	out, msg, status := c.llm("store", "--ids", "content", path)
	var rec record
	c.check(status == 0 && json.Unmarshal(out, &rec) == nil, "%s: store: %d %s", path, status, msg)
	c.check(rec.Bytes == len(data), "%s: %d bytes of %d", path, rec.Bytes, len(data))
	c.check(len(rec.Summary) <= 400 && utf8.ValidString(rec.Summary) && strings.HasPrefix(rec.Summary, "[blob:"+rec.ID+"] "+rec.Type),
		"%s: summary %q", path, rec.Summary)
	got, msg, status := c.llm("cat", rec.ID)
	c.check(status == 0 && bytes.Equal(got, data), "%s: cat: %d %s", path, status, msg)
	got, msg, status = c.llm("summarize", rec.ID)
	c.check(status == 0 && string(got) == rec.Summary+"\n", "%s: summarize: %d %s", path, status, msg)
	_, msg, status = c.llm("inspect", rec.ID)
	c.check(status == 0, "%s: inspect: %d %s", path, status, msg)
	_, msg, status = c.llm("verify", rec.ID)
	c.check(status == 0, "%s: verify: %d %s", path, status, msg)
	c.suite(path, name)
	if len(data) > 0 {
		c.bytesOf(path, rec, data)
	}
	if rec.Type == "json_array" || rec.Type == "json_object" {
		c.json(path, rec, data)
	}
	return c.history(path, data)
}

var place = regexp.MustCompile(`line \d+, column \d+: `)

// suite holds the files of the parsing suite to what their names say.
func (c *checker) suite(path, name string) {
	switch {
	case strings.HasPrefix(name, "y_") && strings.HasSuffix(name, ".json"):
		_, msg, status := c.llm("store", "-q", "--type", "json", path)
		c.check(status == 0, "%s: must be taken: %d %s", name, status, msg)
	case strings.HasPrefix(name, "n_") && strings.HasSuffix(name, ".json"):
		before, _, _ := c.llm("ls", "-q")
		_, msg, status := c.llm("store", "-q", "--type", "json", path)
		after, _, _ := c.llm("ls", "-q")
		c.check(status == 4 && place.MatchString(msg) && bytes.Equal(before, after), "%s: must be refused: %d %s", name, status, msg)
	}
}

// bytesOf checks the selectors on bytes.
func (c *checker) bytesOf(path string, rec record, data []byte) {
	var lines [][]byte
	for line := range bytes.Lines(data) {
		lines = append(lines, line)
	}
	n := len(lines)
	c.check(rec.Type != "text" || rec.Lines == n, "%s: %d lines of %d", path, rec.Lines, n)
	third := n / 3
	tail := max(0, n-3)
	for selector, want := range map[string][]byte{
		fmt.Sprintf("lines:%d-%d", third+1, 2*third+1):        bytes.Join(lines[third:2*third+1], nil),
		fmt.Sprintf("lines:%d-", third+1):                     bytes.Join(lines[third:], nil),
		fmt.Sprintf("bytes:%d..", len(data)/2):                data[len(data)/2:],
		fmt.Sprintf("bytes:%d..%d", len(data)/3, len(data)+9): data[len(data)/3:],
	} {
		got, msg, status := c.llm("inspect", rec.ID, selector)
		c.check(status == 0 && bytes.Equal(got, want), "%s: %s: %d %s", path, selector, status, msg)
	}
	if rec.Type == "text" {
		for selector, want := range map[string][]byte{"head:2": bytes.Join(lines[:min(2, n)], nil), "tail:3": bytes.Join(lines[tail:], nil)} {
			got, msg, status := c.llm("inspect", rec.ID, selector)
			c.check(status == 0 && bytes.Equal(got, want), "%s: %s: %d %s", path, selector, status, msg)
		}
	}
	got, msg, status := c.llm("inspect", rec.ID, "grep:.")
	var want bytes.Buffer
	for i, line := range lines {
		if text := bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")); len(text) > 0 {
			fmt.Fprintf(&want, "%d:%s\n", i+1, bytes.TrimSuffix(line, []byte("\n")))
		}
	}
	c.check(status == 0 && bytes.Equal(got, want.Bytes()) || status == 5 && want.Len() == 0, "%s: grep: %d %s", path, status, msg)
}

// json checks the selectors on JSON against encoding/json, which keeps the spelling of a RawMessage.
func (c *checker) json(path string, rec record, data []byte) {
	_, msg, status := c.llm("inspect", rec.ID, "path:@this")
	c.check(rec.Entries+rec.Keys == 0 || status == 0 || strings.Contains(msg, "nests deeper"), "%s: path: %d %s", path, status, msg)
	if rec.Type == "json_array" {
		var elements []json.RawMessage
		if json.Unmarshal(data, &elements) != nil || len(elements) == 0 {
			return
		}
		c.check(len(elements) == rec.Entries, "%s: %d entries of %d", path, rec.Entries, len(elements))
		half := len(elements) / 2
		for selector, want := range map[string][]json.RawMessage{
			fmt.Sprintf("slice:%d..", half):       elements[half:],
			fmt.Sprintf("slice:..%d", half+1):     elements[:half+1],
			fmt.Sprintf("slice:-%d..", half+1):    elements[len(elements)-half-1:],
			"head:1":                              elements[:1],
			fmt.Sprintf("tail:%d", len(elements)): elements,
		} {
			parts := make([][]byte, len(want))
			for i, e := range want {
				parts[i] = e
			}
			joined := "[" + string(bytes.Join(parts, []byte(","))) + "]\n"
			got, msg, status := c.llm("inspect", rec.ID, selector)
			c.check(status == 0 && string(got) == joined, "%s: %s: %d %s", path, selector, status, msg)
		}
		return
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(data, &members) != nil {
		return
	}
	seen := 0
	for key, want := range members {
		if strings.ContainsRune(key, 0) || !utf8.ValidString(key) || len(key) > 1000 {
			continue // no argument of a process can hold it
		}
		if seen++; seen > 5 {
			break
		}
		got, msg, status := c.llm("inspect", rec.ID, "key:"+key)
		c.check(status == 0 && string(got) == string(want)+"\n", "%s: key:%s: %d %s", path, key, status, msg)
	}
	_, msg, status = c.llm("inspect", rec.ID, "keys")
	c.check(status == 0 || rec.Keys == 0, "%s: keys: %d %s", path, status, msg)
}
