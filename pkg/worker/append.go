package worker

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/llmblob/llmblob/pkg/history"
	"github.com/llmblob/llmblob/pkg/offload"
)

// Item is one message, tool call, tool result or reasoning block. Half a surrogate pair, which no text can hold, is U+FFFD in
// it; the record keeps it.
type Item struct {
	Kind    history.Kind
	Role    history.Role // of messages; the rest follows from Kind
	CallID  string       // of calls and results; "" where it is no string
	Tool    string       // name of the tool, of calls and results
	Text    string       // of a call its arguments, as JSON
	IsError bool         // of a result
}

// Append adds messages, reasoning and calls to the end of the history: all of them, or with an error none. Results are
// added by AddToolResult or Call. What an Item does not hold, the signature of a reasoning block say, is added by AppendRecord.
func (w *Worker) Append(items ...Item) error {
	var records [][]byte
	for i, it := range items {
		err := checkTexts(it.CallID, it.Tool, it.Text)
		switch {
		case it.Kind == history.Result:
			err = errors.New("results are added by AddToolResult")
		case it.Kind == history.Message && it.Role == 0:
			err = errors.New("the message is of no role")
		}
		if err != nil {
			return fmt.Errorf("worker: append: item %d: %w", i, err)
		}
		records = append(records, w.record(it, ""))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, it := range items {
		w.write(records[i])
		if it.Kind == history.Call && it.CallID != "" {
			w.calls[it.CallID] = call{it.Tool, offload.RunsInspect([]byte(it.Text))}
		}
	}
	return nil
}

// AppendRecord adds a record as it is: an object as docs/histories.md describes it, with whatever fields beside those, or one
// that no request needs but the history should have. Only white space between its values may change. A result that is added so
// stays inline.
func (w *Worker) AppendRecord(record json.RawMessage) error {
	var line bytes.Buffer
	err := json.Compact(&line, record)
	var h *history.History
	if err == nil {
		h, err = parse(line.Bytes())
	}
	if err != nil {
		return fmt.Errorf("worker: append record: %w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.write(line.Bytes())
	w.learn(h)
	return nil
}

// checkTexts reports the first text that JSON cannot hold.
func checkTexts(texts ...string) error {
	for _, text := range texts {
		if !utf8.ValidString(text) {
			return fmt.Errorf("%.40q is not UTF-8", text)
		}
	}
	return nil
}

// write adds a line to the history.
func (w *Worker) write(record []byte) {
	if n := len(w.log); n > 0 && w.log[n-1] != '\n' { // as it was loaded
		w.log = append(w.log, '\n')
	}
	w.log = append(append(w.log, record...), '\n')
}

// record returns an item as a line of the history. The encoding is that of a result whose text stands for other bytes.
func (w *Worker) record(it Item, encoding string) []byte {
	b := []byte(`{"type":`)
	member := func(name, value string) {
		b = history.AppendString(append(append(b, `,"`...), name+`":`...), value)
	}
	b = history.AppendString(b, it.Kind.String())
	if w.o.Now != nil {
		b = strconv.AppendInt(append(b, `,"ts":`...), w.o.Now().UnixMilli(), 10)
	}
	switch it.Kind {
	case history.Message:
		member("role", it.Role.String())
		member("content", it.Text)
	case history.Reasoning:
		member("text", it.Text)
	case history.Call:
		member("call_id", it.CallID)
		member("name", it.Tool)
		member("arguments", it.Text)
	case history.Result:
		member("call_id", it.CallID)
		if it.Tool != "" {
			member("name", it.Tool)
		}
		if it.IsError {
			b = append(b, `,"is_error":true`...)
		}
		if encoding != "" {
			member("encoding", encoding)
		}
		member("output", it.Text)
	}
	return append(b, '}')
}
