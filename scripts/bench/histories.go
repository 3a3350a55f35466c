package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

// resultSize draws the length of a tool result in bytes.
type resultSize func(r *rand.Rand) int

// usual results are mostly long: 200 bytes to 8 kB, as of files that are read.
func usual(r *rand.Rand) int { return 200 + r.IntN(200)*r.IntN(36) }

// small results are lines, and one in ten is large enough to be stored.
func small(r *rand.Rand) int {
	if r.IntN(10) == 0 {
		return 1500
	}
	return 40 + r.IntN(80)
}

// writeHistory writes a session of Claude Code of the usual kind of so many records: calls, results with their copies, and lines of
// progress between them. It is the same every time.
func writeHistory(path string, records int, results resultSize) error {
	r := rand.New(rand.NewPCG(3, 4))
	return writeFile(path, func(w *bufio.Writer) error {
		encoder := json.NewEncoder(w)
		var err error
		line := func(v map[string]any) {
			if records > 0 && err == nil {
				records--
				err = encoder.Encode(v)
			}
		}
		for n := 0; records > 0 && err == nil; n++ {
			id := fmt.Sprintf("toolu_%08d", n)
			text := source(r, results(r))
			line(map[string]any{
				"type": "assistant", "sessionId": "s", "uuid": fmt.Sprintf("a%d", n), "timestamp": "2026-01-02T03:04:05.000Z",
				"message": map[string]any{
					"id": fmt.Sprintf("msg_%d", n), "role": "assistant", "usage": map[string]any{"input_tokens": 10, "cache_read_input_tokens": 9000 + n},
					"content": []any{map[string]any{"type": "tool_use", "id": id, "name": "Read", "input": map[string]any{"file_path": fmt.Sprintf("/src/file%d.go", n)}}},
				},
			})
			if n%3 == 0 {
				line(map[string]any{"type": "progress", "sessionId": "s", "uuid": fmt.Sprintf("p%d", n), "data": map[string]any{"message": source(r, 100)}})
			}
			line(map[string]any{
				"type": "user", "sessionId": "s", "uuid": fmt.Sprintf("u%d", n), "timestamp": "2026-01-02T03:04:06.000Z",
				"message":       map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": text}}},
				"toolUseResult": map[string]any{"type": "text", "file": map[string]any{"content": text}},
			})
		}
		return err
	})
}

// writeItems writes a history in items of our own, so many: calls and their results in turn.
func writeItems(path string, items int, results resultSize) error {
	r := rand.New(rand.NewPCG(7, 8))
	return writeFile(path, func(w *bufio.Writer) error {
		encoder := json.NewEncoder(w)
		for n := range items {
			item := map[string]any{"type": "tool_call", "call_id": fmt.Sprintf("c%d", n/2), "name": "read", "arguments": fmt.Sprintf(`{"path":"file%d.go"}`, n)}
			if n%2 == 1 {
				item = map[string]any{"type": "tool_result", "call_id": fmt.Sprintf("c%d", n/2), "output": source(r, results(r))}
			}
			if err := encoder.Encode(item); err != nil {
				return err
			}
		}
		return nil
	})
}

// writeRequest writes a request body of OpenAI, one document, of so many messages.
func writeRequest(path string, messages int, results resultSize) error {
	r := rand.New(rand.NewPCG(9, 10))
	return writeFile(path, func(w *bufio.Writer) error {
		_, err := w.WriteString(`{"model":"m","messages":[{"role":"user","content":"go on"}`)
		for n := 0; n < messages && err == nil; n++ {
			id := fmt.Sprintf("c%d", n/2)
			message := map[string]any{"role": "assistant", "tool_calls": []any{map[string]any{
				"id": id, "type": "function", "function": map[string]any{"name": "read", "arguments": fmt.Sprintf(`{"path":"file%d.go"}`, n)},
			}}}
			if n%2 == 1 {
				message = map[string]any{"role": "tool", "tool_call_id": id, "content": source(r, results(r))}
			}
			var data []byte
			if data, err = json.Marshal(message); err == nil {
				_, err = w.Write(append([]byte(","), data...))
			}
		}
		if err == nil {
			_, err = w.WriteString("]}\n")
		}
		return err
	})
}

// source is text of so many bytes that looks like a program.
func source(r *rand.Rand, bytesOf int) string {
	var b strings.Builder
	for b.Len() < bytesOf {
		fmt.Fprintf(&b, "\tif err := step%d(ctx, \"item-%d\"); err != nil {\n\t\treturn fmt.Errorf(\"step %d: %%w\", err)\n\t}\n", r.IntN(100), r.IntN(10000), r.IntN(100))
	}
	return b.String()[:bytesOf]
}
