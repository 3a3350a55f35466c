package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/llmblob/llmblob/pkg/history"
	"github.com/llmblob/llmblob/pkg/worker"
)

// scripted is a model that knows one thing: how to find the failing test in a log. It sees no more than a real one would, the
// request.
type scripted struct{}

var (
	logPath   = regexp.MustCompile(`\S+\.log`)
	reference = regexp.MustCompile(`^\[blob:([0-9a-f-]+)\]`)
	failure   = regexp.MustCompile(`(?m)^(\d+):--- FAIL: (\S+)`)
)

// Reply implements Model.
func (scripted) Reply(_ context.Context, r *worker.Request, _ []worker.Tool) ([]worker.Item, error) {
	last := r.Items[len(r.Items)-1]
	blob := ""
	for _, it := range r.Items {
		if m := reference.FindStringSubmatch(it.Text); it.Kind == history.Result && m != nil {
			blob = m[1]
		}
	}
	found := failure.FindStringSubmatch(last.Text)
	switch {
	case last.Kind == history.Message:
		return call("c1", "read_file", map[string]any{"path": logPath.FindString(last.Text)}), nil
	case last.CallID == "c1" && blob != "": // a summary: look for what failed
		return call("c2", "inspect", map[string]any{"blob_id": blob, "selector": []string{"grep:^--- FAIL"}, "context": 0}), nil
	case last.CallID == "c2" && found != nil: // where it failed: look at what stands before it
		var line int
		if _, err := fmt.Sscan(found[1], &line); err != nil {
			return nil, err
		}
		return call("c3", "inspect", map[string]any{"blob_id": blob, "selector": []string{fmt.Sprintf("lines:%d-%d", line-3, line)}}), nil
	case last.CallID == "c3":
		lines := strings.Split(strings.TrimSpace(last.Text), "\n")
		return say(strings.TrimSpace(lines[len(lines)-1] + ": " + strings.TrimSpace(lines[len(lines)-2]))), nil
	}
	return say("I do not know: " + last.Text), nil
}

func call(id, tool string, arguments map[string]any) []worker.Item {
	text, _ := json.Marshal(arguments) // strings and numbers
	return []worker.Item{{Kind: history.Call, Role: history.Assistant, CallID: id, Tool: tool, Text: string(text)}}
}

func say(text string) []worker.Item {
	return []worker.Item{{Kind: history.Message, Role: history.Assistant, Text: text}}
}

// testLog returns the output of a test run, 5 MB of which one test fails.
func testLog() []byte {
	const size, failing = 5 << 20, 777
	var b bytes.Buffer
	for n := 0; b.Len() < size; n++ {
		fmt.Fprintf(&b, "=== RUN   TestAccount%d\n", n)
		for step := range 40 {
			fmt.Fprintf(&b, "    account_test.go:%d: transfer %d of %d cents is booked, error 0\n", 20+step, step, 100*step+n)
		}
		verdict := "PASS"
		if n == failing {
			fmt.Fprintf(&b, "    account_test.go:88: balance is 99.97, want 100.00\n")
			verdict = "FAIL"
		}
		fmt.Fprintf(&b, "--- %s: TestAccount%d (0.01s)\n", verdict, n)
	}
	b.WriteString("FAIL\nexit status 1\n")
	return b.Bytes()
}
