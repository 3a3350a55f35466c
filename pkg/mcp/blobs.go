package mcp

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/llmblob/llmblob/internal/jsonscan"
	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/inspect"
)

// listName is the name of the tool that lists blobs.
const listName = "list"

// How many blobs are listed.
const (
	defaultListed = 20
	maxListed     = 100
)

func listDefinition() object {
	return object{
		"name": listName,
		"description": fmt.Sprintf("Lists stored tool outputs, the newest first, one JSON object a line: id, type, bytes, created. "+
			"Call it when you have lost the id of an output; otherwise call %s with the id in [blob:<id>].", inspect.ToolName),
		"inputSchema": object{
			"type": "object",
			"properties": object{
				"newest": object{
					"type": "integer", "minimum": 1, "maximum": maxListed,
					"description": fmt.Sprintf("How many to list, %d where it is left out.", defaultListed),
				},
			},
		},
		"annotations": inspect.Reading("List stored tool outputs"),
	}
}

// list answers a call of the tool.
func (s *Server) list(ctx context.Context, arguments []byte) (text string, isError bool) {
	n := defaultListed
	if v := field(arguments, "newest"); v != nil && jsonscan.KindOf(v) != jsonscan.Null {
		var err error
		if n, err = strconv.Atoi(strings.Trim(string(v), `"`)); err != nil || n < 1 || n > maxListed {
			return fmt.Sprintf("error: newest: must be a whole number from 1 to %d\n", maxListed), true
		}
	}
	infos, err := s.newest(ctx, n)
	if err != nil {
		return fmt.Sprintf("error: %v\n", err), true
	}
	if len(infos) == 0 {
		return "there are no blobs\n", false
	}
	var b bytes.Buffer
	for _, info := range infos {
		fmt.Fprintf(&b, "{\"id\":%q,\"type\":%q,\"bytes\":%d,\"created\":%q}\n", info.ID, info.Type, info.Bytes, inspect.FormatTime(info.Created))
	}
	return b.String(), false
}

// newest returns the newest blobs, the newest first.
func (s *Server) newest(ctx context.Context, n int) ([]blob.Info, error) {
	var infos []blob.Info
	for info, err := range (blob.Filter{Newest: n}).List(ctx, s.Tool.Store) {
		if err != nil {
			return nil, err
		}
		infos = append(infos, info)
	}
	slices.SortStableFunc(infos, func(a, b blob.Info) int { return b.Created.Compare(a.Created) })
	return infos, nil
}

// scheme begins the address of a blob.
const scheme = "blob://"

// mimeType is that of a type of blob.
func mimeType(t blob.Type) string {
	if t == blob.JSON {
		return "application/json"
	}
	return "text/plain"
}

func resourceTemplate() object {
	return object{
		"uriTemplate": scheme + "{id}",
		"name":        "blob",
		"title":       "Stored tool output",
		"description": "A stored tool output by the id in [blob:<id>]. A large one is its beginning, with the call of inspect for what follows.",
	}
}

// listResources lists the newest blobs; the template reaches the others.
func (s *Server) listResources(ctx context.Context) (object, error) {
	infos, err := s.newest(ctx, maxListed)
	if err != nil {
		return nil, err
	}
	resources := []any{} // not null
	for _, info := range infos {
		resources = append(resources, object{
			"uri": scheme + info.ID.String(), "name": info.ID.String(), "mimeType": mimeType(info.Type), "size": info.Bytes,
		})
	}
	return object{"resources": resources}, nil
}

// readResource gives a blob that is no larger than an answer of the tool as it is, of another what the tool answers.
func (s *Server) readResource(ctx context.Context, uri string) (result object, err error) {
	if !strings.HasPrefix(strings.ToLower(uri), scheme) {
		return nil, invalidParams("%q is no address as in %sID", uri, scheme)
	}
	id, err := blob.Resolve(ctx, s.Tool.Store, uri)
	var b blob.Blob
	var data []byte
	if err == nil {
		b, data, err = inspect.Open(ctx, s.Tool.Store, id, false)
	}
	var syntax *blob.SyntaxError
	var ambiguous *blob.AmbiguousError
	switch {
	case errors.Is(err, blob.ErrNotFound), errors.As(err, &syntax), errors.As(err, &ambiguous):
		return nil, &rpcError{codeResourceNotFound, err.Error(), object{"uri": uri}}
	case err != nil:
		return nil, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	contents := object{"uri": uri, "mimeType": mimeType(b.Info().Type)}
	switch {
	case len(data) > s.Tool.Bound():
		arguments, err := json.Marshal(object{"blob_id": id.String()})
		if err != nil {
			return nil, err
		}
		text, isError := s.Tool.Answer(ctx, arguments)
		if isError {
			return nil, errors.New(text)
		}
		contents["mimeType"], contents["text"] = "text/plain", text
	case utf8.Valid(data):
		contents["text"] = string(data)
	default:
		contents["mimeType"], contents["blob"] = "application/octet-stream", base64.StdEncoding.EncodeToString(data)
	}
	return object{"contents": []any{contents}}, nil
}
