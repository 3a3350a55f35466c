package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/llmblob/llmblob/internal/content"
	"github.com/llmblob/llmblob/pkg/offload"
	"github.com/llmblob/llmblob/pkg/summarize"
)

// printOutput prints what belongs in the history and waits for the end of the source.
func (a *app) printOutput(out *offload.ToolOutput, text io.Reader, src captureSource, opts offload.Options) (status int, run *runFacts, err error) {
	if a.flags.json {
		return a.printOutputJSON(out, text, src, opts)
	}
	_, err = io.Copy(a.stdout, text)
	status, run = src.finish()
	return status, run, err
}

// outputFacts are what capture prints with --json behind the kind and the output.
type outputFacts struct {
	Encoding string `json:"encoding,omitempty"`
	offload.Record
	*runFacts
}

// runFacts are what are told of the run of a command.
type runFacts struct {
	Exit       int   `json:"exit"`
	DurationMS int64 `json:"duration_ms"`
}

// printOutputJSON prints a tool output as {"kind","output",…}. What stays inline can be large where it could not be
// stored: it is written as it is escaped.
func (a *app) printOutputJSON(out *offload.ToolOutput, text io.Reader, src captureSource, opts offload.Options) (status int, run *runFacts, err error) {
	w := bufio.NewWriter(a.stdout)
	var facts outputFacts
	if out.Kind == offload.Stored {
		facts.Record = out.Record
		err = writeOutput(w, out.Kind, func(w io.Writer) error { return writeJSONText(w, []byte(out.Record.Summary)) })
	} else {
		facts, err = writeInline(w, out, text, opts)
	}
	status, facts.runFacts = src.finish()
	if err != nil {
		return status, facts.runFacts, errors.Join(err, w.Flush())
	}
	facts.Summary = "" // the output says it
	var rest bytes.Buffer
	if err := writeJSON(&rest, facts); err != nil {
		return status, facts.runFacts, err
	}
	_, err = w.Write(append([]byte{','}, rest.Bytes()[1:]...))
	return status, facts.runFacts, errors.Join(err, w.Flush())
}

// writeOutput writes the kind and the string of the output, of which the object is left open.
func writeOutput(w io.Writer, kind offload.Kind, text func(io.Writer) error) error {
	if _, err := io.WriteString(w, `{"kind":"`+string(kind)+`","output":"`); err != nil {
		return err
	}
	if err := text(w); err != nil {
		return err
	}
	_, err := io.WriteString(w, `"`)
	return err
}

// writeInline writes an output that stays inline: as text, or in base64 where it is no UTF-8 or where nobody can know,
// for it cannot be held. A fault of reading it is noted in the output; what came is all there is.
func writeInline(w io.Writer, out *offload.ToolOutput, text io.Reader, opts offload.Options) (facts outputFacts, err error) {
	c, err := content.Read(text)
	defer func() { err = errors.Join(err, c.Close()) }()
	var unheld *content.SpoolError
	if errors.As(err, &unheld) {
		facts.Type, facts.Encoding = summarize.Text, "base64"
		return facts, writeOutput(w, offload.Inline, func(w io.Writer) error {
			facts.Bytes, err = writeBase64(w, unheld.Rest)
			return err
		})
	} else if err != nil {
		out.ReadErr = errors.Join(out.ReadErr, fmt.Errorf("read output: %w", err))
	}
	scanned, err := summarize.Scan(c.Bytes(), opts.As, opts.Limits)
	if err != nil { // it was to be JSON and is not
		if scanned, err = summarize.Scan(c.Bytes(), summarize.AsText, opts.Limits); err != nil {
			return facts, err
		}
	}
	facts.Record = offload.DescribeFacts(scanned)
	if !utf8.Valid(c.Bytes()) {
		facts.Encoding = "base64"
	}
	return facts, writeOutput(w, offload.Inline, func(w io.Writer) error {
		if facts.Encoding != "" {
			_, err := writeBase64(w, bytes.NewReader(c.Bytes()))
			return err
		}
		return writeJSONText(w, c.Bytes())
	})
}

func writeBase64(w io.Writer, r io.Reader) (int, error) {
	e := base64.NewEncoder(base64.StdEncoding, w)
	n, err := io.Copy(e, r)
	return int(n), errors.Join(err, e.Close())
}

// writeJSONText writes valid UTF-8 as the inside of a JSON string.
func writeJSONText(w io.Writer, text []byte) error {
	const step = 64 << 10
	for len(text) > 0 {
		cut := min(step, len(text))
		for cut < len(text) && !utf8.RuneStart(text[cut]) {
			cut--
		}
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(string(text[:cut])); err != nil {
			return err
		}
		inside := b.Bytes()[1 : b.Len()-2] // without the quotes and the line feed
		if _, err := w.Write(escapeControls(inside)); err != nil {
			return err
		}
		text = text[cut:]
	}
	return nil
}
