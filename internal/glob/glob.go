// Package glob matches the names of tools.
package glob

import (
	"path"
	"strings"
)

// Match reports whether a name matches a pattern as of path.Match, in which * takes a slash too.
func Match(pattern, name string) (bool, error) {
	// A name without a slash, as nearly all are, is matched by the pattern as it is.
	if strings.Contains(name, "/") {
		pattern, name = strings.ReplaceAll(pattern, "/", "\x1f"), strings.ReplaceAll(name, "/", "\x1f")
	}
	return path.Match(pattern, name)
}
