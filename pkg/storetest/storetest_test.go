package storetest

import (
	"testing"

	"github.com/llmblob/llmblob/pkg/blob"
)

func TestMemory(t *testing.T) { Run(t, func(*testing.T) blob.Store { return NewMemory() }) }
