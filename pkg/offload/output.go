package offload

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/summarize"
)

// Kind is how a tool output goes into the history.
type Kind string

// The kinds of tool outputs.
const (
	Inline Kind = "inline" // as it is
	Stored Kind = "stored" // its summary; the output is a blob
)

// DefaultInlineBytes is the size up to which an output stays inline.
const DefaultInlineBytes = 800

// ToolOutput is what of an output belongs in the history.
type ToolOutput struct {
	Kind   Kind
	Record Record // of a stored output
	// StoreErr says why an output that was to be stored stays inline.
	StoreErr error
	// ReadErr says why the output ended early. What came before is treated as the whole.
	ReadErr error

	content io.Reader // of an inline output
	stage   blob.Stage
}

// InlineOutput is an output that its tool wants inline, whatever its size. All of r is read through Text.
func InlineOutput(r io.Reader) *ToolOutput { return &ToolOutput{Kind: Inline, content: r} }

// StoredOutput is an output that its tool has stored itself, whatever its size; the record is that of Options.Store.
func StoredOutput(r Record) *ToolOutput {
	return &ToolOutput{Kind: Stored, Record: r, content: strings.NewReader(r.Summary + "\n")}
}

// Text returns a reader of what goes into the history: all of an inline output, or the summary and a line feed. It may
// be read once, before Close.
func (t *ToolOutput) Text() io.Reader { return t.content }

// Close releases what Text reads from.
func (t *ToolOutput) Close() error {
	if t.stage == nil {
		return nil
	}
	return t.stage.Abort()
}

// ErrWithheld marks an error of reading an output of which nothing may be stored or shown, not even what came: a filter of
// secrets that failed.
var ErrWithheld = errors.New("output withheld")

// CaptureOptions say when an output is stored.
type CaptureOptions struct {
	Options
	InlineBytes int  // outputs up to this size stay inline
	Exempt      bool // the output stays inline whatever its size
	UTF8        bool // what is not valid UTF-8 is stored whatever its size
}

// maxInMemory bounds what of an output is held in memory: one that stays inline beyond that is staged in the store.
const maxInMemory = 32 << 20

// mustStore reports whether an output is stored whatever its size.
func (o CaptureOptions) mustStore(data []byte) bool { return o.UTF8 && !utf8.Valid(data) }

// Capture reads all of r and stores it where it is too large to stay inline, and where its summary is shorter. The store
// is opened once that is known. Whatever fails, the ToolOutput has all that was read: a fault of the store or of r is
// told in its fields. Of an output whose reading ends with ErrWithheld there is nothing.
func (o CaptureOptions) Capture(ctx context.Context, open func() (blob.Store, error), r io.Reader) *ToolOutput {
	if o.Exempt {
		return InlineOutput(r)
	}
	var head bytes.Buffer
	inMemory := min(o.InlineBytes, maxInMemory)
	_, err := io.CopyN(&head, r, int64(inMemory)+1)
	atEnd := err == io.EOF
	if err == io.EOF {
		err = nil
	}
	out := &ToolOutput{Kind: Inline, ReadErr: err}
	if errors.Is(err, ErrWithheld) {
		out.content = bytes.NewReader(nil)
		return out
	}
	if head.Len() <= inMemory && !o.mustStore(head.Bytes()) {
		if o.As == summarize.AsJSON {
			_, out.StoreErr = summarize.Scan(head.Bytes(), o.As, o.Limits)
		}
		out.content = &head
		return out
	}
	rest := r
	if atEnd || err != nil {
		rest = bytes.NewReader(nil)
	}
	if err := o.stage(ctx, open, out, &head, rest); err != nil {
		out.Kind, out.StoreErr = Inline, err
	}
	if w, ok := out.stage.(interface{ Withdraw() error }); ok && out.Kind == Inline {
		_ = w.Withdraw() // Close tries again
	}
	return out
}

// stage stores head and rest, or sets the content of an output that stays inline.
func (o CaptureOptions) stage(ctx context.Context, open func() (blob.Store, error), out *ToolOutput, head *bytes.Buffer, rest io.Reader) (err error) {
	// Whatever is wrong with us, the output is not lost.
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal fault, please report it: %v", p)
		}
	}()
	inMemory := head.Bytes()
	whole := io.MultiReader(head, rest)
	out.content = whole
	st, err := open()
	if err != nil {
		return err
	}
	if out.stage, err = st.Stage(ctx); err != nil {
		out.stage = nil
		return err
	}
	count := lineCount{stage: out.stage, as: o.As}
	defer count.stop()
	written, unwritten, readErr, err := copyTo(out.stage, whole, count.wrote)
	if out.ReadErr == nil {
		out.ReadErr = readErr
	}
	if errors.Is(readErr, ErrWithheld) {
		out.content = bytes.NewReader(nil)
		return nil
	}
	// A disk that has failed is read no more than it must be.
	inMemory = inMemory[:min(int64(len(inMemory)), written)]
	kept := int64(len(inMemory))
	readBack := io.MultiReader(bytes.NewReader(inMemory), io.NewSectionReader(out.stage, kept, written-kept))
	if err != nil {
		// Of what follows nothing is read: it passes as it comes.
		out.content = io.MultiReader(readBack, bytes.NewReader(unwritten), whole)
		return err
	}
	staged, err := out.stage.Bytes()
	if err != nil {
		out.content = readBack
		return err
	}
	out.content = bytes.NewReader(staged)
	facts, err := o.scan(out.stage, &count)
	if err != nil {
		return err
	}
	const anyID = "00000000-0000-7000-8000-000000000000"
	stays := len(staged) <= o.InlineBytes || len(o.summary(facts, anyID)) >= len(staged)
	if stays && !o.mustStore(staged) {
		return nil
	}
	record, err := o.commit(out.stage, facts)
	if err != nil {
		return err
	}
	out.Kind, out.Record = Stored, record
	out.content = bytes.NewReader([]byte(record.Summary + "\n"))
	return nil
}

// copyTo copies until the end or a fault of either side, and tells each time what was written. It returns how much that was in all and, after
// a fault of writing, all that was read beyond that.
func copyTo(w io.Writer, r io.Reader, wrote func(n int64)) (written int64, unwritten []byte, readErr, writeErr error) {
	buf := make([]byte, 256<<10)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			if m, err := w.Write(buf[:n]); err != nil || m < n {
				if err == nil {
					err = io.ErrShortWrite
				}
				return written, buf[:n], nil, err
			}
			written += int64(n)
			wrote(int64(n))
		}
		if err == io.EOF {
			return written, nil, nil, nil
		}
		if err != nil {
			return written, nil, fmt.Errorf("read output: %w", err), nil
		}
	}
}
