package prune

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/llmblob/llmblob/pkg/history"
)

// script makes a history of items. Each word is one: u a message of the user, a of the model, c a call, r a result; a number
// is its tokens, "!" marks an error, "@m" sets the minute of what follows, "|" is a compaction.
func script(t *testing.T, words string) *history.History {
	t.Helper()
	var b strings.Builder
	minute, calls, results := 0, 0, 0
	line := func(format string, args ...any) {
		fmt.Fprintf(&b, `{"uuid":"x","timestamp":"2026-01-01T%02d:%02d:00Z",`, minute/60, minute%60)
		fmt.Fprintf(&b, format+"}\n", args...)
	}
	for word := range strings.FieldsSeq(words) {
		n := 1
		failed := strings.HasSuffix(word, "!")
		word = strings.TrimSuffix(word, "!")
		if len(word) > 1 {
			if _, err := fmt.Sscan(word[1:], &n); err != nil {
				t.Fatal(word, err)
			}
		}
		switch text := strings.Repeat("abcd", n); word[0] {
		case 'u':
			line(`"type":"user","message":{"role":"user","content":%q}`, text)
		case 'a':
			line(`"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":%q}]}`, text)
		case 'c':
			calls++
			line(`"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"t%d","name":"to","input":{}}]}`, calls)
		case 'r':
			results++
			line(`"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":%q,"is_error":%v}]}`, results, text, failed)
		case '@':
			minute = n
		case '|':
			line(`"type":"system","subtype":"compact_boundary"`)
		}
	}
	h, err := history.Parse([]byte(b.String()), history.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// byBytes counts bytes / 4, so that a word of the script weighs what it says.
type byBytes struct {
	h       *history.History
	savings map[int]int
}

func (e byBytes) Advance(point int) (int, bool) {
	if point == 0 {
		return 0, true
	}
	return e.h.Points[point-1].Item, true
}

func (e byBytes) Size(i int) (int, int) { return e.h.Items[i].Bytes / 4, e.savings[i] }

// planned is the decision for a script. The placeholder weighs nothing.
func planned(t *testing.T, words string, change func(*Config)) Decision {
	t.Helper()
	h := script(t, words)
	c := DefaultConfig()
	c.Placeholder, c.ProtectedTokens, c.MinSavings = "…", 0, 0
	change(&c)
	candidates, err := Candidates(h, c, 400, nil)
	if err != nil {
		t.Fatal(err)
	}
	e := byBytes{h, map[int]int{}}
	for r := range Replacements(candidates) {
		e.savings[r.Item] = h.Items[r.Item].ContentBytes / 4
	}
	return Plan(h, c, candidates, e)
}

func TestPlan(t *testing.T) {
	set := func(change func(*Config)) func(*Config) { return change }
	for _, c := range []struct {
		name, words string
		change      func(*Config)
		want        []int // items
		outcome     Outcome
	}{
		{"what the model has seen", "u c r9 c r9", set(func(*Config) {}), []int{2}, Fired},
		{"it has not seen the last", "u c r9", set(func(*Config) {}), nil, NoCandidates},
		{"nor those of parallel calls", "u c c r9 r9", set(func(*Config) {}), nil, NoCandidates},
		{"the tail, exactly", "u c r9 c r9 a10", set(func(c *Config) { c.ProtectedTokens = 10 }), []int{2, 4}, Fired},
		{"the tail, one more", "u c r9 c r9 a10", set(func(c *Config) { c.ProtectedTokens = 11 }), []int{2}, Fired},
		{"a result that lies partly in the tail", "u c r9 c r9 a1", set(func(c *Config) { c.ProtectedTokens = 9 }), []int{2}, NoCandidates},
		{"all is tail", "u c r9 c r9 a1", set(func(c *Config) { c.ProtectedTokens = 1000 }), nil, NoCandidates},
		{"the last two turns", "u c r9 a u c r9 a u c r9 a", set(func(c *Config) { c.ProtectedTurns = 2 }), []int{2}, NoCandidates},
		{"fewer turns than that", "u c r9 a u c r9 a", set(func(c *Config) { c.ProtectedTurns = 3 }), nil, NoCandidates},
		{"either protects", "u c r9 a u c r9 a u c r9 a9", set(func(c *Config) { c.ProtectedTurns, c.ProtectedTokens = 1, 30 }), []int{2}, Fired},
		{"too little to save", "u c r9 c r9 a", set(func(c *Config) { c.MinSavings = 19 }), nil, BelowMinSavings},
		{"enough together", "u c r9 c r9 a", set(func(c *Config) { c.MinSavings = 18 }), []int{2, 4}, Fired},
		{"then the next waits", "u c r9 c r9 a u c r9 a", set(func(c *Config) { c.MinSavings = 18 }), []int{2, 4}, BelowMinSavings},
		{"rolling takes back", "u c r9 c r9 a u c r9 a", set(func(c *Config) { c.MinSavings, c.Mode = 28, ModeRolling }), nil, BelowMinSavings},
		{"rolling", "u c r9 c r9 a u c r9 a", set(func(c *Config) { c.MinSavings, c.Mode = 27, ModeRolling }), []int{2, 4, 8}, Fired},
		{"errors stay", "u c r9! c r9 a", set(func(c *Config) { c.KeepErrors = true }), []int{4}, Fired},
		{"the context is small", "u c r9 c r9 a", set(func(c *Config) { c.TriggerTokens = 23 }), nil, BelowTrigger},
		{"the context is large enough", "u c r9 c r9 a", set(func(c *Config) { c.TriggerTokens = 22 }), []int{2, 4}, Fired},
		{"the cache is warm", "u c r9 c @5 r9 a @10 u", set(func(c *Config) { c.MinSavings, c.CacheTTL = 1000, 5*time.Minute }), nil, BelowMinSavings},
		{"the cache is cold", "u c r9 c @5 r9 a @11 u", set(func(c *Config) { c.MinSavings, c.CacheTTL = 1000, 5*time.Minute }), []int{2, 4}, Fired},
		{"it was cold once", "u c r9 @9 c r9 c r9 a", set(func(c *Config) { c.MinSavings, c.CacheTTL = 1000, 5*time.Minute }), []int{2}, BelowMinSavings},
		{"what a compaction took away", "u c r9 a | u c r9 c r9", set(func(*Config) {}), []int{6}, Fired},
		{"the tail ends at a compaction", "u c r9 a9 | u c r9 a", set(func(c *Config) { c.ProtectedTokens = 12 }), nil, NoCandidates},
		{"a compaction at the end", "u c r9 c r9 a |", set(func(*Config) {}), []int{2}, NoCandidates},
	} {
		d := planned(t, c.words, c.change)
		if !slices.Equal(d.Indices, c.want) || d.Outcome != c.outcome {
			t.Errorf("%s: got %v, %s, want %v, %s", c.name, d.Indices, d.Outcome, c.want, c.outcome)
		}
	}
}

// The rule of AutoSavings, number by number: a lot of 400 tokens against what the cache holds behind it.
func TestPlanAuto(t *testing.T) {
	auto := func(tail int) func(*Config) {
		return func(c *Config) { c.MinSavings, c.ProtectedTokens = AutoSavings, tail }
	}
	for _, c := range []struct {
		name, words string
		tail        int
		fires       bool
	}{
		{"twice what the cache holds behind", "u c r400 a u200 a u99", 300, true},
		{"one token more behind", "u c r400 a u201 a u99", 301, false},
		{"what is new counts for nothing", "u c r400 a u200 a u9000", 300, true},
		{"it has waited for one request", "u c r400 a u203 a u4 a0 u0", 208, true},
		{"which makes it worth so much and no more", "u c r400 a u203 a u5 a0 u0", 209, false},
		{"too small to begin a lot", "u c r49 a1 u", 1, false},
		{"large enough", "u c r50 a1 u", 1, true},
	} {
		d := planned(t, c.words, auto(c.tail))
		if fired := len(d.Indices) > 0; fired != c.fires {
			t.Errorf("%s: got %v, %s", c.name, d.Indices, d.Outcome)
		}
	}
}

// Small results in front of a lot stay, until the cache is cold.
func TestPlanPassesOverSmallResults(t *testing.T) {
	words := "u c r10 c r400 a1 u a1"
	auto := func(c *Config) { c.MinSavings, c.ProtectedTokens = AutoSavings, 1 }
	if d := planned(t, words, auto); !slices.Equal(d.Indices, []int{4}) || d.Results[0].Reason != WaitingForLot {
		t.Errorf("got %v, %s", d.Indices, d.Results[0].Reason)
	}
	cold := func(c *Config) { auto(c); c.CacheTTL = time.Minute }
	if d := planned(t, words+" @9 u", cold); !slices.Equal(d.Indices, []int{2, 4}) || d.Outcome != Fired || d.First != 2 {
		t.Errorf("cold: got %v, %s, first %d", d.Indices, d.Outcome, d.First)
	}
}

func TestPlanTellsWhy(t *testing.T) {
	d := planned(t, "u c r9 | u c r9 a u c r9 c r1 c r9! c r9 a3 c r9", func(c *Config) {
		c.ProtectedTokens, c.KeepErrors, c.MinSavings, c.Placeholder = 15, true, 10, "12345"
	})
	var got []Reason
	for _, r := range d.Results {
		got = append(got, r.Reason)
	}
	want := []Reason{OutOfContext, NoReason, NoReason, NotShorter, Failed, ProtectedTokens, Unseen}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if d.Outcome != NoCandidates || !slices.Equal(d.Indices, []int{5, 9}) || d.First != -1 || d.Protected != 15 || d.Before != 58 || d.After != 40 {
		t.Errorf("%+v", d)
	}
}

// A million items are planned in one pass.
func BenchmarkPlan(b *testing.B) {
	h := &history.History{}
	c := DefaultConfig()
	var candidates []Candidate
	e := byBytes{h, map[int]int{}}
	for i := range 1_000_000 {
		it := history.Item{Kind: history.Call, Role: history.Assistant, Bytes: 100}
		if i%2 == 1 {
			it = history.Item{Kind: history.Result, Role: history.Tool, Bytes: 2000, ContentBytes: 2000}
			candidates = append(candidates, Candidate{Replacement: history.Replacement{Item: i, Text: "gone"}})
			e.savings[i] = 499
		} else {
			h.Points = append(h.Points, history.Point{Item: i})
		}
		h.Items = append(h.Items, it)
	}
	h.Points = append(h.Points, history.Point{Item: len(h.Items)})
	for b.Loop() {
		Plan(h, c, candidates, e)
	}
}

// After a compaction nothing of the context is in the cache.
func TestPlanAfterACompactionThatKeeps(t *testing.T) {
	for kept, want := range map[bool][]int{false: nil, true: {2}} {
		h := script(t, "u c r400 a u250 a u99")
		if kept {
			h.Resets = []history.Reset{{At: 7, Start: 1}}
		}
		c := DefaultConfig()
		c.Placeholder, c.ProtectedTokens = "…", 350
		candidates, err := Candidates(h, c, 400, nil)
		if err != nil {
			t.Fatal(err)
		}
		e := byBytes{h, map[int]int{2: 400}}
		if d := Plan(h, c, candidates, e); !slices.Equal(d.Indices, want) {
			t.Errorf("compaction %v: got %v, %s", kept, d.Indices, d.Outcome)
		}
	}
}

// Where the times of records begin late, nothing is known of the pause before.
func TestPlanPauseThatIsNotKnown(t *testing.T) {
	call, result := `{"type":"tool_call","call_id":"c","name":"ls","arguments":"{}"}`, `{"type":"tool_result","call_id":"c","output":"abcdabcdabcd"}`
	h, err := history.Parse([]byte(call+result+call+result+`{"type":"message","role":"assistant","content":"so","ts":1800000000000}`), history.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := DefaultConfig()
	c.Placeholder, c.ProtectedTokens, c.MinSavings, c.CacheTTL = "…", 0, 1000, time.Minute
	candidates, err := Candidates(h, c, 400, nil)
	if err != nil {
		t.Fatal(err)
	}
	if d := Plan(h, c, candidates, byBytes{h, map[int]int{1: 3, 3: 3}}); d.Outcome != BelowMinSavings {
		t.Errorf("got %s, %v", d.Outcome, d.Indices)
	}
}
