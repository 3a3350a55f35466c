package tokens

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestMain makes the test binary the programs that the tests ask.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "counter" {
		os.Exit(program(os.Args[2]))
	}
	os.Exit(m.Run())
}

// program counts the bytes of the contents, if it is not to fail.
func program(how string) int {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	in := json.NewDecoder(os.Stdin)
	switch how {
	case "reads nothing":
		return 0
	case "floods":
		for {
			if _, err := out.WriteString("1\n"); err != nil {
				return 1
			}
		}
	case "long line":
		out.WriteString(strings.Repeat("1", 1<<20))
		return 0
	case "hangs":
		out.WriteString("1\n")
		out.Flush()
		time.Sleep(time.Hour)
	case "ignores input":
		os.Stdout.Close()
		time.Sleep(time.Hour)
	}
	for n := 1; ; n++ {
		var c map[string]string
		err := in.Decode(&c)
		if err == io.EOF {
			break
		}
		if err != nil || len(c) != 3 {
			fmt.Fprintln(os.Stderr, "input:", c, err)
			return 3
		}
		switch {
		case n == 3 && how == "fails":
			fmt.Fprintln(os.Stderr, "no more")
			return 7
		case n == 3 && how == "stops":
			return 0
		case n == 3 && how == "forgets":
			continue
		case n == 3 && strings.HasPrefix(how, "says "):
			fmt.Fprintln(out, strings.TrimPrefix(how, "says "))
			continue
		}
		fmt.Fprintln(out, len(c["content"]))
		if how == "lines" {
			out.Flush()
		}
	}
	switch how {
	case "more":
		fmt.Fprintln(out, 1)
	case "chat":
		fmt.Fprintln(out, "bye")
	case "no line feed":
		fmt.Fprint(out, "  5\r")
	}
	return 0
}

func command(t *testing.T, how string, stderr io.Writer) *Command {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewCommand([]string{exe, "counter", how}, stderr)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCommand(t *testing.T) {
	texts := []string{"", "a", "<&>\u2028\n\"\\\x00", "\xff漢\xc3", strings.Repeat("x", 1<<20)}
	want := []int{0, 1, 10, 9, 1 << 20}
	for range 2000 {
		texts, want = append(texts, strings.Repeat("y", 100)), append(want, 100)
	}
	for _, how := range []string{"lines", "blocks"} {
		if got := count(t, command(t, how, nil), texts...); !slices.Equal(got, want) {
			t.Errorf("%s: got %v…", how, got[:min(8, len(got))])
		}
	}
	if got := count(t, command(t, "lines", nil)); len(got) != 0 {
		t.Errorf("got %v of nothing", got)
	}
}

func TestCommandIsToldWhatItCounts(t *testing.T) {
	var line bytes.Buffer
	if err := write(&line, contents("<é>\n"), new(atomic.Int64)); err != nil {
		t.Fatal(err)
	}
	if want := `{"kind":"tool_result","tool":"sh","content":"<é>\n"}` + "\n"; line.String() != want {
		t.Errorf("got %s, want %s", line.String(), want)
	}
}

func TestCommandFails(t *testing.T) {
	many := make([]string, 1<<14) // more than a pipe holds
	for i := range many {
		many[i] = strings.Repeat("x", 100)
	}
	four := []string{"a", "b", "c", "d"}
	for _, c := range []struct {
		how   string
		texts []string
		want  string
	}{
		{"fails", four, "exit status 7, after 2 answers"},
		{"stops", many, "ended after 2 answers without reading all of its input"},
		{"stops", four, "ended after 2 answers to 4 contents"},
		{"forgets", four, "ended after 3 answers to 4 contents"},
		{"reads nothing", many, "ended after 0 answers without reading all of its input"},
		{"more", four, "line 5: more answers than the 4 contents"},
		{"floods", four, "more answers than contents"},
		{"long line", four, "line 1: longer than 4096 bytes"},
		{"chat", four, `line 5: "bye" is not an integer from 0 to 1099511627776`},
		{"says x", four, `line 3: "x" is not an integer`},
		{"says -1", many, `line 3: "-1" is not an integer`},
		{"says +1", four, `line 3: "+1" is not an integer`},
		{"says 1.5", four, `line 3: "1.5" is not an integer`},
		{"says 1099511627777", four, `line 3: "1099511627777" is not an integer`},
		{"says 99999999999999999999", four, `line 3: "99999999999999999999" is not an integer`},
		{"says ", four, `line 3: "" is not an integer`},
	} {
		before := runtime.NumGoroutine()
		cmd := command(t, c.how, nil)
		got, err := cmd.Count(context.Background(), contents(c.texts...))
		if got != nil || err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), fmt.Sprintf("token counter %q: ", cmd.args[0])) {
			t.Errorf("%s: got %v, %v, want %s", c.how, got, err, c.want)
		}
		checkGoroutines(t, before)
	}
}

// checkGoroutines waits for those that are just ending.
func checkGoroutines(t *testing.T, before int) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
}

func TestLargestAnswer(t *testing.T) {
	if got := count(t, command(t, fmt.Sprintf("says %d", maxAnswer), nil), "a", "b", "c"); !slices.Equal(got, []int{1, 1, maxAnswer}) {
		t.Errorf("got %v", got)
	}
	if got, err := read(strings.NewReader("1\r\n 2 \n3"), new(atomic.Int64)); err != nil || !slices.Equal(got, []int{1, 2, 3}) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestCommandIsNotFound(t *testing.T) {
	c, err := NewCommand([]string{"no-such-counter"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Count(context.Background(), contents("a")); err == nil || !strings.HasPrefix(err.Error(), `token counter "no-such-counter": `) {
		t.Errorf("got %v", err)
	}
}

func TestStandardErrorIsPassedOn(t *testing.T) {
	var stderr bytes.Buffer
	if _, err := command(t, "fails", &stderr).Count(context.Background(), contents("a", "b", "c")); err == nil {
		t.Error("no error")
	}
	if stderr.String() != "no more\n" {
		t.Errorf("got %q", stderr.String())
	}
}

func TestCommandIsKilled(t *testing.T) {
	for _, how := range []string{"hangs", "ignores input"} {
		before := runtime.NumGoroutine()
		ctx, cancel := context.WithCancelCause(context.Background())
		cause := errors.New("enough")
		n, err := command(t, how, nil).Count(ctx, func(yield func(Content) bool) {
			for i := 0; yield(Content{Text: make([]byte, 1000)}); i++ {
				if i == 2 {
					cancel(cause)
				}
			}
		})
		if n != nil || !errors.Is(err, cause) {
			t.Errorf("%s: got %v, %v", how, n, err)
		}
		checkGoroutines(t, before)
	}
}
