package worker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/history"
	"github.com/llmblob/llmblob/pkg/offload"
	"github.com/llmblob/llmblob/pkg/projection"
	"github.com/llmblob/llmblob/pkg/prune"
	"github.com/llmblob/llmblob/pkg/storetest"
	"github.com/llmblob/llmblob/pkg/summarize"
)

// model is the plainest worker: it remembers all that it was told.
type model struct {
	t     *testing.T
	rand  *rand.Rand
	store blob.Store
	w     *Worker

	items   []Item            // as they should be in the history
	blobs   map[string][]byte // what each id must give
	log     []byte            // as last saved
	config  prune.Config
	last    *Request // with this config
	calls   int
	pending []Item // calls without a result
}

func newModel(t *testing.T, seed uint64, withStore bool) *model {
	m := &model{t: t, rand: rand.New(rand.NewPCG(seed, 1)), blobs: map[string][]byte{}}
	if withStore {
		m.store = storetest.NewMemory()
	}
	m.w = must(New(m.options()))
	m.configure()
	return m
}

func (m *model) options() Options {
	return Options{Store: m.store, ContentIDs: m.rand.IntN(2) == 0, InlineBytes: func(tool string) int {
		if tool == "wide" {
			return 3000
		}
		return offload.DefaultInlineBytes
	}}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// configure takes a random configuration under which short histories are pruned.
func (m *model) configure() {
	c := prune.DefaultConfig()
	c.ProtectedTokens = m.rand.IntN(300)
	if m.rand.IntN(2) == 0 {
		c.MinSavings = prune.MinSavings(m.rand.IntN(400))
	}
	if m.rand.IntN(4) == 0 {
		c.ProtectedTurns = 1
	}
	if m.rand.IntN(5) == 0 {
		c.Tokens = prune.Tokens{Name: []string{prune.TokensO200k, prune.TokensUsage}[m.rand.IntN(2)]}
	}
	c.KeepErrors = m.rand.IntN(4) == 0
	if m.store != nil && m.rand.IntN(3) == 0 {
		c.Omit = prune.OmitSummary
	}
	if err := m.w.SetPruneConfig(c); err != nil {
		m.t.Fatal(err)
	}
	m.config, m.last = c, nil
}

// text returns a text with what is hard to keep.
func (m *model) text(n int) string {
	parts := []string{"line of text\n", "\x00", "\u2028", `"\`, "<&>", "é", "\U0001F600", "[blob:", "{", "\t", "\r\n", "\x7f", "9007199254740993 "}
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(parts[m.rand.IntN(len(parts))])
	}
	return b.String()
}

func (m *model) append(items ...Item) {
	if err := m.w.Append(items...); err != nil {
		m.t.Fatal(err)
	}
	m.items = append(m.items, items...)
}

func (m *model) call() {
	m.calls++
	tool := []string{"read", "run", "wide", "inspect"}[m.rand.IntN(4)]
	id := []string{fmt.Sprint("call_", m.calls), "same", "", "a\"b\x00<c>", "[blob:x]"}[m.rand.IntN(5)]
	c := Item{Kind: history.Call, Role: history.Assistant, CallID: id, Tool: tool, Text: `{"n":` + fmt.Sprint(m.calls) + `}`}
	m.append(c)
	m.pending = append(m.pending, c)
}

// result adds the result of the first call without one.
func (m *model) result() {
	if len(m.pending) == 0 {
		m.call()
	}
	call := m.pending[0]
	m.pending = m.pending[1:]
	sizes := []int{0, 10, 700, 900, 2000, 5000}
	content := m.text(sizes[m.rand.IntN(len(sizes))])
	r := ToolResult{CallID: call.CallID, Tool: call.Tool, IsError: m.rand.IntN(4) == 0, Output: content}
	explicit := offload.Kind("")
	switch m.rand.IntN(8) {
	case 0:
		r.Output = []byte(content)
	case 1:
		r.Output = strings.NewReader(content)
	case 2:
		list := []map[string]any{}
		for i := range m.rand.IntN(60) {
			list = append(list, map[string]any{"id": i, "name": "<" + m.text(5) + ">"})
		}
		r.Output = list
		content = string(encoded(list))
	case 3:
		content = `{"n": 1.50e3, "s":"\ud800", "pad":"` + strings.Repeat("x", m.rand.IntN(2000)) + `"}`
		r.Output = json.RawMessage(content)
	case 4:
		content += "\xff\xfe"
		r.Output = content
	case 5:
		r.Output, explicit = offload.InlineOutput(strings.NewReader(content)), offload.Inline
	case 6:
		if m.store != nil {
			o := offload.Options{As: summarize.Auto, Limits: summarize.DefaultLimits(), NewID: m.w.newID}
			r.Output, explicit = offload.StoredOutput(must(o.Store(m.t.Context(), m.store, strings.NewReader(content)))), offload.Stored
		}
	}
	a, err := m.w.AddToolResult(m.t.Context(), r)
	if err != nil || a.StoreErr != nil || a.ReadErr != nil {
		m.t.Fatal(err, a.StoreErr, a.ReadErr)
	}
	m.check(a, call, content, explicit)
	m.items = append(m.items, Item{Kind: history.Result, Role: history.Tool, CallID: call.CallID, Tool: call.Tool, Text: a.Text, IsError: r.IsError})
}

// check holds what was added to the rules of what is stored.
func (m *model) check(a Added, call Item, content string, explicit offload.Kind) {
	binary := strings.HasSuffix(content, "\xff\xfe")
	limit := offload.DefaultInlineBytes
	if call.Tool == "wide" {
		limit = 3000
	}
	stored := len(content) > limit || binary
	if m.store == nil || call.Tool == "inspect" {
		stored = false
	}
	if explicit != "" {
		stored = explicit == offload.Stored
	}
	if stored != (a.Kind == offload.Stored) {
		m.t.Fatalf("%s of %d bytes is %s", call.Tool, len(content), a.Kind)
	}
	switch {
	case stored:
		if !strings.HasPrefix(a.Text, "[blob:"+a.Record.ID+"] ") || len(a.Text) > summarize.DefaultBytes {
			m.t.Fatalf("summary %q", a.Text)
		}
		m.blobs[a.Record.ID] = []byte(content)
	case binary:
		if !a.Base64 || a.Text == content {
			m.t.Fatalf("%q", a.Text)
		}
	case a.Text != content:
		m.t.Fatalf("%q became %q", content, a.Text)
	}
}

func (m *model) step() {
	switch n := m.rand.IntN(100); {
	case n < 12:
		m.append(Item{Kind: history.Message, Role: history.User, Text: m.text(m.rand.IntN(200))})
	case n < 25:
		m.append(
			Item{Kind: history.Reasoning, Role: history.Assistant, Text: m.text(20)},
			Item{Kind: history.Message, Role: history.Assistant, Text: m.text(m.rand.IntN(400))},
		)
	case n < 45:
		m.call()
	case n < 70:
		m.result()
	case n < 75:
		m.record()
	case n < 93:
		m.request()
	case n < 95:
		m.configure()
	default:
		m.reload()
	}
}

// record adds what Item has no place for.
func (m *model) record() {
	records := []struct {
		json  string
		items []Item
	}{
		{`{"kind":"llm_usage","input_total_tokens":1e2,"note": "\ud800" }`, nil},
		{`{ "unknown" : [1.0, 1E400, {"a":1,"a":2}] }`, nil},
		{"{\"type\":\"message\",\n\"role\":\"assistant\",\"x\":\"\\u0000\",\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":\"b\"}]}",
			[]Item{{Kind: history.Message, Role: history.Assistant, Text: "ab"}}},
		{`{"type":"tool_result","call_id":17,"summary":"2 lines","content":"x\ny","z":-0}`,
			[]Item{{Kind: history.Result, Role: history.Tool, Text: "2 lines\nx\ny"}}},
	}
	r := records[m.rand.IntN(len(records))]
	if err := m.w.AppendRecord(json.RawMessage(r.json)); err != nil {
		m.t.Fatal(err)
	}
	m.items = append(m.items, r.items...)
}

func (m *model) save() []byte {
	var b bytes.Buffer
	if err := m.w.Save(&b); err != nil {
		m.t.Fatal(err)
	}
	if !bytes.HasPrefix(b.Bytes(), m.log) {
		m.t.Fatal("the history has changed")
	}
	m.log = b.Bytes()
	return m.log
}

// reload goes on with the worker that is loaded from what the one before saved.
func (m *model) reload() {
	saved := m.save()
	before := must(m.w.BuildRequest(m.t.Context()))
	m.w = must(Load(bytes.NewReader(saved), m.options()))
	if err := m.w.SetPruneConfig(m.config); err != nil {
		m.t.Fatal(err)
	}
	if again := m.save(); !bytes.Equal(again, saved) {
		m.t.Fatal("saved, loaded and saved again it differs")
	}
	if after := must(m.w.BuildRequest(m.t.Context())); !reflect.DeepEqual(before, after) {
		m.t.Fatalf("after loading:\n%v\nbefore:\n%v", after, before)
	}
}

func (m *model) request() {
	saved := m.save()
	r := must(m.w.BuildRequest(m.t.Context()))
	if again := m.save(); !bytes.Equal(again, saved) {
		m.t.Fatal("a request changed the history")
	}
	m.checkItems(r)
	m.checkRecords(r, saved)
	m.checkReferences(r)
	m.checkProjection(r, saved)
	if m.last != nil {
		if !among(m.last.Decision.Indices, r.Decision.Indices) {
			m.t.Fatalf("chosen %v, before that %v", r.Decision.Indices, m.last.Decision.Indices)
		}
		if len(m.last.Decision.Indices) == len(r.Decision.Indices) && !bytes.HasPrefix(r.JSONL, m.last.JSONL) {
			m.t.Fatal("a longer request does not begin with the shorter one")
		}
	}
	m.last = r
}

// among reports whether all of some sorted numbers are among others.
func among(some, all []int) bool {
	for _, n := range some {
		if !slices.Contains(all, n) {
			return false
		}
	}
	return true
}

// checkItems holds the items to those that were added.
func (m *model) checkItems(r *Request) {
	if len(r.Items) != len(m.items) {
		m.t.Fatalf("%d items, want %d", len(r.Items), len(m.items))
	}
	for i, got := range r.Items {
		want := m.items[i]
		if slices.Contains(r.Decision.Indices, i) {
			if got.Text == want.Text || len(got.Text) >= len(want.Text) {
				m.t.Fatalf("item %d is left out, and still %q", i, got.Text)
			}
			got.Text = want.Text
		}
		if got != want {
			m.t.Fatalf("item %d is %+v, want %+v", i, got, want)
		}
	}
}

// checkRecords holds that only what was chosen differs, and that Record finds it.
func (m *model) checkRecords(r *Request, saved []byte) {
	lines, before := strings.Split(string(r.JSONL), "\n"), strings.Split(string(saved), "\n")
	if len(lines) != len(before) {
		m.t.Fatalf("%d lines, want %d", len(lines), len(before))
	}
	changed := 0
	for i := range lines {
		if lines[i] != before[i] {
			changed++
		}
	}
	if changed != len(r.Decision.Indices) {
		m.t.Fatalf("%d records differ, want %d", changed, len(r.Decision.Indices))
	}
	for i, it := range r.Items {
		record := r.Record(i)
		if !slices.Contains(lines, string(record)) || !bytes.Contains(record, []byte(`"`+it.Kind.String()+`"`)) {
			m.t.Fatalf("record of item %d: %q", i, record)
		}
	}
}

func (m *model) checkReferences(r *Request) {
	for i, it := range r.Items {
		name, ok := history.Reference([]byte(it.Text))
		if it.Kind != history.Result || !ok {
			continue
		}
		b, err := m.store.Open(m.t.Context(), must(blob.ParseID(name)))
		if err != nil {
			m.t.Fatalf("item %d: %v", i, err)
		}
		want, ok := m.blobs[name]
		if !ok { // left out for its summary
			want = []byte(m.items[i].Text)
		}
		if got := must(blob.Bytes(b)); !bytes.Equal(got, want) && !strings.HasPrefix(m.items[i].Text, "2 lines") {
			m.t.Fatalf("item %d: blob %s is %q, want %q", i, name, got, want)
		}
	}
}

// checkProjection holds the request to what the command project makes of the saved history.
func (m *model) checkProjection(r *Request, saved []byte) {
	h := must(history.Parse(saved, history.Options{Format: "items"}))
	o := projection.Options{Config: m.config, Store: func() (blob.Store, error) { return m.store, nil }}
	o.Offload.Limits = summarize.DefaultLimits()
	p := must(projection.Make(m.t.Context(), h, o))
	var want bytes.Buffer
	if err := p.Write(&want); err != nil {
		m.t.Fatal(err)
	}
	if !bytes.Equal(r.JSONL, want.Bytes()) || !reflect.DeepEqual(r.Decision, p.Decision) {
		m.t.Fatalf("request:\n%s\nprojection:\n%s", r.JSONL, want.Bytes())
	}
}

func TestWorkerIsItsModel(t *testing.T) {
	pruned := 0
	for seed := range uint64(25) {
		for _, withStore := range []bool{true, false} {
			m := newModel(t, seed, withStore)
			for range 80 {
				m.step()
			}
			m.request()
			m.reload()
			if m.last != nil {
				pruned += len(m.last.Decision.Indices)
			}
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
	}
	if pruned < 60 {
		t.Errorf("only %d results were left out: this tests little", pruned)
	}
}
