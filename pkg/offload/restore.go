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
	LeftAlone int // that are not what would be written for their blob
	NoText    int // whose blob is not UTF-8, which no text can hold
}

// Restore returns the edits that undo Offload: texts that are the summary of a blob, made with the same limits, get its
// content back; with byReference all that begin with a reference do. Contents are looked at now, and loaded when they are written.
func (o HistoryOptions) Restore(ctx context.Context, open func() (blob.Store, error), h *history.History, byReference bool) ([]history.Edit, Restored, error) {
	var st blob.Store
	var edits []history.Edit
	var count Restored
	verdicts := map[verdictKey]error{}
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
			key := verdictKey{id: id}
			switch {
			case byReference:
			case len(text) > o.Limits.Bytes: // no summary is that long, and nobody may remember it
				text = text[:o.Limits.Bytes+1]
				fallthrough
			default:
				key.text = string(text)
			}
			err, known := verdicts[key]
			if !known {
				err = o.standsFor(ctx, st, id, text, byReference)
				verdicts[key] = err
			}
			switch {
			case errors.Is(err, blob.ErrNotFound):
				count.Missing++
			case errors.Is(err, errOther):
				count.LeftAlone++
			case errors.Is(err, errNoText):
				count.NoText++
			case err != nil:
				return nil, count, err
			default:
				count.Texts++
				edits = append(edits, span.PutLater(func(dst func([]byte)) error { return load(ctx, st, id, dst) }))
			}
		}
	}
	history.SortEdits(edits)
	return edits, count, nil
}

// verdictKey is a text that refers to a blob.
type verdictKey struct{ id, text string }

var (
	errOther  = errors.New("not what is written for the blob")
	errNoText = errors.New("not UTF-8")
)

// standsFor checks that a text stands for a blob that can be put in its place.
func (o HistoryOptions) standsFor(ctx context.Context, st blob.Store, name string, text []byte, byReference bool) error {
	return withContent(ctx, st, name, func(info blob.Info, content []byte) error {
		if err := blob.CheckContent(info.ID, info.Type, content); err != nil {
			return err
		}
		if !utf8.Valid(content) {
			return errNoText
		}
		if byReference {
			return nil
		}
		as := summarize.AsText
		if info.Type == blob.JSON {
			as = summarize.AsJSON
		}
		facts, err := summarize.Scan(content, as, o.Limits)
		if err != nil || facts.Summary(name) != string(text) {
			return errOther // a blob that is no JSON any more has no summary
		}
		return nil
	})
}

func load(ctx context.Context, st blob.Store, name string, dst func([]byte)) error {
	return withContent(ctx, st, name, func(_ blob.Info, content []byte) error {
		dst(content)
		return nil
	})
}

// withContent calls f with the content of a blob, which is good until it returns.
func withContent(ctx context.Context, st blob.Store, name string, f func(blob.Info, []byte) error) (err error) {
	id, err := blob.ParseID(name)
	if err != nil {
		return err
	}
	b, err := st.Open(ctx, id)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	content, err := blob.Bytes(b)
	if err != nil {
		return err
	}
	return f(b.Info(), content)
}
