package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/llmblob/llmblob/internal/agents"
	"github.com/llmblob/llmblob/internal/cleantext"
	"github.com/llmblob/llmblob/internal/content"
	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/history"
	"github.com/llmblob/llmblob/pkg/inspect"
	"github.com/llmblob/llmblob/pkg/prune"
	"github.com/llmblob/llmblob/pkg/selector"
	"github.com/llmblob/llmblob/pkg/summarize"
)

// The exit statuses. capture, which exits with the status of its command, adds 125 to 127 and 128+n.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitNotFound    = 3
	exitDamaged     = 4
	exitNothing     = 5
	exitInterrupted = 130
)

// usageError is a fault of the command line. Hint says what to do instead.
type usageError struct{ msg, hint string }

func (e *usageError) Error() string { return e.msg }

func usageErrorf(format string, args ...any) error {
	return &usageError{msg: fmt.Sprintf(format, args...)}
}

// statusError ends the program with a status. What was to be said has been said, unless err is set.
type statusError struct {
	status int
	err    error
}

func (e *statusError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.status)
	}
	return e.err.Error()
}

func (e *statusError) Unwrap() error { return e.err }

// exit says what went wrong and returns the exit status. It is the one place that turns errors into statuses.
func (a *app) exit(err error) int {
	if err == nil {
		return exitDone
	}
	status := statusOf(err)
	var silent *statusError
	if !errors.As(err, &silent) || silent.err != nil {
		a.complain("error", err, status)
	}
	return status
}

func statusOf(err error) int {
	var status *statusError
	var usage *usageError
	var syntax *selector.SyntaxError
	var misfit *selector.MisfitError
	var bound *inspect.BoundError
	var idSyntax *blob.SyntaxError
	var ambiguous *blob.AmbiguousError
	var invalid *summarize.InvalidJSONError
	var empty *selector.EmptyError
	var config *prune.ConfigError
	var malformed *history.MalformedError
	var call *inspect.CallError
	var settings *agents.SyntaxError
	switch {
	case errors.As(err, &status):
		return status.status
	case errors.As(err, &usage), errors.As(err, &syntax), errors.As(err, &misfit), errors.As(err, &bound),
		errors.As(err, &idSyntax), errors.As(err, &ambiguous), errors.As(err, &config):
		return exitUsage
	case errors.Is(err, blob.ErrNotFound):
		return exitNotFound
	case errors.Is(err, blob.ErrDamaged), errors.Is(err, content.ErrShrunk), errors.As(err, &invalid),
		errors.As(err, &malformed), errors.As(err, &call), errors.As(err, &settings):
		return exitDamaged
	case errors.As(err, &empty):
		return exitNothing
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	}
	return exitFailed
}

// complain writes a message to standard error: lines for people, or one JSON object with --json.
func (a *app) complain(severity string, err error, status int) {
	msg := err.Error()
	if errors.Is(err, blob.ErrNotFound) && a.choice.path != "" {
		msg = fmt.Sprintf("%s in %s (%s)", msg, a.choice.path, a.choice.by)
	}
	hint := hintOf(err)
	var syntax *selector.SyntaxError
	isSyntax := errors.As(err, &syntax)
	if a.flags.json {
		line := errorJSON{Error: msg, Hint: hint, Exit: status}
		if severity == "warning" {
			line.Error, line.Warning = "", msg
		}
		if isSyntax {
			line.Offset = &syntax.Offset
		}
		_ = writeJSON(a.stderr, line) // there is nobody left to tell
		return
	}
	var b strings.Builder
	for line := range strings.SplitSeq(msg, "\n") {
		fmt.Fprintf(&b, "llmblob: %s: %s\n", severity, line)
	}
	if isSyntax {
		for line := range strings.SplitSeq(syntax.Caret(), "\n") {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	if hint != "" {
		fmt.Fprintf(&b, "llmblob: hint: %s\n", hint)
	}
	_, _ = a.stderr.Write(cleantext.AppendVisible(nil, []byte(b.String()))) // there is nobody left to tell
}

// errorJSON is a message with --json.
type errorJSON struct {
	Error   string `json:"error,omitempty"`
	Warning string `json:"warning,omitempty"`
	Offset  *int   `json:"offset,omitempty"` // of the fault in a selector
	Hint    string `json:"hint,omitempty"`
	Exit    int    `json:"exit"`
}

// hintOf says what to do about an error, where that helps.
func hintOf(err error) string {
	var usage *usageError
	var idSyntax *blob.SyntaxError
	var config *prune.ConfigError
	var malformed *history.MalformedError
	switch {
	case errors.As(err, &usage):
		return usage.hint
	case errors.As(err, &malformed):
		return "--lenient passes such lines as they are"
	case errors.As(err, &config):
		return config.Hint
	case errors.As(err, &idSyntax):
		return fmt.Sprintf("an id is a UUID, [blob:ID], blob://ID or at least %d hex digits of either end; a file has a / or a . in its name", blob.MinPartDigits)
	case errors.Is(err, blob.ErrNotFound):
		return "llmblob ls lists the blobs of the store; --store or LLMBLOB_STORE choose another"
	}
	return inspect.Hint(err)
}

// flagError is what cobra calls for a flag it cannot parse.
func flagError(cmd *cobra.Command, err error) error {
	msg, _, _ := strings.Cut(err.Error(), ": strconv.") // how Go reads numbers is not the user's concern
	return &usageError{msg: msg, hint: suggestFlag(cmd, msg)}
}
