package worker

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/llmblob/llmblob/pkg/history"
	"github.com/llmblob/llmblob/pkg/offload"
	"github.com/llmblob/llmblob/pkg/prune"
	"github.com/llmblob/llmblob/pkg/tokens"
)

// Request is what to send to the model: the history with the content of some results left out. It is the caller's to keep and
// to change.
type Request struct {
	Items []Item
	JSONL []byte // the same as items JSONL: the records of the history, of which only contents differ
	// Decision tells what is left out and why; its indices are those of Items.
	Decision prune.Decision
	// StoreErr says why contents that were to be left out for their summaries are in the request: the store does not take them.
	StoreErr error

	offsets []int // of the items in JSONL
}

// Record returns the record of an item as it stands in JSONL, or the part of a record that it is. It has what Item does not hold.
func (r *Request) Record(item int) json.RawMessage {
	var record json.RawMessage
	_ = json.NewDecoder(bytes.NewReader(r.JSONL[r.offsets[item]:])).Decode(&record) // it was parsed
	return record
}

// BuildRequest projects the history as the configuration of pruning says; the history stays as it is. Between two choices of results
// to leave out, the JSONL of a longer history begins with that of the shorter one. It takes time in proportion to the history.
// The error is that of a program that counts tokens, or of a ctx that is done.
func (w *Worker) BuildRequest(ctx context.Context) (*Request, error) {
	w.build.Lock()
	defer w.build.Unlock()
	b, err := w.begin()
	if err == nil {
		err = b.plan(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("worker: build request: %w", err)
	}
	if b.config.Omit == prune.OmitSummary {
		b.store(ctx)
	}
	b.edit()
	if w.o.Observer.Request != nil {
		w.o.Observer.Request(&b.r)
	}
	return &b.r, nil
}

// known is what need not be found out again for the next request, for the history only grows.
type known struct {
	settings  int             // those for which all but the items holds
	items     []Item          // with nothing left out
	counts    map[textKey]int // tokens of texts
	summaries map[int]summary // that would stand for the content of an item
	stored    map[int]bool    // items whose content is in the store
	savings   map[int]int     // what the estimator said, by the number of items
}

// summary is what would stand for a content, or why that stays.
type summary struct {
	text  string
	stays prune.Reason
}

// builder makes one request.
type builder struct {
	*known
	data      []byte
	h         *history.History
	offload   offload.HistoryOptions
	worker    *Worker
	config    prune.Config
	counter   tokens.Counter
	estimator SavingsEstimator
	r         Request
}

// begin takes the history as it is now.
func (w *Worker) begin() (*builder, error) {
	w.mu.Lock()
	b := &builder{
		known: &w.known, worker: w, data: w.log[:len(w.log):len(w.log)], config: w.config, counter: w.counter, estimator: w.estimator,
		offload: offload.HistoryOptions{Limits: w.o.Limits},
	}
	settings := w.settings
	w.mu.Unlock()
	if b.settings != settings {
		w.known = known{settings, b.items, map[textKey]int{}, map[int]summary{}, map[int]bool{}, map[int]int{}}
	}
	var err error
	if b.h, err = parse(b.data); err != nil {
		return nil, err
	}
	b.list()
	return b, nil
}

// list lists the items with nothing left out.
func (b *builder) list() {
	b.r.offsets = make([]int, len(b.h.Items))
	for i := range b.h.Items {
		it := &b.h.Items[i]
		if i == len(b.items) {
			b.items = append(b.items, Item{it.Kind, it.Role, b.h.Name(it.CallID), b.h.Name(it.Tool), b.text(i, b.h.Texts(i)), it.IsError})
		}
		b.r.offsets[i] = it.Offset
	}
	b.r.Items = slices.Clone(b.items)
}

// text returns what is said with the texts of an item.
func (b *builder) text(i int, texts func(yield func([]byte) bool)) string {
	it := &b.h.Items[i]
	var parts []string
	for text := range texts {
		parts = append(parts, string(text))
	}
	switch {
	case it.Kind == history.Call && it.Tool != 0:
		parts = parts[1:] // the name
	case it.Nullable && len(parts) > 1:
		return parts[len(parts)-1] + "\n" + strings.Join(parts[:len(parts)-1], "") // the summary, which stands behind the content
	}
	return strings.Join(parts, "")
}

// plan decides which results are left out.
func (b *builder) plan(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	candidates, err := prune.Candidates(b.h, b.config, b.offload.Limits.Bytes, b.summary)
	if err != nil {
		return err
	}
	estimator, err := b.sizes(ctx, candidates)
	if err != nil {
		return err
	}
	b.r.Decision = prune.Plan(b.h, b.config, candidates, estimator)
	return nil
}

// summary is a prune.SummaryFunc.
func (b *builder) summary(item int) (string, prune.Reason, error) {
	if s, ok := b.summaries[item]; ok {
		return s.text, s.stays, nil
	}
	text, how, err := b.offload.Summary(b.h, item)
	if err != nil {
		return "", prune.NoReason, err
	}
	s := summary{text, reasons[how]}
	b.summaries[item] = s
	return s.text, s.stays, nil
}

// reasons are why a content stays although its summary was asked for.
var reasons = map[offload.Moved]prune.Reason{offload.StandsIn: prune.AlreadyPruned, offload.Unstorable: prune.HasMedia}

// store stores the contents that are to be left out, so that their summaries resolve. Once the store fails those that it does not
// have stay, and are tried again with the next request.
func (b *builder) store(ctx context.Context) {
	d := &b.r.Decision
	for n := range d.Results {
		choice := &d.Results[n]
		if !choice.Chosen || b.stored[choice.Item] {
			continue
		}
		if b.r.StoreErr == nil {
			b.r.StoreErr = b.offload.Store(ctx, b.worker.o.Store, b.h, choice.Item)
		}
		if b.r.StoreErr == nil {
			b.stored[choice.Item] = true
			continue
		}
		choice.Chosen = false
		d.After += choice.Savings
	}
	d.Indices = slices.DeleteFunc(d.Indices, func(item int) bool { return !b.stored[item] })
}

// edit leaves out what was chosen.
func (b *builder) edit() {
	var edits []history.Edit
	for _, choice := range b.r.Decision.Results {
		if choice.Chosen {
			edits = b.h.Replace(edits, choice.Replacement)
			b.r.Items[choice.Item].Text = b.replaced(choice)
		}
	}
	slices.SortStableFunc(edits, func(a, b history.Edit) int { return cmp.Compare(a.Start, b.Start) })
	var out bytes.Buffer
	out.Grow(len(b.data))
	_ = b.h.Splice(&out, slices.Values(edits)) // a buffer takes all
	b.r.JSONL = out.Bytes()
	shift, next := 0, 0
	for i, off := range b.r.offsets {
		for ; next < len(edits) && edits[next].End <= off; next++ {
			shift += len(edits[next].Text) - (edits[next].End - edits[next].Start)
		}
		b.r.offsets[i] += shift
	}
}

// replaced is the text of a result whose content is left out: its own summary, or what takes the place of the content.
func (b *builder) replaced(choice prune.Choice) string {
	i := choice.Item
	if !b.h.Items[i].Nullable {
		return choice.Text
	}
	content, _ := b.h.TextCount(i)
	summary := b.text(i, func(yield func([]byte) bool) {
		n := 0
		for text := range b.h.Texts(i) {
			if n++; n > content && !yield(text) {
				return
			}
		}
	})
	if choice.Text == "" {
		return summary
	}
	return summary + "\n" + choice.Text
}
