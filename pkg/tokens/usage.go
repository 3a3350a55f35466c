package tokens

import (
	"iter"

	"github.com/llmblob/llmblob/pkg/history"
)

// Provenance is where an estimate comes from. In JSON it is its name.
type Provenance uint8

// The provenances.
const (
	None         Provenance = iota // nothing is known
	Extrapolated                   // from the rate of what the provider counted before
	Interpolated                   // from what it counted, for this and others, by bytes
	Measured                       // by the provider, who counted this alone
	Counted                        // by a counter, from the text itself
)

// String names the provenance.
func (p Provenance) String() string {
	return [...]string{"none", "extrapolated", "interpolated", "measured", "counted"}[p]
}

// MarshalText implements encoding.TextMarshaler.
func (p Provenance) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// Usage estimates from what the provider counted for the requests of the history: two counts of one context tell what
// came between them, which is shared out by bytes. The first count of a context also tells what is in no item, the
// system prompt and the definitions of tools: that counts as part of the first item. What comes after the last count has the rate of
// what was counted so far. It is an Estimator of package prune: at a request point it knows the counts before it.
type Usage struct {
	h           *history.History
	replacement []int // bytes saved by the replacement of a result
	tokens      []int // of the items before measured
	provenance  []Provenance

	start    int // first item of the context
	resets   int
	measured int // items that the last count is of
	last     int // the last count of this context; 0: there is none yet
	sum      int // tokens of the items [start, measured)
	known    bool
	baseAt   int // the item that what is in no item counts as a part of
	base     int

	counted, bytes int // tokens and bytes of all that was shared out, for the rate
}

// NewUsage returns the estimates of a history and of the replacements of some results.
func NewUsage(h *history.History, replacements iter.Seq[history.Replacement]) *Usage {
	u := &Usage{h: h, replacement: make([]int, len(h.Items)), tokens: make([]int, len(h.Items)), provenance: make([]Provenance, len(h.Items))}
	for r := range replacements {
		u.replacement[r.Item] = h.Items[r.Item].ContentBytes - len(r.Text)
	}
	return u
}

// Advance goes to a request point and takes in what was counted for the request before it.
func (u *Usage) Advance(point int) (from int, ok bool) {
	if point == 0 {
		return 0, false
	}
	before := u.h.Points[point-1]
	from = before.Item
	for ; u.resets < len(u.h.Resets) && u.h.Resets[u.resets].At <= before.Item; u.resets++ {
		if start := u.h.Resets[u.resets].Start; start > u.start {
			from = min(from, u.reset(start))
		}
	}
	if before.Usage > 0 && before.Item > u.start {
		from = min(from, u.measure(before.Item, before.Usage))
	}
	return from, u.known
}

// reset begins a context anew. What is known of the items that stay holds, but what is in no item must be told again. It
// returns the first item whose estimate changed.
func (u *Usage) reset(start int) int {
	for ; u.start < start; u.start++ {
		if u.start < u.measured {
			u.sum -= u.tokens[u.start]
		}
	}
	u.measured = max(u.measured, start)
	u.last = 0
	changed := u.baseAt
	u.baseAt, u.base = 0, 0
	return max(changed, start)
}

// measure takes in a count of the items before end and returns the first whose estimate changed.
func (u *Usage) measure(end, count int) int {
	from := u.measured
	bytes := u.bytesOf(from, end)
	tokens := count - u.last
	switch {
	case u.last == 0: // the first of this context
		u.extrapolate(from, end)
		from = min(from, end-1)
		u.baseAt, u.base = from, max(count-u.sum, 0)
	case tokens < 0 || tokens > bytes:
		// The agent left something out, or something that is no text came in: the count does not tell of these texts.
		u.extrapolate(from, end)
	default:
		u.share(from, end, tokens, bytes)
		u.counted, u.bytes = u.counted+tokens, u.bytes+bytes
	}
	u.measured, u.last, u.known = max(u.measured, end), count, true
	return from
}

func (u *Usage) extrapolate(from, end int) {
	for i := from; i < end; i++ {
		u.set(i, u.rated(u.h.Items[i].Bytes), Extrapolated)
	}
}

// share gives each item its part of the tokens, by bytes. The parts add up.
func (u *Usage) share(from, end, tokens, bytes int) {
	provenance, seen, given := Interpolated, 0, 0
	for i := from; i < end; i++ {
		n := u.h.Items[i].Bytes
		if u.h.Items[i].Outside {
			n = 0
		}
		if n == bytes {
			provenance = Measured
		}
		seen += n
		upTo := int(float64(tokens) * float64(seen) / float64(max(bytes, 1)))
		u.set(i, upTo-given, provenance)
		given = upTo
		provenance = Interpolated
	}
}

func (u *Usage) set(i, tokens int, p Provenance) {
	if u.h.Items[i].Outside {
		tokens = 0
	}
	u.tokens[i], u.provenance[i] = tokens, p
	u.sum += tokens
}

func (u *Usage) bytesOf(from, end int) (n int) {
	for i := from; i < end; i++ {
		if !u.h.Items[i].Outside {
			n += u.h.Items[i].Bytes
		}
	}
	return n
}

// rated is what so many bytes are at the rate of what was counted so far.
func (u *Usage) rated(bytes int) int {
	if u.bytes == 0 {
		return bytes / bytesPerToken
	}
	return int(float64(bytes) * float64(u.counted) / float64(u.bytes))
}

// Size returns the tokens of an item and how many fewer they are with its replacement.
func (u *Usage) Size(item int) (tokens, savings int) {
	bytes := u.h.Items[item].Bytes
	tokens = u.rated(bytes)
	if item < u.measured {
		tokens = u.tokens[item]
	}
	if bytes > 0 {
		savings = int(float64(tokens) * float64(u.replacement[item]) / float64(bytes))
	}
	if u.base > 0 && item == u.baseAt {
		tokens += u.base
	}
	return tokens, savings
}

// Provenance tells where the estimate of an item comes from, as of the last point.
func (u *Usage) Provenance(item int) Provenance {
	switch {
	case !u.known:
		return None
	case item < u.measured:
		return u.provenance[item]
	}
	return Extrapolated
}

// Provenance tells that every item was counted.
func (e *Estimates) Provenance(int) Provenance { return Counted }
