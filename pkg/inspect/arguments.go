package inspect

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/llmblob/llmblob/internal/jsonscan"
	"github.com/llmblob/llmblob/pkg/selector"
)

// request is what a call asks for.
type request struct {
	id      string
	sels    []selector.Selector
	context int
}

// exampleCall is a call as messages show it.
const exampleCall = `{"blob_id":"ID","selector":["lines:20-50"]}`

func badArgument(hint, format string, args ...any) error {
	return &argumentError{msg: fmt.Sprintf(format, args...), hint: hint}
}

// parseRequest reads the arguments of a call. It is lenient where the meaning is plain: with JSON in a string, a selector
// that stands alone, spaces, null for what is left out. An argument that it does not know is an error, for it was meant to
// change the answer. Errors are an *argumentError or a *selector.SyntaxError.
func parseRequest(arguments []byte) (request, error) {
	object, err := argumentObject(arguments)
	if err != nil {
		return request{}, err
	}
	r := request{context: defaultContext}
	for member := range jsonscan.Children(object) {
		if jsonscan.KindOf(member.Value) == jsonscan.Null {
			continue
		}
		switch name := string(jsonscan.Text(member.Key)); name {
		case "blob_id", "id":
			if jsonscan.KindOf(member.Value) != jsonscan.String {
				return request{}, badArgument("as in "+exampleCall, "%s: must be a string", name)
			}
			r.id = strings.TrimSpace(string(jsonscan.Text(member.Value)))
		case "selector", "selectors":
			if r.sels, err = selectorArgument(member.Value); err != nil {
				return request{}, err
			}
		case "context":
			if r.context, err = contextArgument(member.Value); err != nil {
				return request{}, err
			}
		default:
			return request{}, badArgument("the arguments are blob_id, selector and context, as in "+exampleCall, "there is no argument %q", clipName(name))
		}
	}
	if r.id == "" {
		return request{}, badArgument("as in "+exampleCall, "blob_id is missing")
	}
	return r, nil
}

func clipName(s string) string {
	const shown = 60
	text, n := clipValid([]byte(s), shown)
	if n < len(s) {
		return string(text) + "…"
	}
	return s
}

// argumentObject finds the object, which may stand in a string. No arguments at all are an empty one.
func argumentObject(arguments []byte) ([]byte, error) {
	const hint = "give an object as in " + exampleCall
	for range 3 {
		if len(bytes.TrimSpace(arguments)) == 0 {
			return []byte("{}"), nil
		}
		doc, err := jsonscan.Scan(arguments, 0)
		if err != nil {
			return nil, badArgument(hint, "the arguments are no JSON: %v", err)
		}
		switch doc.Kind {
		case jsonscan.Object:
			return doc.Value, nil
		case jsonscan.Null:
			return []byte("{}"), nil
		case jsonscan.String:
			arguments = jsonscan.Text(doc.Value)
			continue
		}
		return nil, badArgument(hint, "the arguments are a JSON %s", doc.Kind)
	}
	return nil, badArgument(hint, "the arguments are a JSON string")
}

// contextArgument reads a number, which may stand in a string.
func contextArgument(value []byte) (int, error) {
	text := string(value)
	if jsonscan.KindOf(value) == jsonscan.String {
		text = strings.TrimSpace(string(jsonscan.Text(value)))
	}
	f, err := strconv.ParseFloat(text, 64)
	n := int(max(-1, min(f, maxContext+1)))
	if err != nil || float64(n) != f || n < 0 || n > maxContext {
		return 0, badArgument("as in \"context\":3", "context: must be a whole number from 0 to %d", maxContext)
	}
	return n, nil
}

// selectorArgument reads one selector or an array of them, which may stand in a string. Empty ones are none.
func selectorArgument(value []byte) ([]selector.Selector, error) {
	const hint = `as in "selector":["lines:20-50"] or "selector":["key:results","slice:0..3"]`
	if jsonscan.KindOf(value) == jsonscan.String {
		text := jsonscan.Text(value)
		if doc, err := jsonscan.Scan(text, 0); err == nil && doc.Kind == jsonscan.Array {
			value = doc.Value
		} else {
			return parseSelector(string(text))
		}
	}
	if jsonscan.KindOf(value) != jsonscan.Array {
		return nil, badArgument(hint, "selector: must be a string or an array of strings")
	}
	var all []selector.Selector
	for element := range jsonscan.Children(value) {
		if jsonscan.KindOf(element.Value) != jsonscan.String {
			return nil, badArgument(hint, "selector: %s is no string", clipName(string(element.Value)))
		}
		sels, err := parseSelector(string(jsonscan.Text(element.Value)))
		if err != nil {
			return nil, err
		}
		all = append(all, sels...)
	}
	return all, nil
}

// parseSelector is selector.Parse of what a model writes: the name in any case, lines for a bare range with a dash, and a
// chain in one text where its beginning takes numbers, so that what follows them cannot be a part of it.
func parseSelector(expr string) ([]selector.Selector, error) {
	if strings.TrimSpace(expr) == "" {
		return nil, nil
	}
	s, err := selector.Parse(plain(expr))
	if err == nil {
		return []selector.Selector{s}, nil
	}
	if chain := splitChain(expr); chain != nil {
		var sels []selector.Selector
		for _, word := range chain {
			s, err := selector.Parse(plain(word))
			if err != nil {
				return nil, err
			}
			sels = append(sels, s)
		}
		return sels, nil
	}
	return nil, err
}

// plain writes an expression as selector.Parse takes it.
func plain(expr string) string {
	expr = strings.TrimLeft(expr, " \t\r\n")
	name, arg, hasArg := strings.Cut(expr, ":")
	name = strings.ToLower(strings.TrimSpace(name))
	if !hasArg {
		if from, to, dash := strings.Cut(name, "-"); dash && isNumber(from) && (isNumber(to) || strings.TrimSpace(to) == "") {
			return "lines:" + name
		}
		return name
	}
	switch name {
	case "line":
		name = "lines"
	case "grep":
		arg = strings.TrimRight(arg, "\r\n") // a match lies within a line
	}
	return name + ":" + arg
}

func isNumber(s string) bool {
	s = strings.TrimSpace(s)
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// splitChain takes a text apart into the selectors that are its words; nil where it is not several.
func splitChain(expr string) []string {
	words := strings.Fields(expr)
	if len(words) < 2 {
		return nil
	}
	for i, word := range words {
		words[i] = plain(word)
		if _, err := selector.Parse(words[i]); err != nil {
			return nil
		}
	}
	return words
}
