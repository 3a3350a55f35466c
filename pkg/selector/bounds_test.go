package selector

import (
	"bytes"
	"strings"
	"testing"
)

// A string with escapes that is too long to be decoded is taken as it is stored; one without them, or a shorter one, as its text.
func TestStringsTooLongToDecode(t *testing.T) {
	long := []byte(`{"a":"` + strings.Repeat(`\n`, maxDecoded/2) + `end","b":"` + strings.Repeat(`xx`, maxDecoded/2) + `end","c":"\u0041\n"}`)
	for _, c := range []struct{ key, last, want string }{{"a", "bytes:134217729..", `end"`}, {"b", "bytes:134217728..", "end"}, {"c", "lines:1", "A\n"}} {
		sels, err := ParseAll([]string{"key:" + c.key, c.last})
		if err != nil {
			t.Fatal(err)
		}
		sel, err := Select(Source{Data: long, Kind: JSON}, Options{}, sels...)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if _, err := sel.WriteTo(&out); err != nil || out.String() != c.want {
			t.Errorf("%s: got %d bytes, %.20q, %v, want %q", c.key, out.Len(), out.String(), err, c.want)
		}
	}
}
