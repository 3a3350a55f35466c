// Command mutate puts faults into a copy of the code, one at a time, and runs the tests that must see them: a promise that
// no test holds is found by this.
//
//	go run ./scripts/mutate [-only PATTERN]
//
// It fails where a fault is not seen, or where the code has changed so that it cannot be put in any more.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

func main() {
	only := flag.String("only", "", "put in those alone that match a `pattern`")
	flag.Parse()
	if err := run(*only); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func run(only string) (err error) {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	root, err := os.MkdirTemp("", "llmblob-mutate-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(root)) }()
	if err := copyTree(root); err != nil {
		return err
	}
	n, survived := 0, 0
	green := make(map[string]bool)
	for _, m := range mutations {
		if !pattern.MatchString(m.what) {
			continue
		}
		if tests := m.pkg + " " + m.run; !green[tests] {
			if failed, out, err := test(root, m); err != nil || len(failed) > 0 {
				return fmt.Errorf("the tests %s of %s fail without a fault: %w\n%s", m.run, m.pkg, err, out)
			}
			green[tests] = true
		}
		start := time.Now()
		failed, err := try(root, m)
		if err != nil {
			return fmt.Errorf("%s: %w", m.what, err)
		}
		n++
		verdict := "SURVIVES"
		if len(failed) > 0 {
			verdict = "seen by " + failed[0]
		} else {
			survived++
		}
		fmt.Printf("%-52s %4.0f s  %s\n", m.what, time.Since(start).Seconds(), verdict)
	}
	fmt.Printf("%d faults, %d seen\n", n, n-survived)
	if survived > 0 {
		return fmt.Errorf("%d faults are seen by no test", survived)
	}
	return nil
}

// copyTree copies what belongs to the module of the working directory.
func copyTree(to string) error {
	return filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, path), 0o700)
		case !d.Type().IsRegular():
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, path), data, 0o600)
	})
}

// try runs the tests with a fault in the code and returns those that fail.
func try(root string, m mutation) (failed []string, err error) {
	file := filepath.Join(root, m.file)
	code, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if n := bytes.Count(code, []byte(m.old)); n != 1 {
		return nil, fmt.Errorf("%s has %d times %q, want once", m.file, n, m.old)
	}
	if err := os.WriteFile(file, bytes.Replace(code, []byte(m.old), []byte(m.new), 1), 0o600); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.WriteFile(file, code, 0o600)) }()
	failed, out, err := test(root, m)
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	return failed, nil
}

var failure = regexp.MustCompile(`(?m)^--- FAIL: (\S+)`)

// test runs the tests of a mutation and returns the names of those that fail. An error is something else than a test that
// fails.
func test(root string, m mutation) (failed []string, out []byte, err error) {
	cmd := exec.Command("go", "test", "-count=1", "-failfast", "-timeout=5m", "-vet=off", "-run", m.run, m.pkg)
	cmd.Dir = root
	out, err = cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, out, err
	}
	if bytes.Contains(out, []byte("[no tests to run]")) {
		return nil, out, errors.New("no tests are to run")
	}
	for _, match := range failure.FindAllSubmatch(out, -1) {
		failed = append(failed, string(match[1]))
	}
	if err != nil && len(failed) == 0 {
		return nil, out, errors.New("it does not compile, or the tests end by themselves")
	}
	return failed, out, nil
}
