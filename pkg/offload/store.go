package offload

import (
	"context"
	"errors"
	"io"

	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/summarize"
)

// Options say how contents are taken.
type Options struct {
	As      summarize.As
	Limits  summarize.Limits
	Summary string // instead of the one that is made; "" makes one
	// NewID names a blob. It is called once the content is whole.
	NewID func(t blob.Type, data []byte) (blob.ID, error)
}

// copyStep is how much is copied before the context is asked again.
const copyStep = 4 << 20

// Store stores all of r, whatever its size. On an error there is no id to use, whatever of the blob there is. Content that
// must be JSON and is not is a *summarize.InvalidJSONError.
func (o Options) Store(ctx context.Context, st blob.Store, r io.Reader) (_ Record, err error) {
	stage, err := st.Stage(ctx)
	if err != nil {
		return Record{}, err
	}
	defer func() { err = errors.Join(err, stage.Abort()) }()
	count := lineCount{stage: stage, as: o.As}
	defer count.stop()
	for {
		n, err := io.CopyN(stage, r, copyStep)
		count.wrote(n)
		if err == io.EOF {
			break
		} else if err != nil {
			return Record{}, err
		}
		if err := ctx.Err(); err != nil {
			return Record{}, err
		}
	}
	if err := ctx.Err(); err != nil {
		return Record{}, err
	}
	facts, err := o.scan(stage, &count)
	if err != nil {
		return Record{}, err
	}
	return o.commit(stage, facts)
}

func (o Options) scan(stage blob.Stage, count *lineCount) (summarize.Facts, error) {
	data, err := stage.Bytes()
	if err != nil {
		return summarize.Facts{}, err
	}
	defer count.stop() // where no lines were asked for after all: nothing may be read behind the commit
	return summarize.ScanCounting(data, func() (int, error) { return count.lines(int64(len(data))) }, o.As, o.Limits)
}

// commit makes a blob of what was staged and scanned.
func (o Options) commit(stage blob.Stage, facts summarize.Facts) (Record, error) {
	data, err := stage.Bytes()
	if err != nil {
		return Record{}, err
	}
	t := blobType(facts.Type)
	id, err := o.NewID(t, data)
	if err != nil {
		return Record{}, err
	}
	// The facts refer to the staged bytes, which go with the commit.
	rec := DescribeFacts(facts)
	rec.ID, rec.Summary = id.String(), o.summary(facts, id.String())
	info, err := stage.Commit(t, id)
	if err != nil {
		return Record{}, err
	}
	rec.Created = info.Created.UTC().Format(TimeFormat)
	return rec, nil
}

func (o Options) summary(facts summarize.Facts, id string) string {
	if o.Summary != "" {
		return summarize.Custom(id, o.Summary, o.Limits.Bytes)
	}
	return facts.Summary(id)
}
