package inspect

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/selector"
)

// Hint says what to do about an error of a selector or an ambiguous id, "" where nothing is plain.
func Hint(err error) string {
	var syntax *selector.SyntaxError
	var misfit *selector.MisfitError
	var ambiguous *blob.AmbiguousError
	switch {
	case errors.As(err, &syntax):
		return syntax.Hint
	case errors.As(err, &misfit):
		return "these fit: " + strings.Join(misfit.Fits, ", ")
	case errors.As(err, &ambiguous):
		more := ""
		if ambiguous.More {
			more = " and others"
		}
		return "it could be " + joinIDs(ambiguous.Candidates) + more
	}
	return ""
}

func joinIDs(ids []blob.ID) string {
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = id.String()
	}
	return strings.Join(words, ", ")
}

// argumentError is a fault of the arguments of a call.
type argumentError struct{ msg, hint string }

func (e *argumentError) Error() string { return e.msg }

// explain writes an error for a model: what failed, where in a selector, and what to try.
func (t Tool) explain(ctx context.Context, err error) string {
	var b strings.Builder
	fmt.Fprintf(&b, "error: %v\n", err)
	var syntax *selector.SyntaxError
	if errors.As(err, &syntax) {
		for line := range strings.SplitSeq(syntax.Caret(), "\n") {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	if hint := t.hint(ctx, err); hint != "" {
		fmt.Fprintf(&b, "hint: %s\n", hint)
	}
	text, _ := clipValid([]byte(withoutReferences(b.String())), t.Bound())
	return string(text)
}

// withoutReferences writes what could be a reference as a summary does: an error repeats what the model wrote, and is to refer to nothing.
func withoutReferences(text string) string {
	const head, idLen = "[blob:", 36
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, head)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		if _, isID := blob.ParseID(after[:min(len(after), idLen)]); isID == nil {
			b.WriteString("(blob:")
		} else {
			b.WriteString(head)
		}
		text = after
	}
}

func (t Tool) hint(ctx context.Context, err error) string {
	var argument *argumentError
	var idSyntax *blob.SyntaxError
	var empty *selector.EmptyError
	var invalid *selector.InvalidJSONError
	switch {
	case errors.As(err, &argument):
		return argument.hint
	case errors.As(err, &idSyntax):
		return fmt.Sprintf("an id is a UUID as it stands in [blob:ID], or at least %d hex digits of either end%s", blob.MinPartDigits, t.newest(ctx))
	case errors.Is(err, blob.ErrNotFound):
		return "give the id as it stands in [blob:ID]" + t.newest(ctx)
	case errors.As(err, &empty):
		return hintOfEmpty(empty.Selector)
	case errors.As(err, &invalid):
		return "lines, head, tail, grep and bytes take any text; json takes JSON or JSON Lines"
	}
	return Hint(err)
}

// hintOfEmpty finds what was meant by a selector that chose nothing.
func hintOfEmpty(expr string) string {
	if chain := splitChain(expr); chain != nil {
		return "several selectors are an array: " + string(encodeLine(chain))
	}
	if arg, isGrep := strings.CutPrefix(expr, "grep:"); isGrep && !strings.HasPrefix(arg, "(?i)") {
		return "grep:(?i)PATTERN ignores case"
	}
	return ""
}

// newestShown is how many blobs a message names where an id was of none.
const newestShown = 5

// newest names the newest blobs, nothing where there are none.
func (t Tool) newest(ctx context.Context) string {
	var infos []blob.Info
	for info, err := range (blob.Filter{Newest: newestShown}).List(ctx, t.Store) {
		if err != nil {
			return "" // it is about another error
		}
		infos = append(infos, info)
	}
	if len(infos) == 0 {
		return "; there are no blobs"
	}
	slices.SortStableFunc(infos, func(a, b blob.Info) int { return b.Created.Compare(a.Created) })
	ids := make([]blob.ID, len(infos))
	for i, info := range infos {
		ids[i] = info.ID
	}
	return "; the newest blobs are " + joinIDs(ids)
}
