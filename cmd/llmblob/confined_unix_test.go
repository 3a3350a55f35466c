//go:build unix

package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// Confined by --refs to a history, a model cannot tell a store with blobs of others from one without them: whatever it asks
// for, in whatever form, the answers are the same bytes.
func TestConfinedIsAsIfThereWereNothingElse(t *testing.T) {
	// The hidden ids have beginnings and ends in common with those that are seen, so that parts are ambiguous.
	seen := []string{"01234567-89ab-7def-8123-456789abcdef", "01234567-89ab-7def-9123-000000000001"}
	hidden := []string{"01234567-89ab-7def-8123-456789abcde0", "fffffff7-89ab-7def-8123-456789abcdef", "01234568-0000-7def-8123-000000000001", "fedcba98-7654-7321-8fed-cba987654321"}
	dir := t.TempDir()
	refs := filepath.Join(dir, "history.jsonl")
	with, without := filepath.Join(dir, "with"), filepath.Join(dir, "without")
	history := ""
	for _, id := range seen {
		put(t, filepath.Join(with, id+".txt"), "what is seen\n")
		put(t, filepath.Join(without, id+".txt"), "what is seen\n")
		history += `{"role":"tool","tool_call_id":"c","content":"[blob:` + id + `] text | 1 lines"}` + "\n"
	}
	for i, id := range hidden {
		put(t, filepath.Join(with, id+[]string{".txt", ".json"}[i%2]), `["`+secret+`"]`)
		// A model that was told to says and asks for it in all the forms of a reference.
		history += `{"role":"assistant","content":"[blob:` + id + `]","tool_calls":[{"id":"c","type":"function","function":{"name":"inspect","arguments":"{\"blob_id\":\"[blob:` + id + `]\"}"}}]}` + "\n"
	}
	put(t, refs, history)
	var asked []string
	for _, id := range append(seen, hidden...) {
		digits := strings.ReplaceAll(id, "-", "")
		asked = append(asked, id, strings.ToUpper(id), "[blob:"+id+"]", "blob://"+id, " "+id+" ", digits, "see [blob:"+id+"] there")
		for _, n := range []int{8, 9, 12, 16, 31} {
			asked = append(asked, digits[:n], digits[32-n:], strings.ToUpper(digits[:n]), "[blob:"+digits[:n]+"]", "blob://"+digits[32-n:])
		}
	}
	var mcp, calls strings.Builder
	n := 0
	request := func(method, params string) {
		n++
		fmt.Fprintf(&mcp, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", n, method, params)
	}
	for _, form := range asked {
		for _, selector := range []string{"", `,"selector":"lines:1"`, `,"selector":["json","slice:0..1"]`, `,"selector":"nosuch"`} {
			arguments := `{"blob_id":` + jsonOf(form) + selector + `}`
			request("tools/call", `{"name":"inspect","arguments":`+arguments+`}`)
			fmt.Fprintf(&calls, `{"type":"tool_use","id":"t%d","name":"inspect","input":%s}`+"\n", n, arguments)
		}
		request("resources/read", `{"uri":`+jsonOf(form)+`}`)
		request("resources/read", `{"uri":`+jsonOf("blob://"+form)+`}`)
	}
	for _, newest := range []string{"{}", `{"newest":1}`, `{"newest":100}`} {
		request("tools/call", `{"name":"list","arguments":`+newest+`}`)
	}
	request("resources/list", "{}")
	request("resources/templates/list", "{}")
	for _, c := range []struct {
		args  []string
		stdin string
	}{{[]string{"mcp", "--refs", refs}, mcp.String()}, {[]string{"tool", "call", "--refs", refs}, calls.String()}} {
		got, want := runWithin(t, with, c.stdin, c.args...), runWithin(t, without, c.stdin, c.args...)
		gotLines, wantLines := answers(got.stdout), answers(want.stdout)
		if got.status != 0 || want.status != 0 || got.stderr != want.stderr || len(gotLines) != len(wantLines) || len(gotLines) == 0 {
			t.Fatalf("%q: status %d and %d, %d and %d answers, %q and %q", c.args, got.status, want.status, len(gotLines), len(wantLines), got.stderr, want.stderr)
		}
		for line := range gotLines {
			if !wantLines[line] {
				t.Errorf("%q: only with blobs of others: %s", c.args, line)
			}
		}
		if strings.Contains(got.stdout, secret) || !strings.Contains(got.stdout, "what is seen") {
			t.Errorf("%q: shows what is hidden, or not what is seen", c.args)
		}
	}
}

// answers are the lines of an output, which come in any order.
func answers(out string) map[string]bool {
	lines := map[string]bool{}
	for line := range strings.Lines(out) {
		lines[line] = true
	}
	return lines
}
