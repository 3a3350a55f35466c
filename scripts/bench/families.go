package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// families are all inputs that grow.
func families() []family {
	return []family{
		{
			name: "Text", unit: "bytes", sizes: []int64{10 * kB, 100 * kB, mB, 10 * mB, 100 * mB, gB, 4 * gB},
			grow: growText, leaves: []string{"grow", "growstore"},
		},
		{
			name: "JSON", unit: "bytes", sizes: []int64{10 * kB, 100 * kB, mB, 10 * mB, 100 * mB, gB},
			grow: growJSON, leaves: []string{"array", "object", "records", "jsonstore"},
		},
		{
			name: "Events of hooks", unit: "bytes", sizes: []int64{10 * kB, 100 * kB, mB, 10 * mB, 100 * mB},
			grow: growHook, unitMemory: 5, leaves: []string{"printed", "event.json"},
		},
		{
			name: "Histories", unit: "items", sizes: []int64{10, 100, 1000, 10_000, 100_000, 1_000_000},
			grow: growHistory, unitMemory: 200, leaves: []string{"items.jsonl", "request.json", "session.jsonl", "offloaded.jsonl", "why.json", "historystore"},
		},
		{
			name: "Blobs in the store", unit: "blobs", sizes: []int64{1, 10, 100, 1000, 10_000, 100_000, 1_000_000},
			grow: growStore, unitMemory: 200, leaves: []string{"manystore", "many", "many.jsonl", "one.txt"},
		},
		{
			name: "Calls of a model", unit: "calls", sizes: []int64{1, 10, 100, 1000, 10_000, 100_000},
			grow: growCalls, unitMemory: 200, leaves: []string{"callstore", "calls", "requests"},
		},
	}
}

func growText(w *workshop, n int64) ([]*command, error) {
	if err := w.removing("grow", "growstore")(); err != nil {
		return nil, err
	}
	log := w.path("grow")
	if err := writeText(log, n); err != nil {
		return nil, err
	}
	id, err := w.stored("growstore", log)
	if err != nil {
		return nil, err
	}
	lines, err := w.lines("growstore", id)
	if err != nil {
		return nil, err
	}
	// The large ones leave no room for a second blob beside the one that is read: what is written takes its place.
	writes := func(label string, args ...string) *command {
		c := w.llmblob(label, "scratch", args...)
		c.before, c.after = settle, w.removing("scratch")
		return c
	}
	capture := writes("capture --no-sync", "capture", "--no-sync")
	capture.stdin = log
	return []*command{
		writes("store", "store", "-q", log),
		writes("store --no-sync", "store", "-q", "--no-sync", log),
		capture,
		w.llmblob("summarize FILE", "scratch", "summarize", log),
		w.llmblob("inspect ID", "growstore", "inspect", id),
		w.llmblob("inspect ID lines:A-B (last)", "growstore", "inspect", id, fmt.Sprintf("lines:%d-%d", max(1, lines-9), lines)),
		w.llmblob("inspect ID tail:3", "growstore", "inspect", id, "tail:3"),
		w.llmblob("inspect ID grep:LITERAL", "growstore", "inspect", id, "grep:"+needle),
		w.llmblob("inspect ID bytes:A..", "growstore", "inspect", id, fmt.Sprintf("bytes:%d..", n-10)),
		w.llmblob("cat ID", "growstore", "cat", id),
		w.llmblob("stat ID", "growstore", "stat", id),
		w.llmblob("verify ID", "growstore", "verify", id),
	}, nil
}

// growHook makes an event of Claude Code, of a command that printed so many bytes.
func growHook(w *workshop, n int64) ([]*command, error) {
	log := w.path("printed")
	if err := writeText(log, n); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(log)
	if err != nil {
		return nil, err
	}
	payload, err := json.Marshal(map[string]any{
		"session_id": "s", "cwd": "/work", "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": map[string]any{"command": "make"},
		"tool_response": map[string]any{"stdout": string(text), "stderr": "", "interrupted": false, "isImage": false},
	})
	if err != nil {
		return nil, err
	}
	c := w.llmblob("hook claude-code --no-sync", "scratch", "hook", "claude-code", "--no-sync")
	c.stdin, c.after = w.path("event.json"), w.removing("scratch")
	return []*command{c}, os.WriteFile(c.stdin, payload, 0o600)
}

func growJSON(w *workshop, n int64) ([]*command, error) {
	if err := w.removing("array", "object", "records", "jsonstore")(); err != nil {
		return nil, err
	}
	array, object, records := w.path("array"), w.path("object"), w.path("records")
	for path, write := range map[string]func(string, int64) error{array: writeArray, object: writeObject, records: writeRecords} {
		if err := write(path, n); err != nil {
			return nil, err
		}
	}
	ids, entries, err := w.storedJSON(array)
	if err != nil {
		return nil, err
	}
	members, keys, err := w.storedJSON(object)
	if err != nil {
		return nil, err
	}
	store := w.llmblob("store --no-sync (array)", "scratch", "store", "-q", "--no-sync", array)
	store.before, store.after = settle, w.removing("scratch")
	return []*command{
		store,
		w.llmblob("summarize (array)", "scratch", "summarize", array),
		w.llmblob("summarize (object)", "scratch", "summarize", object),
		w.llmblob("inspect ID slice:A..", "jsonstore", "inspect", ids, fmt.Sprintf("slice:%d..", max(0, entries-5))),
		w.llmblob("inspect ID tail:1", "jsonstore", "inspect", ids, "tail:1"),
		w.llmblob("inspect ID keys (array)", "jsonstore", "inspect", ids, "keys"),
		w.llmblob("inspect ID path:N.name", "jsonstore", "inspect", ids, fmt.Sprintf("path:%d.name", entries-1)),
		w.llmblob("inspect ID key:NAME (last)", "jsonstore", "inspect", members, "key:"+keyOf(keys-1)),
		w.llmblob("inspect ID keys (object)", "jsonstore", "inspect", members, "keys"),
		w.llmblob("inspect FILE json tail:1 (lines)", "scratch", "inspect", records, "json", "tail:1"),
		w.llmblob("verify", "jsonstore", "verify"),
	}, nil
}

func growHistory(w *workshop, n int64) ([]*command, error) {
	if err := w.removing("items.jsonl", "request.json", "session.jsonl", "offloaded.jsonl", "historystore")(); err != nil {
		return nil, err
	}
	items, request, session, offloaded := w.path("items.jsonl"), w.path("request.json"), w.path("session.jsonl"), w.path("offloaded.jsonl")
	for path, write := range map[string]func(string, int, resultSize) error{items: writeItems, request: writeRequest, session: writeHistory} {
		if err := write(path, int(n), small); err != nil {
			return nil, err
		}
	}
	again := w.llmblob("offload --no-sync", "historystore", "offload", "--no-sync", items)
	first := *again
	first.stdout = offloaded
	if _, err := first.run(w.ctx, false); err != nil {
		return nil, err
	}
	summaries := w.llmblob("project --set omit=summary", "historystore", "project", "--no-sync", "--set", "omit=summary", items)
	return []*command{
		w.llmblob("project (items)", "historystore", "project", items),
		w.llmblob("project (a session)", "historystore", "project", session),
		w.llmblob("project (one document)", "historystore", "project", request),
		w.llmblob("project --explain", "historystore", "project", "--explain="+w.path("why.json"), items),
		summaries,
		again,
		w.llmblob("restore", "historystore", "restore", offloaded),
		w.llmblob("refs", "historystore", "refs", offloaded),
	}, nil
}

func growStore(w *workshop, n int64) ([]*command, error) {
	store := w.path("manystore")
	have := 0
	if entries, err := os.ReadFile(w.path("many")); err == nil {
		if _, err := fmt.Sscan(string(entries), &have); err != nil {
			return nil, err
		}
	}
	if err := w.fillStore(store, have, int(n)); err != nil {
		return nil, err
	}
	history := w.path("many.jsonl")
	if err := writeReferences(history, int(n)); err != nil {
		return nil, err
	}
	if err := os.WriteFile(w.path("many"), fmt.Append(nil, n), 0o600); err != nil {
		return nil, err
	}
	id := blobID(int(n) / 2)
	if n == 1 {
		id = blobID(0)
	}
	log := w.path("one.txt")
	if err := writeText(log, 10*kB); err != nil {
		return nil, err
	}
	const stored = "0193b2c4-00aa-7abc-8def-00000000beef"
	putBack := w.removing("manystore/" + stored + ".txt")
	put := w.llmblob("store", "manystore", "store", "-q", "--id", stored, log)
	put.after = putBack
	capture := w.llmblob("capture", "manystore", "capture", "--id", stored)
	capture.stdin, capture.after = log, putBack
	rm := w.llmblob("rm ID", "manystore", "rm", stored)
	rm.before = func() error {
		return os.WriteFile(w.path("manystore/"+stored+".txt"), []byte("to be removed\n"), 0o600)
	}
	gc := w.llmblob("gc --dry-run HISTORY", "manystore", "gc", "--dry-run", "--older-than", "0h", history)
	return []*command{
		w.llmblob("ls", "manystore", "ls"),
		w.llmblob("ls -q", "manystore", "ls", "-q"),
		w.llmblob("ls --newest 10", "manystore", "ls", "--newest", "10"),
		w.llmblob("stat ID", "manystore", "stat", id),
		w.llmblob("stat, by the end of an id", "manystore", "stat", id[len(id)-12:]),
		w.llmblob("inspect ID", "manystore", "inspect", id),
		put, capture, rm, gc,
		w.llmblob("verify", "manystore", "verify"),
	}, nil
}

// writeReferences writes a history that mentions one blob of ten.
func writeReferences(path string, blobs int) error {
	return writeFile(path, func(w *bufio.Writer) error {
		for n := 0; n < blobs; n += 10 {
			if _, err := fmt.Fprintf(w, `{"role":"tool","content":"[blob:%s] text | 1 lines"}`+"\n", blobID(n)); err != nil {
				return err
			}
		}
		return nil
	})
}

func growCalls(w *workshop, n int64) ([]*command, error) {
	log, _, err := w.input("small.txt", func(path string) error { return writeText(path, 10*kB) })
	if err != nil {
		return nil, err
	}
	id, err := w.stored("callstore", log)
	if err != nil {
		return nil, err
	}
	call := `{"type":"tool_use","id":"t","name":"inspect","input":{"blob_id":"` + id + `","selector":["lines:20-50"]}}` + "\n"
	requests := firstCall(id)
	if n > 1 {
		requests += strings.Repeat(mcpCall(2, id), int(n)-1)
	}
	calls := w.path("calls")
	if err := os.WriteFile(calls, []byte(strings.Repeat(call, int(n))), 0o600); err != nil {
		return nil, err
	}
	if err := os.WriteFile(w.path("requests"), []byte(requests), 0o600); err != nil {
		return nil, err
	}
	mcp := w.llmblob("mcp", "callstore", "mcp")
	mcp.stdin = w.path("requests")
	return []*command{w.llmblob("tool call", "callstore", "tool", "call", calls), mcp}, nil
}
