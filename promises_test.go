package llmblob

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// holder is what holds a promise: a test of a package, or a file.
var holder = regexp.MustCompile("`((?:cmd|pkg|internal|examples)/[a-z/]+) ((?:Test|Fuzz|Example)[A-Za-z_]*)`|`((?:testdata|scripts|\\.ci)/[^` ]+)`")

// Each promise in docs/promises.md names what holds it, and all of that exists.
func TestEveryPromiseIsHeld(t *testing.T) {
	text, err := os.ReadFile("docs/promises.md")
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]string{} // the sources of the tests of a package
	promises := 0
	for line := range strings.Lines(string(text)) {
		promise, isPromise := strings.CutPrefix(line, "- ")
		if !isPromise {
			continue
		}
		promises++
		held := holder.FindAllStringSubmatch(promise, -1)
		if len(held) == 0 {
			t.Errorf("nothing holds %q", promise)
		}
		if rest := holder.ReplaceAllString(promise, ""); regexp.MustCompile("`[^`]* [A-Z]").MatchString(rest) {
			t.Errorf("what does this name? %q", rest)
		}
		for _, h := range held {
			pkg, name, file := h[1], h[2], h[3]
			if file != "" {
				if _, err := os.Stat(file); err != nil {
					t.Error(err)
				}
				continue
			}
			if _, read := tests[pkg]; !read {
				tests[pkg] = sources(t, pkg)
			}
			if !strings.Contains(tests[pkg], "\nfunc "+name+"(") {
				t.Errorf("there is no %s in %s", name, pkg)
			}
		}
	}
	if promises < 30 {
		t.Errorf("%d promises were read", promises)
	}
}

// sources are the texts of the tests of a package.
func sources(t *testing.T, pkg string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(pkg, "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no tests: %v", pkg, err)
	}
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}
