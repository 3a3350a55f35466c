package inspect

import (
	"fmt"
	"io"
	"time"

	"github.com/llmblob/llmblob/internal/jsonscan"
	"github.com/llmblob/llmblob/pkg/selector"
	"github.com/llmblob/llmblob/pkg/summarize"
)

// What an overview shows of a content.
const (
	firstLines    = 50
	firstElements = 5
)

// Subject is what an overview is of.
type Subject struct {
	Name    string // the id of a blob, or a file
	IsBlob  bool
	Created time.Time // of a blob
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
			next = []selector.Selector{selector.Key(string(jsonscan.Text(member.Key)))}
			break
		}
	}
	return first, next
}

func (s Subject) source() selector.Source {
	if s.Facts.Type == summarize.Text {
		return selector.Source{Data: s.Data, Kind: selector.Text}
	}
	return selector.Source{Data: s.Data, Kind: selector.JSON}
}

// Overview says what the content is and shows its beginning, within o.MaxBytes or else ToolBytes, and the command that
// shows what follows. createdFormat is how the time is printed, in UTC.
func Overview(w io.Writer, s Subject, createdFormat string, o Options) error {
	if err := s.writeFacts(w, createdFormat); err != nil || s.isEmpty() {
		return err
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = ToolBytes
	}
	first, next := s.beginning()
	if err := checkBound(o.MaxBytes, first); err != nil {
		return err
	}
	sel, err := Select(s.source(), first, o)
	if err != nil {
		return err
	}
	p := cut(sel, first, o.MaxBytes, true)
	if p.left > 0 {
		next = p.next
	}
	if _, err := fmt.Fprintf(w, "\n%s", p.content); err != nil {
		return err
	}
	if n := len(p.content); n > 0 && p.content[n-1] != '\n' {
		if _, err := io.WriteString(w, "\n"); err != nil {
			return err
		}
	}
	if len(next) > 0 {
		_, err = fmt.Fprintf(w, "\nnext: llmblob inspect %s %s\n", shellWord(s.Name), Join(next))
	}
	return err
}

func (s Subject) isEmpty() bool { return s.Facts.Unit() != "" && s.Facts.Count == 0 }

func (s Subject) writeFacts(w io.Writer, createdFormat string) error {
	label := "file"
	if s.IsBlob {
		label = "id"
	}
	if _, err := fmt.Fprintf(w, "%s: %s\ntype: %s\nbytes: %d\n", label, s.Name, s.Facts.Type, s.Facts.Bytes); err != nil {
		return err
	}
	if unit := s.Facts.Unit(); unit != "" {
		if _, err := fmt.Fprintf(w, "%s: %d\n", unit, s.Facts.Count); err != nil {
			return err
		}
	}
	if !s.IsBlob {
		return nil
	}
	_, err := fmt.Fprintf(w, "created: %s\n", s.Created.UTC().Format(createdFormat))
	return err
}

// GetOverview is Overview into memory, with what was given as facts beside it.
func GetOverview(s Subject, o Options) (Answer, []byte, error) {
	if s.isEmpty() {
		return Answer{}, nil, nil
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = ToolBytes
	}
	first, next := s.beginning()
	a, content, err := Get(s.source(), first, o)
	if err == nil && !a.Truncated {
		a.Next = next
	}
	return a, content, err
}
