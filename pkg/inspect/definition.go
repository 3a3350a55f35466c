package inspect

import (
	"bytes"
	"encoding/json"
)

// ToolName is the name of the tool in its definitions.
const ToolName = "inspect"

// Provider is whose shape a definition of the tool has.
type Provider string

// The providers. A definition is one element of the array "tools" of a request, for MCP of a result of tools/list.
const (
	Anthropic       Provider = "anthropic"
	OpenAIChat      Provider = "openai-chat"
	OpenAIResponses Provider = "openai-responses"
	Gemini          Provider = "gemini"
	MCP             Provider = "mcp"
)

// Providers returns all providers.
func Providers() []Provider {
	return []Provider{Anthropic, OpenAIChat, OpenAIResponses, Gemini, MCP}
}

// toolDescription has at most 1024 bytes, the least of what the providers allow.
const toolDescription = `Shows a part of a stored tool output. Call it when a tool result begins with [blob:<id>]: that is a summary only, the whole output is kept under this id, and running the command again is not needed.

Without a selector it tells type, size and number of lines, entries or keys, and shows the beginning. When you know what you look for, ask for that: grep: or tail: for an error in a log, key: or path: in JSON.

An answer is bounded. One that is cut ends with a line "… N more lines, next: {…}": call inspect with exactly those arguments for the next page. A failed call says what exists and what to try.`

const blobIDDescription = `The id as it stands in [blob:<id>]; at least 8 hex digits of its beginning or end are enough.`

// selectorDescription has every selector with an example.
const selectorDescription = `What to show. Several selectors are applied in turn, each to the result of the one before, as in ["key:results", "slice:0..3"]. A dash counts from 1 and includes its end, dots count from 0 and exclude theirs.
lines:20-50 - lines 20 to 50; lines:20- to the end; lines:20 one line
head:20, tail:20 - the first or last lines of a text, or elements of a JSON array
grep:error|panic - lines that match a regular expression (RE2), with their line numbers; grep:(?i)error ignores case
bytes:0..4000, bytes:4000.. - bytes, for very long lines
slice:0..5, slice:5.., slice:-3.. - elements of a JSON array; negative counts from the end
key:results - the value of a key of a JSON object; all after the colon is the key
keys - the keys of a JSON object with types and sizes, or the schema of an array
path:items.0.name, path:items.#.name - a gjson path into JSON
json - takes text as JSON, JSON Lines as an array, as in ["lines:17", "json", "key:error"]
Leave it out to see what the blob is.`

const contextDescription = `Lines to show around each match of grep:, from 0 to 20; 2 where it is left out.`

// The bounds of the argument context.
const (
	defaultContext = 2
	maxContext     = 20
)

// parameters is a JSON Schema of words that every provider takes. There is no union for one selector alone, which is
// taken all the same: Gemini knows no oneOf, and others tell models less well of a union than of an array.
type parameters struct {
	Type       string     `json:"type"`
	Properties properties `json:"properties"`
	Required   []string   `json:"required"`
}

type properties struct {
	BlobID   property `json:"blob_id"`
	Selector property `json:"selector"`
	Context  property `json:"context"`
}

type property struct {
	Type        string    `json:"type"`
	Description string    `json:"description,omitempty"`
	Items       *property `json:"items,omitempty"`
	Minimum     *int      `json:"minimum,omitempty"`
	Maximum     *int      `json:"maximum,omitempty"`
}

func toolParameters() parameters {
	least, most := 0, maxContext
	return parameters{
		Type: "object",
		Properties: properties{
			BlobID:   property{Type: "string", Description: blobIDDescription},
			Selector: property{Type: "array", Description: selectorDescription, Items: &property{Type: "string"}},
			Context:  property{Type: "integer", Description: contextDescription, Minimum: &least, Maximum: &most},
		},
		Required: []string{"blob_id"},
	}
}

// declaration is what the definitions have in common.
type declaration struct {
	Type        string       `json:"type,omitempty"`
	Name        string       `json:"name"`
	Description string       `json:"description"`
	Parameters  *parameters  `json:"parameters,omitempty"`
	InputSchema *parameters  `json:"input_schema,omitempty"`
	MCPSchema   *parameters  `json:"inputSchema,omitempty"`
	Strict      *bool        `json:"strict,omitempty"`
	Annotations *Annotations `json:"annotations,omitempty"`
}

// Annotations are what MCP clients decide by whether to ask a person for leave.
type Annotations struct {
	Title       string `json:"title"`
	ReadOnly    bool   `json:"readOnlyHint"`
	Destructive bool   `json:"destructiveHint"`
	Idempotent  bool   `json:"idempotentHint"`
	OpenWorld   bool   `json:"openWorldHint"`
}

// Reading returns the annotations of a tool that only reads the store.
func Reading(title string) *Annotations {
	return &Annotations{Title: title, ReadOnly: true, Idempotent: true}
}

// Definition returns the definition of the tool for a provider, indented JSON and a line feed; nil for an unknown one.
func Definition(p Provider) []byte {
	params := toolParameters()
	d := declaration{Name: ToolName, Description: toolDescription}
	var shape any = &d
	switch p {
	case Anthropic:
		d.InputSchema = &params
	case OpenAIChat:
		d.Parameters = &params
		shape = struct {
			Type     string       `json:"type"`
			Function *declaration `json:"function"`
		}{"function", &d}
	case OpenAIResponses:
		// Left out it would mean true, which requires every parameter.
		d.Type, d.Parameters, d.Strict = "function", &params, new(bool)
	case Gemini:
		d.Parameters = &params
		shape = struct {
			Functions []*declaration `json:"functionDeclarations"`
		}{[]*declaration{&d}}
	case MCP:
		d.MCPSchema, d.Annotations = &params, Reading("Inspect a stored tool output")
	default:
		return nil
	}
	return encode(shape, "  ")
}

// encode writes a value as JSON and a line feed. What it is given has nothing that JSON cannot hold.
func encode(v any, indent string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	_ = e.Encode(v) // a Buffer takes all
	return b.Bytes()
}

// Prompt returns the lines that AGENTS.md or CLAUDE.md needs, ending with a line feed.
func Prompt() string {
	return "## Large tool outputs\n" + `
A tool result that begins with ` + "`[blob:<id>]`" + ` is a summary; llmblob keeps the whole output. Do not run the command again:
call the tool ` + "`inspect`" + ` with the id, or run ` + "`llmblob inspect <id> SELECTOR…`" + ` where there is no such tool.

- Text: ` + "`tail:50`, `lines:200-260`, `'grep:error|FAIL' --context 3`" + `. JSON: ` + "`keys`, `key:NAME`, `slice:0..5`, `path:items.0.name`" + `.
- Several selectors each work on the result of the one before: ` + "`key:log tail:20`" + `. Without one you see what the blob is.
- An answer that is cut says how to go on. Prefer a narrow selector to reading page after page.
- Put ` + "`llmblob capture`" + ` before a command that may print much: ` + "`llmblob capture go test ./...`" + `. Its exit status stays.
`
}
