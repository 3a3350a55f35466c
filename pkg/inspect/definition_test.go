package inspect

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/llmblob/llmblob/pkg/selector"
)

// What the providers publish of the shape of a tool, strictly: a member that they do not know is refused.
// Anthropic: the Messages API, "tools". OpenAI: the API reference of Chat Completions and Responses, "tools". Gemini: the
// reference of FunctionDeclaration and Schema, the subset of OpenAPI 3.0. MCP: schema 2025-11-25, Tool.
var shapes = map[Provider]string{
	Anthropic: `{
		"type": "object", "additionalProperties": false, "required": ["name", "input_schema"],
		"properties": {
			"name": {"type": "string", "pattern": "^[a-zA-Z0-9_-]{1,64}$"},
			"description": {"type": "string"},
			"type": {"const": "custom"},
			"cache_control": {"type": "object"},
			"input_schema": {"type": "object", "required": ["type"], "properties": {"type": {"const": "object"}}}
		}}`,
	OpenAIChat: `{
		"type": "object", "additionalProperties": false, "required": ["type", "function"],
		"properties": {
			"type": {"const": "function"},
			"function": {
				"type": "object", "additionalProperties": false, "required": ["name"],
				"properties": {
					"name": {"type": "string", "pattern": "^[a-zA-Z0-9_-]{1,64}$"},
					"description": {"type": "string", "maxLength": 1024},
					"parameters": {"type": "object", "required": ["type"], "properties": {"type": {"const": "object"}}},
					"strict": {"type": ["boolean", "null"]}
				}}
		}}`,
	OpenAIResponses: `{
		"type": "object", "additionalProperties": false, "required": ["type", "name", "parameters", "strict"],
		"properties": {
			"type": {"const": "function"},
			"name": {"type": "string", "pattern": "^[a-zA-Z0-9_-]{1,64}$"},
			"description": {"type": "string", "maxLength": 1024},
			"parameters": {"type": "object", "required": ["type"], "properties": {"type": {"const": "object"}}},
			"strict": {"const": false, "description": "strict would require every parameter"}
		}}`,
	Gemini: `{
		"type": "object", "additionalProperties": false, "required": ["functionDeclarations"],
		"properties": {"functionDeclarations": {"type": "array", "minItems": 1, "items": {
			"type": "object", "additionalProperties": false, "required": ["name", "description"],
			"properties": {
				"name": {"type": "string", "pattern": "^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$"},
				"description": {"type": "string"},
				"parameters": {"$ref": "#/$defs/schema"}
			}}}},
		"$defs": {"schema": {
			"type": "object", "additionalProperties": false, "required": ["type"],
			"properties": {
				"type": {"enum": ["string", "number", "integer", "boolean", "array", "object"]},
				"format": {"enum": ["float", "double", "int32", "int64", "enum", "date-time"]},
				"title": {"type": "string"}, "description": {"type": "string"}, "nullable": {"type": "boolean"},
				"enum": {"type": "array", "items": {"type": "string"}},
				"items": {"$ref": "#/$defs/schema"},
				"properties": {"type": "object", "additionalProperties": {"$ref": "#/$defs/schema"}},
				"required": {"type": "array", "items": {"type": "string"}},
				"propertyOrdering": {"type": "array", "items": {"type": "string"}},
				"minItems": {"type": "integer"}, "maxItems": {"type": "integer"},
				"minimum": {"type": "number"}, "maximum": {"type": "number"}
			}}}}`,
	MCP: `{
		"type": "object", "additionalProperties": false, "required": ["name", "inputSchema"],
		"properties": {
			"name": {"type": "string", "pattern": "^[a-zA-Z0-9_.-]{1,128}$"},
			"title": {"type": "string"}, "description": {"type": "string"},
			"inputSchema": {
				"type": "object", "required": ["type"],
				"properties": {
					"type": {"const": "object"},
					"properties": {"type": "object", "additionalProperties": {"type": "object"}},
					"required": {"type": "array", "items": {"type": "string"}}
				}},
			"annotations": {
				"type": "object", "additionalProperties": false,
				"properties": {
					"title": {"type": "string"},
					"readOnlyHint": {"const": true}, "destructiveHint": {"const": false},
					"idempotentHint": {"const": true}, "openWorldHint": {"const": false}
				},
				"required": ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"]
			}
		}}`,
}

func compile(t *testing.T, schema []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validate(t *testing.T, s *jsonschema.Schema, doc []byte) error {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(v)
}

func TestDefinitionsHaveThePublishedShape(t *testing.T) {
	if len(shapes) != len(Providers()) {
		t.Fatalf("%d shapes of %d providers", len(shapes), len(Providers()))
	}
	for _, p := range Providers() {
		if err := validate(t, compile(t, []byte(shapes[p])), Definition(p)); err != nil {
			t.Errorf("%s: %v", p, err)
		}
		for _, other := range Providers() {
			if other != p && validate(t, compile(t, []byte(shapes[p])), Definition(other)) == nil {
				t.Errorf("the shape of %s takes the definition of %s", p, other)
			}
		}
	}
	if d := Definition("other"); d != nil {
		t.Errorf("got %s", d)
	}
}

// The parameters are the same for all, and a JSON Schema that takes right calls and refuses wrong ones.
func TestParameters(t *testing.T) {
	find := map[Provider]func(map[string]any) any{
		Anthropic:       func(d map[string]any) any { return d["input_schema"] },
		OpenAIChat:      func(d map[string]any) any { return d["function"].(map[string]any)["parameters"] },
		OpenAIResponses: func(d map[string]any) any { return d["parameters"] },
		Gemini: func(d map[string]any) any {
			return d["functionDeclarations"].([]any)[0].(map[string]any)["parameters"]
		},
		MCP: func(d map[string]any) any { return d["inputSchema"] },
	}
	for _, p := range Providers() {
		var d map[string]any
		if err := json.Unmarshal(Definition(p), &d); err != nil {
			t.Fatal(err)
		}
		params, err := json.Marshal(find[p](d))
		if err != nil {
			t.Fatal(err)
		}
		s := compile(t, params)
		for _, right := range []string{`{"blob_id":"x"}`, `{"blob_id":"x","selector":["keys"],"context":0}`, `{"blob_id":"x","context":20}`} {
			if err := validate(t, s, []byte(right)); err != nil {
				t.Errorf("%s: %s: %v", p, right, err)
			}
		}
		for _, wrong := range []string{`{}`, `{"blob_id":1}`, `{"blob_id":"x","selector":[1]}`, `{"blob_id":"x","context":21}`, `{"blob_id":"x","context":-1}`, `{"blob_id":"x","context":0.5}`} {
			if validate(t, s, []byte(wrong)) == nil {
				t.Errorf("%s takes %s", p, wrong)
			}
		}
	}
}

// Every selector there is stands in the description with an example, and every example is one.
func TestTheDescriptionHasEverySelector(t *testing.T) {
	_, err := selector.Parse("?")
	var syntax *selector.SyntaxError
	if !errors.As(err, &syntax) {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for word := range strings.FieldsSeq(strings.TrimPrefix(syntax.Hint, "the selectors are ")) {
		name, _, _ := strings.Cut(word, ":")
		named[name] = true
	}
	if len(named) != 10 {
		t.Fatalf("%d selectors: %s", len(named), syntax.Hint)
	}
	example := regexp.MustCompile(`[a-z]+:[^\s,;"\]]+|\b(?:keys|json)\b`)
	for line := range strings.Lines(selectorDescription) {
		before, _, ok := strings.Cut(line, " - ")
		if !ok {
			continue
		}
		for _, expr := range example.FindAllString(before, -1) {
			if _, err := selector.Parse(expr); err != nil {
				t.Errorf("%s: %v", expr, err)
			}
			name, _, _ := strings.Cut(expr, ":")
			delete(named, name)
		}
	}
	if len(named) > 0 {
		t.Errorf("not described: %v", named)
	}
	if !strings.Contains(toolDescription, "[blob:") || !strings.Contains(toolDescription, "bounded") || !strings.Contains(toolDescription, "next page") {
		t.Error("the description does not say when to call, that answers are bounded, or how to page")
	}
}

// The selectors that the lines for AGENTS.md name are some.
func TestPrompt(t *testing.T) {
	n := 0
	for _, m := range regexp.MustCompile("`'?([a-z]+:[^`']+|keys)").FindAllStringSubmatch(Prompt(), -1) {
		for expr := range strings.FieldsSeq(m[1]) {
			if _, err := selector.Parse(expr); err != nil {
				t.Errorf("%s: %v", expr, err)
			}
			n++
		}
	}
	if n < 8 || !strings.HasSuffix(Prompt(), "\n") {
		t.Errorf("%d selectors", n)
	}
}
