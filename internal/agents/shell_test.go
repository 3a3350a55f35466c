package agents

import (
	"os/exec"
	"strings"
	"testing"
)

func TestPipeTo(t *testing.T) {
	for line, want := range map[string]string{
		"make":                              "set -o pipefail; make 2>&1 | S",
		"  go test ./...  ":                 "set -o pipefail; go test ./... 2>&1 | S",
		"make 2>&1":                         "set -o pipefail; make 2>&1 | S",
		"make 2>/dev/null":                  "set -o pipefail; make 2>/dev/null | S",
		"make > out":                        "set -o pipefail; make > out | S",
		"make &> out":                       "set -o pipefail; make &> out | S",
		"cat < in":                          "set -o pipefail; cat < in 2>&1 | S",
		"a && b || c; d":                    "set -o pipefail; a 2>&1 | S && b 2>&1 | S || c 2>&1 | S; d 2>&1 | S",
		"a&&b":                              "set -o pipefail; a 2>&1 | S && b 2>&1 | S",
		"CGO_ENABLED=0 go build":            "set -o pipefail; CGO_ENABLED=0 go build 2>&1 | S",
		`grep "a | b; c && d & (e)" file`:   `set -o pipefail; grep "a | b; c && d & (e)" file 2>&1 | S`,
		`grep 'it''s | #' file`:             `set -o pipefail; grep 'it''s | #' file 2>&1 | S`,
		`echo "$(date)" ${HOME} $USER a\ b`: `set -o pipefail; echo "$(date)" ${HOME} $USER a\ b 2>&1 | S`,
		`echo a#b`:                          `set -o pipefail; echo a#b 2>&1 | S`,
		"./llmblob.sh":                      "set -o pipefail; ./llmblob.sh 2>&1 | S",
		"":                                  "",
		"cd src && make":                    "",
		"make && cd src":                    "",
		"export A=1":                        "",
		"A=1":                               "",
		"source env":                        "",
		". ./env":                           "",
		"make &":                            "",
		"make & wait":                       "",
		"nohup make >log 2>&1 &":            "",
		"a | b":                             "",
		"a |& b":                            "",
		"(a; b)":                            "",
		"{ a; b; }":                         "",
		"if a; then b; fi":                  "",
		"for i in 1 2; do a; done":          "",
		"f() { a; }":                        "",
		"a\nb":                              "",
		"a; ":                               "",
		"a &&":                              "",
		"&& a":                              "",
		"a ;; b":                            "",
		"cat <<EOF\nx\nEOF":                 "",
		"cat <<<x":                          "",
		"diff <(a) <(b)":                    "",
		"echo `date`":                       "",
		"echo 'open":                        "",
		`echo "open`:                        "",
		"echo $(a $(b))":                    "",
		`echo "$(echo ")")"`:                "",
		"echo $'a'":                         "",
		"a # comment":                       "",
		"! a":                               "",
		"time a":                            "",
		"exec a":                            "",
		"eval a":                            "",
		`"cd" x`:                            "",
		"$CMD x":                            "",
		"c\\d x":                            "",
		"llmblob inspect x":                 "",
		"/usr/bin/llmblob cat x":            "",
		"a \\\nb":                           "",
		"[[ -f x ]]":                        "",
	} {
		got, ok := pipeTo(line, "S", true)
		if ok != (want != "") || got != want {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
	if got, _ := pipeTo("make && make install", "S", false); got != "set -o pipefail; make | S && make install | S" {
		t.Errorf("apart: got %q", got)
	}
}

// Through a sink that passes everything, a line prints what it printed, and exits as it did.
func TestPipeToKeepsMeaning(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash here")
	}
	run := func(line string) (string, int) {
		cmd := exec.Command(bash, "-c", line)
		cmd.Dir = t.TempDir()
		out, err := cmd.CombinedOutput()
		if err != nil && cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
	for _, line := range []string{
		"true", "false", "sh -c 'echo out; echo err >&2; exit 7'", "false || echo a && echo b", "false && echo a; echo b",
		"sh -c 'exit 3' 2>&1", "A=1 sh -c 'echo $A'", `echo "a | b" 'c && d' e\;f`, "echo a; false", "printf 'x' >f && cat f",
		"sh -c 'echo lost >&2' 2>/dev/null", "sh -c 'echo err >&2; echo out' >f; cat f", "no-such-command-at-all", `echo "$(echo hi)" ${HOME}`,
	} {
		wrapped, ok := pipeTo(line, "cat", true)
		if !ok {
			t.Errorf("%q was left alone", line)
			continue
		}
		wantOut, wantStatus := run(line)
		got, status := run(wrapped)
		if got != wantOut || status != wantStatus {
			t.Errorf("%q: got %q, %d, want %q, %d", line, got, status, wantOut, wantStatus)
		}
	}
}

// Whatever a line is, what is made of it has the line's own commands in it, in their order, and nothing else than the sink.
func FuzzPipeTo(f *testing.F) {
	for _, line := range []string{"a && b; c", `grep "x|y" f 2>&1`, "A=1 make -j4 > o", "echo $(x) ${y} \\& 'z'"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		const sink = "SINK --x"
		got, ok := pipeTo(line, sink, true)
		if !ok {
			return
		}
		rest, ok := strings.CutPrefix(got, "set -o pipefail; ")
		bare := strings.NewReplacer(" ", "", "\t", "", "2>&1", "", "| "+sink, "")
		if !ok || !strings.HasSuffix(got, " | "+sink) || !strings.Contains(line, "2>") && bare.Replace(rest) != bare.Replace(strings.TrimSpace(line)) {
			t.Errorf("%q became %q", line, got)
		}
	})
}
