//go:build unix

package inspect

import (
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
)

// The command that an overview shows has words of the blob in it, a key or a path. Given to a shell they are those words again:
// nothing of them is executed, expanded or taken for a file.
func TestShellWordsAreTheWords(t *testing.T) {
	words := []string{"", "$(echo x)", "`echo x`", "a b", "'", "''", `\`, `"`, "$HOME", "~", "*", "a\nb", "; echo x", "&& echo x", "| cat", "> /dev/null", "#x", "!x", "-n", "--", "{a,b}", "a=b", "\t", "key:it's $(id)", "漢字", "\xff", "\x1b[31m"}
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var w []byte
		for range r.IntN(12) {
			w = append(w, byte(1+r.IntN(255)))
		}
		words = append(words, string(w))
	}
	out, err := exec.Command("sh", "-c", `printf '%s\0' `+ShellWords(words)).Output()
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if len(got) != len(words) {
		t.Fatalf("%d words of %d", len(got), len(words))
	}
	for i := range words {
		if got[i] != words[i] {
			t.Errorf("%q became %q", words[i], got[i])
		}
	}
}
