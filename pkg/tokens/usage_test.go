package tokens

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/llmblob/llmblob/pkg/history"
)

// claude makes a session: each argument is a count of the provider and the bytes of the result that follows.
func claude(t *testing.T, steps ...[2]int) *history.History {
	t.Helper()
	var b strings.Builder
	b.WriteString(`{"type":"user","uuid":"u","message":{"role":"user","content":"go!!"}}` + "\n")
	for i, s := range steps {
		fmt.Fprintf(&b, `{"type":"assistant","uuid":"a%d","message":{"id":"m%d","role":"assistant","usage":{"input_tokens":1,"cache_creation_input_tokens":2,"cache_read_input_tokens":%d},"content":[{"type":"tool_use","id":"t%d","name":"ls","input":{}}]}}`+"\n", i, i, s[0]-3, i)
		fmt.Fprintf(&b, `{"type":"user","uuid":"r%d","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":%q}]}}`+"\n", i, i, strings.Repeat("x", s[1]))
	}
	h, err := history.Parse([]byte(b.String()), history.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// none replaces nothing.
func none(func(history.Replacement) bool) {}

func TestUsageSharesOutWhatIsCounted(t *testing.T) {
	// Items: message, call, result, call, result, call, result. A call is 4 bytes, ls and {}.
	h := claude(t, [2]int{1000, 96}, [2]int{1050, 196}, [2]int{1250, 400})
	u := NewUsage(h, func(yield func(history.Replacement) bool) {
		yield(history.Replacement{Item: 4, Text: strings.Repeat("y", 98)})
	})

	if _, ok := u.Advance(0); ok || u.Provenance(0) != None {
		t.Error("at the first request nothing is known")
	}
	if from, ok := u.Advance(1); !ok || from != 0 {
		t.Errorf("the first count: from %d, %v", from, ok)
	}
	if tokens, _ := u.Size(0); tokens != 1000 {
		t.Errorf("the first item holds what is in none: got %d, want 1000", tokens)
	}
	if tokens, _ := u.Size(2); tokens != 24 || u.Provenance(2) != Extrapolated {
		t.Errorf("no rate yet: got %d, want 96/4", tokens)
	}
	if from, _ := u.Advance(2); from != 1 {
		t.Errorf("the second count changes items from 1, got %d", from)
	}
	call, _ := u.Size(1)
	result, _ := u.Size(2)
	if call != 2 || result != 48 || u.Provenance(2) != Interpolated {
		t.Errorf("50 tokens for 100 bytes: got %d and %d", call, result)
	}
	if tokens, savings := u.Size(4); tokens != 98 || savings != 49 || u.Provenance(4) != Extrapolated {
		t.Errorf("at the rate so far: got %d, saving %d, want 98 and 49", tokens, savings)
	}
	u.Advance(3)
	sum := 0
	for i := range 5 {
		tokens, _ := u.Size(i)
		sum += tokens
	}
	if sum != 1250 {
		t.Errorf("the items before the third request: got %d, want what was counted, 1250", sum)
	}
	if tokens, savings := u.Size(4); tokens != 196 || savings != 98 {
		t.Errorf("200 tokens for 200 bytes: got %d, saving %d", tokens, savings)
	}
}

// A count that is less than the one before tells that something was left out, not what texts weigh.
func TestUsageThatFalls(t *testing.T) {
	h := claude(t, [2]int{1000, 96}, [2]int{600, 196}, [2]int{700, 4})
	u := NewUsage(h, none)
	for p := range h.Points {
		u.Advance(p)
	}
	if tokens, _ := u.Size(2); tokens != 24 || u.Provenance(2) != Extrapolated {
		t.Errorf("got %d %s", tokens, u.Provenance(2))
	}
	if tokens, _ := u.Size(4); tokens != 98 || u.Provenance(4) != Interpolated {
		t.Errorf("from the smaller count on: got %d %s", tokens, u.Provenance(4))
	}
}

// Pictures and the like count, but not as text: a count too large for the texts tells nothing of them.
func TestUsageThatIsMoreThanTheTexts(t *testing.T) {
	h := claude(t, [2]int{1000, 96}, [2]int{90_000, 196})
	u := NewUsage(h, none)
	for p := range h.Points {
		u.Advance(p)
	}
	if tokens, _ := u.Size(2); tokens != 24 {
		t.Errorf("got %d, want 96/4", tokens)
	}
}

func TestUsageWithoutCounts(t *testing.T) {
	h, err := history.Parse([]byte(`{"role":"user","content":"go"}`+"\n"+`{"role":"assistant","content":"so"}`), history.Options{})
	if err != nil {
		t.Fatal(err)
	}
	u := NewUsage(h, none)
	for p := range h.Points {
		if _, ok := u.Advance(p); ok {
			t.Errorf("point %d: known", p)
		}
	}
}

// An item that was counted alone is measured.
func TestUsageOfOneItem(t *testing.T) {
	lines := `{"kind":"user_input","ts":1,"segments":[{"kind":"text","content":"hi"}]}
{"kind":"assistant_item","ts":2,"item":{"kind":"message","role":"assistant","content":[]}}
{"kind":"llm_usage","ts":3,"input_total_tokens":10}
{"kind":"user_input","ts":4,"segments":[{"kind":"text","content":"four hundred"}]}
{"kind":"assistant_item","ts":5,"item":{"kind":"message","role":"assistant","content":[]}}
{"kind":"llm_usage","ts":6,"input_total_tokens":17}
`
	h, err := history.Parse([]byte(lines), history.Options{})
	if err != nil {
		t.Fatal(err)
	}
	u := NewUsage(h, none)
	for p := range h.Points {
		u.Advance(p)
	}
	if tokens, _ := u.Size(2); tokens != 7 || u.Provenance(2) != Measured {
		t.Errorf("got %d %s, want 7 measured", tokens, u.Provenance(2))
	}
}

// lengths counts a token a byte.
type lengths struct{}

func (lengths) Count(_ context.Context, contents iter.Seq[Content]) (counts []int, _ error) {
	for c := range contents {
		counts = append(counts, len(c.Text))
	}
	return counts, nil
}

func TestEstimate(t *testing.T) {
	h := claude(t, [2]int{1000, 96}, [2]int{1050, 0}, [2]int{1250, 400})
	replacements := func(yield func(history.Replacement) bool) {
		_ = yield(history.Replacement{Item: 2, Text: "gone"}) && yield(history.Replacement{Item: 6})
	}
	for _, c := range []struct {
		name            string
		counter         Counter
		tokens, savings []int
	}{
		{"by a counter", lengths{}, []int{4, 4, 96, 4, 0, 4, 400}, []int{0, 0, 92, 0, 0, 0, 400}},
		{"by bytes", Bytes{}, []int{1, 1, 24, 1, 0, 1, 100}, []int{0, 0, 23, 0, 0, 0, 100}},
	} {
		e, err := Estimate(t.Context(), h, replacements, c.counter)
		if err != nil {
			t.Fatal(err)
		}
		for i := range h.Items {
			if tokens, savings := e.Size(i); tokens != c.tokens[i] || savings != c.savings[i] {
				t.Errorf("%s: item %d: got %d, saving %d, want %d, saving %d", c.name, i, tokens, savings, c.tokens[i], c.savings[i])
			}
		}
		if from, ok := e.Advance(2); from != h.Points[1].Item || !ok {
			t.Errorf("%s: from %d, %v", c.name, from, ok)
		}
	}
}

// After a compaction the first count tells what is in no item anew, and what is known of the items that stay holds.
func TestUsageAfterACompaction(t *testing.T) {
	h := claude(t, [2]int{1000, 96}, [2]int{1050, 196}, [2]int{500, 400}, [2]int{700, 4})
	h.Resets = []history.Reset{{At: 5, Start: 3}}
	u := NewUsage(h, none)
	for p := range h.Points {
		u.Advance(p)
	}
	sum := 0
	for i := 3; i < h.Points[3].Item; i++ {
		tokens, _ := u.Size(i)
		sum += tokens
	}
	if sum != 700 {
		t.Errorf("the items in the context of the fourth request: got %d, want what was counted, 700", sum)
	}
	if tokens, _ := u.Size(6); tokens != 199 || u.Provenance(6) != Interpolated {
		t.Errorf("200 tokens for a call and 400 bytes: got %d %s", tokens, u.Provenance(6))
	}
}
