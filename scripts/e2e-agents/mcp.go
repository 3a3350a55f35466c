package main

import (
	"bufio"
	"encoding/json"
	"os"
	"strconv"
	"strings"
)

// serveNoise is an MCP server on standard input and output with one tool, dump, whose answer is long.
func serveNoise() {
	var lines strings.Builder
	for i := 1; i <= 5000; i++ {
		if i == 4321 {
			lines.WriteString(wanted + "\n")
		} else {
			lines.WriteString(strconv.Itoa(i) + "\n")
		}
	}
	results := map[string]any{
		"initialize": map[string]any{
			"protocolVersion": "2025-06-18",
			"capabilities":    map[string]any{"tools": map[string]any{}},
			"serverInfo":      map[string]any{"name": "noise", "version": "1"},
		},
		"tools/list": map[string]any{"tools": []any{map[string]any{
			"name": "dump", "description": "prints much", "inputSchema": map[string]any{"type": "object"},
		}}},
		"tools/call": map[string]any{"content": []any{map[string]any{"type": "text", "text": lines.String()}}},
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var request struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if json.Unmarshal(in.Bytes(), &request) != nil || request.ID == nil {
			continue
		}
		answer := map[string]any{"jsonrpc": "2.0", "id": request.ID}
		if result, ok := results[request.Method]; ok {
			answer["result"] = result
		} else {
			answer["error"] = map[string]any{"code": -32601, "message": "no such method"}
		}
		writeJSON(os.Stdout, answer)
	}
}
