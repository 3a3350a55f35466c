package history

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/llmblob/llmblob/internal/jsonscan"
)

// value is a JSON value of a record.
type value = jsonscan.Value

// builder takes the items of records as dialects find them.
type builder struct {
	History
	usages  []usage
	pending int // usage of the request whose answer comes next
	counted int // tokens of all requests so far, where a dialect counts so

	aliases map[Name]Name  // of tools, by another id than that of the call
	entries map[Name]entry // records by their names, where a dialect refers to them
	order   []Name         // their names in the order of their places
	live    int            // first item that is not of a context that was given up as a whole

	now, before int64   // times, in ms since 1970, of this record and of the last one before it that has one; 0: not known
	times       []int64 // all that before has been
	first       int     // number of items before this record

	places map[int]int // of items that stand in the context not at their own index but at that of an earlier copy
}

// entry is a record that others refer to.
type entry struct {
	place  int // of its first item in the context
	items  Span
	before int32 // number of the time of the last record before it
}

// enter notes the items of a record by its name.
func (b *builder) enter(name Name, e entry) {
	if name == 0 {
		return
	}
	if b.entries == nil {
		b.entries = map[Name]entry{}
	}
	if _, again := b.entries[name]; !again {
		b.order = append(b.order, name)
	}
	b.entries[name] = e
}

// giveUp takes items out of the context.
func (b *builder) giveUp(items Span) {
	for i := items.Start; i < items.End; i++ {
		b.Items[i].Outside = true
	}
}

// usage is what the provider counted for the request that the item at is an answer to.
type usage struct{ at, tokens int }

// record begins the next record.
func (b *builder) record() {
	if b.now != 0 {
		b.before, b.now = b.now, 0
	}
	b.first = len(b.Items)
}

// add begins an item that stands at v. It is the current one until the next.
func (b *builder) add(kind Kind, role Role, v value) *Item {
	start, _ := v.Span()
	n := int32(len(b.texts))
	s := int32(len(b.slots))
	if b.pending != 0 && role == Assistant {
		b.usages = append(b.usages, usage{len(b.Items), b.pending})
		b.pending = 0
	}
	b.Items = room(b, b.Items, start)
	b.texts = room(b, b.texts, start)
	b.slots = room(b, b.slots, start)
	b.names.list = room(b, b.names.list, start)
	b.usages = room(b, b.usages, start)
	b.times = room(b, b.times, start)
	b.Items = append(b.Items, Item{
		Kind: kind, Role: role, Record: b.Records, Offset: start, before: b.lastTime(),
		texts: n, contentTexts: n, textsEnd: n, slots: s, slotsEnd: s,
	})
	return &b.Items[len(b.Items)-1]
}

// lastTime is the number of the time of the last record before this one.
func (b *builder) lastTime() int32 {
	if len(b.times) == 0 || b.times[len(b.times)-1] != b.before {
		b.times = append(b.times, b.before)
	}
	return int32(len(b.times) - 1)
}

// place is where an item stands in the context.
func (b *builder) place(i int) int {
	if place, ok := b.places[i]; ok {
		return place
	}
	return i
}

// room makes room in a full list for as many as the rest of the history has, if it goes on like its part before an offset. To
// grow step by step costs as much memory again, and what is never used of it little: no page of it is touched.
func room[E any](b *builder, list []E, off int) []E {
	const least, steady = 64, 4096  // elements; from so many on the rest is taken to be like them
	const most, atOnce = 8, 1 << 20 // times the length, and elements: the rest may be one large record
	if len(list) < cap(list) || len(list) < least || off <= 0 {
		return list
	}
	limit := most * len(list)
	if len(list) >= steady {
		limit = max(limit, atOnce)
	}
	all := min(float64(len(list))*float64(len(b.data))/float64(off)*1.05, float64(limit))
	grown := make([]E, len(list), max(int(all), len(list)+len(list)/4)) // slices.Grow would clear all of it
	copy(grown, list)
	return grown
}

// current is the item that was begun last.
func (b *builder) current() *Item { return &b.Items[len(b.Items)-1] }

// message is the current item where it is a message of this record and role, else a new one: texts of one message that
// follow each other are one item.
func (b *builder) message(role Role, v value) *Item {
	if len(b.Items) > b.first {
		if it := b.current(); it.Kind == Message && it.Role == role {
			return it
		}
	}
	return b.add(Message, role, v)
}

// text adds a text to the current item: a string, or other JSON that counts as it is written.
func (b *builder) text(v value) {
	it := b.current()
	if n := b.addText(v); n > 0 {
		it.Bytes += n
		it.textsEnd = int32(len(b.texts))
	}
}

func (b *builder) addText(v value) int {
	if !v.Exists() || v.Has(jsonscan.Null) {
		return 0
	}
	raw := v.Raw()
	n, f := len(raw), written
	if raw[0] == '"' {
		n, f = v.TextLen(), quoted
	}
	if n > 0 {
		start, end := v.Span()
		b.texts = append(b.texts, pack(Span{start, end}, uint8(f)))
	}
	return n
}

// addWithin adds a part of a string: the bytes [start, end) of the history, in no escape.
func (b *builder) addWithin(start, end int) int {
	if start == end {
		return 0
	}
	s := String{Span{start, end}, within}
	b.texts = append(b.texts, pack(s.Span, uint8(s.form)))
	return jsonscan.UnescapedLen(b.inner(s))
}

// endMessage ends a message, whose items are those from first on: one that says nothing is an item all the same.
func (b *builder) endMessage(first int, role Role, v value) {
	if len(b.Items) == first {
		b.add(Message, role, v)
	}
	b.turn(first)
}

// says adds a string that a role says, as a message of its own or a part of the one before.
func (b *builder) says(role Role, v value) {
	b.message(role, v)
	b.text(v)
}

// call adds a call of a tool.
func (b *builder) call(v, id, name, arguments value) {
	it := b.add(Call, Assistant, v)
	it.CallID, it.Tool = b.name(id), b.name(name)
	b.text(name)
	b.text(arguments)
}

// result adds a result; its content follows.
func (b *builder) result(v, id, name value) *Item {
	it := b.add(Result, Tool, v)
	it.CallID, it.Tool = b.name(id), b.name(name)
	return it
}

// name is the name that a string tells.
func (b *builder) name(v value) Name { return b.names.number(v.Text()) }

// slot adds a place to edit where the content of the current item is left out.
func (b *builder) slot(start, end int, f form) {
	b.slots = append(b.slots, pack(Span{start, end}, uint8(f)))
	b.current().slotsEnd = int32(len(b.slots))
}

// contentText adds a text of the content of the current item.
func (b *builder) contentText(v value) {
	n := b.addText(v)
	it := b.current()
	it.ContentBytes += n
	it.Bytes += n
	it.contentTexts = int32(len(b.texts))
	it.textsEnd = it.contentTexts
}

// partText finds the text of a part of a list: a string, or other JSON that stands for itself. Of what is no text there is
// none.
type partText func(part value) value

// typedText is the text of a part {"type":"text","text":…}, of whatever type that ends in text, or of a bare string.
func typedText(part value) value {
	if part.Has(jsonscan.String) {
		return part
	}
	switch t := part.Get("type"); {
	case t.Is("text"), t.Is("input_text"), t.Is("output_text"):
		return part.Get("text")
	}
	return value{}
}

// content takes v as the content of the current result: a string, a list of parts, the one string of an object, or another
// value, which is replaced as other says.
func (b *builder) content(v value, text partText, other form) {
	if only := onlyString(v); only.Exists() {
		v = only
	}
	if !v.Exists() || v.Has(jsonscan.Null) {
		return
	}
	start, end := v.Span()
	b.current().Content = Span{start, end}
	switch {
	case v.Has(jsonscan.String):
		b.contentText(v)
		b.slot(start, end, asString)
	case v.Has(jsonscan.Array) && text != nil:
		b.parts(v, text)
	default:
		b.contentText(v)
		b.slot(start, end, other)
	}
}

// parts takes a list of parts as the content. Where all are texts the last of them takes the replacement, with whatever
// stands beside its text, and the others go.
func (b *builder) parts(list value, text partText) {
	it := b.current()
	listStart, listEnd := list.Span()
	lastPart, n := 0, 0
	var last value
	for part := range list.Elements() {
		t := text(part)
		if !t.Exists() || t.Has(jsonscan.Null) {
			it.Media = true
			continue
		}
		b.contentText(t)
		lastPart, _ = part.Span()
		last = t
		n++
	}
	switch {
	case n == 0:
	case !last.Has(jsonscan.String):
		b.slot(listStart, listEnd, asTextParts)
	default:
		if n > 1 {
			b.slot(listStart+1, lastPart, asNothing)
		}
		start, end := last.Span()
		b.slot(start, end, asString)
	}
}

// onlyString is the one string in an object, where that is one of its members.
func onlyString(v value) value {
	if !v.Has(jsonscan.Object) {
		return value{}
	}
	strings := 0
	for inner := range v.Inside() {
		if inner.Has(jsonscan.String) {
			strings++
		}
	}
	if strings == 1 {
		for _, member := range v.Members() {
			if member.Has(jsonscan.String) {
				return member
			}
		}
	}
	return value{}
}

var pageSafe = strings.NewReplacer("<", `\u003c`, ">", `\u003e`)

// isEscaped reports whether the byte at i is the second of an escape.
func isEscaped(raw []byte, i int) bool {
	slashes := 0
	for i > 0 && raw[i-1] == '\\' {
		slashes++
		i--
	}
	return slashes%2 == 1
}

// inside takes what stands in a string behind the first of two texts, and before the last one of the other where there is another, as
// the content of the current result. It reports whether they are there. As JSON they have to stand as they are given.
func (b *builder) inside(v value, before, after string) bool {
	if !v.Has(jsonscan.String) {
		return false
	}
	start, end := v.Span()
	raw := v.Raw()
	if bytes.HasPrefix(raw, []byte(`"\u003c`)) { // as encoders write it that mean to be safe in a page
		before, after = pageSafe.Replace(before), pageSafe.Replace(after)
	}
	i := bytes.Index(raw, []byte(before))
	j := len(raw) - 1
	if after != "" {
		j = bytes.LastIndex(raw, []byte(after))
	}
	if i < 0 || j < i+len(before) || isEscaped(raw, j) {
		return false
	}
	it := b.current()
	it.Content = Span{start + i + len(before), start + j}
	it.ContentBytes = b.addWithin(it.Content.Start, it.Content.End)
	it.contentTexts = int32(len(b.texts))
	it.Bytes += it.ContentBytes + b.addWithin(start+1, it.Content.Start) + b.addWithin(it.Content.End, end-1)
	it.textsEnd = int32(len(b.texts))
	b.slot(it.Content.Start, it.Content.End, asWithin)
	return true
}

// timestamp tells when the record was written: RFC 3339, with or without a zone, or milliseconds since 1970.
func (b *builder) timestamp(v value) {
	switch {
	case v.Has(jsonscan.String):
		text := string(v.Text())
		t, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t, err = time.Parse("2006-01-02T15:04:05", text)
		}
		if err == nil {
			b.now = t.UnixMilli()
		}
	case v.Has(jsonscan.Number):
		b.now = int64(number(v))
	}
}

// used tells what the provider counted for the request that the current item is an answer to.
func (b *builder) used(tokens int) {
	if tokens > 0 && len(b.Items) > 0 {
		b.usages = append(b.usages, usage{len(b.Items) - 1, tokens})
	}
}

// usedNext tells what it counted for the one whose answer comes next.
func (b *builder) usedNext(tokens int) { b.pending = tokens }

// reset tells that the context begins anew at the item start.
func (b *builder) reset(start int) {
	b.Resets = append(b.Resets, Reset{At: len(b.Items), Start: start})
}

// number is a count; 0 where it is none.
func number(v value) int {
	if !v.Has(jsonscan.Number) {
		return 0
	}
	f, err := strconv.ParseFloat(string(v.Raw()), 64)
	if err != nil || f < 0 || f > math.MaxInt64/4 {
		return 0
	}
	return int(f)
}

// sum adds the counts of members.
func sum(v value, keys ...string) int {
	n := 0
	for _, key := range keys {
		n += number(v.Get(key))
	}
	return n
}
