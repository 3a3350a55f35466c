package offload

import (
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

// MatchTool reports whether the name of a tool matches a glob pattern as of path.Match, in which * takes a slash too.
func MatchTool(pattern, name string) (bool, error) {
	flat := strings.NewReplacer("/", "\x1f")
	return path.Match(flat.Replace(pattern), flat.Replace(name))
}
