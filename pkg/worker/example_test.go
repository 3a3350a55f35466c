package worker_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/llmblob/llmblob/pkg/history"
	"github.com/llmblob/llmblob/pkg/offload"
	"github.com/llmblob/llmblob/pkg/prune"
	"github.com/llmblob/llmblob/pkg/storetest"
	"github.com/llmblob/llmblob/pkg/worker"
)

// The way of an agent: what the user and the model say is appended, Call runs tools, BuildRequest makes what is sent. The
// large output is a summary in the request, and the model can look into it with the tool inspect.
func Example() {
	ctx := context.Background()
	w, err := worker.New(worker.Options{Store: storetest.NewMemory(), ContentIDs: true}) // pkg/fsstore keeps blobs in files
	if err != nil {
		panic(err)
	}
	err = w.Register(worker.Tool{
		Name:        "count",
		Description: "Counts up to n.",
		Schema:      json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`),
		Func: func(_ context.Context, arguments json.RawMessage) (any, error) {
			var in struct{ N int }
			if err := json.Unmarshal(arguments, &in); err != nil {
				return nil, err
			}
			var out strings.Builder
			for i := range in.N {
				fmt.Fprintln(&out, i+1)
			}
			return out.String(), nil
		},
	})
	if err != nil {
		panic(err)
	}
	call := worker.Item{Kind: history.Call, CallID: "c1", Tool: "count", Text: `{"n":1000}`} // from the model
	if err := w.Append(worker.Item{Kind: history.Message, Role: history.User, Text: "Count to 1000."}, call); err != nil {
		panic(err)
	}
	if _, err := w.Call(ctx, call); err != nil {
		panic(err)
	}
	request, err := w.BuildRequest(ctx)
	if err != nil {
		panic(err)
	}
	fmt.Println(w.Tools()[0].Name, w.Tools()[1].Name)
	fmt.Println(request.Items[2].Text)
	// Output:
	// inspect count
	// [blob:0d187f4c-fba9-8936-aad6-82e13175c1f6] text | 1000 lines
	// ── head ──
	// 1
	// 2
	// 3
	// 4
	// 5
	// ── tail ──
	// 998
	// 999
	// 1000
}

// A tool says itself whether its output stays inline or is stored, and what stands for it.
func ExampleWorker_AddToolResult() {
	ctx := context.Background()
	store := storetest.NewMemory()
	w, err := worker.New(worker.Options{Store: store, ContentIDs: true})
	if err != nil {
		panic(err)
	}
	rows := make([]map[string]any, 300)
	for i := range rows {
		rows[i] = map[string]any{"id": i, "name": fmt.Sprint("row ", i)}
	}
	for _, output := range []any{
		"small text",
		rows, // a structured value
		offload.InlineOutput(strings.NewReader(strings.Repeat("wanted whole\n", 100))),
	} {
		added, err := w.AddToolResult(ctx, worker.ToolResult{CallID: "c1", Tool: "query", Output: output})
		if err != nil {
			panic(err)
		}
		first, _, _ := strings.Cut(added.Text, "\n")
		fmt.Println(added.Kind, len(added.Text), first)
	}
	// Output:
	// inline 10 small text
	// stored 183 [blob:e46f2663-3624-8f8e-aefb-b3eb9ad74142] json_array | 300 entries
	// inline 1300 wanted whole
}

// What is saved and loaded goes on as if nothing had been.
func ExampleLoad() {
	w, err := worker.New(worker.Options{})
	if err != nil {
		panic(err)
	}
	if err := w.Append(worker.Item{Kind: history.Message, Role: history.User, Text: "hello"}); err != nil {
		panic(err)
	}
	var file bytes.Buffer
	if err := w.Save(&file); err != nil {
		panic(err)
	}
	again, err := worker.Load(&file, worker.Options{})
	if err != nil {
		panic(err)
	}
	if err := again.AppendRecord(json.RawMessage(`{"type":"message","role":"assistant","content":"hi","cost":0.10}`)); err != nil {
		panic(err)
	}
	if err := again.Save(os.Stdout); err != nil {
		panic(err)
	}
	// Output:
	// {"type":"message","role":"user","content":"hello"}
	// {"type":"message","role":"assistant","content":"hi","cost":0.10}
}

// Old results are left out of requests, never out of the history. What that saves is told by a function.
func ExampleWorker_SetSavingsEstimator() {
	ctx := context.Background()
	w, err := worker.New(worker.Options{Observer: worker.Observer{
		Request: func(r *worker.Request) { fmt.Println(r.Decision.Outcome, r.Decision.Indices) },
	}})
	if err != nil {
		panic(err)
	}
	config := prune.DefaultConfig()
	config.ProtectedTokens, config.MinSavings = 0, 100
	if err := w.SetPruneConfig(config); err != nil {
		panic(err)
	}
	w.SetSavingsEstimator(func(items []worker.Item, candidates []int) int {
		if len(items) < 5 {
			return 0 // nothing is known yet
		}
		bytes := 0
		for _, i := range candidates {
			bytes += len(items[i].Text)
		}
		return bytes / 3
	})
	call := worker.Item{Kind: history.Call, CallID: "c1", Tool: "read", Text: `{}`}
	if err := w.Append(worker.Item{Kind: history.Message, Role: history.User, Text: "read it"}, call); err != nil {
		panic(err)
	}
	if _, err := w.AddToolResult(ctx, worker.ToolResult{CallID: "c1", Output: strings.Repeat("a line\n", 100)}); err != nil {
		panic(err)
	}
	if err := w.Append(worker.Item{Kind: history.Message, Role: history.Assistant, Text: "It has 100 lines."}); err != nil {
		panic(err)
	}
	for range 2 {
		if _, err := w.BuildRequest(ctx); err != nil {
			panic(err)
		}
		if err := w.Append(worker.Item{Kind: history.Message, Role: history.User, Text: "go on"}); err != nil {
			panic(err)
		}
	}
	request, err := w.BuildRequest(ctx)
	if err != nil {
		panic(err)
	}
	_, messages := request.AnthropicMessages()
	fmt.Println(string(messages))
	// Output:
	// no_data []
	// fired [2]
	// fired [2]
	// [{"role":"user","content":[{"type":"text","text":"read it"}]},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"read","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"[tool result omitted: 700 bytes]"}]},{"role":"assistant","content":[{"type":"text","text":"It has 100 lines."}]},{"role":"user","content":[{"type":"text","text":"go on"},{"type":"text","text":"go on"}]}]
}
