package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/llmblob/llmblob/internal/jsonscan"
	"github.com/llmblob/llmblob/pkg/inspect"
)

// object is a result.
type object = map[string]any

// The versions of the protocol, the newest first. From stateless on there is no handshake: each request says its version.
const stateless = "2026-07-28"

var versions = [...]string{stateless, "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// The keys of _meta that stateless versions use.
const (
	metaVersion = "io.modelcontextprotocol/protocolVersion"
	metaServer  = "io.modelcontextprotocol/serverInfo"
)

const instructions = `Tool outputs that begin with [blob:<id>] are summaries; the whole outputs are kept as blobs. ` +
	`Call inspect with the id to see a part of one.`

// field returns the value of a key of an object, nil where there is none.
func field(object []byte, key string) []byte {
	var found []byte
	for m := range jsonscan.Children(object) {
		if string(jsonscan.Text(m.Key)) == key {
			found = m.Value
		}
	}
	return found
}

// textField returns the text of a string member, "" of another.
func textField(object []byte, key string) string {
	if v := field(object, key); v != nil && jsonscan.KindOf(v) == jsonscan.String {
		return string(jsonscan.Text(v))
	}
	return ""
}

func invalidParams(format string, args ...any) error {
	return &rpcError{Code: codeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

// call gives the result of a request. An error that is a *rpcError is the answer.
func (s *Server) call(ctx context.Context, m message) (object, error) {
	meta := field(m.params, "_meta")
	version := textField(meta, metaVersion)
	if version < stateless {
		return s.method(ctx, m, false)
	}
	if !slices.Contains(versions[:], version) {
		return nil, &rpcError{codeUnsupportedVersion, "unsupported protocol version", object{"supported": versions, "requested": version}}
	}
	result, err := s.method(ctx, m, true)
	var wrong *rpcError
	switch {
	case err == nil:
		result["resultType"] = "complete"
		result["_meta"] = object{metaServer: s.info()}
	case errors.As(err, &wrong) && wrong.Code == codeResourceNotFound:
		wrong.Code = codeInvalidParams // as these versions have it
	}
	return result, err
}

func (s *Server) info() object {
	return object{"name": "llmblob", "title": "llmblob", "version": s.Version}
}

func capabilities() object { return object{"tools": object{}, "resources": object{}} }

func (s *Server) method(ctx context.Context, m message, isStateless bool) (object, error) {
	switch {
	case m.method == "initialize" && !isStateless:
		return object{
			"protocolVersion": negotiate(textField(m.params, "protocolVersion")),
			"capabilities":    capabilities(),
			"serverInfo":      s.info(),
			"instructions":    instructions,
		}, nil
	case m.method == "ping" && !isStateless:
		return object{}, nil
	case m.method == "server/discover" && isStateless:
		return cacheable(object{"supportedVersions": versions, "capabilities": capabilities(), "instructions": instructions}, true), nil
	}
	switch m.method {
	case "tools/list":
		definition := json.RawMessage(inspect.Definition(inspect.MCP))
		return cacheable(object{"tools": []any{definition, listDefinition()}}, isStateless), nil
	case "tools/call":
		return s.callTool(ctx, m.params)
	case "resources/list":
		result, err := s.listResources(ctx)
		return cacheable(result, isStateless), err
	case "resources/templates/list":
		return cacheable(object{"resourceTemplates": []any{resourceTemplate()}}, isStateless), nil
	case "resources/read":
		result, err := s.readResource(ctx, textField(m.params, "uri"))
		return cacheable(result, isStateless), err
	}
	return nil, &rpcError{Code: codeMethodNotFound, Message: fmt.Sprintf("there is no method %q", m.method)}
}

// negotiate answers the version that a client asks for with that one or, where it is not known, with the newest that has a
// handshake.
func negotiate(asked string) string {
	if asked < stateless && slices.Contains(versions[:], asked) {
		return asked
	}
	return versions[1]
}

// cacheable marks a result, as stateless versions want it, as one that is not to be kept.
func cacheable(result object, isStateless bool) object {
	if isStateless && result != nil {
		result["ttlMs"], result["cacheScope"] = 0, "private"
	}
	return result
}

func (s *Server) callTool(ctx context.Context, params []byte) (object, error) {
	var text string
	var isError bool
	switch name := textField(params, "name"); name {
	case inspect.ToolName:
		text, isError = s.Tool.Answer(ctx, field(params, "arguments"))
	case listName:
		text, isError = s.list(ctx, field(params, "arguments"))
	default:
		return nil, invalidParams("there is no tool %q; the tools are %s and %s", name, inspect.ToolName, listName)
	}
	result := object{"content": []inspect.TextContent{{Type: "text", Text: text}}}
	if isError {
		result["isError"] = true
	}
	return result, nil
}
