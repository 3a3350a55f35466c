package prune

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/llmblob/llmblob/internal/jsonscan"
)

// field is one of prune.json. What is read, what is printed and the schema all come from here.
type field struct {
	name        string
	description string
	schema      string // what the value may be, as members of a JSON Schema
	isText      bool   // every string can be meant, so Set takes whatever it gets as one
	set         func(c *Config, v value) error
	append      func(dst []byte, c *Config) []byte // the value as JSON
}

// fields lists them in the order in which they are documented and printed.
func fields() []field {
	return []field{
		integer("protected_tokens", "Results within this many tokens of the end stay. Where protected_turns is set and this is not, it is 0.",
			func(c *Config) *int { return &c.ProtectedTokens }),
		protectedTurns(),
		minSavings(),
		choice("mode", "stable: results are chosen in lots that save min_savings, and a choice is never taken back, so the prompt cache keeps working. rolling: every result before the boundary, whenever their sum reaches min_savings.",
			func(c *Config) *Mode { return &c.Mode }, ModeStable, ModeRolling),
		choice("omit", "drop: the content goes; the placeholder takes its place, or null where the result has a summary of its own. summary: the content is stored, and a summary with its reference takes its place.",
			func(c *Config) *Omit { return &c.Omit }, OmitDrop, OmitSummary),
		placeholder(),
		patterns("only_tools", "Glob patterns over tool names: the results of other tools stay. Empty: all tools.",
			func(c *Config) *[]string { return &c.OnlyTools }),
		patterns("exclude_tools", "Glob patterns over tool names: the results of these tools stay.",
			func(c *Config) *[]string { return &c.ExcludeTools }),
		keepErrors(),
		integer("trigger_tokens", "Nothing is done while the whole context has fewer tokens.",
			func(c *Config) *int { return &c.TriggerTokens }),
		cacheTTL(),
		tokens(),
	}
}

func integer(name, description string, at func(*Config) *int) field {
	return field{
		name:        name,
		description: description,
		schema:      integerSchema(0),
		set: func(c *Config, v value) error {
			n, ok := v.integer(0)
			if !ok {
				return v.mustBe(anInteger(0))
			}
			*at(c) = n
			return nil
		},
		append: func(dst []byte, c *Config) []byte { return strconv.AppendInt(dst, int64(*at(c)), 10) },
	}
}

func integerSchema(least int) string {
	return fmt.Sprintf(`"type":"integer","minimum":%d,"maximum":%d`, least, maxNumber)
}

func anInteger(least int) string { return fmt.Sprintf("an integer from %d to %d", least, maxNumber) }

func protectedTurns() field {
	return field{
		name:        "protected_turns",
		description: "Results of the last N turns stay. With protected_tokens set too, either protects. null: none for that alone.",
		schema:      `"anyOf":[{"type":"null"},{` + integerSchema(1) + `}]`,
		set: func(c *Config, v value) error {
			n, ok := 0, true
			if v.kind() != jsonscan.Null {
				n, ok = v.integer(1)
			}
			if !ok {
				return v.mustBe(anInteger(1) + ", or null")
			}
			c.ProtectedTurns = n
			return nil
		},
		append: func(dst []byte, c *Config) []byte {
			if c.ProtectedTurns == 0 {
				return append(dst, "null"...)
			}
			return strconv.AppendInt(dst, int64(c.ProtectedTurns), 10)
		},
	}
}

func minSavings() field {
	const auto = "auto"
	return field{
		name:        "min_savings",
		description: "Nothing is done unless at least this many tokens are saved. auto: once that pays for the prompt cache that is broken, see docs/pruning.md.",
		schema:      `"anyOf":[{"const":"` + auto + `"},{` + integerSchema(0) + `}]`,
		set: func(c *Config, v value) error {
			if v.is(auto) {
				c.MinSavings = AutoSavings
				return nil
			}
			n, ok := v.integer(0)
			if !ok {
				return v.mustBe(`"` + auto + `" or ` + anInteger(0))
			}
			c.MinSavings = MinSavings(n)
			return nil
		},
		append: func(dst []byte, c *Config) []byte {
			if c.MinSavings == AutoSavings {
				return appendString(dst, auto)
			}
			return strconv.AppendInt(dst, int64(c.MinSavings), 10)
		},
	}
}

func choice[T ~string](name, description string, at func(*Config) *T, names ...T) field {
	return field{
		name:        name,
		description: description,
		schema:      `"enum":` + string(appendStrings(nil, names)),
		isText:      true,
		set: func(c *Config, v value) error {
			for _, n := range names {
				if v.is(string(n)) {
					*at(c) = n
					return nil
				}
			}
			return v.mustBe(oneOf(names))
		},
		append: func(dst []byte, c *Config) []byte { return appendString(dst, string(*at(c))) },
	}
}

// oneOf lists names as messages show them.
func oneOf[T ~string](names []T) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = strconv.Quote(string(n))
	}
	last := len(quoted) - 1
	return strings.Join(quoted[:last], ", ") + " or " + quoted[last]
}

func appendStrings[T ~string](dst []byte, texts []T) []byte {
	dst = append(dst, '[')
	for i, s := range texts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(dst, string(s))
	}
	return append(dst, ']')
}

func placeholder() field {
	return field{
		name:        "placeholder",
		description: "What takes the place of a content. {bytes} stands for its size.",
		// Providers refuse a text of nothing but white space.
		schema: fmt.Sprintf(`"type":"string","pattern":"\\S","maxLength":%d`, maxPlaceholderRunes),
		isText: true,
		set: func(c *Config, v value) error {
			if v.kind() != jsonscan.String {
				return v.mustBe("a string")
			}
			text := v.text()
			if strings.TrimSpace(text) == "" {
				return v.fail("must hold more than white space: providers refuse an empty text")
			}
			if n := utf8.RuneCountInString(text); n > maxPlaceholderRunes {
				return v.fail(fmt.Sprintf("must be at most %d characters, not %d", maxPlaceholderRunes, n))
			}
			c.Placeholder = text
			return nil
		},
		append: func(dst []byte, c *Config) []byte { return appendString(dst, c.Placeholder) },
	}
}

func patterns(name, description string, at func(*Config) *[]string) field {
	const allowed, example = "an array of glob patterns", `as in ["read*", "mcp__*__get"]`
	return field{
		name:        name,
		description: description + " * takes any characters, ? one, [a-z] one of these.",
		schema:      `"type":"array","items":{"type":"string","minLength":1}`,
		set: func(c *Config, v value) error {
			if v.kind() != jsonscan.Array {
				return v.mustBe(allowed).withHint(example)
			}
			var texts []string
			for e := range v.elements() {
				if e.kind() != jsonscan.String || e.text() == "" {
					return e.mustBe("a glob pattern").withHint(example)
				}
				if _, err := path.Match(e.text(), ""); err != nil {
					return e.mustBe("a glob pattern").withHint(`a [ needs its ], a \ something behind it`)
				}
				texts = append(texts, e.text())
			}
			*at(c) = texts
			return nil
		},
		append: func(dst []byte, c *Config) []byte { return appendStrings(dst, *at(c)) },
	}
}

func keepErrors() field {
	return field{
		name:        "keep_errors",
		description: "Results that are marked as errors stay.",
		schema:      `"type":"boolean"`,
		set: func(c *Config, v value) error {
			if v.kind() != jsonscan.Bool {
				return v.mustBe("true or false")
			}
			c.KeepErrors = v.literal()[0] == 't'
			return nil
		},
		append: func(dst []byte, c *Config) []byte { return strconv.AppendBool(dst, c.KeepErrors) },
	}
}

func cacheTTL() field {
	return field{
		name:        "cache_ttl",
		description: "A duration as 5m or 1h30m: at a request that comes later than this after the one before, the prompt cache is cold, and everything prunable is chosen whatever it saves. null: never.",
		// What time.ParseDuration reads, and a digit that is not 0.
		schema: `"anyOf":[{"type":"null"},{"type":"string","pattern":"^\\+?(([0-9]+\\.?[0-9]*|\\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$","allOf":[{"pattern":"[1-9]"}]}]`,
		set: func(c *Config, v value) error {
			var ttl time.Duration
			if v.kind() != jsonscan.Null {
				if v.kind() == jsonscan.String {
					ttl, _ = time.ParseDuration(v.text()) // 0 where it is none
				}
				if ttl <= 0 {
					return v.mustBe("a duration above 0, or null").withHint(`as in "5m" or "1h30m"`)
				}
			}
			c.CacheTTL = ttl
			return nil
		},
		append: func(dst []byte, c *Config) []byte {
			if c.CacheTTL == 0 {
				return append(dst, "null"...)
			}
			return appendString(dst, duration(c.CacheTTL))
		},
	}
}

// duration is the shorter form of a duration's String: 5m for 5m0s.
func duration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

const tokensExample = `as in "bytes" or {"command": ["my-counter", "--fast"]}`

func tokens() field {
	names := []string{TokensBytes, TokensUsage, TokensO200k, TokensCl100k}
	return field{
		name:        "tokens",
		description: "How tokens are counted. bytes: UTF-8 bytes / 4. usage: by the provider's own counts in the history. o200k_base, cl100k_base: by that vocabulary. An object: by a command, which gets one JSON object a line and answers one integer a line.",
		schema: `"anyOf":[{"enum":` + string(appendStrings(nil, names)) + `},{"type":"object","additionalProperties":false,"required":["command"],"properties":{` +
			`"command":{"description":"A program and its arguments.","type":"array","minItems":1,"prefixItems":[{"type":"string","minLength":1}],"items":{"type":"string"}}}}]`,
		set: func(c *Config, v value) error {
			if v.kind() == jsonscan.Object {
				command, err := command(v)
				if err != nil {
					return err
				}
				c.Tokens = Tokens{Command: command}
				return nil
			}
			for _, n := range names {
				if v.is(n) {
					c.Tokens = Tokens{Name: n}
					return nil
				}
			}
			return v.mustBe(oneOf(names) + ", or an object with a command").withHint(tokensExample)
		},
		append: func(dst []byte, c *Config) []byte {
			if len(c.Tokens.Command) == 0 {
				return appendString(dst, c.Tokens.Name)
			}
			return append(appendStrings(append(dst, `{"command":`...), c.Tokens.Command), '}')
		},
	}
}

// command reads {"command": ["prog", "arg"]}.
func command(v value) ([]string, error) {
	var command []string
	for key, member := range v.members() {
		if key.text() != "command" {
			return nil, key.fail("unknown field " + key.shown() + " in it").withHint(tokensExample)
		}
		if command != nil {
			return nil, key.fail("command " + msgDuplicate)
		}
		if member.kind() != jsonscan.Array {
			return nil, member.mustBe("a command as an array of strings").withHint(tokensExample)
		}
		for e := range member.elements() {
			if e.kind() != jsonscan.String {
				return nil, e.mustBe("a command of strings").withHint(tokensExample)
			}
			command = append(command, e.text())
		}
		if len(command) == 0 || command[0] == "" {
			return nil, member.mustBe("a command that names a program").withHint(tokensExample)
		}
	}
	if command == nil {
		return nil, v.mustBe("an object with a command").withHint(tokensExample)
	}
	return command, nil
}
