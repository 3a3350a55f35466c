package selector

import (
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"

	"github.com/llmblob/llmblob/internal/jsonscan"
	"github.com/llmblob/llmblob/internal/jsonshow"
	"github.com/llmblob/llmblob/internal/nearest"
)

// keyBytes bounds a key as shown: keys are shown whole unless they are no keys any more.
const keyBytes = 4096

// keys lists the members of an object with types and sizes, or the schema over all elements of an array.
func (c Selection) keys(s Selector) (Selection, error) {
	kind, _ := c.kind()
	if kind == jsonscan.Array {
		l := c.array()
		if l.n == 0 {
			return Selection{}, &EmptyError{Selector: s.String(), Msg: thereAre(0, "entry")}
		}
		return textOf(schemaOf(l)), nil
	}
	for range jsonscan.Children(c.raw) {
		return Selection{form: formKeys, raw: c.raw}, nil
	}
	return Selection{}, &EmptyError{Selector: s.String(), Msg: thereAre(0, "key")}
}

// writeKeys writes a line for each member of an object.
func writeKeys(w io.Writer, object []byte) (int64, error) {
	b := &batch{w: w}
	for m := range jsonscan.Children(object) {
		m.Count = jsonscan.CountChildren(m.Value)
		b.writeString(jsonshow.Member(m, keyBytes))
		b.writeString("\n")
		if b.err != nil {
			break
		}
	}
	return b.flush()
}

// kinds are the types seen of a value.
type kinds [jsonscan.Object + 1]int

func (k kinds) names() []string {
	var names []string
	for kind, n := range k {
		if n > 0 {
			names = append(names, jsonscan.Kind(kind).String())
		}
	}
	return names
}

// schemaOf writes a line for each key of the objects in a list, in the order they first come in: its types, and a
// question mark where some of the objects have no such key. Where not all elements are objects with keys, a line before
// them counts the elements by type.
func schemaOf(l list) []byte {
	var elements kinds
	type member struct {
		literal []byte
		kinds   kinds
		objects int // that have it
		last    int // the number of the last one
	}
	var members []*member
	byKey := make(map[string]*member)
	for v := range l.elements() {
		kind := jsonscan.KindOf(v)
		elements[kind]++
		if kind != jsonscan.Object {
			continue
		}
		for c := range jsonscan.Children(v) {
			m := byKey[string(jsonscan.Text(c.Key))]
			if m == nil {
				m = &member{literal: c.Key}
				byKey[string(jsonscan.Text(c.Key))] = m
				members = append(members, m)
			}
			m.kinds[jsonscan.KindOf(c.Value)]++
			if m.last != elements[jsonscan.Object] { // a key may stand twice in one object
				m.last = elements[jsonscan.Object]
				m.objects++
			}
		}
	}
	var out []byte
	if elements[jsonscan.Object] < l.n || len(members) == 0 {
		var counts []string
		for kind, n := range elements {
			if n > 0 {
				counts = append(counts, fmt.Sprintf("%d %s", n, jsonscan.Kind(kind)))
			}
		}
		out = fmt.Appendf(out, "%s\n", strings.Join(counts, ", "))
	}
	for _, m := range members {
		optional := ""
		if m.objects < elements[jsonscan.Object] {
			optional = "?"
		}
		out = fmt.Appendf(out, "%s%s: %s\n", jsonshow.Key(m.literal, keyBytes), optional, strings.Join(m.kinds.names(), "|"))
	}
	return out
}

// maxCompared bounds the search for a key that was meant.
const maxCompared = 10_000

// noSuchKey says what keys there are: those nearest to name, else the first ones.
func (c Selection) noSuchKey(name string) string {
	type candidate struct {
		key      string
		distance int
	}
	var near []candidate
	var first []string
	n := 0
	for m := range jsonscan.Children(c.raw) {
		if n++; n > maxCompared {
			continue
		}
		key := jsonshow.Key(m.Key, jsonshow.SummaryKeyBytes)
		if len(first) < 5 && !slices.Contains(first, key) {
			first = append(first, key)
		}
		if d := nearest.Distance(strings.ToLower(name), strings.ToLower(key)); d <= max(2, len(key)/3) || strings.Contains(key, name) && name != "" {
			near = append(near, candidate{key, d})
		}
	}
	if n == 0 {
		return "no such key; there are no keys"
	}
	sort.SliceStable(near, func(i, j int) bool { return near[i].distance < near[j].distance })
	if len(near) == 0 {
		return fmt.Sprintf("no such key among %s: %s", plural(n, "key"), quoted(first, n > len(first)))
	}
	var shown []string
	for _, k := range near {
		if len(shown) < 3 && !slices.Contains(shown, k.key) { // a key may stand twice
			shown = append(shown, k.key)
		}
	}
	return fmt.Sprintf("no such key among %s; nearest: %s", plural(n, "key"), quoted(shown, false))
}

func quoted(keys []string, more bool) string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = fmt.Sprintf("%q", k)
	}
	if more {
		out = append(out, "…")
	}
	return strings.Join(out, ", ")
}

// outline says what a JSON selection has at its top.
func (c Selection) outline() string {
	switch kind, _ := c.kind(); kind {
	case jsonscan.Array:
		return thereAre(c.array().n, "entry")
	case jsonscan.Object:
		var first []string
		more := false
		for m := range jsonscan.Children(c.raw) {
			key := jsonshow.Key(m.Key, jsonshow.SummaryKeyBytes)
			if slices.Contains(first, key) {
				continue
			}
			if more = len(first) == 5; more {
				break
			}
			first = append(first, key)
		}
		if len(first) == 0 {
			return "there are no keys"
		}
		return "the keys are " + quoted(first, more)
	}
	return "it is " + c.describe()
}
