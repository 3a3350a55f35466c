package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/llmblob/llmblob/internal/content"
	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/inspect"
)

// subject is what a command looks at: a blob, a file or standard input.
type subject struct {
	name  string // the id, or how the operand names it
	data  []byte
	at    io.ReaderAt // reads the same; nil where that would be no faster
	info  *blob.Info  // nil where it is no blob
	close func() error
}

// openBlob opens the blob that an operand means.
func (a *app) openBlob(ctx context.Context, operand string, whole bool) (*subject, error) {
	st, err := a.openStore()
	if err != nil {
		return nil, err
	}
	id, err := blob.Resolve(ctx, st, operand)
	if err != nil {
		return nil, err
	}
	b, data, err := inspect.Open(ctx, st, id, whole)
	if err != nil {
		return nil, err
	}
	info := b.Info()
	return &subject{name: id.String(), data: data, at: b, info: &info, close: b.Close}, nil
}

// openSubject opens a blob, a file where the operand has a / or a . in it, or standard input.
func (a *app) openSubject(ctx context.Context, operands []string, whole bool) (*subject, error) {
	if len(operands) > 0 && operands[0] != "-" && !isPath(operands[0]) {
		return a.openBlob(ctx, operands[0], whole)
	}
	f, err := a.input(operands)
	if err != nil {
		return nil, err
	}
	name, done := "-", func() error { return nil }
	if f != a.stdin {
		name, done = operands[0], f.Close
	}
	c, err := content.Read(f)
	closeAll := func() error { return errors.Join(c.Close(), done()) }
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", shownName(name), errors.Join(err, closeAll()))
	}
	return &subject{name: name, data: c.Bytes(), at: c.Reader(), close: closeAll}, nil
}

func shownName(name string) string {
	if name == "-" {
		return "standard input"
	}
	return name
}

func isPath(operand string) bool {
	return !strings.HasPrefix(strings.ToLower(operand), "blob://") && strings.ContainsAny(operand, "./"+string(os.PathSeparator))
}
