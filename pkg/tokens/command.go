package tokens

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os/exec"
	"strconv"
	"sync/atomic"
	"time"
)

const (
	// maxAnswer is the largest number of tokens that a program may answer.
	maxAnswer = min(1<<40, math.MaxInt)
	// maxLine is the longest line that it may answer, in bytes.
	maxLine = 4096
	// maxAhead is how many answers it may give before it has been given their contents. More can never be right, and
	// must not be collected without end.
	maxAhead = 1 << 16
	// waitDelay is how long after the end of the program its descendants may keep its standard error open.
	waitDelay = 2 * time.Second
)

// Command asks a program. It is started once for each Count. It gets one JSON object a line on its standard input,
// {"kind","tool","content"}, which is closed after the last, and answers one integer a line on its standard output: in the
// order of the contents, each at once or all at the end. Bytes of a text that are not UTF-8 reach it as U+FFFD.
//
// It must read all of its input, answer every content with an integer from 0 to 1<<40 and nothing else, and exit with
// status 0. Each failure to do so is an error that names the program and the line. It is killed then, or once ctx is done;
// processes that it has started itself are not.
type Command struct {
	args   []string
	stderr io.Writer
}

// NewCommand returns the counter that runs args, program first, and passes on what it writes to standard error, unless
// stderr is nil. The program is looked for at the first Count.
func NewCommand(args []string, stderr io.Writer) (*Command, error) {
	if len(args) == 0 || args[0] == "" {
		return nil, errors.New("token counter: no program is named")
	}
	return &Command{args: args, stderr: stderr}, nil
}

// Count implements Counter. The contents are taken on another goroutine.
func (c *Command) Count(ctx context.Context, contents iter.Seq[Content]) ([]int, error) {
	counts, err := c.run(ctx, contents)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("token counter %q: %w", c.args[0], err)
	}
	return counts, nil
}

func (c *Command) run(ctx context.Context, contents iter.Seq[Content]) ([]int, error) {
	ctx, kill := context.WithCancel(ctx)
	defer kill()
	cmd := exec.CommandContext(ctx, c.args[0], c.args[1:]...)
	cmd.Stderr, cmd.WaitDelay = c.stderr, waitDelay
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	// Descendants of a killed program may hold the pipes.
	stop := context.AfterFunc(ctx, func() { stdin.Close(); stdout.Close() })
	defer stop()

	var sent atomic.Int64
	written := make(chan error, 1)
	go func() {
		err := write(stdin, contents, &sent)
		stdin.Close()
		written <- err
	}()
	counts, answerErr := read(stdout, &sent)
	if answerErr != nil {
		kill()
	}
	// Without standard output the program has no answer left to give, so it needs no input.
	stdin.Close()
	writeErr := <-written
	waitErr := cmd.Wait()
	switch {
	case answerErr != nil:
		return nil, answerErr
	case waitErr != nil:
		return nil, fmt.Errorf("%w, after %d answers", waitErr, len(counts))
	case int64(len(counts)) > sent.Load():
		return nil, fmt.Errorf("line %d: more answers than the %d contents", sent.Load()+1, sent.Load())
	case writeErr != nil:
		return nil, fmt.Errorf("ended after %d answers without reading all of its input", len(counts))
	case int64(len(counts)) < sent.Load():
		return nil, fmt.Errorf("ended after %d answers to %d contents", len(counts), sent.Load())
	}
	return counts, nil
}

// write sends the contents, and counts each before it is sent.
func write(w io.Writer, contents iter.Seq[Content], sent *atomic.Int64) error {
	buffered := bufio.NewWriterSize(w, 64<<10)
	enc := json.NewEncoder(buffered)
	enc.SetEscapeHTML(false)
	for c := range contents {
		sent.Add(1)
		line := struct {
			Kind    string `json:"kind"`
			Tool    string `json:"tool"`
			Content string `json:"content"`
		}{c.Kind, c.Tool, string(c.Text)}
		if err := enc.Encode(line); err != nil {
			return err
		}
	}
	return buffered.Flush()
}

// read collects the answers to the end of r.
func read(r io.Reader, sent *atomic.Int64) ([]int, error) {
	lines := bufio.NewReaderSize(r, maxLine+1)
	var counts []int
	for {
		number := len(counts) + 1
		line, err := lines.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			return nil, fmt.Errorf("line %d: longer than %d bytes", number, maxLine)
		case err != nil && err != io.EOF:
			return nil, fmt.Errorf("line %d: %w", number, err)
		case err == io.EOF && len(line) == 0:
			return counts, nil
		}
		n, err := strconv.ParseUint(string(bytes.TrimSpace(line)), 10, 64)
		if err != nil || n > maxAnswer {
			return nil, fmt.Errorf("line %d: %.40q is not an integer from 0 to %d", number, bytes.TrimSpace(line), int64(maxAnswer))
		}
		if counts = append(counts, int(n)); int64(len(counts)) > sent.Load()+maxAhead {
			return nil, fmt.Errorf("line %d: more answers than contents", number)
		}
	}
}
