package offload

import "path"

// inspectTools are patterns of the names under which agents know the inspect tool. What it answers is bounded, and is
// never offloaded again.
var inspectTools = [...]string{"inspect", "mcp__*__inspect", "*llmblob*inspect"}

// IsInspectTool reports whether a tool is the inspect tool by its name.
func IsInspectTool(name string) bool {
	for _, pattern := range inspectTools {
		if ok, _ := path.Match(pattern, name); ok { // the patterns are good
			return true
		}
	}
	return false
}
