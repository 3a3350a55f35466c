// Agent is a whole agent around package worker: a loop, a tool that prints 5 MB, and a model. Nothing of the log but a summary
// and the few lines that the model asks for is ever in a request.
//
// The model is scripted, so that this runs without a network. Another Model sends Request.AnthropicMessages or
// Request.OpenAIMessages with the tools to a provider, and returns the items of its answer.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/llmblob/llmblob/pkg/fsstore"
	"github.com/llmblob/llmblob/pkg/history"
	"github.com/llmblob/llmblob/pkg/worker"
)

// Model is what answers requests.
type Model interface {
	// Reply returns what the model says: messages, reasoning and calls of the tools.
	Reply(ctx context.Context, r *worker.Request, tools []worker.Tool) ([]worker.Item, error)
}

// maxRequests bounds what one question may cost.
const maxRequests = 20

// ask puts a question and runs the tools that the model calls until it answers.
func ask(ctx context.Context, w *worker.Worker, m Model, question string) (string, error) {
	if err := w.Append(worker.Item{Kind: history.Message, Role: history.User, Text: question}); err != nil {
		return "", err
	}
	for range maxRequests {
		request, err := w.BuildRequest(ctx)
		if err != nil {
			return "", err
		}
		reply, err := m.Reply(ctx, request, w.Tools())
		if err != nil {
			return "", fmt.Errorf("model: %w", err)
		}
		if err := w.Append(reply...); err != nil {
			return "", err
		}
		answer, called := "", false
		for _, item := range reply {
			switch item.Kind {
			case history.Message:
				answer = item.Text
			case history.Call:
				called = true
				if _, err := w.Call(ctx, item); err != nil {
					return "", err
				}
			}
		}
		if !called {
			return answer, nil
		}
	}
	return "", fmt.Errorf("no answer after %d requests", maxRequests)
}

// readFile is a tool that returns all of a file, however large: what of it is for the model the worker decides.
var readFile = worker.Tool{
	Name:        "read_file",
	Description: "Returns the content of a file.",
	Schema:      json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`),
	Func: func(_ context.Context, arguments json.RawMessage) (any, error) {
		var in struct{ Path string }
		if err := json.Unmarshal(arguments, &in); err != nil {
			return nil, err
		}
		return os.ReadFile(in.Path)
	},
}

// run asks about the log of a test run, and reports what was sent.
func run(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "agent-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	store, err := fsstore.New(dir+"/blobs", fsstore.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	log := testLog()
	if err := os.WriteFile(dir+"/test.log", log, 0o600); err != nil {
		return err
	}
	requests, sent := 0, 0
	w, err := worker.New(worker.Options{Store: store, Observer: worker.Observer{
		Result: func(a worker.Added) { fmt.Printf("%s: %s, %d bytes for the history\n", a.Tool, a.Kind, len(a.Text)) },
		Request: func(r *worker.Request) {
			requests++
			sent += len(r.JSONL)
		},
	}})
	if err != nil {
		return err
	}
	if err := w.Register(readFile); err != nil {
		return err
	}
	answer, err := ask(ctx, w, scripted{}, "Why does the test run in "+dir+"/test.log fail?")
	if err != nil {
		return err
	}
	fmt.Printf("%s\n%d requests with %d bytes in all, about a log of %d\n", answer, requests, sent, len(log))
	return nil
}

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "agent:", err)
		os.Exit(1)
	}
}
