package projection

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"

	"github.com/llmblob/llmblob/pkg/history"
	"github.com/llmblob/llmblob/pkg/prune"
	"github.com/llmblob/llmblob/pkg/tokens"
)

// Explanation tells why a projection is as it is. Its JSON is what project --explain prints.
type Explanation struct {
	Format   history.Format `json:"format"`
	Decision prune.Outcome  `json:"decision"`
	// Indices are the items left out: all that were chosen at any request point.
	Indices    []int `json:"indices"`
	Candidates int   `json:"candidates"` // results that could be chosen at the last request point
	Requests   int   `json:"requests"`   // request points, the end of the history among them
	Items      int   `json:"items"`
	Protected  Place `json:"protected_from"`
	Before     int   `json:"tokens_before"`
	After      int   `json:"tokens_after"`
	// Tokens is how they were counted: the value of the config.
	Tokens any `json:"tokens"`
	// First is the first record that differs from the previous request's; nil: none does.
	First    *Change  `json:"first_changed"`
	Results  []Result `json:"results"`
	Warnings []string `json:"warnings,omitempty"` // of reading the history
}

// Place is an item and where it stands.
type Place struct {
	Item int `json:"item"`
	Line int `json:"line,omitempty"` // from 1; 0: behind the last item
}

// Change is the first place where a request differs from the one before.
type Change struct {
	Place
	Record int `json:"record"` // from 0
	Offset int `json:"offset"` // of the item in the history, in bytes
	Behind int `json:"tokens_behind"`
}

// Result is what became of one tool result.
type Result struct {
	Place
	CallID     string            `json:"call_id"`
	Tool       string            `json:"tool"`
	Bytes      int               `json:"bytes"`
	Tokens     int               `json:"tokens"`
	Savings    int               `json:"savings"`
	Provenance tokens.Provenance `json:"provenance"`
	Chosen     bool              `json:"chosen"`
	Point      *int32            `json:"point"` // request point at which it was chosen, from 0
	Reason     prune.Reason      `json:"reason,omitempty"`
}

// Explain tells why.
func (p *Projection) Explain() Explanation {
	d := p.Decision
	e := Explanation{
		Format: p.History.Format, Decision: d.Outcome, Indices: append([]int{}, d.Indices...), Candidates: d.Candidates,
		Requests: len(p.History.Points), Items: len(p.History.Items), Before: d.Before, After: d.After,
		Tokens: p.Config.Tokens.Name, Results: make([]Result, 0, len(d.Results)),
	}
	if command := p.Config.Tokens.Command; len(command) > 0 {
		e.Tokens = struct {
			Command []string `json:"command"`
		}{command}
	}
	lines := p.lines()
	e.Protected = Place{d.Protected, lines[d.Protected]}
	if d.First >= 0 {
		it := &p.History.Items[d.First]
		e.First = &Change{Place{d.First, lines[d.First]}, it.Record, it.Offset, p.left(d.First)}
	}
	for _, r := range d.Results {
		it := &p.History.Items[r.Item]
		result := Result{
			Place: Place{r.Item, lines[r.Item]}, CallID: p.History.Name(it.CallID), Tool: p.History.Name(it.Tool), Bytes: it.ContentBytes,
			Tokens: r.Tokens, Savings: r.Savings, Provenance: p.estimator.Provenance(r.Item), Chosen: r.Chosen, Reason: r.Reason,
		}
		if r.Chosen {
			result.Point, result.Reason = &r.Point, prune.NoReason
		}
		e.Results = append(e.Results, result)
	}
	return e
}

// lines are those of the items that an explanation names.
func (p *Projection) lines() map[int]int {
	var named []int
	for i := range p.History.Items {
		if i == p.Decision.Protected || i == p.Decision.First || p.History.Items[i].Kind == history.Result {
			named = append(named, i)
		}
	}
	offset := func(i int) int { return p.History.Items[i].Offset }
	slices.SortFunc(named, func(a, b int) int { return offset(a) - offset(b) })
	line := p.History.Lines()
	lines := make(map[int]int, len(named))
	for _, i := range named {
		lines[i] = line(offset(i))
	}
	return lines
}

// left is how many tokens the projection has from an item on.
func (p *Projection) left(from int) int {
	n := 0
	for i := from; i < len(p.History.Items); i++ {
		if !p.History.Items[i].Outside {
			tokens, _ := p.estimator.Size(i)
			n += tokens
		}
	}
	for _, r := range p.Decision.Results {
		if r.Chosen && r.Item >= from {
			n -= r.Savings
		}
	}
	return n
}

// Table writes the explanation for people.
func (e Explanation) Table(w io.Writer) error {
	fmt.Fprintf(w, "%s: %d of %d results left out, %d tokens before, %d after (%v); at the last point: %s\n",
		e.Format, len(e.Indices), len(e.Results), e.Before, e.After, e.Tokens, e.Decision)
	if e.First != nil {
		fmt.Fprintf(w, "first change at line %d, with %d tokens behind it\n", e.First.Line, e.First.Behind)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "ITEM\tLINE\tTOOL\tTOKENS\tSAVES\tSTATE")
	for _, r := range e.Results {
		state := r.Reason.String()
		if r.Chosen {
			state = fmt.Sprintf("left out at point %d", *r.Point)
		}
		fmt.Fprintf(t, "%d\t%d\t%s\t%d\t%d\t%s\n", r.Item, r.Line, printable(r.Tool), r.Tokens, r.Savings, state)
	}
	return t.Flush()
}

// printable is a name that takes one cell of a table, whatever is in it.
func printable(name string) string {
	if quoted := strconv.Quote(name); quoted != `"`+name+`"` {
		return quoted
	}
	return name
}
