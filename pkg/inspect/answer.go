// Package inspect answers questions about a content: selectors in, one answer out, bounded where that is asked for, with
// the selector of the next page. As a Tool it answers those of a model: its definition for every provider, the calls in
// their shapes, and the results.
package inspect

import (
	"io"
	"strings"

	"github.com/llmblob/llmblob/pkg/selector"
)

// MinBytes is the least that Options.MaxBytes may be.
const MinBytes = 256

// Options of an answer.
type Options struct {
	MaxBytes int  // of the answer, the line on what is left out included; 0: no bound
	Raw      bool // give a JSON string as its text
	Context  int  // lines around a match of grep
}

// Answer says what was given.
type Answer struct {
	Selectors []selector.Selector
	Range     selector.Range // what was given
	Total     int            // what there is, in the unit of Range
	Truncated bool
	Next      []selector.Selector // the next page, where the answer was cut
}

// Join writes selectors as they stand on a command line, separated by spaces.
func Join(sels []selector.Selector) string {
	words := make([]string, len(sels))
	for i, s := range sels {
		words[i] = s.String()
	}
	return ShellWords(words)
}

// ShellWords writes words as they stand on a command line, separated by spaces.
func ShellWords(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = shellWord(w)
	}
	return strings.Join(quoted, " ")
}

// shellWord quotes a word where a shell would not take it as it is.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-.:/,@%+=", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// choose finds what the selectors choose. Errors are those of selector.Select.
func choose(src selector.Source, sels []selector.Selector, o Options) (selector.Selection, error) {
	sel, err := selector.Select(src, selector.Options{Context: o.Context}, sels...)
	if err != nil {
		return selector.Selection{}, err
	}
	if text, ok := sel.StringText(); ok && o.Raw {
		return text, nil
	}
	return sel, nil
}

// Write writes what the selectors choose. A bound answer that is cut ends with a line that says what is left out and
// the selectors for the next page. Errors are a *BoundError, those of selector.Select and of w.
func Write(w io.Writer, src selector.Source, sels []selector.Selector, o Options) error {
	if err := checkBound(o.MaxBytes, sels); err != nil {
		return err
	}
	sel, err := choose(src, sels, o)
	if err != nil {
		return err
	}
	if o.MaxBytes == 0 {
		_, err := sel.WriteTo(w)
		return err
	}
	p := cut(sel, sels, o.MaxBytes, true)
	if _, err := w.Write(p.content); err != nil || p.left == 0 {
		return err
	}
	_, err = io.WriteString(w, p.notice())
	return err
}

// Get is Write into memory, with what was given as facts beside it. The content has neither the line feed that is added
// to JSON nor the line on what is left out.
func Get(src selector.Source, sels []selector.Selector, o Options) (Answer, []byte, error) {
	if err := checkBound(o.MaxBytes, sels); err != nil {
		return Answer{}, nil, err
	}
	sel, err := choose(src, sels, o)
	if err != nil {
		return Answer{}, nil, err
	}
	a := Answer{Selectors: sels, Range: sel.Range(), Total: sel.Total()}
	p := cut(sel, sels, o.MaxBytes, false)
	if p.left > 0 {
		a.Truncated, a.Next, a.Range = true, p.next, p.shown
		if !sel.IsRange() || sel.Range().Unit != p.shown.Unit {
			a.Total = p.shown.To + p.left
		}
	}
	return a, p.content, nil
}
