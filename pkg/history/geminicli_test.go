package history

import (
	"slices"
	"strings"
	"testing"
)

// A message that is written again after it was rewound is a new one, and a second rewind to it takes only that.
func TestRewindTwice(t *testing.T) {
	message := func(id, text string) string {
		return `{"id":"` + id + `","timestamp":"2026-01-01T00:00:00Z","type":"user","content":"` + text + `"}`
	}
	lines := []string{
		`{"sessionId":"s","projectHash":"h"}`,
		message("m1", "one"), message("m2", "two"), `{"$rewindTo":"m2"}`,
		message("m3", "three"), message("m2", "two again"), `{"$rewindTo":"m2"}`, message("m4", "four"),
	}
	h := parse(t, strings.Join(lines, "\n"), Options{})
	var said []string
	for i := range h.Items {
		if !h.Items[i].Outside {
			for text := range h.Texts(i) {
				said = append(said, string(text))
			}
		}
	}
	if want := []string{"one", "three", "four"}; !slices.Equal(said, want) {
		t.Errorf("got %q, want %q", said, want)
	}
}
