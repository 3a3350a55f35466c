package inspect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/llmblob/llmblob/internal/content"
	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/selector"
	"github.com/llmblob/llmblob/pkg/summarize"
)

// The bounds of an answer to a call, in bytes.
const (
	ToolBytes    = 16 << 10 // where nobody says otherwise
	MinToolBytes = 512
)

// Tool answers a model's calls of the inspect tool about the blobs of a store. Many goroutines may use it at once.
type Tool struct {
	Store    blob.Store             // Confine makes one of the blobs that the model may see
	MaxBytes int                    // of an answer; 0: ToolBytes, else at least MinToolBytes
	IsTool   func(name string) bool // under which names Reply knows the tool, beside ToolName; may be nil
}

// Bound returns the most bytes that an answer has.
func (t Tool) Bound() int {
	if t.MaxBytes == 0 {
		return ToolBytes
	}
	return max(MinToolBytes, t.MaxBytes)
}

// Answer answers a call by its arguments, JSON of the shape that Definition gives, or less strictly what plainly means it.
// The text is valid UTF-8 of at most MaxBytes: what was asked for, bytes that are no UTF-8 as U+FFFD each, and where it is
// cut the arguments of the call for the next page. Of a call that failed it says what failed, what exists and what to try,
// and isError is set.
func (t Tool) Answer(ctx context.Context, arguments []byte) (text string, isError bool) {
	var answer []byte
	err := content.Guard(func() error {
		r, err := parseRequest(arguments)
		if err == nil {
			answer, err = t.look(ctx, r)
		}
		return err
	})
	if err != nil {
		return t.explain(ctx, err), true
	}
	return string(answer), false
}

// look gives what a request asks for.
func (t Tool) look(ctx context.Context, r request) (answer []byte, err error) {
	id, err := t.resolve(ctx, r.id)
	if err != nil {
		return nil, err
	}
	b, data, err := Open(ctx, t.Store, id, len(r.sels) == 0 || !r.sels[0].ReadsPart())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	v := view{id: id, context: r.context, limit: t.Bound()}
	if len(r.sels) == 0 {
		return v.overview(b, data)
	}
	kind := selector.Text
	if b.Info().Type == blob.JSON {
		kind = selector.JSON
	}
	return v.part(selector.Source{Data: data, Kind: kind}, r.sels)
}

// resolve finds the blob that an id means, or a text in which one reference stands.
func (t Tool) resolve(ctx context.Context, text string) (blob.ID, error) {
	id, err := blob.Resolve(ctx, t.Store, text)
	var syntax *blob.SyntaxError
	if !errors.As(err, &syntax) {
		return id, err
	}
	var all []blob.ID
	for id := range blob.References([]byte(text)) {
		all = append(all, id)
	}
	if len(all) == 1 {
		return all[0], nil
	}
	return blob.ID{}, err
}

// FormatTime writes a time as answers show it: RFC 3339 in UTC, to the millisecond.
func FormatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// view writes answers about a blob.
type view struct {
	id      blob.ID
	context int
	limit   int
}

// nextArguments are the arguments of a call. As JSON they are what a cut answer ends with.
type nextArguments struct {
	BlobID   string   `json:"blob_id"`
	Selector []string `json:"selector"`
	Context  *int     `json:"context,omitempty"`
}

// call returns the arguments of the call for selectors.
func (v view) call(sels []selector.Selector) []byte {
	a := nextArguments{BlobID: v.id.String(), Selector: make([]string, len(sels))}
	for i, s := range sels {
		a.Selector[i] = s.String()
		if s.IsGrep() && v.context != defaultContext {
			a.Context = &v.context
		}
	}
	return encodeLine(a)
}

// encodeLine writes a value as JSON without the line feed.
func encodeLine(v any) []byte { return bytes.TrimSuffix(encode(v, ""), []byte{'\n'}) }

// longestRanges is what two selectors of a page, the longest, add to the arguments of a call.
const longestRanges = len(`,"lines:999999999999999999-999999999999999999","bytes:999999999999999999..999999999999999999"`)

// noticeLen is what a notice for the pages of a chain takes at most.
func (v view) noticeLen(sels []selector.Selector) int {
	return len("\n… 999999999999999999 more entries, next: \n") + longestRanges + len(v.call(base(sels)))
}

// part gives what selectors choose, and where that is cut a notice.
func (v view) part(src selector.Source, sels []selector.Selector) ([]byte, error) {
	room := v.limit - v.noticeLen(sels)
	if room < leastContent {
		return nil, &BoundError{Bytes: v.limit, Least: v.limit - room + leastContent}
	}
	sel, err := choose(src, sels, Options{Raw: true, Context: v.context})
	if err != nil {
		return nil, err
	}
	p := fit(sel, sels, v.limit)
	if p.left == 0 {
		return p.content, nil
	}
	p = fit(sel, sels, room)
	out := p.content
	if p.shown.Unit != selector.LinesUnit {
		out = append(out, '\n') // which is never the content's
	}
	return fmt.Appendf(out, "… %s, next: %s\n", p.more(), v.call(p.next)), nil
}

// overview tells what a blob is, shows its beginning, and ends with the call for what follows.
func (v view) overview(b blob.Blob, data []byte) ([]byte, error) {
	info := b.Info()
	as := summarize.AsText
	if info.Type == blob.JSON {
		as = summarize.AsJSON
	}
	facts, err := summarize.ScanReader(data, b, as, summarize.DefaultLimits())
	if err != nil {
		return nil, fmt.Errorf("blob %s: %w: %w", v.id, blob.ErrDamaged, err)
	}
	s := Subject{Name: v.id.String(), IsBlob: true, Created: FormatTime(info.Created), Facts: facts, Data: data}
	out := s.facts()
	if s.isEmpty() {
		return out, nil
	}
	first, next := s.beginning()
	sel, err := choose(s.source(), first, Options{Raw: true})
	if err != nil {
		return nil, err
	}
	pages := s.all() // what a page is cut of, so that its next one does not end where the overview does
	room := v.limit - len(out) - len("\n\n\nnext: \n") - max(len(v.call(next)), len(v.call(pages))+longestRanges)
	if room < leastContent { // the key that is named as an example is that long
		next = nil
		room = v.limit - len(out) - len("\n\n\nnext: \n") - len(v.call(pages)) - longestRanges
	}
	p := fit(sel, pages, room)
	if p.left > 0 {
		next = p.next
	}
	if p.shown.Unit != selector.BytesUnit && len(next) > 0 {
		next = s.after(p, next)
	}
	out = append(append(out, '\n'), p.content...)
	if len(p.content) > 0 && p.content[len(p.content)-1] != '\n' {
		out = append(out, '\n')
	}
	if len(next) > 0 {
		out = fmt.Appendf(out, "\nnext: %s\n", v.call(next))
	}
	return out, nil
}

// fit is cut of at most limit bytes of valid UTF-8.
func fit(sel selector.Selection, sels []selector.Selector, limit int) page {
	p := cut(sel, sels, limit, false)
	text, n := clipValid(p.content, limit)
	if n < len(p.content) { // bytes that are no UTF-8 take more room than they have
		p = cut(sel, sels, n, false)
		text, _ = clipValid(p.content, limit)
	}
	p.content = text
	return p
}

// clipValid returns the beginning of data as valid UTF-8 of at most limit bytes, each byte that is none as U+FFFD, and how
// much of data that is.
func clipValid(data []byte, limit int) (text []byte, n int) {
	if len(data) <= limit && utf8.Valid(data) {
		return data, len(data)
	}
	for n < len(data) {
		r, size := utf8.DecodeRune(data[n:])
		if len(text)+utf8.RuneLen(r) > limit {
			break
		}
		text = utf8.AppendRune(text, r)
		n += size
	}
	return text, n
}
