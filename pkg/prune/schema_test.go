package prune

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/tidwall/jsonc"
)

// compiledSchema holds the schema to that of its draft.
func compiledSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("prune.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("prune.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func accepts(s *jsonschema.Schema, doc []byte) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(jsonc.ToJSON(doc)))
	if err != nil {
		return fmt.Errorf("not JSON: %w", err)
	}
	return s.Validate(v)
}

// The schema agrees with the parser about every document of its tests.
func TestSchemaAgreesWithParser(t *testing.T) {
	s := compiledSchema(t)
	for doc := range accepted() {
		if err := accepts(s, []byte(doc)); err != nil {
			t.Errorf("%s: %v", doc, err)
		}
	}
	for _, r := range refused() {
		if err := accepts(s, []byte(r.doc)); (err == nil) != r.schemaTakes {
			t.Errorf("%s: got %v", r.doc, err)
		}
	}
}

func TestSchemaHasEveryFieldWithItsDefault(t *testing.T) {
	var schema struct {
		Schema     string `json:"$schema"`
		Title      string
		Properties map[string]struct {
			Description string
			Default     json.RawMessage
		}
	}
	if err := json.Unmarshal(Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	if schema.Schema != "https://json-schema.org/draft/2020-12/schema" || schema.Title == "" {
		t.Errorf("got %q, %q", schema.Schema, schema.Title)
	}
	all := fields()
	if got, want := len(schema.Properties), len(all)+1; got != want {
		t.Errorf("got %d properties, want %d", got, want)
	}
	defaults := map[string]json.RawMessage{}
	for _, f := range all {
		p := schema.Properties[f.name]
		if p.Description == "" || p.Default == nil {
			t.Errorf("%s: got %+v", f.name, p)
		}
		defaults[f.name] = p.Default
	}
	doc, err := json.Marshal(defaults)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := ParseConfig(doc); err != nil || !reflect.DeepEqual(c, DefaultConfig()) {
		t.Errorf("got %+v, %v", c, err)
	}
}
