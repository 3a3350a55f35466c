// Package mcp serves the inspect tool, a list of the blobs, and the blobs as resources, to a client of the Model Context
// Protocol over a pair of streams. It is written here and not taken from the official SDK for Go, which the tests hold it
// to: a program that links that one starts net/http, oauth2 and gob each time, and llmblob starts once a tool call.
package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/llmblob/llmblob/internal/content"
	"github.com/llmblob/llmblob/internal/jsonscan"
	"github.com/llmblob/llmblob/pkg/inspect"
)

// The codes of errors (JSON-RPC 2.0, section 5.1, and the schema of MCP).
const (
	codeParse              = -32700
	codeInvalidRequest     = -32600
	codeMethodNotFound     = -32601
	codeInvalidParams      = -32602
	codeInternal           = -32603
	codeResourceNotFound   = -32002
	codeUnsupportedVersion = -32022
)

const (
	maxLine     = 16 << 20 // bytes of a message; a longer one is passed over
	maxInFlight = 32       // requests that are answered at once; the others wait in the stream
)

// Server is what a client is served. Its fields do not change while it serves.
type Server struct {
	Tool    inspect.Tool
	Version string           // of the program
	Warn    func(line error) // told of messages that make no sense; may be nil
}

// Serve answers the messages in r, one a line, until it ends, and then what is left. Nothing but messages is written to w,
// each in one Write. A message that makes no sense is answered with an error, and the next one is read. Errors are those of
// r and w, and of ctx.
func (s *Server) Serve(ctx context.Context, r io.Reader, w io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c := &connection{server: s, w: w, fail: cancel, running: make(map[string]context.CancelFunc)}
	slots := make(chan struct{}, maxInFlight)
	in := bufio.NewReaderSize(r, 64<<10)
	var err error
	for err == nil && ctx.Err() == nil {
		var line []byte
		if line, err = readLine(in); len(bytes.TrimSpace(line)) > 0 {
			c.take(ctx, slots, line)
		} else if errors.Is(err, errLongLine) {
			c.refuse(nil, codeInvalidRequest, err.Error())
			err = nil
		}
	}
	c.wg.Wait()
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

var errLongLine = fmt.Errorf("a message of more than %d bytes", maxLine)

// readLine reads a line of at most maxLine bytes. A longer one is read to its end and is errLongLine.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := in.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxLine; !long {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case long:
			return nil, errLongLine
		default:
			return line, err
		}
	}
}

// connection is a client that is served.
type connection struct {
	server *Server
	fail   context.CancelCauseFunc
	wg     sync.WaitGroup

	writing sync.Mutex
	w       io.Writer

	mu      sync.Mutex
	running map[string]context.CancelFunc // requests by their ids as they are spelled
}

// message is a JSON-RPC request, or a notification where it has no id.
type message struct {
	id     json.RawMessage
	method string
	params []byte // a JSON object; nil: none
}

// take answers what stands on a line, on a goroutine of its own once a slot is free.
func (c *connection) take(ctx context.Context, slots chan struct{}, line []byte) {
	doc, err := jsonscan.Scan(line, 0)
	if err != nil {
		c.refuse(nil, codeParse, "not JSON: "+err.Error())
		return
	}
	if doc.Kind == jsonscan.Object {
		m, err := parseMessage(doc.Value)
		switch {
		case err != nil:
			c.refuse(m.id, codeInvalidRequest, err.Error())
		case m.id == nil:
			c.notice(m)
		case m.method == "initialize": // nothing is to be answered before it
			c.write(c.server.handle(ctx, m))
		default:
			ctx, done := c.begin(ctx, m.id)
			c.run(slots, len(line), func() {
				if answer := c.server.handle(ctx, m); done() {
					c.write(answer)
				}
			})
		}
		return
	}
	if doc.Kind != jsonscan.Array || len(elements(doc.Value)) == 0 {
		c.refuse(nil, codeInvalidRequest, "a message is an object")
		return
	}
	c.run(slots, len(line), func() { c.batch(ctx, doc.Value) })
}

func elements(array []byte) (all [][]byte) {
	for e := range jsonscan.Children(array) {
		all = append(all, e.Value)
	}
	return all
}

// run calls f on a goroutine of its own, once there are slots for a message of so many bytes: the longest takes all of them, for
// what is answered at once is in memory at once. It is called by one goroutine.
func (c *connection) run(slots chan struct{}, bytes int, f func()) {
	weight := min(1+bytes/(maxLine/maxInFlight), maxInFlight)
	for range weight {
		slots <- struct{}{}
	}
	c.wg.Go(func() {
		defer func() {
			for range weight {
				<-slots
			}
		}()
		f()
	})
}

// maxBatch bounds the messages of a batch, for all its answers are in memory.
const maxBatch = 100

// batch answers the requests of an array with an array, as the version of 2025-03-26 has it.
func (c *connection) batch(ctx context.Context, array []byte) {
	values := elements(array)
	if len(values) > maxBatch {
		c.refuse(nil, codeInvalidRequest, fmt.Sprintf("a batch has at most %d messages", maxBatch))
		return
	}
	var answers []response
	for _, value := range values {
		m, err := parseMessage(value)
		switch {
		case err != nil:
			answers = append(answers, failure(m.id, codeInvalidRequest, err.Error()))
		case m.id == nil:
			c.notice(m)
		default:
			answers = append(answers, c.server.handle(ctx, m))
		}
	}
	if len(answers) > 0 {
		c.write(answers)
	}
}

// errResponse says that a message answers a request, of which the server makes none.
var errResponse = errors.New("a response to no request")

// parseMessage reads a message. Of one that is wrong it returns the id where there is one.
func parseMessage(value []byte) (m message, err error) {
	if jsonscan.KindOf(value) != jsonscan.Object {
		return m, errors.New("a message is an object")
	}
	version, hasMethod, answers := "", false, false
	for f := range jsonscan.Children(value) {
		kind := jsonscan.KindOf(f.Value)
		switch key := string(jsonscan.Text(f.Key)); {
		case key == "jsonrpc" && kind == jsonscan.String:
			version = string(jsonscan.Text(f.Value))
		case key == "id" && (kind == jsonscan.String || kind == jsonscan.Number):
			m.id = f.Value
		case key == "id":
			err = errors.New("id: must be a string or a number")
		case key == "method" && kind == jsonscan.String:
			m.method, hasMethod = string(jsonscan.Text(f.Value)), true
		case key == "params" && kind == jsonscan.Object:
			m.params = f.Value
		case key == "params" && kind != jsonscan.Null:
			err = errors.New("params: must be an object")
		case key == "result" || key == "error":
			answers = true
		}
	}
	switch {
	case err != nil:
	case version != "2.0":
		err = errors.New(`jsonrpc: must be "2.0"`)
	case !hasMethod && answers:
		err = errResponse
	case !hasMethod:
		err = errors.New("method: missing")
	}
	return m, err
}

// begin makes a request one that the client can cancel, until done, which reports whether it still wants the answer.
func (c *connection) begin(parent context.Context, id json.RawMessage) (ctx context.Context, done func() bool) {
	ctx, cancel := context.WithCancel(parent)
	key := string(id)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running[key] = cancel
	return ctx, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.running, key)
		wanted := ctx.Err() == nil || parent.Err() != nil
		cancel()
		return wanted
	}
}

// notice takes a notification. Those that are not known are passed over, as the protocol wants it.
func (c *connection) notice(m message) {
	if m.method != "notifications/cancelled" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel := c.running[string(field(m.params, "requestId"))]; cancel != nil {
		cancel()
	}
}

// refuse answers a message that makes no sense.
func (c *connection) refuse(id json.RawMessage, code int, msg string) {
	if msg == errResponse.Error() {
		return // an answer to an answer would never end
	}
	if c.server.Warn != nil {
		c.server.Warn(fmt.Errorf("mcp: %s", msg))
	}
	c.write(failure(id, code, msg))
}

func (c *connection) write(v any) {
	line := encode(v)
	c.writing.Lock()
	defer c.writing.Unlock()
	if _, err := c.w.Write(line); err != nil {
		c.fail(fmt.Errorf("write message: %w", err))
	}
}

func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // a Buffer takes all, and the values are ones that JSON holds
	return b.Bytes()
}

type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"` // null where the request has none that can be read
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

func failure(id json.RawMessage, code int, msg string) response {
	return response{Version: "2.0", ID: id, Error: &rpcError{Code: code, Message: msg}}
}

// handle answers a request. A file that shrinks under it is an error, not a crash.
func (s *Server) handle(ctx context.Context, m message) response {
	var result object
	err := content.Guard(func() (err error) {
		result, err = s.call(ctx, m)
		return err
	})
	var wrong *rpcError
	switch {
	case errors.As(err, &wrong):
		return response{Version: "2.0", ID: m.id, Error: wrong}
	case err != nil:
		return failure(m.id, codeInternal, err.Error())
	}
	return response{Version: "2.0", ID: m.id, Result: result}
}

func (e *rpcError) Error() string { return e.Message }
