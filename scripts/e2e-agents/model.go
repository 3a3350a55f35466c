package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
)

// reply is what the scripted model says: a tool call, or a text that ends its turn.
type reply struct {
	tool  string // as script names it: see request.tool
	input map[string]any
	text  string
}

// script plays the model. It is asked once a request of the agent's own loop and sees the results of the last calls, the
// text of each; before the first call there are none.
type script func(results []string) reply

// request is what both protocols have in common.
type request struct {
	Tools []json.RawMessage `json:"tools"`
}

// tool returns the name under which an agent knows a tool: of the candidates the first that is offered.
func (r request) tool(candidates ...string) (name, namespace string) {
	for _, want := range candidates {
		for _, raw := range r.Tools {
			var t struct {
				Name  string `json:"name"`
				Type  string `json:"type"`
				Tools []struct {
					Name string `json:"name"`
				} `json:"tools"`
			}
			if json.Unmarshal(raw, &t) != nil {
				continue
			}
			if t.Name == want {
				return want, ""
			}
			for _, inner := range t.Tools { // Responses: a namespace of an MCP server
				if t.Name+inner.Name == want || t.Name+"__"+inner.Name == want {
					return inner.Name, t.Name
				}
			}
		}
	}
	return "", ""
}

// model is a server on loopback that plays the model to one run of an agent.
type model struct {
	url      string
	server   *http.Server
	play     script
	mu       sync.Mutex
	requests [][]byte // bodies of the agent's own loop, in order
	calls    int
}

func startModel(play script) (*model, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &model{url: "http://" + l.Addr().String(), play: play}
	mux := http.NewServeMux()
	mux.HandleFunc("/v1/messages", m.messages)
	mux.HandleFunc("/v1/messages/count_tokens", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"input_tokens":1000}`)
	})
	mux.HandleFunc("/v1/responses", m.responses)
	mux.HandleFunc("/v1beta/models/", m.generateContent)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") })
	m.server = &http.Server{Handler: mux}
	go func() { _ = m.server.Serve(l) }() // ends with stop
	return m, nil
}

func (m *model) stop() error { return m.server.Close() }

// next asks the script and numbers the call.
func (m *model) next(body []byte, results []string) (reply, string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests = append(m.requests, body)
	m.calls++
	return m.play(results), fmt.Sprintf("call_%02d", m.calls)
}

// messages is Anthropic's endpoint. Requests without a Bash tool are for titles and the like.
func (m *model) messages(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var req struct {
		request
		Model    string `json:"model"`
		Stream   bool   `json:"stream"`
		Messages []struct {
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err != nil || json.Unmarshal(body, &req) != nil {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	out, id := reply{text: "ok"}, ""
	if name, _ := req.tool("Bash"); name != "" {
		var results []string
		if n := len(req.Messages); n > 0 {
			results = anthropicResults(req.Messages[n-1].Content)
		}
		out, id = m.next(body, results)
	}
	block := map[string]any{"type": "text", "text": out.text}
	stop := "end_turn"
	if out.tool != "" {
		name, _ := req.tool(strings.Split(out.tool, "|")...)
		block = map[string]any{"type": "tool_use", "id": "toolu_" + id, "name": name, "input": out.input}
		stop = "tool_use"
	}
	usage := map[string]any{"input_tokens": len(body) / 4, "output_tokens": 10}
	message := map[string]any{"id": "msg_" + id, "type": "message", "role": "assistant", "model": req.Model, "content": []any{block}, "stop_reason": stop, "stop_sequence": nil, "usage": usage}
	if !req.Stream {
		writeJSON(w, message)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	message["content"], message["stop_reason"] = []any{}, nil
	event(w, "message_start", map[string]any{"message": message})
	start, delta := map[string]any{"type": "text", "text": ""}, map[string]any{"type": "text_delta", "text": out.text}
	if out.tool != "" {
		input, _ := json.Marshal(out.input) // a map of strings
		start = map[string]any{"type": "tool_use", "id": block["id"], "name": block["name"], "input": map[string]any{}}
		delta = map[string]any{"type": "input_json_delta", "partial_json": string(input)}
	}
	event(w, "content_block_start", map[string]any{"index": 0, "content_block": start})
	event(w, "content_block_delta", map[string]any{"index": 0, "delta": delta})
	event(w, "content_block_stop", map[string]any{"index": 0})
	event(w, "message_delta", map[string]any{"delta": map[string]any{"stop_reason": stop, "stop_sequence": nil}, "usage": usage})
	event(w, "message_stop", map[string]any{})
}

// anthropicResults are the texts of the tool results of a message.
func anthropicResults(content json.RawMessage) []string {
	var blocks []struct {
		Type    string          `json:"type"`
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(content, &blocks) != nil {
		return nil
	}
	var results []string
	for _, b := range blocks {
		if b.Type == "tool_result" {
			results = append(results, textOf(b.Content))
		}
	}
	return results
}

// textOf is a string, or the texts of parts one after the other.
func textOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return string(raw)
	}
	for _, p := range parts {
		s += p.Text
	}
	return s
}

// responses is OpenAI's endpoint.
func (m *model) responses(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var req struct {
		request
		Input []struct {
			Type   string          `json:"type"`
			Output json.RawMessage `json:"output"`
		} `json:"input"`
	}
	if err != nil || json.Unmarshal(body, &req) != nil {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	var results []string
	if n := len(req.Input); n > 0 && req.Input[n-1].Type == "function_call_output" {
		results = []string{textOf(req.Input[n-1].Output)}
	}
	out, id := m.next(body, results)
	item := map[string]any{"type": "message", "id": "msg_" + id, "role": "assistant", "status": "completed",
		"content": []any{map[string]any{"type": "output_text", "text": out.text, "annotations": []any{}}}}
	if out.tool != "" {
		input, _ := json.Marshal(out.input) // a map of strings
		name, namespace := req.tool(strings.Split(out.tool, "|")...)
		item = map[string]any{"type": "function_call", "id": "fc_" + id, "call_id": id, "name": name, "arguments": string(input), "status": "completed"}
		if namespace != "" {
			item["namespace"] = namespace
		}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	event(w, "response.created", map[string]any{"response": map[string]any{"id": "resp_" + id}})
	event(w, "response.output_item.added", map[string]any{"output_index": 0, "item": item})
	event(w, "response.output_item.done", map[string]any{"output_index": 0, "item": item})
	usage := map[string]any{"input_tokens": len(body) / 4, "output_tokens": 10, "total_tokens": len(body)/4 + 10}
	event(w, "response.completed", map[string]any{"response": map[string]any{"id": "resp_" + id, "output": []any{item}, "usage": usage}})
}

// generateContent is Google's endpoint. Requests without a shell are for checks of the agent.
func (m *model) generateContent(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var req struct {
		Tools []struct {
			FunctionDeclarations []json.RawMessage `json:"functionDeclarations"`
		} `json:"tools"`
		Contents []struct {
			Parts []struct {
				FunctionResponse *struct {
					Response map[string]any `json:"response"`
				} `json:"functionResponse"`
			} `json:"parts"`
		} `json:"contents"`
	}
	if err != nil || json.Unmarshal(body, &req) != nil {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	var offered request
	for _, t := range req.Tools {
		offered.Tools = append(offered.Tools, t.FunctionDeclarations...)
	}
	part := map[string]any{"text": "ok"}
	if shell, _ := offered.tool("run_shell_command"); shell != "" {
		var results []string
		for _, p := range req.Contents[len(req.Contents)-1].Parts {
			if p.FunctionResponse != nil {
				for _, v := range p.FunctionResponse.Response { // output, or error
					results = append(results, fmt.Sprint(v))
				}
			}
		}
		out, _ := m.next(body, results)
		part["text"] = out.text
		if out.tool != "" {
			name, _ := offered.tool(strings.Split(out.tool, "|")...)
			part = map[string]any{"functionCall": map[string]any{"name": name, "args": out.input}}
		}
	}
	answer := map[string]any{
		"candidates":    []any{map[string]any{"index": 0, "finishReason": "STOP", "content": map[string]any{"role": "model", "parts": []any{part}}}},
		"usageMetadata": map[string]any{"promptTokenCount": len(body) / 4, "candidatesTokenCount": 10, "totalTokenCount": len(body)/4 + 10},
	}
	if strings.Contains(r.URL.Path, ":stream") {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: ") // the agent may have gone
		writeJSON(w, answer)
		_, _ = io.WriteString(w, "\n")
		return
	}
	writeJSON(w, answer)
}

func event(w io.Writer, kind string, data map[string]any) {
	data["type"] = kind
	var b bytes.Buffer
	fmt.Fprintf(&b, "event: %s\ndata: ", kind)
	writeJSON(&b, data)
	b.WriteString("\n")
	_, _ = w.Write(b.Bytes()) // the agent may have gone
}

func writeJSON(w io.Writer, v any) { _ = json.NewEncoder(w).Encode(v) } // maps of what JSON has
