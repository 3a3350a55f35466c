package offload

import (
	"context"
	"errors"
	"unicode/utf8"

	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/history"
	"github.com/llmblob/llmblob/pkg/summarize"
)

// Restored counts the texts of a history that begin with a reference.
type Restored struct {
	Texts     int // that got their content back
	Missing   int // whose blob is not in the store
	LeftAlone int // that are not what would be written for their blob, or whose blob no text can hold
}

// Restore returns the edits that undo Offload: texts that are the summary of a blob, made with the same limits, get its
// content back; with byReference all that begin with a reference do.
func (o HistoryOptions) Restore(ctx context.Context, open func() (blob.Store, error), h *history.History, byReference bool) ([]history.Edit, Restored, error) {
	var st blob.Store
	var edits []history.Edit
	var count Restored
	for i := range h.Items {
		if h.Items[i].Kind != history.Result {
			continue
		}
		for span := range h.Strings(i) {
			text, ok := h.Text(span)
			if !ok {
				continue
			}
			id, ok := history.Reference(text)
			if !ok {
				continue
			}
			if st == nil {
				var err error
				if st, err = open(); err != nil {
					return nil, count, err
				}
			}
			literal, err := o.restore(ctx, st, id, text, byReference)
			switch {
			case errors.Is(err, blob.ErrNotFound):
				count.Missing++
			case err != nil:
				return nil, count, err
			case literal == nil:
				count.LeftAlone++
			default:
				count.Texts++
				edits = append(edits, history.Edit{Span: span, Text: literal})
			}
		}
	}
	return edits, count, nil
}

// restore returns the content that a text stands for, as a JSON string; nil where the text is to stay.
func (o HistoryOptions) restore(ctx context.Context, st blob.Store, name string, text []byte, byReference bool) (_ []byte, err error) {
	id, err := blob.ParseID(name)
	if err != nil {
		return nil, err
	}
	b, err := st.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	content, err := blob.Bytes(b)
	if err != nil {
		return nil, err
	}
	if err := blob.CheckContent(id, b.Info().Type, content); err != nil {
		return nil, err
	}
	if !utf8.Valid(content) {
		return nil, nil
	}
	if !byReference {
		as := summarize.AsText
		if b.Info().Type == blob.JSON {
			as = summarize.AsJSON
		}
		facts, err := summarize.Scan(content, as, o.Limits)
		if err != nil || facts.Summary(id.String()) != string(text) {
			return nil, nil // a blob that is no JSON any more has no summary
		}
	}
	return history.AppendString(nil, content), nil
}
