package projection

import (
	"bytes"
	"fmt"
	"io"
	"iter"
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
	First *Change `json:"first_changed"`
	// Results are made as they are taken, for there may be a million; in JSON they are "results".
	Results  iter.Seq[Result] `json:"-"`
	Warnings []string         `json:"-"` // of reading the history; in JSON "warnings", where there are any

	results int
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
		Tokens: p.Config.Tokens.Name, Results: p.results, results: len(d.Results),
	}
	if command := p.Config.Tokens.Command; len(command) > 0 {
		e.Tokens = struct {
			Command []string `json:"command"`
		}{command}
	}
	e.Protected = Place{d.Protected, p.line(d.Protected)}
	if d.First >= 0 {
		it := &p.History.Items[d.First]
		e.First = &Change{Place{d.First, p.line(d.First)}, it.Record, it.Offset, p.left(d.First)}
	}
	return e
}

// results yields what became of each result, in order.
func (p *Projection) results(yield func(Result) bool) {
	line := p.lines()
	for _, r := range p.Decision.Results {
		it := &p.History.Items[r.Item]
		result := Result{
			Place: Place{r.Item, line(r.Item)}, CallID: p.History.Name(it.CallID), Tool: p.History.Name(it.Tool), Bytes: it.ContentBytes,
			Tokens: r.Tokens, Savings: r.Savings, Provenance: p.estimator.Provenance(r.Item), Chosen: r.Chosen, Reason: r.Reason,
		}
		if r.Chosen {
			result.Point, result.Reason = &r.Point, prune.NoReason
		}
		if !yield(result) {
			return
		}
	}
}

// line is the line of an item; 0 behind the last one.
func (p *Projection) line(i int) int {
	if i == len(p.History.Items) {
		return 0
	}
	return p.History.Lines()(p.History.Items[i].Offset)
}

// lines returns a function that tells the lines of results, asked for in the order of the items.
func (p *Projection) lines() func(i int) int {
	line := p.History.Lines()
	offset := func(i int) int { return p.History.Items[i].Offset }
	byOffset := func(a, b prune.Choice) int { return offset(a.Item) - offset(b.Item) }
	results := p.Decision.Results
	if slices.IsSortedFunc(results, byOffset) {
		return func(i int) int { return line(offset(i)) }
	}
	lines := make(map[int]int, len(results))
	for _, r := range slices.SortedFunc(slices.Values(results), byOffset) {
		lines[r.Item] = line(offset(r.Item))
	}
	return func(i int) int { return lines[i] }
}

// WriteJSON writes the explanation as one JSON object and a line feed. Its parts are written as encode does: like json.Marshal, or with
// a line feed. An error is that of either.
func (e Explanation) WriteJSON(w io.Writer, encode func(v any) ([]byte, error)) error {
	var err error
	put := func(before string, v any, cut string) {
		var data []byte
		if err == nil {
			data, err = encode(v)
		}
		if err == nil {
			data = bytes.TrimSuffix(bytes.TrimSuffix(data, []byte("\n")), []byte(cut))
			_, err = w.Write(append([]byte(before), data...))
		}
	}
	put("", e, "}") // the rest follows
	before := `,"results":[`
	for r := range e.Results {
		if put(before, r, ""); err != nil {
			return err
		}
		before = ","
	}
	end := "]"
	if before != "," {
		end = before + "]"
	}
	if len(e.Warnings) > 0 {
		put(end+`,"warnings":`, e.Warnings, "")
		end = ""
	}
	if err == nil {
		_, err = io.WriteString(w, end+"}\n")
	}
	return err
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
		e.Format, len(e.Indices), e.results, e.Before, e.After, e.Tokens, e.Decision)
	if e.First != nil {
		fmt.Fprintf(w, "first change at line %d, with %d tokens behind it\n", e.First.Line, e.First.Behind)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "ITEM\tLINE\tTOOL\tTOKENS\tSAVES\tSTATE")
	for r := range e.Results {
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
