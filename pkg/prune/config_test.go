package prune

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/llmblob/llmblob/internal/glob"
)

// with returns the default configuration with a change.
func with(change func(*Config)) Config {
	c := DefaultConfig()
	change(&c)
	return c
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// randomConfig makes a valid configuration.
func randomConfig(r *rand.Rand) Config {
	number := func(least int) int { return pick(r, least, least+1, least+r.IntN(20_000), maxNumber) }
	text := func() string {
		s := make([]rune, r.IntN(12))
		for i := range s {
			s[i] = pick(r, []rune("ab z019{}[]()\"\\/<>&'#\t\né😀\u2028\x00\x7f\ufffd")...)
		}
		return string(s)
	}
	globs := func() []string {
		var g []string
		for range r.IntN(4) {
			g = append(g, pick(r, "*", "read*", "mcp__*__get", "a/[^b-d]?", `\*"`, "é<&>"))
		}
		return g
	}
	c := Config{
		ProtectedTokens: number(0),
		ProtectedTurns:  number(0),
		MinSavings:      MinSavings(number(-1)),
		Mode:            pick(r, ModeStable, ModeRolling),
		Omit:            pick(r, OmitDrop, OmitSummary),
		Placeholder:     text() + "." + strings.Repeat(sizeMark, r.IntN(3)) + text(),
		OnlyTools:       globs(),
		ExcludeTools:    globs(),
		KeepErrors:      pick(r, true, false),
		TriggerTokens:   number(0),
		CacheTTL:        pick(r, 0, 1, 5*time.Minute, 90*time.Minute, 10*time.Hour, time.Duration(r.Int64N(1<<62)+1)),
		Tokens:          Tokens{Name: pick(r, TokensBytes, TokensUsage, TokensO200k, TokensCl100k)},
	}
	if pick(r, true, false) {
		c.Tokens = Tokens{Command: []string{"." + text(), text(), ""}[:1+r.IntN(3)]}
	}
	return c
}

// What is printed parses to what was printed, indented or not, and the schema takes it.
func TestPrintedConfigParsesToItself(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	schema := compiledSchema(t)
	for range 2000 {
		c := randomConfig(r)
		if err := c.Validate(); err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		text := c.AppendJSON(nil)
		if got, err := ParseConfig(text); err != nil || !reflect.DeepEqual(got, c) {
			t.Fatalf("%s\ngot %+v, %v", text, got, err)
		}
		if err := accepts(schema, text); err != nil {
			t.Fatalf("%s\nschema: %v", text, err)
		}
		inner, err := json.Marshal(map[string]Config{"prune": c})
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]Config{}
		if err := json.Unmarshal(inner, &got); err != nil || !reflect.DeepEqual(got["prune"], c) {
			t.Fatalf("%s\ngot %+v, %v", inner, got, err)
		}
	}
}

func TestAppendJSON(t *testing.T) {
	const want = `>{
  "protected_tokens": 0,
  "protected_turns": 3,
  "min_savings": "auto",
  "mode": "stable",
  "omit": "drop",
  "placeholder": "<{bytes} & gone>",
  "only_tools": [
    "read*",
    "grep"
  ],
  "exclude_tools": [],
  "keep_errors": false,
  "trigger_tokens": 0,
  "cache_ttl": "1h30m",
  "tokens": {
    "command": [
      "wc",
      "-c"
    ]
  }
}`
	c := with(func(c *Config) {
		c.ProtectedTokens, c.ProtectedTurns = 0, 3
		c.Placeholder = "<{bytes} & gone>"
		c.OnlyTools = []string{"read*", "grep"}
		c.CacheTTL = 90 * time.Minute
		c.Tokens = Tokens{Command: []string{"wc", "-c"}}
	})
	if got := string(c.AppendJSON([]byte(">"))); got != want {
		t.Errorf("got %s", got)
	}
}

// What JSON does not give has its default, and a fault leaves all as it was.
func TestUnmarshalJSON(t *testing.T) {
	c := with(func(c *Config) { c.KeepErrors = true })
	if err := json.Unmarshal([]byte(`{"mode":"fast"}`), &c); err == nil || !c.KeepErrors {
		t.Errorf("got %+v, %v", c, err)
	}
	if err := json.Unmarshal([]byte(`{"mode":"rolling"}`), &c); err != nil || c.KeepErrors || c.Mode != ModeRolling {
		t.Errorf("got %+v, %v", c, err)
	}
}

func TestDurationsPrintShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		5 * time.Minute: "5m", time.Hour: "1h", 10 * time.Hour: "10h", 90 * time.Minute: "1h30m", 30 * time.Second: "30s",
		70 * time.Second: "1m10s", 10 * time.Minute: "10m", time.Hour + time.Second: "1h0m1s", 1500 * time.Microsecond: "1.5ms",
	} {
		if got := duration(d); got != want {
			t.Errorf("%v: got %s, want %s", d, got, want)
		}
	}
}

func TestValidateNamesTheField(t *testing.T) {
	for field, c := range map[string]Config{
		"protected_tokens": with(func(c *Config) { c.ProtectedTokens = -1 }),
		"protected_turns":  with(func(c *Config) { c.ProtectedTurns = -1 }),
		"min_savings":      with(func(c *Config) { c.MinSavings = -2 }),
		"mode":             with(func(c *Config) { c.Mode = "" }),
		"omit":             with(func(c *Config) { c.Omit = "all" }),
		"placeholder":      with(func(c *Config) { c.Placeholder = "a\xff" }),
		"only_tools":       with(func(c *Config) { c.OnlyTools = []string{"a["} }),
		"exclude_tools":    with(func(c *Config) { c.ExcludeTools = []string{"a\xff"} }),
		"trigger_tokens":   with(func(c *Config) { c.TriggerTokens = maxNumber + 1 }),
		"cache_ttl":        with(func(c *Config) { c.CacheTTL = -time.Second }),
		"tokens":           with(func(c *Config) { c.Tokens.Command = []string{"wc"} }),
	} {
		var e *ConfigError
		if err := c.Validate(); !errors.As(err, &e) || e.Field != field || e.Line != 0 || e.Column != 0 {
			t.Errorf("%s: got %v", field, err)
		}
	}
	if err := (Config{}).Validate(); err == nil {
		t.Error("the zero configuration has no mode")
	}
	if err := DefaultConfig().Validate(); err != nil {
		t.Error(err)
	}
}

func TestIsPlaceholder(t *testing.T) {
	for _, c := range []struct {
		placeholder, text string
		want              bool
	}{
		{"[{bytes} bytes]", "[0 bytes]", true},
		{"[{bytes} bytes]", "[12345678901234567890123 bytes]", true},
		{"[{bytes} bytes]", "[ bytes]", false},
		{"[{bytes} bytes]", "[007 bytes]", false},
		{"[{bytes} bytes]", "[00 bytes]", false},
		{"[{bytes} bytes]", "[-7 bytes]", false},
		{"[{bytes} bytes]", "[+7 bytes]", false},
		{"[{bytes} bytes]", "[7 bytes] ", false},
		{"[{bytes} bytes]", " [7 bytes]", false},
		{"[{bytes} bytes]", "[7 Bytes]", false},
		{"[{bytes} bytes]", "[{bytes} bytes]", false},
		{"[{bytes} bytes]", "", false},
		{"{bytes}{bytes}", "1212", true},
		{"{bytes}{bytes}", "1213", false},
		{"{bytes}{bytes}", "121", false},
		{"{bytes}{bytes}", "00", true},
		{"1{bytes}1", "1211", true},
		{"1{bytes}1", "11", false},
		{"{bytes}0 of {bytes}", "70 of 7", true},
		{"{bytes}0 of {bytes}", "70 of 70", false},
		{"{bytes{bytes}", "{bytes5", true},
		{"gone", "gone", true},
		{"gone", "gone ", false},
	} {
		config := Config{Placeholder: c.placeholder}
		if got := config.IsPlaceholder([]byte(c.text)); got != c.want {
			t.Errorf("%q of %q: got %v", c.text, c.placeholder, got)
		}
	}
	if got := DefaultConfig().Replacement(1234); got != "[tool result omitted: 1234 bytes]" {
		t.Errorf("got %q", got)
	}
}

// FuzzIsPlaceholder states that what Replacement writes is recognised, and nothing else: a text is a placeholder where some
// run of digits in it, put into the placeholder, makes that text.
func FuzzIsPlaceholder(f *testing.F) {
	f.Add("[tool result omitted: {bytes} bytes]", "[tool result omitted: 12 bytes]", uint32(7))
	f.Add("{bytes}1{bytes}", "12112", uint32(0))
	f.Add("1{bytes}", "101", uint32(10))
	f.Add("x", "x", uint32(1))
	f.Fuzz(func(t *testing.T, placeholder, text string, n uint32) {
		c := Config{Placeholder: placeholder}
		if s := c.Replacement(int(n >> 1)); !c.IsPlaceholder([]byte(s)) {
			t.Fatalf("%q of %q is not recognised", s, placeholder)
		}
		if len(text) > 200 {
			return
		}
		want := text == placeholder && !strings.Contains(placeholder, sizeMark)
		for i := range text {
			for j := i + 1; j <= len(text) && '0' <= text[j-1] && text[j-1] <= '9'; j++ {
				if number := text[i:j]; number == "0" || number[0] != '0' {
					want = want || strings.ReplaceAll(placeholder, sizeMark, number) == text
				}
			}
		}
		if got := c.IsPlaceholder([]byte(text)); got != want {
			t.Fatalf("%q of %q: got %v", text, placeholder, got)
		}
	})
}

func TestAllows(t *testing.T) {
	for _, c := range []struct {
		only, exclude string // patterns with spaces between them
		tool          string
		want          bool
	}{
		{"", "", "read_file", true},
		{"read*", "", "read_file", true},
		{"read*", "", "write_file", false},
		{"read* write*", "", "write_file", true},
		{"", "write*", "write_file", false},
		{"*", "write*", "write_file", false},
		{"*", "write*", "", true},
		{"?", "", "é", true},
		{"mcp*get", "", "mcp/server/get", true},
		{"mcp/*/get", "", "mcp/a/b/get", true},
		{"mcp[/_]get", "", "mcp/get", true},
		{"mcp/*", "", "mcp", false},
		{`\*`, "", "*", true},
		{`\*`, "", "a", false},
		{"[^a-c]*", "", "bash", false},
	} {
		config := Config{OnlyTools: strings.Fields(c.only), ExcludeTools: strings.Fields(c.exclude)}
		if got := config.Allows(c.tool); got != c.want {
			t.Errorf("only %q, exclude %q, %q: got %v", c.only, c.exclude, c.tool, got)
		}
	}
}

// FuzzAllows states that a pattern that is taken can be matched with every name, and that * takes them all.
func FuzzAllows(f *testing.F) {
	f.Add("read*", "read/file")
	f.Add("a[/", "a")
	f.Add(`\/[^/]`, "//")
	f.Fuzz(func(t *testing.T, pattern, tool string) {
		if !utf8.ValidString(pattern) {
			return
		}
		if err := NewSettings().Set("only_tools=" + string(appendStrings(nil, []string{pattern}))); err != nil {
			return
		}
		if _, err := glob.Match(pattern, tool); err != nil {
			t.Fatalf("%q, %q: %v", pattern, tool, err)
		}
		if !(Config{OnlyTools: []string{"*"}}).Allows(tool) {
			t.Fatalf("* does not take %q", tool)
		}
	})
}

// The answer to a text of any size costs no memory: every result of a history is asked.
func TestIsPlaceholderDoesNotAllocate(t *testing.T) {
	c := DefaultConfig()
	long := bytes.Repeat([]byte("[tool result omitted: 1"), 1000)
	if n := testing.AllocsPerRun(10, func() { c.IsPlaceholder(long); c.Allows("read") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
