package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
)

// historySize is the size of the history to project, in bytes.
const historySize = 100 << 20

// writeHistory writes a session of Claude Code of the usual kind: calls and results with their copies, and lines of progress
// between them. It is the same every time.
func writeHistory(name string, size int) error {
	r := rand.New(rand.NewPCG(3, 4))
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	written := 0
	line := func(v map[string]any) {
		if err != nil {
			return
		}
		var data []byte
		if data, err = json.Marshal(v); err == nil {
			_, err = w.Write(append(data, '\n'))
		}
		written += len(data) + 1
	}
	for n := 0; written < size && err == nil; n++ {
		id := fmt.Sprintf("toolu_%08d", n)
		text := source(r, 200+r.IntN(200)*r.IntN(40))
		line(map[string]any{
			"type": "assistant", "sessionId": "s", "uuid": fmt.Sprintf("a%d", n), "timestamp": "2026-01-02T03:04:05.000Z",
			"message": map[string]any{
				"id": fmt.Sprintf("msg_%d", n), "role": "assistant", "usage": map[string]any{"input_tokens": 10, "cache_read_input_tokens": 9000 + n},
				"content": []any{map[string]any{"type": "tool_use", "id": id, "name": "Read", "input": map[string]any{"file_path": fmt.Sprintf("/src/file%d.go", n)}}},
			},
		})
		if n%3 == 0 {
			line(map[string]any{"type": "progress", "sessionId": "s", "uuid": fmt.Sprintf("p%d", n), "data": map[string]any{"message": source(r, 300)}})
		}
		line(map[string]any{
			"type": "user", "sessionId": "s", "uuid": fmt.Sprintf("u%d", n), "timestamp": "2026-01-02T03:04:06.000Z",
			"message":       map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": text}}},
			"toolUseResult": map[string]any{"type": "text", "file": map[string]any{"content": text}},
		})
	}
	return errors.Join(err, w.Flush(), f.Sync(), f.Close())
}

// source is text that looks like a program.
func source(r *rand.Rand, size int) string {
	var b strings.Builder
	for b.Len() < size {
		fmt.Fprintf(&b, "\tif err := step%d(ctx, \"item-%d\"); err != nil {\n\t\treturn fmt.Errorf(\"step %d: %%w\", err)\n\t}\n", r.IntN(100), r.IntN(10000), r.IntN(100))
	}
	return b.String()
}
