package main

import (
	"bytes"
	"errors"
	"io"

	"github.com/llmblob/llmblob/internal/content"
)

// captureInput is what capture reads on its way from the source: filtered, held and copied as the flags say.
type captureInput struct {
	Reader io.Reader
	filter *filtered // nil without one
	held   []*content.Content
}

// prepare puts the filter and the copy of --tee before what is read. What is shown as it is read, by --tee or because it
// is exempt, is held until the filter has succeeded.
func (c *captureFlags) prepare(a *app, in *captureInput, exempt bool) error {
	if c.filter != "" {
		f, err := startFilter(a, c.filter, in.Reader)
		if err != nil {
			return err
		}
		in.filter, in.Reader = f, f
		if c.tee || exempt {
			if err := in.hold(); err != nil {
				return err
			}
		}
	}
	if c.tee {
		in.Reader = &tee{in.Reader, a.stderr}
	}
	return nil
}

// hold reads all that is left before any of it is shown.
func (in *captureInput) hold() error {
	c, err := content.Read(in.Reader)
	in.held = append(in.held, c)
	if err == nil {
		in.Reader = bytes.NewReader(c.Bytes())
	}
	return err
}

func (in *captureInput) close() error {
	if in.filter != nil {
		in.filter.close()
	}
	var err error
	for _, c := range in.held {
		err = errors.Join(err, c.Close())
	}
	return err
}

// tee copies what is read to a writer, whose failures change nothing.
type tee struct {
	r io.Reader
	w io.Writer
}

func (t *tee) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	_, _ = t.w.Write(p[:n])
	return n, err
}
