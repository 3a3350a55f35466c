package main

import (
	"bufio"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

func TestReadStatus(t *testing.T) {
	status := "Name:\tx\nVmHWM:\t    1234 kB\nRssAnon:\t     100 kB\nRssFile:\t     900 kB\nRssShmem:\t      20 kB\n"
	if got := readStatus([]byte(status)); got != (memory{1234 * 1024, 120 * 1024}) {
		t.Errorf("%+v", got)
	}
	if got := readStatus([]byte("Name:\tx\nState:\tZ (zombie)\n")); got != (memory{}) {
		t.Errorf("%+v", got)
	}
}

// Memory that is a program's own is told apart from mapped files, and is not that of the one which started it.
func TestWatch(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector takes memory of its own beside what is measured")
	}
	own := make([]byte, 100*mB) // of this process
	for i := range own {
		own[i] = 1
	}
	text := t.TempDir() + "/text"
	if err := writeText(text, 50*mB); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 30} {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(self, asHold, strconv.Itoa(n*mB), text)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(out).ReadString('\n') // it holds all now, until its input ends
		ended := make(chan struct{})
		close(ended)
		m := watch(cmd.Process.Pid, ended)
		if err != nil || strings.TrimSpace(line) != "ready" {
			t.Errorf("%q, %v", line, err)
		}
		if in.Close() != nil || cmd.Wait() != nil {
			t.Error("it failed")
		}
		anonymous, resident := int64(n)*mB, int64(n+50)*mB
		if m.anonymous < anonymous || m.anonymous > anonymous+25*mB || m.resident < resident || m.resident > resident+45*mB {
			t.Errorf("%d MB of its own and 50 of a file: %+v", n, m)
		}
	}
	if own[len(own)-1] != 1 {
		t.Error("it must live until here")
	}
}
