package prune

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// accepted are documents and what they mean.
func accepted() map[string]Config {
	text := func(p string) Config { return with(func(c *Config) { c.Placeholder = p }) }
	tokens := func(n int) Config { return with(func(c *Config) { c.ProtectedTokens = n }) }
	ttl := func(d time.Duration) Config { return with(func(c *Config) { c.CacheTTL = d }) }
	return map[string]Config{
		`{}`: DefaultConfig(),
		` { "$schema" : "./prune.schema.json" } `:                            DefaultConfig(),
		"// é\n{ // {\n\"mode\": \"rolling\" // \"\n}//":                     with(func(c *Config) { c.Mode = ModeRolling }),
		"{/* a\nb */\"keep_errors\":true,}":                                  with(func(c *Config) { c.KeepErrors = true }),
		`{"keep_errors":false}`:                                              DefaultConfig(),
		`{"protected_tokens":0}`:                                             tokens(0),
		`{"protected_tokens":1e3}`:                                           tokens(1000),
		`{"protected_tokens":12.50E1}`:                                       tokens(125),
		`{"protected_tokens":4000.0}`:                                        tokens(4000),
		`{"protected_tokens":-0}`:                                            tokens(0),
		`{"protected_tokens":1000000000}`:                                    tokens(maxNumber),
		`{"protected_turns":null}`:                                           DefaultConfig(),
		`{"protected_turns":2}`:                                              with(func(c *Config) { c.ProtectedTurns, c.ProtectedTokens = 2, 0 }),
		`{"protected_tokens":8000,"protected_turns":2}`:                      with(func(c *Config) { c.ProtectedTurns = 2 }),
		`{"protected_turns":2,"protected_tokens":5}`:                         with(func(c *Config) { c.ProtectedTurns, c.ProtectedTokens = 2, 5 }),
		`{"min_savings":"auto"}`:                                             DefaultConfig(),
		`{"min_savings":"\u0061uto"}`:                                        DefaultConfig(),
		`{"min_savings":0}`:                                                  with(func(c *Config) { c.MinSavings = 0 }),
		`{"min_savings":2000}`:                                               with(func(c *Config) { c.MinSavings = 2000 }),
		`{"m\u006fde":"stable","omit":"summary"}`:                            with(func(c *Config) { c.Omit = OmitSummary }),
		`{"placeholder":"// no comment"}`:                                    text("// no comment"),
		`{"placeholder":" a\n\"{bytes}\""}`:                                  text(" a\n\"{bytes}\""),
		`{"placeholder":"` + strings.Repeat("é", maxPlaceholderRunes) + `"}`: text(strings.Repeat("é", maxPlaceholderRunes)),
		`{"only_tools":[]}`:                                                  DefaultConfig(),
		`{"only_tools":["read*","[a-z]?"],}`:                                 with(func(c *Config) { c.OnlyTools = []string{"read*", "[a-z]?"} }),
		`{"exclude_tools":["\\[", "a", "a" , ]}`:                             with(func(c *Config) { c.ExcludeTools = []string{`\[`, "a", "a"} }),
		`{"trigger_tokens":100000}`:                                          with(func(c *Config) { c.TriggerTokens = 100_000 }),
		`{"cache_ttl":null}`:                                                 DefaultConfig(),
		`{"cache_ttl":"5m"}`:                                                 ttl(5 * time.Minute),
		`{"cache_ttl":"1h30m"}`:                                              ttl(90 * time.Minute),
		`{"cache_ttl":"+.5s"}`:                                               ttl(500 * time.Millisecond),
		`{"cache_ttl":"1.s2µs3μs"}`:                                          ttl(time.Second + 5*time.Microsecond),
		`{"tokens":"bytes"}`:                                                 DefaultConfig(),
		`{"tokens":"usage"}`:                                                 with(func(c *Config) { c.Tokens.Name = TokensUsage }),
		`{"tokens":"o200k_base"}`:                                            with(func(c *Config) { c.Tokens.Name = TokensO200k }),
		`{"tokens":"cl100k_base"}`:                                           with(func(c *Config) { c.Tokens.Name = TokensCl100k }),
		`{"tokens":{"command":["wc"]}}`:                                      with(func(c *Config) { c.Tokens = Tokens{Command: []string{"wc"}} }),
		`{"tokens":{"command":["wc", "-c" , ""]}}`:                           with(func(c *Config) { c.Tokens = Tokens{Command: []string{"wc", "-c", ""}} }),
	}
}

// refusal is a document that is refused, where, and why. The schema refuses it too, unless it cannot know.
type refusal struct {
	doc          string
	line, column int
	field, msg   string // msg is how the message begins
	hint         string // how the hint begins
	schemaTakes  bool
}

func refused() []refusal {
	const number = "must be an integer from 0 to 1000000000, not "
	return []refusal{
		{doc: `[]`, line: 1, column: 1, msg: "a configuration must be an object, not []"},
		{doc: ` null`, line: 1, column: 2, msg: "a configuration must be an object, not null"},
		{doc: `"{}"`, line: 1, column: 1, msg: `a configuration must be an object, not "{}"`},
		{doc: `{"$schema":1}`, line: 1, column: 12, field: "$schema", msg: "must be a string, not 1"},
		{doc: `{"protected_token":1}`, line: 1, column: 2, field: "protected_token", msg: "unknown field", hint: "did you mean protected_tokens?"},
		{doc: `{"protectedTokens":1}`, line: 1, column: 2, field: "protectedTokens", msg: "unknown field", hint: "did you mean protected_tokens?"},
		{doc: `{"mod":1}`, line: 1, column: 2, field: "mod", msg: "unknown field", hint: "did you mean mode?"},
		{doc: "{\n  \"x\":1}", line: 2, column: 3, field: "x", msg: "unknown field", hint: "the fields are protected_tokens, protected_turns, "},
		{doc: `{"":1}`, line: 1, column: 2, msg: "unknown field", hint: "the fields are "},
		{doc: `{"protected_tokens":-1}`, line: 1, column: 21, field: "protected_tokens", msg: number + "-1"},
		{doc: `{"protected_tokens":1.5}`, line: 1, column: 21, field: "protected_tokens", msg: number + "1.5"},
		{doc: `{"protected_tokens":1e-3}`, line: 1, column: 21, field: "protected_tokens", msg: number + "1e-3"},
		{doc: `{"protected_tokens":1000000001}`, line: 1, column: 21, field: "protected_tokens", msg: number + "1000000001"},
		{doc: `{"protected_tokens":1e400}`, line: 1, column: 21, field: "protected_tokens", msg: number + "1e400"},
		{doc: `{"protected_tokens":"8000"}`, line: 1, column: 21, field: "protected_tokens", msg: number + `"8000"`},
		{doc: `{"protected_tokens":null}`, line: 1, column: 21, field: "protected_tokens", msg: number + "null"},
		{doc: `{"protected_turns":0}`, line: 1, column: 20, field: "protected_turns", msg: "must be an integer from 1 to 1000000000, or null, not 0"},
		{doc: `{"protected_turns":false}`, line: 1, column: 20, field: "protected_turns", msg: "must be an integer from 1"},
		{doc: `{"min_savings":"Auto"}`, line: 1, column: 16, field: "min_savings", msg: `must be "auto" or an integer from 0 to 1000000000, not "Auto"`},
		{doc: `{"min_savings":-1}`, line: 1, column: 16, field: "min_savings", msg: `must be "auto" or an integer`},
		{doc: `{"min_savings":0.5}`, line: 1, column: 16, field: "min_savings", msg: `must be "auto" or an integer`},
		{doc: `{"mode":"STABLE"}`, line: 1, column: 9, field: "mode", msg: `must be "stable" or "rolling", not "STABLE"`},
		{doc: `{"mode":null}`, line: 1, column: 9, field: "mode", msg: `must be "stable" or "rolling", not null`},
		{doc: `{"omit":["drop"]}`, line: 1, column: 9, field: "omit", msg: `must be "drop" or "summary", not ["drop"]`},
		{doc: `{"placeholder":123}`, line: 1, column: 16, field: "placeholder", msg: "must be a string, not 123"},
		{doc: `{"placeholder":""}`, line: 1, column: 16, field: "placeholder", msg: "must hold more than white space"},
		{doc: `{"placeholder":" \t\n"}`, line: 1, column: 16, field: "placeholder", msg: "must hold more than white space"},
		// A schema's \S is of Unicode, that of Go is of ASCII.
		{doc: `{"placeholder":"\u00a0\u3000"}`, line: 1, column: 16, field: "placeholder", msg: "must hold more than white space", schemaTakes: true},
		{doc: `{"placeholder":"` + strings.Repeat("é", maxPlaceholderRunes+1) + `"}`, line: 1, column: 16, field: "placeholder", msg: "must be at most 400 characters, not 401"},
		{doc: `{"only_tools":"read*"}`, line: 1, column: 15, field: "only_tools", msg: `must be an array of glob patterns, not "read*"`, hint: `as in ["read*"`},
		{doc: `{"only_tools":null}`, line: 1, column: 15, field: "only_tools", msg: "must be an array of glob patterns, not null"},
		{doc: `{"only_tools":["a",1]}`, line: 1, column: 20, field: "only_tools", msg: "must be a glob pattern, not 1"},
		{doc: `{"exclude_tools":[""]}`, line: 1, column: 19, field: "exclude_tools", msg: `must be a glob pattern, not ""`},
		{doc: `{"exclude_tools":["a", "b["]}`, line: 1, column: 24, field: "exclude_tools", msg: `must be a glob pattern, not "b["`, hint: "a [ needs its ]", schemaTakes: true},
		{doc: `{"only_tools":["*\\"]}`, line: 1, column: 16, field: "only_tools", msg: "must be a glob pattern", schemaTakes: true},
		{doc: `{"keep_errors":"true"}`, line: 1, column: 16, field: "keep_errors", msg: `must be true or false, not "true"`},
		{doc: `{"keep_errors":0}`, line: 1, column: 16, field: "keep_errors", msg: "must be true or false, not 0"},
		{doc: `{"trigger_tokens":-5}`, line: 1, column: 19, field: "trigger_tokens", msg: number + "-5"},
		{doc: `{"cache_ttl":300}`, line: 1, column: 14, field: "cache_ttl", msg: "must be a duration above 0, or null, not 300", hint: `as in "5m"`},
		{doc: `{"cache_ttl":""}`, line: 1, column: 14, field: "cache_ttl", msg: "must be a duration above 0"},
		{doc: `{"cache_ttl":"5"}`, line: 1, column: 14, field: "cache_ttl", msg: "must be a duration above 0"},
		{doc: `{"cache_ttl":"1d"}`, line: 1, column: 14, field: "cache_ttl", msg: "must be a duration above 0"},
		{doc: `{"cache_ttl":"1h 30m"}`, line: 1, column: 14, field: "cache_ttl", msg: "must be a duration above 0"},
		{doc: `{"cache_ttl":"-5m"}`, line: 1, column: 14, field: "cache_ttl", msg: "must be a duration above 0"},
		{doc: `{"cache_ttl":"0s"}`, line: 1, column: 14, field: "cache_ttl", msg: "must be a duration above 0"},
		{doc: `{"cache_ttl":"0.1ns"}`, line: 1, column: 14, field: "cache_ttl", msg: "must be a duration above 0", schemaTakes: true},
		{doc: `{"cache_ttl":"9999999h"}`, line: 1, column: 14, field: "cache_ttl", msg: "must be a duration above 0", schemaTakes: true},
		{doc: `{"tokens":"gpt"}`, line: 1, column: 11, field: "tokens", msg: `must be "bytes", "usage", "o200k_base" or "cl100k_base", or an object with a command, not "gpt"`},
		{doc: `{"tokens":["wc"]}`, line: 1, column: 11, field: "tokens", msg: `must be "bytes"`, hint: `as in "bytes" or {"command"`},
		{doc: `{"tokens":{}}`, line: 1, column: 11, field: "tokens", msg: "must be an object with a command, not {}"},
		{doc: `{"tokens":{"command":"wc"}}`, line: 1, column: 22, field: "tokens", msg: `must be a command as an array of strings, not "wc"`},
		{doc: `{"tokens":{"command":[]}}`, line: 1, column: 22, field: "tokens", msg: "must be a command that names a program, not []"},
		{doc: `{"tokens":{"command":["", "a"]}}`, line: 1, column: 22, field: "tokens", msg: "must be a command that names a program"},
		{doc: `{"tokens":{"command":["a", 1]}}`, line: 1, column: 28, field: "tokens", msg: "must be a command of strings, not 1"},
		{doc: `{"tokens":{"command":["a"], "shell":true}}`, line: 1, column: 29, field: "tokens", msg: `unknown field "shell" in it`},
		{doc: `{"tokens":{"command":["a"], "command":["b"]}}`, line: 1, column: 29, field: "tokens", msg: "command is given twice", schemaTakes: true},
		{doc: "{\"mode\":\"stable\",\n\"m\\u006fde\":\"stable\"}", line: 2, column: 1, field: "mode", msg: "is given twice", schemaTakes: true},
		{doc: `{"$schema":"a","$schema":"a"}`, line: 1, column: 16, field: "$schema", msg: "is given twice", schemaTakes: true},
		// Columns count the characters of the file, those of comments too.
		{doc: "// é\n/* éé */ {\"mode\": 1}", line: 2, column: 19, field: "mode", msg: "must be"},
	}
}

func TestParseConfigAccepts(t *testing.T) {
	for doc, want := range accepted() {
		if got, err := ParseConfig([]byte(doc)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v", doc, got, err)
		}
	}
}

func TestParseConfigRefuses(t *testing.T) {
	for _, r := range append(refused(), malformed()...) {
		c, err := ParseConfig([]byte(r.doc))
		var e *ConfigError
		if !errors.As(err, &e) {
			t.Errorf("%s: accepted", r.doc)
			continue
		}
		if e.Line != r.line || e.Column != r.column || e.Field != r.field || !strings.HasPrefix(e.Msg, r.msg) || !strings.HasPrefix(e.Hint, r.hint) {
			t.Errorf("%s: got %d:%d %q %q %q", r.doc, e.Line, e.Column, e.Field, e.Msg, e.Hint)
		}
		if !reflect.DeepEqual(c, Config{}) {
			t.Errorf("%s: got %+v beside the error", r.doc, c)
		}
	}
}

// malformed are texts that are no JSON, so no schema sees them.
func malformed() []refusal {
	return []refusal{
		{doc: `{"placeholder":"\ud83d"}`, line: 1, column: 16, field: "placeholder", msg: "half a surrogate pair, which is no text"},
		{doc: "", line: 1, column: 1, msg: "unexpected end of input"},
		{doc: "// only\n", line: 2, column: 1, msg: "unexpected end of input"},
		{doc: "{\n  \"mode\" \"stable\"}", line: 2, column: 10, msg: "unexpected '\"', expected ':'"},
		{doc: `{} {}`, line: 1, column: 4, msg: "unexpected '{' after the value"},
		{doc: `{"mode":'stable'}`, line: 1, column: 9, msg: "unexpected '''"},
		{doc: `{,"mode":"stable"}`, line: 1, column: 2, msg: "unexpected ','"},
		{doc: `{"mode":"stable",,}`, line: 1, column: 19, msg: "unexpected '}'"},
		{doc: `/* é {}`, line: 1, column: 1, msg: "unexpected '/'"},
		{doc: `/*é*/ {"mode":}`, line: 1, column: 15, msg: "unexpected '}', expected a value"},
		{doc: "{\"placeholder\":\"é\xff\"}", line: 1, column: 18, msg: "byte 0xff is not UTF-8"},
		{doc: "{} // \ufffd\n// é\xc3", line: 2, column: 5, msg: "byte 0xc3 is not UTF-8"},
		{doc: strings.Repeat("[", 20_000), line: 1, column: 10_001, msg: "nested deeper"},
	}
}

func TestErrorsAreShort(t *testing.T) {
	long := strings.Repeat("é", 10_000)
	for _, doc := range []string{`{"` + long + `":1}`, `{"mode":"` + long + `"}`, `"` + long + `"`} {
		if _, err := ParseConfig([]byte(doc)); err == nil || len(err.Error()) > 200 {
			t.Errorf("%.20s: got %d bytes", doc, len(err.Error()))
		}
	}
	_, err := ParseConfig([]byte("{\n\"mode\":1}"))
	if want := `line 2, column 8: mode: must be "stable" or "rolling", not 1`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if want := `mode: must be "stable" or "rolling", not "1"`; NewSettings().Set("mode=1").Error() != want {
		t.Errorf("got %v, want %s", NewSettings().Set("mode=1"), want)
	}
}

func TestSet(t *testing.T) {
	for _, c := range []struct {
		assignment string
		change     func(*Config)
	}{
		{"mode=rolling", func(c *Config) { c.Mode = ModeRolling }},
		{`mode="rolling"`, func(c *Config) { c.Mode = ModeRolling }},
		{"protected_tokens=4000", func(c *Config) { c.ProtectedTokens = 4000 }},
		{"protected_tokens= 4e3 ", func(c *Config) { c.ProtectedTokens = 4000 }},
		{"protected_turns=3", func(c *Config) { c.ProtectedTurns, c.ProtectedTokens = 3, 0 }},
		{"protected_turns=null", func(*Config) {}},
		{"min_savings=auto", func(*Config) {}},
		{`min_savings="auto"`, func(*Config) {}},
		{"min_savings=7", func(c *Config) { c.MinSavings = 7 }},
		{`only_tools=["read*", "b"]`, func(c *Config) { c.OnlyTools = []string{"read*", "b"} }},
		{`only_tools=[]`, func(*Config) {}},
		{"keep_errors=true", func(c *Config) { c.KeepErrors = true }},
		{"cache_ttl=5m", func(c *Config) { c.CacheTTL = 5 * time.Minute }},
		{"cache_ttl=null", func(*Config) {}},
		{"tokens=usage", func(c *Config) { c.Tokens.Name = TokensUsage }},
		{`tokens={"command":["wc","-c"]}`, func(c *Config) { c.Tokens = Tokens{Command: []string{"wc", "-c"}} }},
		{"placeholder=x", func(c *Config) { c.Placeholder = "x" }},
		{"placeholder=a=b", func(c *Config) { c.Placeholder = "a=b" }},
		{"placeholder=123", func(c *Config) { c.Placeholder = "123" }},
		{"placeholder=null", func(c *Config) { c.Placeholder = "null" }},
		{"placeholder=[1]", func(c *Config) { c.Placeholder = "[1]" }},
		{"placeholder= [1 ", func(c *Config) { c.Placeholder = " [1 " }},
		{`placeholder="x\n"`, func(c *Config) { c.Placeholder = "x\n" }},
		{`placeholder="x`, func(c *Config) { c.Placeholder = `"x` }},
	} {
		s := NewSettings()
		if err := s.Set(c.assignment); err != nil || !reflect.DeepEqual(s.Config(), with(c.change)) {
			t.Errorf("%s: got %+v, %v", c.assignment, s.Config(), err)
		}
	}
}

func TestSetRefuses(t *testing.T) {
	for _, c := range []struct{ assignment, field, msg, hint string }{
		{"mode", "", `"mode": must be a field, = and a value`, "as in mode=rolling"},
		{"", "", `"": must be a field`, "as in mode=rolling"},
		{"=x", "", "unknown field", "the fields are"},
		{"$schema=x", "$schema", "unknown field", "the fields are"},
		{"Mode=x", "Mode", "unknown field", "did you mean mode?"},
		{"mode=fast", "mode", `must be "stable" or "rolling", not "fast"`, ""},
		{"protected_tokens=", "protected_tokens", `must be an integer from 0 to 1000000000, not ""`, ""},
		{"protected_tokens=8k", "protected_tokens", `must be an integer from 0 to 1000000000, not "8k"`, ""},
		{"protected_tokens=1 // one", "protected_tokens", "must be an integer", ""},
		{"only_tools=read", "only_tools", `must be an array of glob patterns, not "read"`, `as in ["read*"`},
		{`only_tools=["read"`, "only_tools", "must be an array of glob patterns", `as in ["read*"`},
		{`exclude_tools=["read["]`, "exclude_tools", `must be a glob pattern, not "read["`, "a [ needs its ]"},
		{"keep_errors=yes", "keep_errors", `must be true or false, not "yes"`, ""},
		{"cache_ttl=5", "cache_ttl", "must be a duration above 0, or null, not 5", `as in "5m"`},
		{"tokens=wc", "tokens", `must be "bytes", "usage"`, "as in"},
		{"placeholder=", "placeholder", "must hold more than white space", ""},
		{"placeholder=\xff", "placeholder", "must be UTF-8", ""},
	} {
		s := NewSettings()
		err := s.Set(c.assignment)
		var e *ConfigError
		if !errors.As(err, &e) || e.Field != c.field || !strings.HasPrefix(e.Msg, c.msg) || !strings.HasPrefix(e.Hint, c.hint) || e.Line != 0 || e.Column != 0 {
			t.Errorf("%q: got %#v", c.assignment, err)
		}
		if !reflect.DeepEqual(s.Config(), DefaultConfig()) {
			t.Errorf("%q: changed to %+v", c.assignment, s.Config())
		}
	}
}

// Whether protected_tokens was given is asked of all layers together.
func TestProtectedTokensAcrossLayers(t *testing.T) {
	for _, c := range []struct {
		file   string
		sets   []string
		tokens int
		turns  int
	}{
		{`{}`, nil, 8000, 0},
		{`{"protected_turns":2}`, nil, 0, 2},
		{`{}`, []string{"protected_turns=2"}, 0, 2},
		{`{"protected_tokens":8000}`, []string{"protected_turns=2"}, 8000, 2},
		{`{"protected_turns":2}`, []string{"protected_tokens=5"}, 5, 2},
		{`{"protected_turns":2}`, []string{"protected_turns=null"}, 8000, 0},
		{`{"protected_turns":2,"protected_tokens":5}`, []string{"protected_turns=null"}, 5, 0},
		{`{}`, []string{"protected_turns=2", "protected_turns=3", "protected_tokens=7", "protected_tokens=9"}, 9, 3},
	} {
		s, err := ParseSettings([]byte(c.file))
		if err != nil {
			t.Fatal(err)
		}
		for _, assignment := range c.sets {
			if err := s.Set(assignment); err != nil {
				t.Fatal(err)
			}
		}
		if got := s.Config(); got.ProtectedTokens != c.tokens || got.ProtectedTurns != c.turns {
			t.Errorf("%s %v: got %d tokens, %d turns", c.file, c.sets, got.ProtectedTokens, got.ProtectedTurns)
		}
	}
}

// FuzzParseConfig states that what is accepted is valid, prints, and parses to itself, and that a fault has its place in
// the text.
func FuzzParseConfig(f *testing.F) {
	for doc := range accepted() {
		f.Add([]byte(doc))
	}
	for _, r := range slices.Concat(refused(), malformed()) {
		if len(r.doc) < 1000 {
			f.Add([]byte(r.doc))
		}
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		c, err := ParseConfig(in)
		if err != nil {
			var e *ConfigError
			if !errors.As(err, &e) || e.Line < 1 || e.Line > strings.Count(string(in), "\n")+1 || e.Column < 1 || e.Column > len(in)+1 || e.Msg == "" {
				t.Fatalf("%#v", err)
			}
			return
		}
		if err := c.Validate(); err != nil {
			t.Fatal(err)
		}
		text := c.AppendJSON(nil)
		if again, err := ParseConfig(text); err != nil || !reflect.DeepEqual(again, c) {
			t.Fatalf("%s\ngot %+v, %v", text, again, err)
		}
	})
}

// FuzzSet states that what is accepted leaves a valid configuration, and that a fault changes nothing.
func FuzzSet(f *testing.F) {
	for _, s := range []string{"mode=rolling", `tokens={"command":["a"]}`, "placeholder=1", `only_tools=["a["]`, "cache_ttl=5m", "x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		s := NewSettings()
		if err := s.Set(in); err != nil {
			var e *ConfigError
			if !errors.As(err, &e) || e.Line != 0 || e.Column != 0 || !reflect.DeepEqual(s.Config(), DefaultConfig()) {
				t.Fatalf("%#v", err)
			}
			return
		}
		if err := s.Config().Validate(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestParseConfigTakesAByteOrderMark(t *testing.T) {
	if c, err := ParseConfig([]byte("\ufeff{\"mode\":\"rolling\"}")); err != nil || c.Mode != ModeRolling {
		t.Errorf("got %+v, %v", c, err)
	}
}
