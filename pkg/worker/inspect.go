package worker

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/inspect"
)

// inspectTool is the tool with which the model looks into what is stored.
func inspectTool(st blob.Store) (Tool, error) {
	var d struct {
		Name, Description string
		Schema            json.RawMessage `json:"input_schema"`
	}
	if err := json.Unmarshal(inspect.Definition(inspect.Anthropic), &d); err != nil {
		return Tool{}, err
	}
	answers := inspect.Tool{Store: st}
	return Tool{d.Name, d.Description, d.Schema, func(ctx context.Context, arguments json.RawMessage) (any, error) {
		text, isError := answers.Answer(ctx, arguments)
		if isError {
			return text, errors.New("inspect failed")
		}
		return text, nil
	}}, nil
}
