package offload

import (
	"bytes"

	"github.com/llmblob/llmblob/internal/glob"
)

// inspectTools are patterns of the names under which agents know the inspect tool. What it answers is bounded, and is
// never offloaded again.
var inspectTools = [...]string{"inspect", "mcp__*__inspect", "*llmblob*inspect"}

// IsInspectTool reports whether a tool is the inspect tool by its name.
func IsInspectTool(name string) bool {
	for _, pattern := range inspectTools {
		if ok, _ := glob.Match(pattern, name); ok { // the patterns are good
			return true
		}
	}
	return false
}

// RunsInspect reports whether the arguments of a call, of a shell say, run llmblob inspect, with whatever flags between. What
// that prints is an answer of the inspect tool too. The arguments may be JSON: escapes and brackets part words.
func RunsInspect(arguments []byte) bool {
	const mostWords = 8 // between the two
	left := 0
	for len(arguments) > 0 {
		i := bytes.IndexAny(arguments, " \t\r\n;|&\"',[](){}\\")
		word := arguments
		if i >= 0 {
			word = arguments[:i]
		}
		switch {
		case len(word) == 0:
		case string(word) == "inspect" && left > 0:
			return true
		case bytes.Equal(word, []byte("llmblob")) || bytes.HasSuffix(word, []byte("/llmblob")):
			left = mostWords
		default:
			left--
		}
		if i < 0 {
			return false
		}
		switch between := arguments[i]; {
		case bytes.IndexByte([]byte("\n;|&"), between) >= 0:
			left = 0 // another command
		case between == '\\' && i+1 < len(arguments) && arguments[i+1] == 'n':
			left = 0 // an escaped line feed
			i++
		}
		arguments = arguments[i+1:]
	}
	return false
}
