package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/llmblob/llmblob/pkg/storetest"
	"github.com/llmblob/llmblob/pkg/worker"
)

// The last line of the failing test is found in 5 MB with two calls of inspect, and no request carries much.
func TestTheFailingTestIsFound(t *testing.T) {
	log := testLog()
	if len(log) < 5<<20 {
		t.Fatalf("a log of %d bytes", len(log))
	}
	path := filepath.Join(t.TempDir(), "test.log")
	if err := os.WriteFile(path, log, 0o600); err != nil {
		t.Fatal(err)
	}
	inspected, largest := 0, 0
	w, err := worker.New(worker.Options{Store: storetest.NewMemory(), Observer: worker.Observer{
		Result: func(a worker.Added) {
			if a.Tool == "inspect" {
				inspected++
			}
		},
		Request: func(r *worker.Request) { largest = max(largest, len(r.JSONL)) },
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Register(readFile); err != nil {
		t.Fatal(err)
	}
	answer, err := ask(t.Context(), w, scripted{}, "Why does the test run in "+path+" fail?")
	if want := "--- FAIL: TestAccount777 (0.01s): account_test.go:88: balance is 99.97, want 100.00"; err != nil || answer != want {
		t.Errorf("%v, answer %q, want %q", err, answer, want)
	}
	if inspected > 2 || inspected == 0 {
		t.Errorf("%d calls of inspect, want 1 or 2", inspected)
	}
	if largest > 4<<10 {
		t.Errorf("a request has %d bytes", largest)
	}
	var saved bytes.Buffer
	if err := w.Save(&saved); err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(saved.Bytes(), []byte("\n")); n != 8 {
		t.Errorf("%d records, want the question, three calls with their results, and the answer", n)
	}
}

// Without a store and without the tool the model still gets its results, and answers.
func TestAToolThatIsNotThere(t *testing.T) {
	w, err := worker.New(worker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := ask(t.Context(), w, scripted{}, "Why does the test run in no.log fail?")
	if err != nil || !strings.Contains(answer, `there is no tool "read_file"`) {
		t.Errorf("%v, %q", err, answer)
	}
}

// stubborn is a model that never answers.
type stubborn struct{}

func (stubborn) Reply(context.Context, *worker.Request, []worker.Tool) ([]worker.Item, error) {
	return call("c", "inspect", nil), nil
}

func TestALoopEnds(t *testing.T) {
	w, err := worker.New(worker.Options{Store: storetest.NewMemory()})
	if err != nil {
		t.Fatal(err)
	}
	if answer, err := ask(t.Context(), w, stubborn{}, "?"); err == nil {
		t.Errorf("answer %q", answer)
	}
}
