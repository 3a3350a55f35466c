package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/llmblob/llmblob/internal/content"
	"github.com/llmblob/llmblob/pkg/blob"
)

// subject is what a command looks at: a blob, a file or standard input.
type subject struct {
	name  string // the id, or how the operand names it
	data  []byte
	info  *blob.Info // nil where it is no blob
	close func() error
}

// alwaysChecked is up to which size the bytes of a content id are held to it whenever they are read; beyond, where they
// are read whole.
const alwaysChecked = 1 << 20

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
	b, err := st.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	data, err := blob.Bytes(b)
	info := b.Info()
	if err == nil && (whole || len(data) <= alwaysChecked) {
		err = blob.CheckContent(id, info.Type, data)
	}
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return &subject{name: id.String(), data: data, info: &info, close: b.Close}, nil
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
	c, err := content.Read(f)
	name := "-"
	if f != a.stdin {
		name = operands[0]
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", shownName(name), errors.Join(err, c.Close()))
	}
	return &subject{name: name, data: c.Bytes(), close: c.Close}, nil
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
