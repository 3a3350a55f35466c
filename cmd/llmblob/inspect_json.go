package main

import (
	"encoding/base64"
	"unicode/utf8"

	"github.com/llmblob/llmblob/pkg/inspect"
	"github.com/llmblob/llmblob/pkg/offload"
	"github.com/llmblob/llmblob/pkg/selector"
)

// inspectJSON prints {"id","selector","unit","total","from","to","truncated","next","content"}; without a selector the facts
// too.
func (a *app) inspectJSON(s *subject, sels []selector.Selector, o inspect.Options) error {
	var answer inspect.Answer
	var content []byte
	out := answerJSON{}
	if s.info != nil {
		out.ID = s.name
	}
	if len(sels) > 0 {
		var err error
		if answer, content, err = inspect.Get(source(s), sels, o); err != nil {
			return err
		}
	} else {
		subject, err := a.overviewSubject(s)
		if err != nil {
			return err
		}
		if answer, content, err = inspect.GetOverview(subject, o); err != nil {
			return err
		}
		rec := record(s, subject.Facts)
		out.Record = &rec
	}
	out.Selector, out.Unit = inspect.Join(answer.Selectors), answer.Range.Unit
	out.Total, out.From, out.To = answer.Total, answer.Range.From, answer.Range.To
	out.Truncated = answer.Truncated
	if len(answer.Next) > 0 {
		next := inspect.Join(answer.Next)
		out.Next = &next
	}
	out.setContent(content)
	return a.printJSON(out)
}

type answerJSON struct {
	ID        string          `json:"id,omitempty"`
	Record    *offload.Record `json:"facts,omitempty"`
	Selector  string          `json:"selector"`
	Unit      string          `json:"unit"`
	Total     int             `json:"total"`
	From      int             `json:"from"`
	To        int             `json:"to"`
	Truncated bool            `json:"truncated"`
	Next      *string         `json:"next"`
	Encoding  string          `json:"encoding,omitempty"`
	Content   string          `json:"content"`
}

// setContent sets bytes that are no UTF-8 in base64, for a JSON string cannot hold them.
func (j *answerJSON) setContent(data []byte) {
	j.Content = string(data)
	if !utf8.Valid(data) {
		j.Encoding, j.Content = "base64", base64.StdEncoding.EncodeToString(data)
	}
}
