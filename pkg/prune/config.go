// Package prune decides which old tool results the context of the next request leaves out: a history and a
// configuration in, the results to leave out. It does no I/O and knows no clock.
package prune

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/llmblob/llmblob/internal/glob"
)

// MinSavings is a number of tokens, 0 or more, or AutoSavings.
type MinSavings int

// AutoSavings stands for as much as pays for the prompt cache that is broken: twice what it holds behind the results that are
// chosen, what they save counting for more the longer they wait. See docs/pruning.md.
const AutoSavings MinSavings = -1

// Mode is how choices are made over the course of a history.
type Mode string

// ModeStable chooses in lots and never takes a choice back; ModeRolling chooses every result before the boundary.
const (
	ModeStable  Mode = "stable"
	ModeRolling Mode = "rolling"
)

// Omit is what comes into the place of a content.
type Omit string

// OmitDrop puts the placeholder, or null where the result has a summary of its own; OmitSummary stores the content and
// puts the summary of its blob.
const (
	OmitDrop    Omit = "drop"
	OmitSummary Omit = "summary"
)

// The ways of counting tokens that have a name.
const (
	TokensBytes  = "bytes" // UTF-8 bytes / 4
	TokensUsage  = "usage" // what the provider counted, as the history has it
	TokensO200k  = "o200k_base"
	TokensCl100k = "cl100k_base"
)

// Tokens is how tokens are counted: by one of the names above, or by a command.
type Tokens struct {
	Name    string   // "" where there is a command
	Command []string // a program, its name not "", and its arguments
}

// Config says which old tool results a projection leaves out. Its JSON is prune.json. ParseConfig and Settings return
// valid ones; one made in Go is checked by Validate.
type Config struct {
	ProtectedTokens int // results within so many tokens of the end stay
	ProtectedTurns  int // results of so many last turns stay; 0: none for that alone
	MinSavings      MinSavings
	Mode            Mode
	Omit            Omit
	Placeholder     string   // 1 to 400 characters, not all of them white space; {bytes} is the size of the content
	OnlyTools       []string // glob patterns over tool names, as of path.Match, but * takes a slash too; empty: all tools
	ExcludeTools    []string // the same; of a tool in both the results stay
	KeepErrors      bool
	TriggerTokens   int           // nothing is left out while the whole context is smaller
	CacheTTL        time.Duration // after a pause longer than this the prompt cache is taken to be cold; 0: never
	Tokens          Tokens
}

// The bounds of numbers and of the placeholder. A number of tokens or turns fits an int of 32 bits, and so do sums of two.
const (
	maxNumber           = 1_000_000_000
	maxPlaceholderRunes = 400
)

// defaultProtectedTokens is what protected_tokens is where neither it nor protected_turns is given.
const defaultProtectedTokens = 8000

// DefaultConfig returns the configuration of an empty prune.json.
func DefaultConfig() Config {
	return Config{
		ProtectedTokens: defaultProtectedTokens,
		MinSavings:      AutoSavings,
		Mode:            ModeStable,
		Omit:            OmitDrop,
		Placeholder:     "[tool result omitted: " + sizeMark + " bytes]",
		Tokens:          Tokens{Name: TokensBytes},
	}
}

// Validate reports the first field, in the order of prune.json, that its file could not hold. The error is a *ConfigError
// without a place.
func (c Config) Validate() error {
	for _, f := range fields() {
		literal := f.append(nil, &c)
		if err := f.set(new(Config), value{field: f.name, source: literal, json: literal}); err != nil {
			return withoutPlace(err)
		}
	}
	for _, s := range []struct {
		field string
		texts []string
	}{
		// JSON cannot hold other bytes: writing it has replaced them above.
		{"placeholder", []string{c.Placeholder}},
		{"only_tools", c.OnlyTools},
		{"exclude_tools", c.ExcludeTools},
		{"tokens", c.Tokens.Command},
	} {
		if !utf8.ValidString(strings.Join(s.texts, "")) {
			return &ConfigError{Field: s.field, Msg: msgUTF8}
		}
	}
	if c.Tokens.Name != "" && len(c.Tokens.Command) > 0 {
		return &ConfigError{Field: "tokens", Msg: "must be a name or a command, not both"}
	}
	return nil
}

// AppendJSON appends prune.json with every field, in the order of its documentation, indented by two spaces and without a
// line feed at its end. ParseConfig makes an equal configuration of it.
func (c Config) AppendJSON(dst []byte) []byte {
	return appendIndented(dst, c.compact())
}

// MarshalJSON returns prune.json with every field on one line.
func (c Config) MarshalJSON() ([]byte, error) { return c.compact(), nil }

// UnmarshalJSON is ParseConfig, as encoding/json calls it: what data does not give has its default, whatever c was.
func (c *Config) UnmarshalJSON(data []byte) error {
	parsed, err := ParseConfig(data)
	if err == nil {
		*c = parsed
	}
	return err
}

func (c Config) compact() []byte {
	var dst []byte
	for i, f := range fields() {
		dst = append(dst, "{,"[min(i, 1)])
		dst = append(appendString(dst, f.name), ':')
		dst = f.append(dst, &c)
	}
	return append(dst, '}')
}

// appendIndented appends valid JSON, indented.
func appendIndented(dst, compact []byte) []byte {
	b := bytes.NewBuffer(dst)
	_ = json.Indent(b, compact, "", "  ") // it is valid
	return b.Bytes()
}

// appendString appends a string literal in which <, > and & stand as they are.
func appendString(dst []byte, s string) []byte {
	b := bytes.NewBuffer(dst)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // every string can be encoded
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// sizeMark stands in a placeholder for the size of what was left out.
const sizeMark = "{bytes}"

// Replacement returns the placeholder for a content of so many bytes, 0 or more.
func (c Config) Replacement(bytes int) string {
	return strings.ReplaceAll(c.Placeholder, sizeMark, strconv.Itoa(bytes))
}

// longestReplacement is how many bytes a placeholder has at most.
func (c Config) longestReplacement() int {
	const longestNumber = 19 // of an int
	return len(c.Placeholder) + longestNumber*strings.Count(c.Placeholder, sizeMark)
}

// begins are the bytes that a placeholder can begin with.
func (c Config) begins() string {
	switch {
	case strings.HasPrefix(c.Placeholder, sizeMark):
		return "0123456789"
	case c.Placeholder == "":
		return ""
	}
	return c.Placeholder[:1]
}

// IsPlaceholder reports whether a text is the placeholder, with one number, as strconv.Itoa writes those that are not
// negative, in all the places of {bytes}.
func (c Config) IsPlaceholder(text []byte) bool {
	before, _, marked := strings.Cut(c.Placeholder, sizeMark)
	if !marked {
		return string(text) == c.Placeholder
	}
	// How long the number is follows from the length of the text, so digits beside a mark are never taken for its own.
	marks := strings.Count(c.Placeholder, sizeMark)
	spare := len(text) - (len(c.Placeholder) - marks*len(sizeMark))
	if spare < marks || spare%marks != 0 {
		return false
	}
	number := text[len(before):][:spare/marks]
	if number[0] == '0' && len(number) > 1 {
		return false
	}
	for _, digit := range number {
		if digit < '0' || digit > '9' {
			return false
		}
	}
	for rest := c.Placeholder; ; {
		literal, after, marked := strings.Cut(rest, sizeMark)
		if string(text[:len(literal)]) != literal {
			return false
		}
		if text = text[len(literal):]; !marked {
			return true
		}
		if !bytes.HasPrefix(text, number) {
			return false
		}
		text, rest = text[len(number):], after
	}
}

// Allows reports whether results of a tool may be left out by its name.
func (c Config) Allows(tool string) bool {
	return (len(c.OnlyTools) == 0 || matchesAny(c.OnlyTools, tool)) && !matchesAny(c.ExcludeTools, tool)
}

func matchesAny(patterns []string, tool string) bool {
	for _, pattern := range patterns {
		if ok, _ := glob.Match(pattern, tool); ok { // the patterns are good
			return true
		}
	}
	return false
}
