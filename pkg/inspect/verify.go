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
