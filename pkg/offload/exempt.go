package offload

import (
	"bytes"
	"path"
	"strings"
)

// inspectTools are patterns of the names under which agents know the inspect tool. What it answers is bounded, and is
// never offloaded again.
var inspectTools = [...]string{"inspect", "mcp__*__inspect", "*llmblob*inspect"}

// IsInspectTool reports whether a tool is the inspect tool by its name.
func IsInspectTool(name string) bool {
	for _, pattern := range inspectTools {
		if ok, _ := MatchTool(pattern, name); ok { // the patterns are good
			return true
		}
	}
	return false
}

// RunsInspect reports whether the arguments of a call, of a shell say, run llmblob inspect, with whatever flags between. What
// that prints is an answer of the inspect tool too.
func RunsInspect(arguments []byte) bool {
	const mostWords = 8
	for _, rest, ok := bytes.Cut(arguments, []byte("llmblob")); ok; _, rest, ok = bytes.Cut(rest, []byte("llmblob")) {
		command := rest
		if i := bytes.IndexAny(rest, "\n;|&"); i >= 0 {
			command = rest[:i]
		}
		words := 0
		for word := range bytes.FieldsSeq(command) {
			if words++; words > mostWords {
				break
			}
			if string(word) == "inspect" {
				return true
			}
		}
	}
	return false
}

// MatchTool reports whether the name of a tool matches a glob pattern as of path.Match, in which * takes a slash too.
func MatchTool(pattern, name string) (bool, error) {
	flat := strings.NewReplacer("/", "\x1f")
	return path.Match(flat.Replace(pattern), flat.Replace(name))
}
