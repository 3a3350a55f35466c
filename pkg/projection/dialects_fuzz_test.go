package projection_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/llmblob/llmblob/internal/historytest"
	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/history"
	"github.com/llmblob/llmblob/pkg/projection"
	"github.com/llmblob/llmblob/pkg/prune"
	"github.com/llmblob/llmblob/pkg/storetest"
)

func FuzzAISDK(f *testing.F)           { fuzzDialect(f, "ai-sdk") }
func FuzzAnthropic(f *testing.F)       { fuzzDialect(f, "anthropic") }
func FuzzBedrock(f *testing.F)         { fuzzDialect(f, "bedrock") }
func FuzzClaudeCode(f *testing.F)      { fuzzDialect(f, "claude-code") }
func FuzzCodex(f *testing.F)           { fuzzDialect(f, "codex") }
func FuzzGemini(f *testing.F)          { fuzzDialect(f, "gemini") }
func FuzzGeminiCLI(f *testing.F)       { fuzzDialect(f, "gemini-cli") }
func FuzzItems(f *testing.F)           { fuzzDialect(f, "items") }
func FuzzLangChain(f *testing.F)       { fuzzDialect(f, "langchain") }
func FuzzOpenAIChat(f *testing.F)      { fuzzDialect(f, "openai-chat") }
func FuzzOpenAIResponses(f *testing.F) { fuzzDialect(f, "openai-responses") }
func FuzzOpenCode(f *testing.F)        { fuzzDialect(f, "opencode") }
func FuzzOpenHands(f *testing.F)       { fuzzDialect(f, "openhands") }
func FuzzPi(f *testing.F)              { fuzzDialect(f, "pi") }
func FuzzSWEAgent(f *testing.F)        { fuzzDialect(f, "swe-agent") }

// largestSeed is how large a golden may be to be one: small ones are changed fast.
const largestSeed = 8 << 10

// fuzzDialect states the laws of any bytes that are taken as of a dialect, its goldens the first of them.
func fuzzDialect(f *testing.F, format history.Format) {
	files, err := filepath.Glob(filepath.Join(goldens, string(format), "*.json*"))
	if err != nil || len(files) == 0 {
		f.Fatalf("no goldens of %s: %v", format, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		if len(data) <= largestSeed {
			f.Add(data, false)
			f.Add(data[:len(data)/2], true)
		}
	}
	for i, c := range historytest.Cases() {
		if c.Dialect != string(format) {
			continue
		}
		if h := c.Make(historytest.FromBytes(seedOf(i, 0))); len(h.Data) <= largestSeed {
			f.Add(h.Data, false)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, lenient bool) {
		dialectLaws(t, data, history.Options{Format: format, Lenient: lenient})
	})
}

// dialectLaws: there is an error that names the place, or a history that comes out as it went in; a projection has the same records and
// items and is as good JSON as the history was; and what was offloaded is restored.
func dialectLaws(t *testing.T, data []byte, o history.Options) {
	parsed, err := history.Parse(data, o)
	if err != nil {
		var malformed *history.MalformedError
		if o.Lenient || !errors.As(err, &malformed) || malformed.Line < 1 || malformed.Column < 1 {
			t.Fatalf("%v", err)
		}
		return
	}
	if out := written(t, func(w io.Writer) error { return parsed.Splice(w, slices.Values([]history.Edit(nil))) }); !bytes.Equal(out, data) {
		t.Fatalf("%q came out", out)
	}
	again := func(what string, out []byte) *history.History {
		h, err := history.Parse(out, o)
		if err != nil || h.Records != parsed.Records || len(h.Items) != len(parsed.Items) {
			t.Fatalf("%s is no history of %d records and %d items: %v\n%q", what, parsed.Records, len(parsed.Items), err, out)
		}
		return h
	}
	c := prune.DefaultConfig()
	c.ProtectedTokens, c.MinSavings = 0, 0
	ho := historyOptions()
	p, err := projection.Make(t.Context(), parsed, projection.Options{Config: c, Offload: ho})
	if err != nil {
		t.Fatal(err)
	}
	out := written(t, p.Write)
	again("the projection", out)
	if isJSON(data) && !isJSON(out) {
		t.Fatalf("the projection is no JSON: %q", out)
	}
	ho.InlineBytes = func(string) int { return 0 }
	st := storetest.NewMemory()
	open := func() (blob.Store, error) { return st, nil }
	edits, err := ho.Offload(t.Context(), open, parsed)
	if err != nil {
		t.Fatalf("offload: %v", err)
	}
	small := written(t, func(w io.Writer) error { return parsed.Splice(w, slices.Values(edits)) })
	offloaded := again("what is offloaded", small)
	edits, _, err = ho.Restore(t.Context(), open, offloaded, false)
	if err != nil {
		t.Fatalf("restore: %v", err)
	}
	back := written(t, func(w io.Writer) error { return offloaded.Splice(w, slices.Values(edits)) })
	if isJSON(data) && !jsonEqual(t, back, data) {
		t.Fatalf("restored is not equal to the original\n%q\n%q", back, data)
	}
}

// isJSON reports whether data is a sequence of JSON values.
func isJSON(data []byte) bool {
	d := json.NewDecoder(bytes.NewReader(data))
	for {
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return err == io.EOF
		}
	}
}

func TestEveryDialectHasItsTarget(t *testing.T) {
	source, err := os.ReadFile("dialects_fuzz_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range history.Formats() {
		if n := strings.Count(string(source), `{ fuzzDialect(f, "`+string(format)+`") }`); n != 1 {
			t.Errorf("%s has %d targets", format, n)
		}
	}
}

// The laws hold of every golden, also of its beginnings.
func TestDialectLaws(t *testing.T) {
	for _, format := range history.Formats() {
		files, _ := filepath.Glob(filepath.Join(goldens, string(format), "*.json*"))
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range []int{len(data), len(data) / 2, len(data) / 3} {
				dialectLaws(t, data[:n], history.Options{Format: format})
				dialectLaws(t, data[:n], history.Options{Format: format, Lenient: true})
			}
		}
	}
}
