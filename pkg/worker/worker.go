// Package worker is what an agent written in Go embeds: it holds the history of a session, keeps large tool outputs in a
// store and lets the model look into them, and makes each request from the history with old results left out.
//
// The history only grows, and is never changed: not by a request either, which is a projection of it. An agent appends what
// the user and the model say, lets Call run the tools (or adds their results itself), and sends what BuildRequest returns.
package worker

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/history"
	"github.com/llmblob/llmblob/pkg/offload"
	"github.com/llmblob/llmblob/pkg/prune"
	"github.com/llmblob/llmblob/pkg/summarize"
	"github.com/llmblob/llmblob/pkg/tokens"
)

// Options say how a Worker works. The zero value is one without a store.
type Options struct {
	// Store keeps the outputs that do not stay inline; nil: all stay inline, and there is no inspect tool. The model can look
	// into all of its blobs: inspect.Confine makes one of those that it may see.
	Store blob.Store
	// ContentIDs names blobs by their content, so that equal outputs are stored once; else ids are new ones (UUID v7).
	ContentIDs bool
	// InlineBytes is the size in bytes up to which outputs of a tool stay inline; nil: offload.DefaultInlineBytes for all.
	InlineBytes func(tool string) int
	// Limits of summaries; zero: the defaults.
	Limits summarize.Limits
	// Observer hears of every decision.
	Observer Observer
	// Now tells when records are written; nil: they do not tell, and a cache_ttl has no effect on them.
	Now func() time.Time
}

// Observer has functions that hear of decisions, each of which may be nil. Of each decision they hear once, in the order of
// the history and of the requests, before the method that made it returns. They must not call the Worker.
type Observer struct {
	Result  func(Added)    // a result is in the history
	Request func(*Request) // a request was built
}

// Worker holds the history of one session. It is safe for concurrent use.
type Worker struct {
	o Options

	mu        sync.Mutex // of what follows
	log       []byte     // items JSONL; what is there is never changed
	calls     map[string]call
	tools     []Tool
	config    prune.Config
	counter   tokens.Counter // nil: the usage in the history counts
	estimator SavingsEstimator
	settings  int // counts changes of config and estimator

	build sync.Mutex // of one request at a time; it comes before mu
	known known
}

// call is what is known of the latest call with an id.
type call struct {
	tool     string
	inspects bool // a shell that runs llmblob inspect
}

// New returns a Worker with an empty history and the default configuration of pruning. The error tells of limits that are out of
// range.
func New(o Options) (*Worker, error) {
	if o.Limits == (summarize.Limits{}) {
		o.Limits = summarize.DefaultLimits()
	}
	if err := o.Limits.Validate(); err != nil {
		return nil, fmt.Errorf("worker: %w", err)
	}
	if o.InlineBytes == nil {
		o.InlineBytes = func(string) int { return offload.DefaultInlineBytes }
	}
	w := &Worker{o: o, calls: map[string]call{}}
	if o.Store != nil {
		t, err := inspectTool(o.Store)
		if err != nil {
			return nil, fmt.Errorf("worker: %w", err)
		}
		w.tools = []Tool{t}
	}
	return w, w.SetPruneConfig(prune.DefaultConfig())
}

// SetPruneConfig says which results the next requests leave out. The projection follows from the history and the
// configuration alone, so with another one it may differ from its beginning on. On an error, for an invalid configuration or one
// that needs a store where there is none, the one before holds.
func (w *Worker) SetPruneConfig(c prune.Config) error {
	if err := c.Validate(); err != nil {
		return fmt.Errorf("worker: prune config: %w", err)
	}
	if c.Omit == prune.OmitSummary && w.o.Store == nil {
		return errors.New("worker: prune config: omit: summaries need a store")
	}
	counter, err := newCounter(c.Tokens)
	if err != nil {
		return fmt.Errorf("worker: prune config: %w", err)
	}
	c.OnlyTools, c.ExcludeTools = slices.Clone(c.OnlyTools), slices.Clone(c.ExcludeTools)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.config, w.counter = c, counter
	w.settings++
	return nil
}

// SetSavingsEstimator says how many tokens are saved by leaving results out; nil: that is counted as the prune.Config says.
func (w *Worker) SetSavingsEstimator(e SavingsEstimator) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.estimator = e
	w.settings++
}

// Save writes the history as items JSONL, one record a line. Nothing is missing from what Load reads of it.
func (w *Worker) Save(to io.Writer) error {
	if _, err := to.Write(w.snapshot()); err != nil {
		return fmt.Errorf("worker: save: %w", err)
	}
	return nil
}

// snapshot returns the history so far, which is not to be changed.
func (w *Worker) snapshot() []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.log[:len(w.log):len(w.log)]
}

// Load returns a Worker that goes on with a history as items JSONL, as Save writes it and docs/histories.md describes it. All
// of its bytes stay as they are, records that are not understood too. The error is a *history.MalformedError where
// a line is no JSON, the last one perhaps torn, or one of New or of r.
func Load(r io.Reader, o Options) (*Worker, error) {
	w, err := New(o)
	if err != nil {
		return nil, err
	}
	if w.log, err = io.ReadAll(r); err != nil {
		return nil, fmt.Errorf("worker: load: %w", err)
	}
	h, err := parse(w.log)
	if err == nil && len(h.Items) == 0 && h.Records > 0 {
		err = ofAnotherFormat(w.log)
	}
	if err != nil {
		return nil, fmt.Errorf("worker: load: %w", err)
	}
	w.learn(h)
	return w, nil
}

// ofAnotherFormat reports that a history without items of ours is one of another format.
func ofAnotherFormat(records []byte) error {
	h, err := history.Parse(records, history.Options{})
	if err != nil || h.Format == "" || h.Format == "items" {
		return err
	}
	return fmt.Errorf("history: its records are of %s, not items", h.Format)
}

// parse finds the items of records.
func parse(records []byte) (*history.History, error) {
	// A bare array is a document, to which no record can be appended.
	if start := bytes.TrimLeft(bytes.TrimPrefix(records, []byte("\ufeff")), " \t\r\n"); len(start) > 0 && start[0] != '{' {
		return nil, errors.New("history: it does not begin with an object")
	}
	return history.Parse(records, history.Options{Format: "items"})
}

// learn takes in the calls of a history.
func (w *Worker) learn(h *history.History) {
	for i := range h.Items {
		if it := &h.Items[i]; it.Kind == history.Call && it.CallID != 0 {
			c := call{tool: h.Name(it.Tool)}
			for text := range h.Texts(i) {
				c.inspects = c.inspects || offload.RunsInspect(text)
			}
			w.calls[h.Name(it.CallID)] = c
		}
	}
}
