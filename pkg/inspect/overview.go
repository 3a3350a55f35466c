package inspect

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/llmblob/llmblob/internal/jsonscan"
	"github.com/llmblob/llmblob/pkg/selector"
	"github.com/llmblob/llmblob/pkg/summarize"
)

// What an overview shows of a content.
const (
	firstLines    = 50
	firstElements = 5
	maxShownKey   = 40 // bytes of a key that is named as an example
)

// OverviewBytes bounds an overview where nobody says otherwise: a first line can be as long as the whole.
const OverviewBytes = 64 << 10

// Subject is what an overview is of.
type Subject struct {
	Name    string // the id of a blob, or a file
	Command string // what inspects it, with the name: "llmblob inspect ID"
	IsBlob  bool
	Created string // when a blob was, as it is printed
	Facts   summarize.Facts
	Data    []byte
}

// beginning returns the selectors of what an overview shows, none for the whole, and of what comes after that.
func (s Subject) beginning() (first, next []selector.Selector) {
	switch s.Facts.Type {
	case summarize.Text:
		first = []selector.Selector{selector.Lines(1, firstLines)}
		if s.Facts.Count > firstLines {
			next = []selector.Selector{selector.Lines(firstLines+1, min(2*firstLines, s.Facts.Count))}
		}
	case summarize.JSONArray:
		first = []selector.Selector{selector.Slice(0, firstElements)}
		if s.Facts.Count > firstElements {
			next = []selector.Selector{selector.Slice(firstElements, min(2*firstElements, s.Facts.Count))}
		}
	case summarize.JSONObject:
		first = []selector.Selector{selector.Keys()}
		for member := range jsonscan.Children(s.Facts.Value()) {
			if key := string(jsonscan.Text(member.Key)); len(key) <= maxShownKey {
				next = []selector.Selector{selector.Key(key)}
				break
			}
		}
	}
	return first, next
}

// all returns the selectors of the whole of which beginning chooses the first part.
func (s Subject) all() []selector.Selector {
	switch s.Facts.Type {
	case summarize.Text:
		return []selector.Selector{selector.Lines(1, 0)}
	case summarize.JSONArray:
		return []selector.Selector{selector.Slice(0, 0)}
	case summarize.JSONObject:
		return []selector.Selector{selector.Keys()}
	}
	return nil
}

// after returns the selectors of all that follows what was shown of the beginning; of an object those given.
func (s Subject) after(shown page, next []selector.Selector) []selector.Selector {
	switch s.Facts.Type {
	case summarize.Text:
		return []selector.Selector{selector.Lines(cmp.Or(shown.shown.To, firstLines)+1, 0)}
	case summarize.JSONArray:
		return []selector.Selector{selector.Slice(cmp.Or(shown.shown.To, firstElements), 0)}
	}
	return next
}

func (s Subject) source() selector.Source {
	if s.Facts.Type == summarize.Text {
		return selector.Source{Data: s.Data, Kind: selector.Text}
	}
	return selector.Source{Data: s.Facts.Value(), Kind: selector.ValidJSON}
}

// Overview says what the content is and shows its beginning, and the command that shows what follows: all of it within
// o.MaxBytes, or else OverviewBytes. Of a small bound the facts, which are not cut, may leave no room for more.
func Overview(w io.Writer, s Subject, o Options) error {
	facts := s.facts()
	if o.MaxBytes == 0 {
		o.MaxBytes = OverviewBytes
	}
	if len(facts) > o.MaxBytes { // the name of the file is that long
		return &BoundError{Bytes: o.MaxBytes, Least: len(facts)}
	}
	if s.isEmpty() {
		_, err := w.Write(facts)
		return err
	}
	first, next := s.beginning()
	sel, err := choose(s.source(), first, o)
	if err != nil {
		return err
	}
	const longestRanges = 43 + 45 // of lines or elements, and of bytes
	room := o.MaxBytes - len(facts) - len("\n\n\nnext: \n") - len(s.Command) - longestRanges
	if room < leastContent {
		if len(facts)+len("\nnext:  \n")+len(s.Command)+len(Join(first)) > o.MaxBytes {
			first = nil
		}
		return writeOverview(w, facts, nil, s.Command, first)
	}
	p := cut(sel, first, room, false)
	if p.left > 0 {
		next = p.next
	}
	return writeOverview(w, facts, p.content, s.Command, next)
}

func writeOverview(w io.Writer, facts, content []byte, command string, next []selector.Selector) error {
	out := slices.Clone(facts)
	if n := len(content); n > 0 {
		out = append(append(out, '\n'), content...)
		if content[n-1] != '\n' {
			out = append(out, '\n')
		}
	}
	if len(next) > 0 {
		out = fmt.Appendf(out, "\nnext: %s %s\n", command, Join(next))
	}
	_, err := w.Write(out)
	return err
}

func (s Subject) isEmpty() bool { return s.Facts.Unit() != "" && s.Facts.Count == 0 }

func (s Subject) facts() []byte {
	label := "file"
	if s.IsBlob {
		label = "id"
	}
	out := fmt.Appendf(nil, "%s: %s\ntype: %s\nbytes: %d\n", label, s.Name, s.Facts.Type, s.Facts.Bytes)
	if unit := s.Facts.Unit(); unit != "" {
		out = fmt.Appendf(out, "%s: %d\n", unit, s.Facts.Count)
	}
	if s.IsBlob {
		out = fmt.Appendf(out, "created: %s\n", s.Created)
	}
	return out
}

// GetOverview is Overview into memory, with what was given as facts beside it.
func GetOverview(s Subject, o Options) (Answer, []byte, error) {
	if s.isEmpty() {
		return Answer{}, nil, nil
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = OverviewBytes
	}
	first, next := s.beginning()
	a, content, err := Get(s.source(), first, o)
	if err == nil && !a.Truncated {
		a.Next = next
	}
	return a, content, err
}
