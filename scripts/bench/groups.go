package main

import (
	"fmt"
	"os"
	"time"
)

// groups are all contests, in the order of the table.
func groups() []group {
	return []group{
		{name: "start", times: 20, make: startContests},
		{name: "store text", times: 1, make: storeContests},
		{name: "read text", times: 1, make: textContests},
		{name: "parts of text", times: 10, make: partContests},
		{name: "json array", times: 1, rounds: 3, make: arrayContests},
		{name: "json object", times: 1, rounds: 3, make: objectContests},
		{name: "large history", times: 1, rounds: 3, make: largeHistory},
		{name: "langchain", times: 1, rounds: 3, make: langchainContests},
		{name: "small history", times: 10, make: smallHistory},
		{name: "many items", times: 1, rounds: 3, make: manyItems},
	}
}

// firstCall is what an MCP client says until its first call.
func firstCall(id string) string {
	return `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
` + mcpCall(1, id)
}

func mcpCall(n int, id string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"inspect","arguments":{"blob_id":"%s","selector":["lines:20-50"]}}}`+"\n", n, id)
}

func startContests(w *workshop) ([]contest, error) {
	log, _, err := w.input("small.txt", func(path string) error { return writeText(path, 10*kB) })
	if err != nil {
		return nil, err
	}
	id, err := w.stored("smallstore", log)
	if err != nil {
		return nil, err
	}
	calls, _, err := w.input("calls.jsonl", func(path string) error { return os.WriteFile(path, []byte(firstCall(id)), 0o600) })
	if err != nil {
		return nil, err
	}
	cobra := &command{name: "ten lines of cobra", args: []string{w.path("tencobra"), "--version"}}
	capture := w.llmblob("capture", "scratch", "capture")
	capture.stdin = log
	mcp := w.llmblob("mcp", "smallstore", "mcp")
	mcp.stdin = calls
	return []contest{
		{work: "what any process costs here", ours: &command{name: "a Go program that does nothing", args: []string{w.path("nothing")}}},
		{work: "start", ours: w.llmblob("--version", "smallstore", "--version"), rival: cobra, bound: bound{times: 1.5}},
		{work: "what a blob of 10 kB is", ours: w.llmblob("inspect ID", "smallstore", "inspect", id), rival: cobra, bound: bound{times: 1.5}},
		{work: "capture 10 kB, synced", ours: capture, bound: bound{within: 6 * time.Millisecond}},
		{work: "start, handshake, a first call of MCP, and the end", ours: mcp, bound: bound{within: 15 * time.Millisecond}},
	}, nil
}

// bigText is the large log.
func (w *workshop) bigText() (path, shown string, err error) {
	path, n, err := w.input("big.txt", func(path string) error { return writeText(path, w.scaled(gB)) })
	return path, size(n), err
}

func storeContests(w *workshop) ([]contest, error) {
	log, shown, err := w.bigText()
	if err != nil {
		return nil, err
	}
	ours := func(flags ...string) *command {
		c := w.llmblob("store", "scratch", append(append([]string{"store", "-q"}, flags...), log)...)
		c.before, c.after = settle, w.removing("scratch")
		return c
	}
	synced, unsynced := ours(), ours("--no-sync")
	unsynced.name += " --no-sync"
	dd := w.rival("dd", "bs=1M conv=fsync", "bs=1M", "conv=fsync", "status=none", "if="+log, "of="+w.path("copy"))
	dd.before, dd.after = settle, w.removing("copy")
	cat := w.rival("cat", "> FILE", log)
	cat.stdout, cat.before, cat.after = w.path("copy"), settle, w.removing("copy")
	return []contest{
		{work: "store " + shown + " of text, synced", ours: synced, rival: dd, bound: bound{times: 1.25}},
		{work: "store " + shown + " of text", ours: unsynced, rival: cat, bound: bound{times: 1.25}},
	}, nil
}

// bigBlob is the large log in a store, and the number of its lines.
func (w *workshop) bigBlob() (id, log, shown string, lines int, err error) {
	if log, shown, err = w.bigText(); err != nil {
		return "", "", "", 0, err
	}
	if id, err = w.stored("textstore", log); err == nil {
		lines, err = w.lines("textstore", id)
	}
	return id, log, shown, lines, err
}

func textContests(w *workshop) ([]contest, error) {
	id, log, shown, lines, err := w.bigBlob()
	if err != nil {
		return nil, err
	}
	wc := w.rival("wc", "-l", "-l", log)
	last := fmt.Sprintf("%d-%d", max(1, lines-30), lines)
	sed := w.rival("sed", "-n A,Bp", "-n", fmt.Sprintf("%d,%dp", max(1, lines-30), lines), log)
	end := w.llmblob("inspect ID lines:A-B", "textstore", "inspect", id, "lines:"+last)
	grep := w.llmblob("inspect ID grep:LITERAL", "textstore", "inspect", id, "grep:"+needle)
	return []contest{
		{work: "summarize " + shown + " of text", ours: w.llmblob("summarize", "textstore", "summarize", log), rival: wc, bound: bound{times: 1.3}},
		{work: "the last 31 lines of " + shown + ", by their numbers", ours: end, rival: wc, bound: bound{times: 1.2}},
		{work: "the same", ours: end, rival: sed},
		{work: "lines with a literal in " + shown, ours: grep, rival: w.rival("grep", "-c LITERAL", "-c", needle, log), bound: bound{times: 2}},
		{work: "the same", ours: grep, rival: w.rival("rg", "-c LITERAL", "-c", needle, log)},
		{work: "the bytes of " + shown, ours: w.llmblob("cat ID", "textstore", "cat", id), rival: w.rival("cat", "", log)},
	}, nil
}

func partContests(w *workshop) ([]contest, error) {
	id, log, shown, _, err := w.bigBlob()
	if err != nil {
		return nil, err
	}
	return []contest{
		{
			work: "31 lines at the beginning of " + shown, ours: w.llmblob("inspect ID lines:20-50", "textstore", "inspect", id, "lines:20-50"),
			rival: w.rival("sed", "-n '20,50p;50q'", "-n", "20,50p;50q", log), bound: bound{within: 10 * time.Millisecond},
		},
		{
			work: "the last three lines of " + shown, ours: w.llmblob("inspect ID tail:3", "textstore", "inspect", id, "tail:3"),
			rival: w.rival("tail", "-n 3", "-n", "3", log), bound: bound{within: 5 * time.Millisecond},
		},
	}, nil
}

// jsonContests are the rows of one JSON file that store and summarize it.
func (w *workshop) jsonContests(what, file string) []contest {
	jq, gojq := w.rival("jq", "length", "length", file), w.rival("gojq", "length", "length", file)
	store := w.llmblob("store", "scratch", "store", "-q", file)
	unsynced := w.llmblob("store --no-sync", "scratch", "store", "-q", "--no-sync", file)
	store.before, store.after = settle, w.removing("scratch")
	unsynced.before, unsynced.after = settle, w.removing("scratch")
	summarize := w.llmblob("summarize", "scratch", "summarize", file)
	faster := bound{faster: 15}
	return []contest{
		{work: "store " + what + ", synced", ours: store, rival: jq, bound: faster},
		{work: "store " + what, ours: unsynced, rival: jq, bound: faster},
		{work: "summarize " + what, ours: summarize, rival: jq, bound: faster},
		{work: "the same", ours: summarize, rival: gojq},
	}
}

func arrayContests(w *workshop) ([]contest, error) {
	file, n, err := w.input("array.json", func(path string) error { return writeArray(path, w.scaled(100*mB)) })
	if err != nil {
		return nil, err
	}
	id, entries, err := w.storedJSON(file)
	if err != nil {
		return nil, err
	}
	from := entries - entries/1000 - 5
	what := fmt.Sprintf("an array of %s entries, %s", count(entries), size(n))
	dots, colon := fmt.Sprintf("slice:%d..%d", from, from+5), fmt.Sprintf(".[%d:%d]", from, from+5)
	ours := w.llmblob("inspect ID slice:A..B", "jsonstore", "inspect", id, dots)
	return append(w.jsonContests(what, file),
		contest{work: "five entries near its end", ours: ours, rival: w.rival("jq", "-c .[A:B]", "-c", colon, file), bound: bound{faster: 12}},
		contest{work: "the same", ours: ours, rival: w.rival("gojq", "-c .[A:B]", "-c", colon, file)}), nil
}

func objectContests(w *workshop) ([]contest, error) {
	file, n, err := w.input("object.json", func(path string) error { return writeObject(path, w.scaled(1_000_000*memberBytes)) })
	if err != nil {
		return nil, err
	}
	id, keys, err := w.storedJSON(file)
	if err != nil {
		return nil, err
	}
	what := fmt.Sprintf("an object of %s keys, %s", count(keys), size(n))
	key := keyOf(keys - keys/1000 - 1)
	ours := w.llmblob("inspect ID key:NAME", "jsonstore", "inspect", id, "key:"+key)
	return append(w.jsonContests(what, file),
		contest{work: "a value near its end", ours: ours, rival: w.rival("jq", "-c .NAME", "-c", "."+key, file), bound: bound{faster: 12}},
		contest{work: "the same", ours: ours, rival: w.rival("gojq", "-c .NAME", "-c", "."+key, file)}), nil
}

func largeHistory(w *workshop) ([]contest, error) {
	records := int(w.scaled(100_000))
	file, n, err := w.input("history.jsonl", func(path string) error { return writeHistory(path, records, usual) })
	if err != nil {
		return nil, err
	}
	what := fmt.Sprintf("a history of %s records, %s", count(records), size(n))
	project := w.llmblob("project", "scratch", "project", file)
	return []contest{
		{work: "project " + what, ours: project, rival: w.rival("jq", "-c .", "-c", ".", file), bound: bound{faster: 15}, items: records},
		{work: "the same", ours: project, rival: w.rival("gojq", "-c .", "-c", ".", file), items: records},
	}, nil
}

// langchainContests are over beginnings of the same history: the whole would take that edit an hour, for its time grows with the
// square of the records. So what it is held to at the largest of these holds for the whole all the more.
func langchainContests(w *workshop) ([]contest, error) {
	var all []contest
	for _, thousands := range []int64{1, 2, 4, 8} {
		records := int(w.scaled(thousands * 1000))
		file, n, err := w.input(fmt.Sprintf("history-%d.jsonl", records), func(path string) error { return writeHistory(path, records, usual) })
		if err != nil {
			return nil, err
		}
		edit, err := w.langchain(file)
		if err != nil {
			return nil, err
		}
		what := fmt.Sprintf("project the first %s records of it, %s", count(records), size(n))
		project := w.llmblob("project", "scratch", "project", file)
		c := contest{work: what, ours: project, rival: edit, inside: true, items: records}
		if thousands == 8 {
			c.bound.faster = 100
			all = append(all, contest{work: what, ours: project, rival: edit, items: records})
		}
		all = append(all, c)
	}
	return all, nil
}

func smallHistory(w *workshop) ([]contest, error) {
	file, n, err := w.input("history-small.jsonl", func(path string) error { return writeHistory(path, 500, usual) })
	if err != nil {
		return nil, err
	}
	return []contest{{
		work: fmt.Sprintf("project a history of 500 records, %s", size(n)), ours: w.llmblob("project", "scratch", "project", file),
		rival: w.rival("jq", "-c .", "-c", ".", file), bound: bound{within: 10 * time.Millisecond}, items: 500,
	}}, nil
}

func manyItems(w *workshop) ([]contest, error) {
	items := int(w.scaled(1_000_000))
	file, n, err := w.input("items.jsonl", func(path string) error { return writeItems(path, items, small) })
	if err != nil {
		return nil, err
	}
	offloaded := w.path("offloaded.jsonl")
	first := w.llmblob("offload", "offloadstore", "offload", "--no-sync", file)
	first.stdout = offloaded
	if _, err := first.run(w.ctx, false); err != nil {
		return nil, err
	}
	what := fmt.Sprintf("a history of %s items, %s", count(items), size(n))
	return []contest{
		{work: "project " + what, ours: w.llmblob("project", "offloadstore", "project", file), items: items},
		{work: "offload " + what + ", what is stored being there", ours: w.llmblob("offload --no-sync", "offloadstore", "offload", "--no-sync", file), items: items},
		{work: "restore it", ours: w.llmblob("restore", "offloadstore", "restore", offloaded), items: items},
	}, nil
}
