package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
)

// formatOf is the format of the histories in a directory of this name; "" where it holds none.
func formatOf(dir string) string {
	switch dir {
	case "mini-swe-agent":
		return "swe-agent"
	case "items", "anthropic", "openai-chat", "openai-responses", "gemini", "bedrock", "claude-code", "codex", "gemini-cli",
		"opencode", "pi", "swe-agent", "langchain", "ai-sdk", "openhands":
		return dir
	}
	return ""
}

// all chooses whatever can be chosen.
var all = []string{"--set", "protected_tokens=0", "--set", "min_savings=0"}

// history checks a transcript: it is found to be what it is, passes byte for byte where nothing is chosen, and comes out with
// nothing but results changed.
func (c *checker) history(path string, data []byte) error {
	format := formatOf(filepath.Base(filepath.Dir(path)))
	if format == "" {
		return nil
	}
	explained := filepath.Join(filepath.Dir(c.store), "explained.json")
	got, msg, status := c.llm("project", "--set", "min_savings=1000000000", "--explain="+explained, path)
	c.check(status == 0 && bytes.Equal(got, data), "%s: nothing chosen: %d %s", path, status, msg)
	var e struct {
		Format  string
		Indices []int
	}
	c.check(readJSON(explained, &e) == nil && e.Format == format && len(e.Indices) == 0, "%s: is %s, taken for %s", path, format, e.Format)

	projected, msg, status := c.llm(append([]string{"project", "--explain=" + explained, path}, all...)...)
	c.check(status == 0 && readJSON(explained, &e) == nil, "%s: project: %d %s", path, status, msg)
	before, err := values(data)
	if err != nil {
		return err
	}
	after, err := values(projected)
	c.check(err == nil && len(before) == len(after), "%s: %d records of %d: %v", path, len(after), len(before), err)
	if err == nil {
		changed := changes(before, after)
		c.check(changed == len(e.Indices), "%s: %d places changed, %d results chosen", path, changed, len(e.Indices))
	}
	once := filepath.Join(filepath.Dir(c.store), "once")
	if err := os.WriteFile(once, projected, 0o600); err != nil {
		return err
	}
	got, msg, status = c.llm(append([]string{"project", once}, all...)...)
	c.check(status == 0 && bytes.Equal(got, projected), "%s: projecting twice: %d %s", path, status, msg)

	offloaded, msg, status := c.llm("offload", "--no-sync", path)
	c.check(status == 0, "%s: offload: %d %s", path, status, msg)
	if err := os.WriteFile(once, offloaded, 0o600); err != nil {
		return err
	}
	got, msg, status = c.llm("restore", once)
	restored, err := values(got)
	c.check(status == 0 && err == nil && reflect.DeepEqual(restored, before), "%s: restore: %d %s", path, status, msg)
	return nil
}

func readJSON(path string, v any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, v)
}

// values decodes a sequence of JSON values. Numbers keep their spelling.
func values(data []byte) ([]any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var all []any
	for {
		var v any
		if err := d.Decode(&v); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
}

// changes counts the places where a placeholder stands for something; any other difference makes it -1.
func changes(before, after any) int {
	if reflect.DeepEqual(before, after) {
		return 0
	}
	n := 0
	add := func(m int) {
		if n >= 0 && m >= 0 {
			n += m
		} else {
			n = -1
		}
	}
	switch b := before.(type) {
	case []any:
		a, ok := after.([]any)
		if !ok || len(a) != len(b) {
			return placeholder(after)
		}
		for i := range b {
			add(changes(b[i], a[i]))
		}
	case map[string]any:
		a, ok := after.(map[string]any)
		if !ok {
			return placeholder(after)
		}
		for key := range a {
			if _, ok := b[key]; !ok {
				return placeholder(after)
			}
		}
		for key := range b {
			add(changes(b[key], a[key]))
		}
	default:
		return placeholder(after)
	}
	return n
}

// placeholder is 1 where a value holds a placeholder and no other string but types.
func placeholder(v any) int {
	switch v := v.(type) {
	case string:
		if strings.Contains(v, "[tool result omitted: ") { // a wrapper may stand around it
			return 1
		}
	case []any:
		if len(v) == 1 {
			return placeholder(v[0])
		}
	case map[string]any:
		for _, member := range v {
			if placeholder(member) == 1 {
				return 1
			}
		}
	}
	return -1
}
