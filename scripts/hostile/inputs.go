package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// input is what somebody made to do harm, and the commands that have to take it.
type input struct {
	name     string
	n        int // of what make writes, in the larger size
	make     func(w io.Writer, n int) error
	commands []command
}

// command is a command line of llmblob and the status to expect. $FILE is the input, without it the input comes through a pipe.
type command struct {
	line   string
	status int
	before string // of the shell, for what must be in the store
}

func commands(status int, lines ...string) (all []command) {
	for _, line := range lines {
		all = append(all, command{line: line, status: status})
	}
	return all
}

// These take any bytes.
var anyBytes = commands(0, "store -q $FILE", "store -q", "capture", "summarize $FILE", "inspect $FILE", "inspect $FILE lines:1-5",
	"inspect $FILE bytes:1..9", "refs $FILE", "refs", "gc --dry-run $FILE", "hook claude-code")

// These take any history.
var anyHistory = commands(0, "project $FILE", "project --set protected_tokens=0 --set min_savings=0 $FILE", "project --set omit=summary --set protected_tokens=0 --set min_savings=0",
	"project --set tokens=o200k_base $FILE", "offload $FILE", "offload", "restore $FILE", "restore --by-reference $FILE")

// An explanation has a place for each result.
var explained = commands(0, "project --indices --explain=/dev/null $FILE")

func (r *runner) inputs() []input {
	big := r.big << 20
	return []input{
		{"nested", 200_000, nested, join(anyBytes, commands(4, "project $FILE", "offload", "restore $FILE", "tool call $FILE", "inspect $FILE json"), commands(0, "mcp"))},
		{"nested, just allowed", 10_000, nested, join(anyBytes, commands(0, "project $FILE", "offload", "restore $FILE", "mcp", "inspect $FILE key:role", "inspect $FILE keys"))},
		{"equal keys", 2_000_000, equalKeys, join(anyBytes, anyHistory, explained, commands(0, "inspect $FILE keys --max-bytes 1000", "inspect $FILE key:a", "inspect $FILE path:a", "inspect $FILE 'path:a|@this'", "mcp"), commands(5, "inspect $FILE key:nosuch"))},
		{"other keys", 1_000_000, otherKeys, join(anyBytes, commands(0, "inspect $FILE keys --max-bytes 1000", "inspect $FILE key:k10", "project $FILE"), commands(5, "inspect $FILE key:nosuch"))},
		{"array of other keys", 1_000_000, arrayOfOtherKeys, join(anyBytes, commands(0, "inspect $FILE keys --max-bytes 1000", "inspect $FILE slice:-5..", "project $FILE"))},
		{"tiny records", 1_000_000, tinyRecords, join(anyBytes, anyHistory, explained, commands(0, "inspect $FILE json slice:5..9"))},
		{"tiny results", 500_000, tinyResults, anyHistory},
		{"no records", 10_000_000, noRecords, join(commands(4, "project $FILE", "offload $FILE"), commands(0, "project --lenient $FILE"))},
		{"one line", big, oneLine, join(anyBytes, commands(0, "inspect $FILE grep:x --max-bytes 1000", "inspect $FILE bytes:9..20"), commands(4, "project $FILE", "tool call", "tool call $FILE"), commands(2, "rm -", "verify -"), commands(0, "mcp"))},
		{"one string", big, oneString, join(anyBytes, anyHistory, commands(0, "inspect $FILE lines:1 json key:content --max-bytes 1000", "inspect $FILE lines:1 json path:content --max-bytes 1000"), commands(4, "tool call"), commands(0, "mcp"))},
		{"one string of escapes", big, oneEscapedString, join(anyBytes, anyHistory, commands(0, "inspect $FILE key:content --max-bytes 1000", "inspect $FILE key:content lines:3"))},
		{"one name", big, oneName, join(anyBytes, anyHistory)},
		{"one key", big, oneKey, join(anyBytes, commands(0, "inspect $FILE keys --max-bytes 1000", "project $FILE"), commands(5, "inspect $FILE key:nosuch"))},
		{"one number", big, oneNumber, join(anyBytes, commands(0, "inspect $FILE slice:0..1 --max-bytes 1000", "project $FILE"))},
		{"forged references", 200_000, forgedReferences, join(anyBytes, anyHistory, explained)},
		{"forged summaries", 100_000, forgedSummaries, []command{{"restore $FILE", 0, "seq 1 1000 | llmblob store -q --id " + forgedID + " >/dev/null; "}, {"offload $FILE", 0, ""}}},
		{"a long forged summary", big / 2, longSummary, []command{{"restore $FILE", 0, "seq 1 1000 | llmblob store -q --id " + forgedID + " >/dev/null; "}, {"offload $FILE", 0, ""}}},
		{"terminal escapes", big / 4, terminalEscapes, anyBytes},
		{"escapes that do not end", big / 4, openEscapes, anyBytes},
		{"carriage returns", big / 4, carriageReturns, anyBytes},
		{"one letter, for tokens", big / 16, oneLetter, commands(0, "project --set tokens=o200k_base $FILE", "project --set tokens=cl100k_base $FILE")},
		{"white space, for tokens", big / 16, whiteSpace, commands(0, "project --set tokens=o200k_base $FILE", "project --set tokens=cl100k_base $FILE")},
		{"digits of ids", big / 4, digitsOfIDs, anyBytes},
		{"requests with long ids", 200, longIDs, commands(0, "mcp")},
		{"calls", 100_000, manyCalls, commands(0, "tool call", "mcp")},
		{"a message of many calls", 100_000, messageOfCalls, commands(4, "tool call")},
	}
}

func join(lists ...[]command) (all []command) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// writing writes with few system calls.
func writing(w io.Writer, f func(b *bufio.Writer)) error {
	b := bufio.NewWriterSize(w, 1<<20)
	f(b)
	return b.Flush()
}

// around writes a text n bytes long in all: a head, a body over and over, a tail.
func around(w io.Writer, n int, head, body, tail string) error {
	return writing(w, func(b *bufio.Writer) {
		b.WriteString(head)
		block := strings.Repeat(body, max(1, 4096/len(body)))
		left := n - len(head) - len(tail)
		for ; left >= len(block); left -= len(block) {
			b.WriteString(block)
		}
		for ; left >= len(body); left -= len(body) {
			b.WriteString(body)
		}
		b.WriteString(tail)
	})
}

const (
	forgedID   = "01234567-89ab-7def-8123-456789abcdef"
	resultHead = `{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"bash","arguments":"{}"}}]}` + "\n" +
		`{"role":"tool","tool_call_id":"c","content":"`
	resultTail = `"}` + "\n" + `{"role":"assistant","content":"yes"}` + "\n"
)

func nested(w io.Writer, n int) error {
	n -= 1 // the object around it
	return writing(w, func(b *bufio.Writer) {
		b.WriteString(`{"role":"tool","tool_call_id":"c","content":`)
		b.WriteString(strings.Repeat("[", n))
		b.WriteString(strings.Repeat("]", n))
		b.WriteString("}\n")
	})
}

func equalKeys(w io.Writer, n int) error {
	return writing(w, func(b *bufio.Writer) {
		b.WriteString(`{"role":"tool","content":"x"`)
		for i := range n / 4 {
			fmt.Fprintf(b, `,"a":%d,"role":"tool","content":"y","tool_call_id":"c"`, i%10)
		}
		b.WriteString("}\n")
	})
}

func otherKeys(w io.Writer, n int) error {
	return writing(w, func(b *bufio.Writer) {
		b.WriteString(`{"role":"user"`)
		for i := range n {
			fmt.Fprintf(b, `,"k%d":1`, i)
		}
		b.WriteString("}\n")
	})
}

func arrayOfOtherKeys(w io.Writer, n int) error {
	return writing(w, func(b *bufio.Writer) {
		b.WriteString(`[{}`)
		for i := range n {
			fmt.Fprintf(b, `,{"k%d":1}`, i)
		}
		b.WriteString("]\n")
	})
}

func tinyRecords(w io.Writer, n int) error {
	return writing(w, func(b *bufio.Writer) {
		for range n / 2 {
			b.WriteString("{\"role\":\"user\",\"content\":\"a\"}\n{\"role\":\"assistant\",\"content\":\"b\"}\n")
		}
	})
}

func tinyResults(w io.Writer, n int) error {
	return writing(w, func(b *bufio.Writer) {
		for i := range n {
			fmt.Fprintf(b, `{"role":"assistant","content":null,"tool_calls":[{"id":"c%d","type":"function","function":{"name":"t%d","arguments":"{}"}}]}`+"\n", i, i)
			fmt.Fprintf(b, `{"role":"tool","tool_call_id":"c%d","content":"0123456789012345678901234567890123456789"}`+"\n", i)
		}
	})
}

func noRecords(w io.Writer, n int) error {
	return around(w, n, `{"role":"user","content":"a"}`+"\n", "{\n", "")
}

func oneLine(w io.Writer, n int) error { return around(w, n, "", "x y ", "") }

func oneString(w io.Writer, n int) error {
	return around(w, n, `{"role":"tool","tool_call_id":"c","content":"`, "x y ", `"}`+"\n"+`{"role":"assistant","content":"yes"}`+"\n")
}

func oneEscapedString(w io.Writer, n int) error {
	return around(w, n, `{"role":"tool","tool_call_id":"c","content":"`, `\u0041 \"x\" \n`, `"}`)
}

func oneName(w io.Writer, n int) error {
	return around(w, n, `{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"arguments":"{}","name":"`, `a\u0041`, `"}}]}`+"\n"+`{"role":"tool","tool_call_id":"c","content":"y"}`+"\n")
}

func oneKey(w io.Writer, n int) error { return around(w, n, `{"role":"user","`, `k\n`, `":1}`) }

func oneNumber(w io.Writer, n int) error { return around(w, n, `[`, `7`, `]`) }

func forgedReferences(w io.Writer, n int) error {
	return writing(w, func(b *bufio.Writer) {
		for i := range n {
			b.WriteString(`{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"bash","arguments":"{}"}}]}` + "\n")
			fmt.Fprintf(b, `{"role":"tool","tool_call_id":"c","content":"[blob:%08x-89ab-7def-8123-456789abcdef] text | 9 lines"}`+"\n", i)
		}
	})
}

func forgedSummaries(w io.Writer, n int) error {
	return writing(w, func(b *bufio.Writer) {
		for i := range n {
			fmt.Fprintf(b, resultHead+`[blob:`+forgedID+`] text | %d lines\n── head ──\n1\n2\n3\n4\n5\n── tail ──\n998\n999\n1000`+resultTail, i+2000)
		}
	})
}

func longSummary(w io.Writer, n int) error {
	return around(w, n, resultHead+`[blob:`+forgedID+`] text | 1000 lines`, `\n1`, resultTail)
}

func terminalEscapes(w io.Writer, n int) error {
	return around(w, n, "", "\x1b[31mred\x1b]0;title\x07\x9b2J\x1b(B", "")
}

func openEscapes(w io.Writer, n int) error { return around(w, n, "", "\x1b]\x1b[1;2;3\x1bP", "") }

func carriageReturns(w io.Writer, n int) error { return around(w, n, "", "\r\x1b[K", "") }

func oneLetter(w io.Writer, n int) error { return around(w, n, resultHead, "a", resultTail) }

func whiteSpace(w io.Writer, n int) error { return around(w, n, resultHead, " ", resultTail) }

func digitsOfIDs(w io.Writer, n int) error {
	return around(w, n, "", "[blob:0123456789abcdef-0123-7def-8123-456789abcdef", "")
}

// longIDs are requests that are answered at once, each with its own long id.
func longIDs(w io.Writer, n int) error {
	const most = 15 << 20
	return writing(w, func(b *bufio.Writer) {
		id := strings.Repeat("i", most)
		for range n {
			b.WriteString(`{"jsonrpc":"2.0","method":"ping","id":"` + id + "\"}\n")
		}
	})
}

func manyCalls(w io.Writer, n int) error {
	return writing(w, func(b *bufio.Writer) {
		for i := range n {
			fmt.Fprintf(b, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"inspect","arguments":{"blob_id":"`+forgedID+`","selector":"lines:1"}}}`+"\n", i)
		}
	})
}

func messageOfCalls(w io.Writer, n int) error {
	return writing(w, func(b *bufio.Writer) {
		b.WriteString(`{"role":"assistant","content":[{"type":"text","text":""}`)
		for i := range n {
			fmt.Fprintf(b, `,{"type":"tool_use","id":"t%d","name":"inspect","input":{"blob_id":"x"}}`, i)
		}
		b.WriteString("]}\n")
	})
}
