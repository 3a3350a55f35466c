package offload

import (
	"bytes"

	"github.com/llmblob/llmblob/internal/lines"
	"github.com/llmblob/llmblob/pkg/blob"
	"github.com/llmblob/llmblob/pkg/summarize"
)

// lineCount counts the lines of a large text while it is staged, for to read it once more afterwards takes half as long as to copy it.
type lineCount struct {
	stage blob.Stage
	as    summarize.As

	end, told int64 // bytes written, and of these told to whom counts
	decided   bool
	ahead     *lines.Ahead // nil: nobody counts yet
}

// countStep is from how many bytes on it is worth another goroutine, and how many are told at once.
const countStep = 4 << 20

// wrote tells that so many bytes more are staged.
func (c *lineCount) wrote(n int64) {
	if c.end += n; c.end-c.told < countStep {
		return
	}
	c.told = c.end
	if !c.decided {
		c.decided = true
		if c.isText() {
			c.ahead = lines.NewAhead(c.stage)
		}
	}
	if c.ahead != nil {
		c.ahead.Written(c.end)
	}
}

// isText reports whether what is staged looks like text, whose lines will be asked for: JSON is validated when it is whole.
func (c *lineCount) isText() bool {
	if c.as != summarize.Auto {
		return c.as == summarize.AsText
	}
	var start [512]byte
	n, _ := c.stage.ReadAt(start[:], 0)
	first := bytes.TrimLeft(start[:n], " \t\r\n")
	return len(first) == 0 || first[0] != '{' && first[0] != '['
}

// lines returns how many lines the size bytes have that are staged.
func (c *lineCount) lines(size int64) (int, error) {
	if c.ahead == nil {
		return lines.CountReader(c.stage, size)
	}
	return c.ahead.Lines(size)
}

// stop is to be called before the stage ends.
func (c *lineCount) stop() {
	if c.ahead != nil {
		c.ahead.Stop()
	}
}
