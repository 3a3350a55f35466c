package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Tool is what the model may call.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage // JSON Schema of the arguments, an object; nil: one without properties
	// Func runs a call and returns its Output, as ToolResult describes it. With an error the result is marked as one: it is the
	// Output where there is any, else what the error says. It may be called by many goroutines at once.
	Func func(ctx context.Context, arguments json.RawMessage) (output any, err error)
}

// Register offers one more tool to the model. The error tells of a Tool without a name or a Func, of a Schema that is no JSON
// object, and of a name that another one has: inspect is taken where there is a store.
func (w *Worker) Register(t Tool) error {
	if t.Schema == nil {
		t.Schema = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	var object map[string]json.RawMessage
	switch err := json.Unmarshal(t.Schema, &object); {
	case t.Name == "":
		return errors.New("worker: register: a tool has no name")
	case t.Func == nil:
		return fmt.Errorf("worker: register: tool %q has no function", t.Name)
	case err != nil || object == nil:
		return fmt.Errorf("worker: register: tool %q: its schema is no JSON object", t.Name)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, ok := w.tool(t.Name); ok {
		return fmt.Errorf("worker: register: there is a tool %q already", t.Name)
	}
	w.tools = append(w.tools, t)
	return nil
}

// Tools lists what the model may call, in the order in which it was registered: first inspect, where there is a store.
func (w *Worker) Tools() []Tool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.tools)
}

func (w *Worker) tool(name string) (Tool, bool) {
	i := slices.IndexFunc(w.tools, func(t Tool) bool { return t.Name == name })
	if i < 0 {
		return Tool{}, false
	}
	return w.tools[i], true
}

// Call runs a call of the model, which is in the history already, and adds its result as AddToolResult does. Whatever goes wrong,
// a tool that is not there or panics, a done ctx, there is a result, marked as an error, that says so: a call without one
// makes a history that no provider takes. The error tells of a call id or a tool that is not UTF-8.
func (w *Worker) Call(ctx context.Context, call Item) (Added, error) {
	a, err := w.run(ctx, call)
	if err != nil {
		text := strings.ToValidUTF8(err.Error(), "\uFFFD")
		a, err = w.prepare(ctx, ToolResult{CallID: call.CallID, Tool: call.Tool, IsError: true, Output: text})
	}
	if err != nil {
		return Added{}, fmt.Errorf("worker: call %q: %w", call.CallID, err)
	}
	w.add(a)
	return a, nil
}

// run runs a call as far as to what goes into the history.
func (w *Worker) run(ctx context.Context, call Item) (_ Added, err error) {
	w.mu.Lock()
	tool, ok := w.tool(call.Tool)
	names := make([]string, len(w.tools))
	for i, t := range w.tools {
		names[i] = t.Name
	}
	w.mu.Unlock()
	if !ok {
		return Added{}, fmt.Errorf("there is no tool %q; there are: %s", call.Tool, strings.Join(names, ", "))
	}
	if err := ctx.Err(); err != nil {
		return Added{}, fmt.Errorf("tool %s was not run: %w", call.Tool, err)
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("tool %s panicked: %v", call.Tool, p)
		}
	}()
	arguments := json.RawMessage(call.Text)
	if strings.TrimSpace(call.Text) == "" {
		arguments = json.RawMessage("{}")
	}
	output, failed := tool.Func(ctx, arguments)
	if failed != nil && isNil(output) {
		return Added{}, failed
	}
	return w.prepare(ctx, ToolResult{CallID: call.CallID, Tool: call.Tool, IsError: failed != nil, Output: output})
}
