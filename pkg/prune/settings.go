package prune

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/jsonc"

	"github.com/llmblob/llmblob/internal/jsonscan"
	"github.com/llmblob/llmblob/internal/nearest"
)

// ConfigError says which field of a configuration is wrong, where it stands, and what is allowed.
type ConfigError struct {
	Line, Column int    // 1-based, the column in characters; 0 of what is no file
	Field        string // "" of a fault that is no field's
	Msg          string
	Hint         string // what to write instead; "" where nothing is plain
}

func (e *ConfigError) Error() string {
	msg := e.Msg
	if e.Field != "" {
		msg = clip(e.Field) + ": " + msg
	}
	if e.Line > 0 {
		msg = fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, msg)
	}
	return msg
}

func (e *ConfigError) withHint(hint string) *ConfigError {
	e.Hint = hint
	return e
}

const (
	msgUTF8      = "must be UTF-8"
	msgDuplicate = "is given twice"
)

const byteOrderMark = "\ufeff"

// ParseConfig reads prune.json; see ParseSettings.
func ParseConfig(data []byte) (Config, error) {
	s, err := ParseSettings(data)
	if err != nil {
		return Config{}, err
	}
	return s.Config(), nil
}

// Settings are the fields that are given: in a file, and one by one on top of it.
type Settings struct {
	config Config // ProtectedTokens is notGiven until it is
}

// notGiven is no value of a field.
const notGiven = -1

// NewSettings returns settings of which none is given.
func NewSettings() *Settings {
	s := &Settings{config: DefaultConfig()}
	s.config.ProtectedTokens = notGiven
	return s
}

// ParseSettings reads a prune.json: one JSON object, in which comments, commas before a closing bracket and a $schema may
// stand. Unknown fields, fields given twice and values that are out of range are errors. The error is a *ConfigError with
// its place.
func ParseSettings(data []byte) (*Settings, error) {
	if at := invalidAt(data); at >= 0 { // in a comment it would go unseen
		return nil, value{source: data, start: at}.fail(fmt.Sprintf("byte 0x%02x is not UTF-8", data[at]))
	}
	root := value{source: data, json: jsonc.ToJSON(data)}
	if bytes.HasPrefix(data, []byte(byteOrderMark)) { // as editors write it
		copy(root.json, "   ")
	}
	doc, err := jsonscan.Scan(root.json, 0)
	if err != nil {
		var e *jsonscan.Error
		if errors.As(err, &e) {
			root.start = e.Offset
			err = root.fail(e.Msg)
		}
		return nil, err
	}
	root.start = jsonscan.SkipSpace(root.json, 0)
	if doc.Kind != jsonscan.Object {
		return nil, root.fail(fmt.Sprintf("a configuration must be an object, not %s", root.shown()))
	}
	s := NewSettings()
	seen := make(map[string]bool)
	for key, v := range root.members() {
		name := key.text()
		key.field, v.field = name, name
		if seen[name] {
			return nil, key.fail(msgDuplicate)
		}
		seen[name] = true
		if jsonscan.HasLoneSurrogate(v.literal()) {
			return nil, v.fail("half a surrogate pair, which is no text")
		}
		if name == "$schema" {
			if v.kind() != jsonscan.String {
				return nil, v.mustBe("a string")
			}
			continue
		}
		f, err := findField(key)
		if err != nil {
			return nil, err
		}
		if err := f.set(&s.config, v); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Set gives one field a value, "mode=rolling" say, whatever it was before. The value is read as JSON; where it is none, or
// where it is no string and the field can be any, it is taken as the text of a string. The error is a *ConfigError without a
// place, and then nothing has changed.
func (s *Settings) Set(assignment string) error {
	name, text, ok := strings.Cut(assignment, "=")
	if !ok {
		return &ConfigError{Msg: fmt.Sprintf("%q: must be a field, = and a value", clip(assignment)), Hint: "as in mode=rolling"}
	}
	v := value{field: name}
	f, err := findField(v)
	if err != nil {
		return withoutPlace(err)
	}
	if !utf8.ValidString(text) {
		return withoutPlace(v.fail(msgUTF8))
	}
	v.json = []byte(text)
	doc, err := jsonscan.Scan(v.json, 0)
	if err != nil || f.isText && doc.Kind != jsonscan.String {
		v.json = appendString(nil, text)
	}
	v.source, v.start = v.json, jsonscan.SkipSpace(v.json, 0)
	return withoutPlace(f.set(&s.config, v))
}

// Config returns the configuration of what is given, with the defaults for all else. Later changes do not reach it.
func (s *Settings) Config() Config {
	c := s.config
	if c.ProtectedTokens == notGiven {
		c.ProtectedTokens = defaultProtectedTokens
		if c.ProtectedTurns > 0 {
			c.ProtectedTokens = 0
		}
	}
	return c
}

// invalidAt returns the place of the first byte that is not UTF-8, or -1.
func invalidAt(data []byte) int {
	for at := 0; at < len(data); {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

// findField returns the field that v is named after.
func findField(v value) (field, error) {
	all := fields()
	names := make([]string, len(all))
	for i, f := range all {
		if f.name == v.field {
			return f, nil
		}
		names[i] = f.name
	}
	return field{}, v.fail("unknown field").withHint(suggest(v.field, names))
}

// suggest says which of the names is meant, or what they are.
func suggest(name string, names []string) string {
	best, least := "", max(1, len(name)/4)+1
	for _, n := range names {
		if d := nearest.Distance(name, n); d < least {
			best, least = n, d
		}
	}
	if best != "" {
		return "did you mean " + best + "?"
	}
	return "the fields are " + strings.Join(names, ", ")
}

// withoutPlace takes the place from an error about what is no file.
func withoutPlace(err error) error {
	var e *ConfigError
	if errors.As(err, &e) {
		e.Line, e.Column = 0, 0
	}
	return err
}
