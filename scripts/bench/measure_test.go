package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/llmblob/llmblob/internal/content"
)

// What the test binary does as a program of its own, as its first argument says.
const (
	asBench = "as-bench" // what follows are arguments of bench
	asPrint = "as-print" // print what follows, a line each
	asFail  = "as-fail"  // say so on standard error, and fail
	asCopy  = "as-copy"  // copy standard input
	asEnv   = "as-env"   // print LC_ALL
	asHold  = "as-hold"  // hold so many bytes, and the mapped bytes of a file, until standard input ends
)

func TestMain(m *testing.M) {
	if len(os.Args) < 2 || !strings.HasPrefix(os.Args[1], "as-") {
		os.Exit(m.Run())
	}
	switch os.Args[1] {
	case asBench:
		os.Args = append(os.Args[:1], os.Args[2:]...)
		main()
	case asPrint:
		fmt.Println(strings.Join(os.Args[2:], "\n"))
	case asFail:
		fmt.Fprintln(os.Stderr, "it failed")
		os.Exit(3)
	case asCopy:
		_, _ = io.Copy(os.Stdout, os.Stdin)
	case asEnv:
		fmt.Print(os.Getenv("LC_ALL"))
	case asHold:
		holdMemory()
	}
}

func holdMemory() {
	n, err := strconv.Atoi(os.Args[2])
	if err != nil {
		panic(err)
	}
	own := make([]byte, n)
	for i := range own {
		own[i] = 1
	}
	f, err := os.Open(os.Args[3])
	if err != nil {
		panic(err)
	}
	mapped, err := content.Map(f)
	if err != nil {
		panic(err)
	}
	sum := 0
	for _, c := range mapped.Bytes() {
		sum += int(c)
	}
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
	fmt.Println(len(own), sum)
}

// program is this test binary as a command.
func program(t *testing.T, args ...string) *command {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &command{name: "program", args: append([]string{self}, args...)}
}

func TestRun(t *testing.T) {
	c := program(t, asCopy)
	c.stdin, c.stdout = filepath.Join(t.TempDir(), "in"), filepath.Join(t.TempDir(), "out")
	if err := os.WriteFile(c.stdin, []byte("through"), 0o600); err != nil {
		t.Fatal(err)
	}
	var order []string
	c.before = func() error { order = append(order, "before"); return nil }
	c.after = func() error { order = append(order, "after"); return nil }
	r, err := c.run(t.Context(), false)
	if err != nil || r.took <= 0 || r.memory != (memory{}) {
		t.Errorf("%+v, %v", r, err)
	}
	if got, err := os.ReadFile(c.stdout); err != nil || string(got) != "through" {
		t.Errorf("%q, %v", got, err)
	}
	if strings.Join(order, " ") != "before after" {
		t.Errorf("%q", order)
	}
}

func TestRunFails(t *testing.T) {
	if _, err := program(t, asFail).run(t.Context(), true); err == nil || !strings.Contains(err.Error(), "program: exit status 3: it failed") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := program(t, asPrint).run(ctx, false); err == nil {
		t.Error("ran, though all had ended")
	}
}

func TestInsideTime(t *testing.T) {
	c := program(t, asPrint, "3 cleared", "12.5")
	c.inside = true
	if r, err := c.run(t.Context(), false); err != nil || r.inside != 12500*time.Microsecond {
		t.Errorf("%v, %v", r.inside, err)
	}
	c = program(t, asPrint, "no time")
	c.inside = true
	if _, err := c.run(t.Context(), false); err == nil {
		t.Error("no error")
	}
}

func TestDrain(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "a": "a", "a\nb\n": "b", strings.Repeat("x\n", 100_000) + "last\n": "last", "first\n" + strings.Repeat("y", 50): strings.Repeat("y", 50),
	} {
		if got := drain(strings.NewReader(in)); got != want {
			t.Errorf("%.20q: got %q", in, got)
		}
	}
}

// A command of several rows runs once a turn, an absent one not at all, and the round that is watched is not timed.
func TestHold(t *testing.T) {
	runs := make(map[string]int)
	counted := func(name string) *command {
		c := program(t, asEnv)
		c.before = func() error { runs[name]++; return nil }
		return c
	}
	ours, rival, absent := counted("ours"), counted("rival"), counted("absent")
	absent.absent = "not installed"
	rows, err := hold(t.Context(), []contest{{ours: ours, rival: rival}, {ours: ours, rival: absent}, {ours: ours}}, 2, 3)
	if err != nil || len(rows) != 3 {
		t.Fatal(len(rows), err)
	}
	if fmt.Sprint(runs) != "map[ours:9 rival:9]" || len(rows[0].ourFigures.times) != 6 || rows[0].ourFigures != rows[2].ourFigures {
		t.Errorf("%v, %d times", runs, len(rows[0].ourFigures.times))
	}
	if rows[0].theirFigures == nil || rows[1].theirFigures != nil || rows[2].theirFigures != nil {
		t.Error("rivals that are not there were measured")
	}
}
