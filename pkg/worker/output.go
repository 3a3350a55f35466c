package worker

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/history"
	"github.com/llmblob/llmblob/pkg/offload"
	"github.com/llmblob/llmblob/pkg/summarize"
)

// ToolResult is what a tool answered to a call.
type ToolResult struct {
	CallID  string
	Tool    string // "": that of the latest call with this id
	IsError bool
	// Output is what it gave. Text: a string, a []byte or an io.Reader, which is read to its end and, where the output is large,
	// not into memory; nil is the empty text. What the tool has decided itself: a *offload.ToolOutput, inline or stored in the
	// Store of the Worker, which closes it. Anything else is a structured value, as encoding/json writes it; a json.RawMessage
	// stays as it is.
	Output any
}

// Added tells how a result went into the history.
type Added struct {
	CallID, Tool string
	IsError      bool
	Kind         offload.Kind   // Inline or Stored
	Record       offload.Record // of a stored output
	Text         string         // in the history: the output, or the summary
	// Base64 tells that Text is the base64 of an output that is not UTF-8 and is not stored; its record has "encoding".
	Base64 bool
	// StoreErr says why an output that was to be stored stays inline, or that it is not known to be stored.
	StoreErr error
	// ReadErr says why the output ended early. What came before is treated as the whole.
	ReadErr error
}

// AddToolResult adds a result to the end of the history: as it is up to the limit of its tool, else a summary of the blob that
// it is stored as. Outputs of the inspect tool stay as they are whatever their size, and so does one whose summary
// would not be shorter, or that the store fails to take. On an error nothing is added: for an Output that cannot be encoded or
// whose reader answers offload.ErrWithheld, and for a stored one that is not in the Store.
func (w *Worker) AddToolResult(ctx context.Context, r ToolResult) (Added, error) {
	a, err := w.prepare(ctx, r)
	if err != nil {
		return Added{}, fmt.Errorf("worker: result of call %q: %w", r.CallID, err)
	}
	w.add(a)
	return a, nil
}

// prepare finds what of a result goes into the history.
func (w *Worker) prepare(ctx context.Context, r ToolResult) (Added, error) {
	if err := checkTexts(r.CallID, r.Tool); err != nil {
		return Added{}, err
	}
	w.mu.Lock()
	c := w.calls[r.CallID]
	w.mu.Unlock()
	if r.Tool == "" {
		r.Tool = c.tool
	}
	inspects := offload.IsInspectTool(r.Tool) || r.Tool == c.tool && c.inspects
	out, err := w.output(ctx, r, inspects)
	if err != nil {
		if out != nil {
			err = errors.Join(err, out.Close())
		}
		return Added{}, err
	}
	a := Added{CallID: r.CallID, Tool: r.Tool, IsError: r.IsError, Kind: out.Kind, Record: out.Record, StoreErr: out.StoreErr, ReadErr: out.ReadErr}
	if out.Kind == offload.Stored {
		a.Text = out.Record.Summary
	} else {
		a.read(out.Text())
	}
	if err := out.Close(); err != nil && a.StoreErr == nil {
		a.StoreErr = err
	}
	if errors.Is(a.ReadErr, offload.ErrWithheld) {
		return Added{}, a.ReadErr
	}
	return a, nil
}

// output decides where an output goes.
func (w *Worker) output(ctx context.Context, r ToolResult, inspects bool) (*offload.ToolOutput, error) {
	o := offload.CaptureOptions{
		Options:     offload.Options{As: summarize.Auto, Limits: w.o.Limits, NewID: w.newID},
		InlineBytes: w.o.InlineBytes(r.Tool),
		Exempt:      inspects || w.o.Store == nil,
		UTF8:        true,
	}
	if isNil(r.Output) {
		r.Output = ""
	}
	var content io.Reader
	switch out := r.Output.(type) {
	case *offload.ToolOutput:
		return out, w.resolves(ctx, out)
	case string:
		content = strings.NewReader(out)
	case []byte:
		content = bytes.NewReader(out)
	case io.Reader:
		content = untilDone{ctx, out}
	default:
		text, err := encode(out)
		if err != nil {
			return nil, err
		}
		if json.Valid(text) {
			o.As = summarize.AsJSON
		}
		content = bytes.NewReader(text)
	}
	return o.Capture(ctx, func() (blob.Store, error) { return w.o.Store, nil }, content), nil
}

// untilDone reads until its context is done; a Read that waits is not ended.
type untilDone struct {
	ctx context.Context
	r   io.Reader
}

func (u untilDone) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(p)
}

// encode returns a structured value as JSON.
func encode(v any) ([]byte, error) {
	if raw, ok := v.(json.RawMessage); ok {
		return raw, nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func (w *Worker) newID(t blob.Type, data []byte) (blob.ID, error) {
	if w.o.ContentIDs {
		return blob.ContentID(t, data), nil
	}
	return blob.NewID()
}

// read takes the text for the history from an output that stays inline.
func (a *Added) read(r io.Reader) {
	text, err := io.ReadAll(r)
	if err != nil && a.ReadErr == nil {
		a.ReadErr = fmt.Errorf("read output: %w", err)
	}
	a.Text = string(text)
	if a.Base64 = !utf8.Valid(text); a.Base64 {
		a.Text = base64.StdEncoding.EncodeToString(text)
	}
}

// isNil reports whether there is no output, be it of a type or not.
func isNil(output any) bool {
	out, ok := output.(*offload.ToolOutput)
	return output == nil || ok && out == nil
}

// resolves reports that an output which its tool has stored is not in the store of the worker. Where that does not answer, what
// it said when it stored the output holds.
func (w *Worker) resolves(ctx context.Context, out *offload.ToolOutput) error {
	if out.Kind != offload.Stored {
		return nil
	}
	id, err := blob.ParseID(out.Record.ID)
	if err != nil {
		return fmt.Errorf("stored output: %w", err)
	}
	if name, ok := history.Reference([]byte(out.Record.Summary)); !ok || name != id.String() {
		return fmt.Errorf("stored output: blob %s: its summary does not begin with its reference", id)
	}
	if w.o.Store == nil {
		return fmt.Errorf("stored output: blob %s: there is no store", id)
	}
	_, err = w.o.Store.Stat(ctx, id)
	if errors.Is(err, blob.ErrNotFound) {
		return fmt.Errorf("stored output: %w", err)
	}
	out.StoreErr = errors.Join(out.StoreErr, err)
	return nil
}

// add puts a result at the end of the history.
func (w *Worker) add(a Added) {
	encoding := ""
	if a.Base64 {
		encoding = "base64"
	}
	record := w.record(Item{Kind: history.Result, CallID: a.CallID, Tool: a.Tool, Text: a.Text, IsError: a.IsError}, encoding)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.write(record)
	if w.o.Observer.Result != nil {
		w.o.Observer.Result(a)
	}
}
