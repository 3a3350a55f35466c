package projection_test

import (
	"slices"
	"testing"

	"github.com/llmblob/llmblob/pkg/prune"
	"github.com/llmblob/llmblob/pkg/tokens"
)

// The counters that prune.json can name are those that there are, and usage.
func TestNamesOfCounters(t *testing.T) {
	names := append(tokens.Names(), prune.TokensUsage)
	want := []string{prune.TokensBytes, prune.TokensUsage, prune.TokensO200k, prune.TokensCl100k}
	slices.Sort(names)
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
}
