package mcp_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/inspect"
	"github.com/llmblob/llmblob/pkg/mcp"
)

// sdkVersions are what the official SDK for Go is asked to speak: the newest of each kind.
var sdkVersions = []string{"", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// connect connects the client of the official SDK for Go with our server.
func connect(t *testing.T, st blob.Store, version string) *sdk.ClientSession {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	served := make(chan error, 1)
	go func() {
		s := mcp.Server{Tool: inspect.Tool{Store: st}, Version: "1.2.3", Warn: func(err error) { t.Errorf("warned of %v", err) }}
		served <- s.Serve(context.Background(), in, out) // it ends with its input
		out.Close()
	}()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.IOTransport{Reader: fromServer, Writer: toServer}, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return session
}

func call(ctx context.Context, s *sdk.ClientSession, tool string, arguments any) (string, bool, error) {
	r, err := s.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return "", false, err
	}
	if len(r.Content) != 1 {
		return "", false, fmt.Errorf("%d contents", len(r.Content))
	}
	text, ok := r.Content[0].(*sdk.TextContent)
	if !ok {
		return "", false, fmt.Errorf("a content of type %T", r.Content[0])
	}
	return text.Text, r.IsError, nil
}

func TestOfficialClient(t *testing.T) {
	for _, version := range sdkVersions {
		t.Run(version, func(t *testing.T) {
			st, ids := newStore(t, numbers(9000), `{"a":[1,2]}`)
			s := connect(t, st, version)
			if got := s.InitializeResult(); got.ServerInfo == nil || got.ServerInfo.Name != "llmblob" || got.Instructions == "" || got.ProtocolVersion != cmp.Or(version, "2026-07-28") {
				t.Errorf("got %+v", got)
			}
			tools, err := s.ListTools(t.Context(), nil)
			if err != nil || len(tools.Tools) != 2 || tools.Tools[0].Name != "inspect" || tools.Tools[1].Name != "list" {
				t.Fatalf("got %+v, %v", tools, err)
			}
			for _, tool := range tools.Tools {
				a := tool.Annotations
				if a == nil || !a.ReadOnlyHint || a.DestructiveHint == nil || *a.DestructiveHint || !a.IdempotentHint || a.OpenWorldHint == nil || *a.OpenWorldHint {
					t.Errorf("%s: annotations %+v", tool.Name, a)
				}
			}
			for want, arguments := range map[string]any{
				"20\n21\n": map[string]any{"blob_id": ids[0], "selector": "lines:20-21"},
				"[1]":      map[string]any{"blob_id": ids[1], "selector": []string{"key:a", "slice:0..1"}},
			} {
				if got, isError, err := call(t.Context(), s, "inspect", arguments); err != nil || isError || got != want {
					t.Errorf("got %q, %v, %v, want %q", got, isError, err, want)
				}
			}
			if got, isError, err := call(t.Context(), s, "inspect", map[string]any{"blob_id": ids[0], "selector": "lines:20-5"}); err != nil || !isError || !strings.Contains(got, "hint: write lines:5-20") {
				t.Errorf("got %q, %v, %v", got, isError, err)
			}
			if got, isError, err := call(t.Context(), s, "list", map[string]any{}); err != nil || isError || strings.Count(got, "\n") != 2 {
				t.Errorf("got %q, %v, %v", got, isError, err)
			}
			if _, _, err := call(t.Context(), s, "bash", nil); err == nil || !strings.Contains(err.Error(), "there is no tool") {
				t.Errorf("another tool: got %v", err)
			}
			resources, err := s.ListResources(t.Context(), nil)
			if err != nil || len(resources.Resources) != 2 || resources.Resources[0].URI != "blob://"+ids[1] || resources.Resources[0].Size != 11 {
				t.Errorf("got %+v, %v", resources, err)
			}
			templates, err := s.ListResourceTemplates(t.Context(), nil)
			if err != nil || len(templates.ResourceTemplates) != 1 || templates.ResourceTemplates[0].URITemplate != "blob://{id}" {
				t.Errorf("got %+v, %v", templates, err)
			}
			for uri, want := range map[string]string{"blob://" + ids[1]: `{"a":[1,2]}`, "blob://" + ids[1][24:]: `{"a":[1,2]}`} {
				r, err := s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
				if err != nil || len(r.Contents) != 1 || r.Contents[0].Text != want || r.Contents[0].MIMEType != "application/json" {
					t.Errorf("%s: got %+v, %v", uri, r, err)
				}
			}
			if _, err := s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "blob://0193b2c4-ffff-7000-8000-000000000000"}); err == nil || !strings.Contains(err.Error(), "not found") {
				t.Errorf("a resource that is not there: got %v", err)
			}
			if _, err := s.ListPrompts(t.Context(), nil); err == nil {
				t.Error("there are no prompts, and no error")
			}
		})
	}
}

// The official client with 32 calls in flight, a tenth of them wrong: each gets its own answer.
func TestOfficialClientInParallel(t *testing.T) {
	st, ids := newStore(t, numbers(9000))
	s := connect(t, st, "")
	var wg sync.WaitGroup
	for worker := range 32 {
		wg.Go(func() {
			for i := range 32 {
				line := 1 + worker*32 + i
				arguments, wrong := map[string]any{"blob_id": ids[0], "selector": fmt.Sprintf("lines:%d", line)}, i%10 == 0
				if wrong {
					arguments["selector"] = fmt.Sprintf("lines:%d-1-1", line)
				}
				got, isError, err := call(t.Context(), s, "inspect", arguments)
				if err != nil || isError != wrong || !wrong && got != fmt.Sprintf("%d\n", line) || wrong && !strings.Contains(got, fmt.Sprintf("lines:%d-1-1", line)) {
					t.Errorf("line %d: got %q, %v, %v", line, got, isError, err)
				}
			}
		})
	}
	wg.Wait()
}

// officialServer answers messages as the server of the official SDK for Go does, with tools that do the same.
func officialServer(t *testing.T, st blob.Store, messages []string) map[string]json.RawMessage {
	t.Helper()
	server := sdk.NewServer(&sdk.Implementation{Name: "llmblob", Title: "llmblob", Version: "1.2.3"}, nil)
	var definition sdk.Tool
	if err := json.Unmarshal(inspect.Definition(inspect.MCP), &definition); err != nil {
		t.Fatal(err)
	}
	server.AddTool(&definition, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		text, isError := inspect.Tool{Store: st}.Answer(ctx, r.Params.Arguments)
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}, IsError: isError}, nil
	})
	server.AddResourceTemplate(&sdk.ResourceTemplate{Name: "blob", URITemplate: "blob://{id}"}, func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return nil, sdk.ResourceNotFoundError(r.Params.URI)
	})
	return converse(t, messages, func(in io.ReadCloser, out io.WriteCloser) error {
		return server.Run(t.Context(), &sdk.IOTransport{Reader: in, Writer: out})
	})
}

// converse gives a server message after message, each once the one before is answered, and returns the answers by their ids.
func converse(t *testing.T, messages []string, serve func(io.ReadCloser, io.WriteCloser) error) map[string]json.RawMessage {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- serve(in, out); out.Close() }()
	answers := make(map[string]json.RawMessage)
	d := json.NewDecoder(fromServer)
	for _, m := range messages {
		if _, err := io.WriteString(toServer, m+"\n"); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(m, `"id":`) {
			continue
		}
		var answer json.RawMessage
		if err := d.Decode(&answer); err != nil {
			t.Fatalf("%s: %v", m, err)
		}
		var id struct{ ID json.RawMessage }
		if err := json.Unmarshal(answer, &id); err != nil {
			t.Fatal(err)
		}
		answers[string(id.ID)] = answer
	}
	toServer.Close()
	if err := <-served; err != nil && !errors.Is(err, io.EOF) {
		t.Errorf("serve: %v", err)
	}
	return answers
}

// What is answered here is answered by the server of the official SDK in the same shape: results with the same members,
// errors with the same codes. Two things aside in which that one gives older clients what newer versions have: members
// about caching, and the code of a resource that is not there.
func TestAnswersAreThoseOfTheOfficialServer(t *testing.T) {
	st, ids := newStore(t, numbers(30))
	request := func(id int, method, params string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s}}`, id, method, params)
	}
	old := []string{hello, `{"jsonrpc":"2.0","method":"notifications/initialized"}`}
	for name, c := range map[string]struct {
		before []string
		meta   string
	}{"with a handshake": {old, ""}, "without": {nil, modern}} {
		comma := ","
		if c.meta == "" {
			comma = ""
		}
		messages := append(c.before,
			request(1, "ping", c.meta),
			request(2, "tools/list", c.meta),
			request(3, "tools/call", `"name":"inspect","arguments":{"blob_id":"`+ids[0]+`","selector":["lines:2"]}`+comma+c.meta),
			request(4, "tools/call", `"name":"inspect","arguments":{}`+comma+c.meta),
			request(5, "tools/call", `"name":"other","arguments":{}`+comma+c.meta),
			request(6, "resources/templates/list", c.meta),
			request(7, "resources/read", `"uri":"blob://0193b2c4-ffff-7000-8000-000000000000"`+comma+c.meta),
			request(8, "server/discover", c.meta),
			request(9, "no/method", c.meta),
		)
		want := officialServer(t, st, messages)
		s := mcp.Server{Tool: inspect.Tool{Store: st}, Version: "1.2.3"}
		got := converse(t, messages, func(in io.ReadCloser, out io.WriteCloser) error { return s.Serve(t.Context(), in, out) })
		if len(want) < 9 || len(got) != len(want) {
			t.Fatalf("%s: %d answers, the official server has %d", name, len(got), len(want))
		}
		for id := range want {
			g, w := shapeOf(t, got[id]), shapeOf(t, want[id])
			if name == "with a handshake" {
				g = strings.Replace(g, "error -32002", "error -32602", 1)
			}
			if g != w {
				t.Errorf("%s: request %s:\ngot  %s\n     %s\nwant %s\n     %s", name, id, g, got[id], w, want[id])
			}
		}
	}
}

// shapeOf says what an answer is: the code of its error, or the members of its result; the texts of a call in full.
func shapeOf(t *testing.T, answer []byte) string {
	t.Helper()
	var a struct {
		Version string `json:"jsonrpc"`
		Result  map[string]json.RawMessage
		Error   *struct{ Code int }
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		t.Fatal(err)
	}
	if a.Error != nil {
		return fmt.Sprintf("%s error %d", a.Version, a.Error.Code)
	}
	delete(a.Result, "instructions")
	delete(a.Result, "capabilities")
	if a.Result["resultType"] == nil {
		delete(a.Result, "ttlMs")
		delete(a.Result, "cacheScope")
	}
	for _, key := range []string{"tools", "resourceTemplates", "ttlMs", "cacheScope"} {
		if a.Result[key] != nil {
			a.Result[key] = json.RawMessage(`"there"`)
		}
	}
	if meta := a.Result["_meta"]; meta != nil {
		var m map[string]any
		if err := json.Unmarshal(meta, &m); err != nil {
			t.Fatal(err)
		}
		a.Result["_meta"], _ = json.Marshal(m)
	}
	out, err := json.Marshal(a.Result)
	if err != nil {
		t.Fatal(err)
	}
	return a.Version + " " + string(out)
}
