package history

import "github.com/llmblob/llmblob/internal/jsonscan"

// Format names a dialect.
type Format string

// dialect is how one kind of agent or interface writes its history. It says where the items are and does nothing else.
type dialect struct {
	name Format
	// documents are the shapes of one JSON document that holds its records.
	documents []document
	// match tells how surely a record is of this dialect.
	match func(rec value) certainty
	// items tells a builder the items of a record. What it does not understand it leaves alone.
	items func(b *builder, rec value)
}

// document is a JSON object that holds records in the array under a key.
type document struct {
	records string
	with    []string // keys that the object has beside it
	without string   // and one that it has not
	certain bool     // so the keys tell the dialect; else its records do, and the keys only where those are of any
}

// certainty is how surely a record is of a dialect.
type certainty uint8

const (
	no certainty = iota
	possible
	certain
)

// dialects are all there are. The first that is certain of a record is taken: those whose marks are plain come first.
var dialects = [...]*dialect{
	&sweAgent, &geminiCLI, &openCode, &langChain, &items, &codex, &pi, &claudeCode, &openHands,
	&openAIResponses, &gemini, &bedrock, &anthropic, &aiSDK, &openAIChat,
}

// Formats are the names of all dialects.
func Formats() []Format {
	names := make([]Format, 0, len(dialects))
	for _, d := range dialects {
		names = append(names, d.name)
	}
	return names
}

func byName(f Format) *dialect {
	for _, d := range dialects {
		if d.name == f {
			return d
		}
	}
	return nil
}

// either is certain where a condition holds.
func either(condition bool) certainty {
	if condition {
		return certain
	}
	return no
}

// oneOf reports whether a string is one of those.
func oneOf(v value, texts ...string) bool {
	if !v.Has(jsonscan.String) {
		return false
	}
	for _, text := range texts {
		if v.Is(text) {
			return true
		}
	}
	return false
}

// roleOf is the role that a message names. What is not known counts as the user's.
func roleOf(v value) Role {
	switch {
	case oneOf(v, "assistant", "model", "ai"):
		return Assistant
	case oneOf(v, "system", "developer"):
		return System
	case oneOf(v, "tool", "function"):
		return Tool
	}
	return User
}
