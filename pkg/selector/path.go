package selector

import (
	"fmt"
	"strconv"
	"strings"
	"unsafe"

	"github.com/tidwall/gjson"

	"github.com/llmblob/llmblob/internal/jsonscan"
)

// Bounds of gjson paths. A modifier or a group can make its input many times larger, and the next one that again.
const (
	maxPathOperators = 8
	maxPathGroups    = 2
	maxPathCommas    = 16  // between the members of groups
	maxModifierDepth = 512 // of the document
)

// path applies a gjson path. Paths of plain keys and indexes, which are most, are followed here, so that the last of
// equal keys counts; before all others the earlier ones are left out.
func (c Selection) path(s Selector) (Selection, error) {
	steps := strings.Split(s.arg, ".")
	for _, step := range steps {
		if !isPlainStep(step) {
			return c.gjson(s)
		}
	}
	for _, step := range steps {
		kind, _ := c.kind()
		var found []byte
		switch i, err := strconv.Atoi(step); {
		case kind == jsonscan.Object:
			if found = lastMember(c.raw, step); found == nil {
				return Selection{}, &EmptyError{Selector: s.String(), Msg: c.noSuchKey(step)}
			}
		case kind == jsonscan.Array && err == nil:
			found = c.array().at(i)
		}
		if found == nil {
			return Selection{}, &EmptyError{Selector: s.String(), Msg: fmt.Sprintf("%q is not there; %s", step, c.outline())}
		}
		c = Selection{form: formValue, raw: found}
	}
	return c, nil
}

// isPlainStep reports whether a step of a path is a key or an index without any meaning beyond that.
func isPlainStep(step string) bool {
	for _, r := range step {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-' {
			return false
		}
	}
	leadingZero := len(step) > 1 && step[0] == '0'
	return step != "" && step[0] != '-' && !leadingZero && len(step) <= maxDigits
}

// lastMember returns the value of a key; of equal keys the last one counts.
func lastMember(value []byte, key string) []byte {
	var found []byte
	for m := range jsonscan.Children(value) {
		if jsonscan.IsText(m.Key, key) {
			found = m.Value
		}
	}
	return found
}

func (c Selection) gjson(s Selector) (out Selection, err error) {
	bad := func(msg string) error { return &SyntaxError{Expr: s.String(), Offset: len("path:"), Msg: msg} }
	defer func() {
		if p := recover(); p != nil { // a path that its parser does not survive is a bad path
			err = bad("not a gjson path")
		}
	}()
	groups := strings.Count(s.arg, "[") + strings.Count(s.arg, "{")
	if n := groups + strings.Count(s.arg, "@") + strings.Count(s.arg, "|"); n > maxPathOperators {
		return Selection{}, bad(fmt.Sprintf("%d modifiers, groups and pipes, at most %d are taken", n, maxPathOperators))
	}
	if groups > maxPathGroups || groups > 0 && strings.Count(s.arg, ",") > maxPathCommas {
		return Selection{}, bad(fmt.Sprintf("at most %d groups and %d commas are taken", maxPathGroups, maxPathCommas))
	}
	whole, err := jsonscan.Scan(c.json(), 0)
	if err != nil {
		return Selection{}, err
	}
	if strings.Contains(s.arg, "@") && whole.Depth > maxModifierDepth {
		return Selection{}, bad(fmt.Sprintf("modifiers take no document that nests deeper than %d levels", maxModifierDepth))
	}
	in := jsonscan.LastWins(whole.Value)
	// The bytes outlive the string and nobody changes them: gjson may look at them without a copy.
	found := gjson.Get(unsafe.String(unsafe.SliceData(in), len(in)), s.arg)
	if !found.Exists() || found.Raw == "" {
		return Selection{}, &EmptyError{Selector: s.String(), Msg: "nothing there; " + c.outline()}
	}
	doc, err := jsonscan.Scan(unsafe.Slice(unsafe.StringData(found.Raw), len(found.Raw)), 0)
	if err != nil {
		return Selection{}, bad("the path gives no JSON value")
	}
	return Selection{form: formValue, raw: doc.Value}, nil
}
