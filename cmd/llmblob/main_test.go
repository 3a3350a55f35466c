package main

import (
	"flag"
	"os"
	"regexp"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the expected outputs in testdata/script")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"llmblob": main, "llmblob-step": stepMain})
}

// TestScripts runs real processes against testdata/script/<command>_<topic>.txtar.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "../../testdata/script",
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			env.Setenv("LLMBLOB_STORE", env.WorkDir+"/store")
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"norm":   norm,
			"status": status,
			"sh":     shell,
		},
	})
}

var (
	uuidPattern = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)
	timePattern = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`)
	msPattern   = regexp.MustCompile(`"duration_ms":\d+`)
)

// norm writes stdout or stderr to a file, with what differs from run to run replaced: norm stdout FILE.
func norm(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: norm stdout|stderr file")
	}
	text := ts.ReadFile(args[0])
	text = uuidPattern.ReplaceAllString(text, "<id>")
	text = timePattern.ReplaceAllString(text, "<time>")
	text = msPattern.ReplaceAllString(text, `"duration_ms":<ms>`)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o600))
}

// status runs a command and requires an exit status: status N program args…
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N program args…")
	}
	shell(ts, false, append([]string{`want=$1; shift; "$@"; got=$?; [ $got -eq $want ] || { echo "exit status $got, want $want" >&2; exit 99; }`}, args...))
}

// shell runs text with sh, the other arguments as $1 and so on, on the stdin of the script.
func shell(ts *testscript.TestScript, neg bool, args []string) {
	err := ts.Exec("sh", append([]string{"-c", args[0], "sh"}, args[1:]...)...)
	if (err != nil) != neg {
		ts.Fatalf("sh -c %q: %v", args[0], err)
	}
}
