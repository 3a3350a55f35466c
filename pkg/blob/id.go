package blob

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"iter"
	"strings"

	"github.com/google/uuid"
)

// ID names a blob. Its canonical form, 36 characters in lower case, is what String returns.
type ID = uuid.UUID

// NewID returns a new UUID v7 (RFC 9562), which sorts by the time it was made.
func NewID() (ID, error) { return uuid.NewV7() }

// ContentID returns the UUID v8 (RFC 9562) that content of this type always has: the first 16 bytes of the SHA-256 over
// the bytes, a NUL and the file ending.
func ContentID(t Type, data []byte) ID {
	h := sha256.New()
	h.Write(data)
	h.Write([]byte("\x00" + t.Ending()))
	id := ID(h.Sum(nil)[:16])
	id[6] = id[6]&0x0f | 0x80
	id[8] = id[8]&0x3f | 0x80
	return id
}

// CheckContent returns ErrDamaged where the id is a content id and the content is not what it was made of.
func CheckContent(id ID, t Type, data []byte) error {
	if id.Version() == 8 && ContentID(t, data) != id {
		return fmt.Errorf("blob %s: %w: its bytes are not those its id was made of", id, ErrDamaged)
	}
	return nil
}

// SyntaxError says that a text names no blob.
type SyntaxError struct{ Text string }

func (e *SyntaxError) Error() string {
	if len(e.Text) > 100 {
		return fmt.Sprintf("%q… is not a blob id", e.Text[:100])
	}
	return fmt.Sprintf("%q is not a blob id", e.Text)
}

// ParseID reads an id in canonical form, in either case of letters. It is the one way from outside to a name in a
// store. The error is a *SyntaxError.
func ParseID(s string) (ID, error) {
	id, err := uuid.Parse(s)
	if err != nil || id.String() != strings.ToLower(s) {
		return ID{}, &SyntaxError{Text: s}
	}
	return id, nil
}

// MinPartDigits is how many hexadecimal digits a part of an id must have to stand for it.
const MinPartDigits = 8

// AmbiguousError says that a part of an id stands for several blobs.
type AmbiguousError struct {
	Part       string
	Candidates []ID // at most five
	More       bool // there are others
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%q is the part of more than one id", e.Part)
}

// Resolver finds the blobs that texts mean. It lists the store at most once, when a text first needs that.
type Resolver struct {
	st     Store
	listed bool
	ids    []ID
}

// NewResolver returns a Resolver of the blobs in st.
func NewResolver(st Store) *Resolver { return &Resolver{st: st} }

// Resolve is Resolve of a Resolver that is used once.
func Resolve(ctx context.Context, st Store, s string) (ID, error) {
	return NewResolver(st).Resolve(ctx, s)
}

// Resolve finds the blob that s means: a full id, [blob:ID], blob://ID, or a prefix or suffix of at least MinPartDigits
// hexadecimal digits, hyphens ignored, that one blob alone has. For a full id the store is not asked whether it exists.
// Errors are a *SyntaxError, an *AmbiguousError, ErrNotFound or one of the store.
func (r *Resolver) Resolve(ctx context.Context, s string) (ID, error) {
	name := trimReference(s)
	if id, err := ParseID(name); err == nil {
		return id, nil
	}
	part, ok := digits(name)
	if !ok {
		return ID{}, &SyntaxError{Text: s}
	}
	if err := r.list(ctx); err != nil {
		return ID{}, err
	}
	var found []ID
	for _, id := range r.ids {
		if !begins(id, part) && !ends(id, part) {
			continue
		}
		if _, err := r.st.Stat(ctx, id); isNoBlob(err) {
			continue
		} else if err != nil {
			return ID{}, err
		}
		if found = append(found, id); len(found) > maxCandidates {
			break
		}
	}
	switch len(found) {
	case 0:
		return ID{}, fmt.Errorf("blob %s: %w", name, ErrNotFound)
	case 1:
		return found[0], nil
	}
	shown := min(len(found), maxCandidates)
	return ID{}, &AmbiguousError{Part: name, Candidates: found[:shown], More: len(found) > shown}
}

func (r *Resolver) list(ctx context.Context) error {
	if r.listed {
		return nil
	}
	for info, err := range quickList(ctx, r.st) {
		if err != nil {
			return err
		}
		r.ids = append(r.ids, info.ID)
	}
	r.listed = true
	return nil
}

// begins reports whether an id begins with digits, as digits returns them.
func begins(id ID, digits string) bool {
	for i := range len(digits) {
		if digit(id, i) != digits[i] {
			return false
		}
	}
	return true
}

// ends reports whether an id ends with digits.
func ends(id ID, digits string) bool {
	for i := range len(digits) {
		if digit(id, 2*len(id)-len(digits)+i) != digits[i] {
			return false
		}
	}
	return true
}

// digit is one of the hexadecimal digits of an id.
func digit(id ID, i int) byte {
	return "0123456789abcdef"[id[i/2]>>(4*(1-i%2))&15]
}

const maxCandidates = 5

// trimReference takes the forms of a reference off an id.
func trimReference(s string) string {
	s = strings.TrimSpace(s)
	if lower := strings.ToLower(s); strings.HasPrefix(lower, "[blob:") && strings.HasSuffix(s, "]") {
		return s[len("[blob:") : len(s)-1]
	} else if strings.HasPrefix(lower, "blob://") {
		return s[len("blob://"):]
	}
	return s
}

// digits returns the hexadecimal digits of a part of an id in lower case.
func digits(s string) (string, bool) {
	s = strings.ToLower(strings.ReplaceAll(s, "-", ""))
	if len(s) < MinPartDigits || len(s) > 32 || strings.Trim(s, "0123456789abcdef") != "" {
		return "", false
	}
	return s, true
}

// References yields the ids that text refers to as [blob:ID], each once, in the order of their first places.
func References(text []byte) iter.Seq[ID] {
	return func(yield func(ID) bool) {
		seen := make(map[ID]bool)
		for {
			i := bytes.Index(text, []byte("[blob:"))
			if i < 0 {
				return
			}
			text = text[i+len("[blob:"):]
			if len(text) < 37 || text[36] != ']' {
				continue
			}
			id, err := ParseID(string(text[:36]))
			if err == nil && !seen[id] {
				seen[id] = true
				if !yield(id) {
					return
				}
			}
		}
	}
}
