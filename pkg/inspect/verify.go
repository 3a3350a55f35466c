package inspect

import (
	"context"
	"errors"

	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/summarize"
)

// Verify reads a blob and says what is wrong with it, nothing where all is well: bytes that are not those its content id
// was made of, JSON that is none. Errors are those of the store, blob.ErrNotFound and blob.ErrDamaged among them.
func Verify(ctx context.Context, st blob.Store, id blob.ID) (wrong []string, err error) {
	b, err := st.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	data, err := blob.Bytes(b)
	if err != nil {
		return nil, err
	}
	if blob.CheckContent(id, b.Info().Type, data) != nil {
		wrong = append(wrong, "the bytes are not those the id was made of")
	}
	if b.Info().Type == blob.JSON {
		if _, err := summarize.Scan(data, summarize.AsJSON, summarize.DefaultLimits()); err != nil {
			wrong = append(wrong, "invalid JSON: "+err.Error())
		}
	}
	return wrong, nil
}

// alwaysChecked is up to which size the bytes of a content id are held to it whenever they are read; beyond, where they
// are read whole.
const alwaysChecked = 1 << 20

// Open opens a blob and gives its bytes, valid until it is closed. Those of a content id are held to it, of a large blob
// where they will be read whole. Errors are those of the store and blob.ErrDamaged.
func Open(ctx context.Context, st blob.Store, id blob.ID, whole bool) (blob.Blob, []byte, error) {
	b, err := st.Open(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	data, err := blob.Bytes(b)
	if err == nil && (whole || len(data) <= alwaysChecked) {
		err = blob.CheckContent(id, b.Info().Type, data)
	}
	if err != nil {
		return nil, nil, errors.Join(err, b.Close())
	}
	return b, data, nil
}
