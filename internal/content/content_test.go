package content

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"
)

func TestStreamsOfAnySize(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	for _, n := range []int{0, 1, spoolMemory - 1, spoolMemory, spoolMemory + 1, 3*spoolMemory + 7} {
		want := bytes.Repeat([]byte("0123456789abcdef"), n/16+1)[:n]
		c, err := Read(iotest.HalfReader(bytes.NewReader(want)))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(c.Bytes(), want) {
			t.Errorf("%d: got %d bytes", n, len(c.Bytes()))
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestTheRestOfAFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(name, []byte("head\ntail\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Seek(5, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	c, err := Read(f)
	if err != nil || string(c.Bytes()) != "tail\n" {
		t.Errorf("got %q, %v", c.Bytes(), err)
	}
	if got, err := io.ReadAll(io.NewSectionReader(c.Reader(), 0, 100)); err != nil || string(got) != "tail\n" {
		t.Errorf("read %q, %v", got, err)
	}
	if off, err := f.Seek(0, io.SeekCurrent); err != nil || off != 10 {
		t.Errorf("the offset is %d, %v, want the end", off, err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

func TestAFailingStream(t *testing.T) {
	cut := errors.New("cut")
	for _, n := range []int{0, 10, 2 * spoolMemory} {
		c, err := Read(io.MultiReader(bytes.NewReader(make([]byte, n)), iotest.ErrReader(cut)))
		if !errors.Is(err, cut) || len(c.Bytes()) != n {
			t.Errorf("after %d bytes: got %v", n, err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestAStreamThatCannotBeHeldIsNotLost(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	want := bytes.Repeat([]byte("0123456789abcdef"), 3*spoolMemory/16)
	_, err := Read(iotest.HalfReader(bytes.NewReader(want)))
	var e *SpoolError
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want a SpoolError", err)
	}
	if got, err := io.ReadAll(e.Rest); err != nil || !bytes.Equal(got, want) {
		t.Errorf("got %d bytes, %v, want %d", len(got), err, len(want))
	}
}

func openFile(name string) (*Content, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f)
}

// shrunk returns the content of a file that has become shorter since it was opened.
func shrunk(t *testing.T) *Content {
	t.Helper()
	name := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(name, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := openFile(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := os.Truncate(name, 10); err != nil {
		t.Skipf("this system does not let a mapped file shrink: %v", err)
	}
	return c
}

func TestAFileThatShrinksIsAnError(t *testing.T) {
	c := shrunk(t)
	err := Guard(func() error {
		if n := bytes.Count(c.Bytes(), []byte{1}); n != 0 {
			t.Errorf("counted %d", n)
		}
		return nil
	})
	if !errors.Is(err, ErrShrunk) {
		t.Errorf("got %v, want ErrShrunk", err)
	}
}

func TestAFileThatCannotBeMappedIsRead(t *testing.T) {
	const name = "/sys/kernel/mm/transparent_hugepage/enabled"
	want, err := os.ReadFile(name)
	if err != nil {
		t.Skipf("this system has no such file: %v", err)
	}
	c, err := openFile(name)
	if err != nil || !bytes.Equal(c.Bytes(), want) {
		t.Errorf("got %q, %v, want %q", c.Bytes(), err, want)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

func TestAFileThatShrinksWhileItIsWritten(t *testing.T) {
	c := shrunk(t)
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	err = Guard(func() error { _, err := out.Write(c.Bytes()[8192:]); return err })
	if !errors.Is(err, ErrShrunk) {
		t.Errorf("got %v, want ErrShrunk", err)
	}
}

func TestGuardPassesOtherPanicsAndErrors(t *testing.T) {
	want := errors.New("mine")
	if err := Guard(func() error { return want }); err != want {
		t.Errorf("got %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("the panic was swallowed")
		}
	}()
	_ = Guard(func() error { panic("mine") })
}
