package selector

import "bytes"

// scanBlock is how many bytes are counted at once where lines are passed over: much more than a line, and within a
// cache.
const scanBlock = 32 << 10

// skipLines returns the offset after the first n lines of data, or its length and how many lines there are.
func skipLines(data []byte, n int) (off, skipped int) {
	for n-skipped > 0 && off < len(data) {
		if block := data[off:]; len(block) > scanBlock {
			if c := bytes.Count(block[:scanBlock], newline); c < n-skipped {
				off += scanBlock
				skipped += c
				continue
			}
		}
		i := bytes.IndexByte(data[off:], '\n')
		if i < 0 {
			return len(data), skipped + 1
		}
		off += i + 1
		skipped++
	}
	// A block may have ended in the middle of the last line, which then has no line feed.
	if off == len(data) && skipped < n && len(data) > 0 && data[len(data)-1] != '\n' {
		skipped++
	}
	return off, skipped
}

var newline = []byte{'\n'}

// countLines counts as people do: a last line needs no line feed.
func countLines(data []byte) int {
	n := bytes.Count(data, newline)
	if len(data) > 0 && data[len(data)-1] != '\n' {
		n++
	}
	return n
}
