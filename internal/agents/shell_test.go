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
		"cat 2>&1 >& a 0<&- b":              "set -o pipefail; cat 2>&1 >& a 0<&- b | S",
		"ls >":                              "",
		"ls > >(wc)":                        "",
		"cat < in":                          "set -o pipefail; cat < in 2>&1 | S",
		"ls && ./b || /c; wc":               "set -o pipefail; ls 2>&1 | S && ./b 2>&1 | S || /c 2>&1 | S; wc 2>&1 | S",
		"ls&&wc":                            "set -o pipefail; ls 2>&1 | S && wc 2>&1 | S",
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
		"a && b":                            "",
		"f":                                 "set -o pipefail; f 2>&1 | S",
		`echo "^a$" a$ "$1" $@`:             `set -o pipefail; echo "^a$" a$ "$1" $@ 2>&1 | S`,
		`ls ${A:-x/y} "${A##*/}" ${A%.go}`:  `set -o pipefail; ls ${A:-x/y} "${A##*/}" ${A%.go} 2>&1 | S`,
		"printf '%s' -v; ls":                "set -o pipefail; printf '%s' -v 2>&1 | S; ls 2>&1 | S",
		"ls *.go && wc ~/a":                 "set -o pipefail; ls *.go 2>&1 | S && wc ~/a 2>&1 | S",
		"git show HEAD~1; ls ~":             "set -o pipefail; git show HEAD~1 2>&1 | S; ls ~ 2>&1 | S",
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

// Behind a pipe a command has a shell of its own. Left alone is what would end the shell that the line goes on in, change it,
// or ask what became of it.
func TestPipeToLeavesAlone(t *testing.T) {
	for _, line := range []string{
		`: "${DIR:?must be set}"; echo rm -rf "$DIR"/*`, `echo "${DIR:?}"; ls`, "echo ${DIR?}; ls", "echo ${DIR:?}", "echo ${1bad}; ls",
		"echo ${A:=x}; ls", `echo "${A=x}"; ls`, "echo ${arr[x=4]}; ls", "echo ${!A}; ls", "echo ${A@P}; ls", "echo ${A:1/0}; ls",
		"echo $[x=1]; ls", `echo "$[1/0]"; ls`, "echo $((x=1)); ls", `echo "$((x=1))"; ls`, "echo $arr[x=4]; ls", `echo "$1[x=4]"; ls`,
		"echo $(ls ${A:?}); ls", `echo "$(echo $?)"; ls`, "echo ${A:-$B}; ls", "A=${B:=x} ls",
		"ls; echo $?", `ls; echo "$?"`, "ls; echo $_", "ls; echo ${_}", "ls; echo ${PIPESTATUS[0]}", "ls; echo $PIPESTATUS", "echo $!",
		"echo $-", "echo $status", `echo "$BASHPID"`,
		"2>/dev/null cd sub; rm -f f; ls", "<f read x && echo $x", ">/dev/null cd sub && pwd", "> f ls", "A=1 >f ls", "2>&1 ls", "&>f ls",
		"ls {fd}>f", "FOO=bar >z", "FOO=bar", "a[x=1]=2 ls",
		"printf -v x y", "printf -vx y; ls", `printf "-v" x; ls`, `printf \-v x y`, `printf ''-v x y`, "printf $F x; ls", `printf "$F" x`, "printf {-v,x} y", "printf >f -v x y", "printf 2>f -v x y; ls",
		"nvm use 20", "conda activate x", "deactivate", "module load x", "sdk use java", "rvm use 3", "workon x", ": x",
		"nvm use 20 && node x", "helper && ls", "ls; helper", "set -e; ls", "shopt -s x", "trap x EXIT; ls", "umask 077", "exec ls",
		"ls a*; rm b", "ls a? || rm b", "ls [a]; rm b", "ls ~nobody-x; rm b", "ls =no; rm b",
	} {
		if got, ok := pipeTo(line, "S", true); ok {
			t.Errorf("%q became %q", line, got)
		}
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
		"sh -c 'echo lost >&2' 2>/dev/null", "ls no-such-file . >f 2>&1; cat f", "no-such-command-at-all", `echo "$(echo hi)" ${HOME}`,
		`echo "${NO_SUCH:-a}" ${HOME##*/} ${HOME%/*}; echo "^a$" $ x$`, "printf '%s\n' a; seq 2",
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
	for _, line := range []string{"ls && wc; ./c", `grep "x|y" f 2>&1`, "A=1 make -j4 > o", "echo $(x) ${y} \\& 'z'"} {
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
