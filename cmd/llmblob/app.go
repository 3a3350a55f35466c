package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/llmblob/llmblob/internal/cleantext"
	"github.com/llmblob/llmblob/internal/content"
	"github.com/llmblob/llmblob/internal/durable"
	"github.com/llmblob/llmblob/pkg/blob"
)

// app is all that commands reach of the world.
type app struct {
	stdin  *os.File
	stdout *os.File
	stderr *os.File
	getenv func(string) string
	now    func() time.Time
	newID  func() (blob.ID, error)
	disk   durable.FS

	args    []string
	useLine string // of the command that runs
	flags   globalFlags
	store   blob.Store // opened by openStore
	choice  storeChoice
}

// globalFlags are those of every command.
type globalFlags struct {
	store  string
	json   bool
	noSync bool
}

func newApp() *app {
	return &app{
		stdin: os.Stdin, stdout: os.Stdout, stderr: quietStderr(),
		getenv: os.Getenv, now: time.Now, newID: blob.NewID, disk: durable.System{},
	}
}

// run is the program: it returns the exit status.
func run(args []string, a *app) int {
	if args == nil {
		args = []string{} // SetArgs(nil) would mean os.Args
	}
	cmd := newRootCommand(a, args)
	a.args = args
	cmd.SetArgs(args)
	help := &stickyWriter{w: a.stdout}
	cmd.SetOut(help)
	cmd.SetErr(a.stderr)
	// A file that shrinks while it is mapped is an error, not a crash.
	err := content.Guard(func() error { return cmd.ExecuteContext(context.Background()) })
	err = errors.Join(err, help.err)
	if c, ok := a.store.(io.Closer); ok {
		_ = c.Close() // nothing is written by it
	}
	return a.exit(err)
}

// stickyWriter remembers its first error, for those who print help do not look.
type stickyWriter struct {
	w   io.Writer
	err error
}

func (s *stickyWriter) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	if s.err == nil {
		s.err = err
	}
	return n, err
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// payload writes what is not ours to standard output: of blobs, histories, settings. A terminal it cannot steer: control
// characters are made visible there.
func (a *app) payload(write func(io.Writer) error) error {
	if !isTerminal(a.stdout) {
		return write(a.stdout)
	}
	v := cleantext.NewVisibleWriter(a.stdout)
	return errors.Join(write(v), v.Close())
}

// payloadBytes writes bytes as payload does.
func (a *app) payloadBytes(data []byte) error {
	return a.payload(func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// input opens an operand: a file, or standard input where it is "-" or missing.
func (a *app) input(operands []string) (*os.File, error) {
	if len(operands) > 0 && operands[0] != "-" {
		return os.Open(operands[0])
	}
	if isTerminal(a.stdin) {
		return nil, &usageError{msg: "standard input is a terminal: name a file or pipe something in", hint: "usage: " + a.useLine}
	}
	return a.stdin, nil
}

// printJSON writes a value as one line of JSON, in which no control character stands as it is.
func (a *app) printJSON(v any) error {
	return writeJSON(a.stdout, v)
}

func writeJSON(w io.Writer, v any) error {
	line, err := encodeJSON(v)
	if err != nil {
		return err
	}
	_, err = w.Write(line)
	return err
}

func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return escapeControls(b.Bytes()), nil
}

// escapeControls escapes the control characters that JSON allows in strings: delete, and U+0080 to U+009F.
func escapeControls(line []byte) []byte {
	if bytes.IndexByte(line, 0x7f) < 0 && bytes.IndexByte(line, 0xc2) < 0 {
		return line
	}
	var out []byte
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == 0x7f:
			out = append(out, `\u007f`...)
		case line[i] == 0xc2 && i+1 < len(line) && line[i+1] < 0xa0:
			i++
			out = fmt.Appendf(out, `\u00%02x`, line[i])
		default:
			out = append(out, line[i])
		}
	}
	return out
}
