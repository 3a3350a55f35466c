package summarize

import (
	"strings"

	"github.com/llmblob/llmblob/internal/cleantext"
)

// minShare is the least a clipped line is worth showing with, in bytes.
const minShare = 8

// share divides room bytes among lines of the given lengths: the largest equal cap such that all fit, and what is left
// over a byte each from the first line that is longer. It returns the bytes of each line, and false where there is no
// room for the short ones and minShare of each long one.
func share(lengths []int, room int) ([]int, bool) {
	total, longest := 0, 0
	for _, n := range lengths {
		total += n
		longest = max(longest, n)
	}
	if total <= room {
		return lengths, true
	}
	limit := capFor(lengths, room, longest)
	if limit < minShare {
		return nil, false
	}
	shares := make([]int, len(lengths))
	for i, n := range lengths {
		shares[i] = min(n, limit)
		room -= shares[i]
	}
	for i, n := range lengths {
		if n > limit && room > 0 {
			shares[i]++
			room--
		}
	}
	return shares, true
}

// capFor finds the largest cap, below longest, such that the capped lengths fit room; -1 where none does.
func capFor(lengths []int, room, longest int) int {
	low, high := -1, longest // low fits, or is -1; high does not
	for high-low > 1 {
		mid := low + (high-low)/2
		sum := 0
		for _, n := range lengths {
			sum += min(n, mid)
		}
		if sum <= room {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// cleanLines cleans a text of several lines, of which no more than limit bytes and the rest of a line are needed.
func cleanLines(text string, limit int) string {
	var b []byte
	for line := range strings.SplitSeq(strings.TrimRight(text, "\r\n"), "\n") {
		if len(b) > 0 {
			b = append(b, '\n')
		}
		b = cleantext.AppendLine(b, []byte(line), limit)
		if len(b) > limit {
			break
		}
	}
	return string(b)
}

func clipText(text string, n int) string { return string(cleantext.Clip([]byte(text), n)) }
