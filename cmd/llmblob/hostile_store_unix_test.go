//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/llmblob/llmblob/pkg/blob"
)

const (
	plantedID = "01234567-89ab-7def-8123-456789abcdef"
	goodID    = "11234567-89ab-7def-8123-456789abcdef"
	goodText  = "good\n"
	secret    = "the secret of somebody else"
)

// plants are what can lie in the place of a blob and is none. Some take a privilege.
var plants = map[string]func(path, secretFile string) error{
	"link out":         func(path, secretFile string) error { return os.Symlink(secretFile, path) },
	"link in":          func(path, _ string) error { return os.Symlink(goodID+".txt", path) },
	"link to nowhere":  func(path, _ string) error { return os.Symlink("nowhere", path) },
	"link to itself":   func(path, _ string) error { return os.Symlink(filepath.Base(path), path) },
	"link to a pipe":   func(path, secretFile string) error { return os.Symlink(secretFile+".fifo", path) },
	"pipe":             func(path, _ string) error { return unix.Mkfifo(path, 0o600) },
	"directory":        func(path, _ string) error { return os.Mkdir(path, 0o700) },
	"socket":           func(path, _ string) error { return unix.Mknod(path, unix.S_IFSOCK|0o600, 0) },
	"device":           func(path, _ string) error { return unix.Mknod(path, unix.S_IFCHR|0o600, int(unix.Mkdev(1, 5))) },
	"link to a device": func(path, _ string) error { return os.Symlink("/dev/zero", path) },
}

// What lies in the place of a blob and is none is never followed, waited for, changed or shown, by no command; each says so
// with its status, and what else is in the store is as good as ever.
func TestHostileStores(t *testing.T) {
	manyProcesses(t)
	big := strings.Repeat("some line of a large output\n", 1000)
	contentID := blob.ContentID(blob.Text, []byte(big)).String()
	record := func(text string) string {
		return `{"role":"tool","tool_call_id":"c","content":` + quote(text) + "}\n"
	}
	for name, plant := range plants {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			store, secretFile := filepath.Join(dir, "store"), filepath.Join(dir, "secret")
			put(t, secretFile, secret)
			put(t, filepath.Join(store, goodID+".txt"), goodText)
			if err := unix.Mkfifo(secretFile+".fifo", 0o600); err != nil {
				t.Fatal(err)
			}
			names := []string{plantedID + ".txt", plantedID[:35] + "0.json", contentID + ".txt", ".tmp-PLANTED", "foreign"}
			before := map[string]os.FileInfo{}
			for _, n := range names {
				path := filepath.Join(store, n)
				if err := plant(path, secretFile); errors.Is(err, syscall.EPERM) {
					t.Skipf("this user cannot make it: %v", err)
				} else if err != nil {
					t.Fatal(err)
				}
				before[n], _ = os.Lstat(path)
			}
			history := filepath.Join(dir, "history")
			put(t, history, "a history that mentions "+goodID)
			call := func(id string) string {
				return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"inspect","arguments":{"blob_id":"` + id + `"}}}` + "\n"
			}
			for _, c := range []struct {
				status         int
				stdin          string
				args           []string
				stdout, stderr string // what is in it; "" of stdout: nothing
			}{
				{0, "", []string{"cat", goodID}, goodText, ""},
				{4, "", []string{"cat", plantedID}, "", "not a regular file"},
				{4, "", []string{"cat", plantedID[:35] + "0"}, "", "not a regular file"},
				{3, "", []string{"cat", plantedID[:8]}, "", "not found"}, // parts stand for blobs that are listed
				{4, "", []string{"stat", plantedID}, "", "not a regular file"},
				{4, "", []string{"inspect", plantedID}, "", "not a regular file"},
				{4, "", []string{"inspect", plantedID, "lines:1"}, "", "not a regular file"},
				{4, "", []string{"summarize", plantedID}, "", "not a regular file"},
				{4, "", []string{"path", plantedID}, "", "not a regular file"},
				{4, "", []string{"rm", plantedID, goodID}, "", "not a regular file"},
				{4, "", []string{"verify", plantedID}, `"status":"wrong","id":"` + plantedID, ""},
				{4, "", []string{"verify"}, `"status":"wrong","id":"` + plantedID, ""},
				{0, "", []string{"ls"}, goodID, ""},
				{0, "", []string{"ls", "-q", "--newest", "1"}, goodID, ""},
				{0, "", []string{"gc", "--older-than", "0s", history}, "", "1 referenced"},
				{1, "x", []string{"store", "--id", plantedID}, "", plantedID},
				{1, big, []string{"store", "--ids", "content"}, "", contentID},
				{1, big, []string{"capture", "--ids", "content"}, big, "not stored"},
				{1, record(big), []string{"offload"}, record(big), contentID},
				{4, record("[blob:" + plantedID + "] x"), []string{"restore", "--by-reference"}, "", "not a regular file"},
				{0, "[blob:" + plantedID + "]", []string{"refs"}, plantedID, ""},
				{0, record(big), []string{"project"}, record(big), ""},
				{0, call(plantedID), []string{"tool", "call"}, "not a regular file", ""},
				{0, call(plantedID) + call(goodID), []string{"mcp"}, "not a regular file", ""},
			} {
				got := runWithin(t, store, c.stdin, c.args...)
				if got.status != c.status || !strings.Contains(got.stdout, c.stdout) || c.stdout == "" && got.stdout != "" || !strings.Contains(got.stderr, c.stderr) || c.status != 0 && c.args[0] != "verify" && got.stderr == "" {
					t.Errorf("%q: status %d, %.300q, %.300q, want %d, %.300q, %q", c.args, got.status, got.stdout, got.stderr, c.status, c.stdout, c.stderr)
				}
				if strings.Contains(got.stdout+got.stderr, secret) {
					t.Errorf("%q shows what is not in the store", c.args)
				}
			}
			for _, n := range names {
				if now, err := os.Lstat(filepath.Join(store, n)); err != nil || !os.SameFile(now, before[n]) || now.Mode() != before[n].Mode() {
					t.Errorf("%s was changed: %v, %v", n, now, err)
				}
			}
			if entries, _ := os.ReadDir(store); len(entries) != len(names)+1 {
				t.Errorf("%d entries are in the store, want %d", len(entries), len(names)+1)
			}
			if got, err := os.ReadFile(secretFile); err != nil || string(got) != secret {
				t.Errorf("what a link leads to was changed: %q, %v", got, err)
			}
		})
	}
}

// Names that are no ids are nobody's blobs, whatever they look like: nothing lists, reads or deletes them.
func TestForeignNames(t *testing.T) {
	store := filepath.Join(t.TempDir(), "store")
	put(t, filepath.Join(store, goodID+".txt"), goodText)
	upper := strings.ToUpper(plantedID)
	foreign := []string{
		upper + ".txt", upper + ".JSON", plantedID + ".TXT", plantedID, plantedID + ".txt.txt", plantedID + ".json.txt", plantedID + ".", "." + plantedID + ".txt",
		" " + plantedID + ".txt", plantedID + " .txt", plantedID + "\n.txt", "{" + plantedID + "}.txt", "urn:uuid:" + plantedID + ".txt", strings.ReplaceAll(plantedID, "-", "") + ".txt",
		"...", "..txt", ".txt", "-rf", "\xff\xfe.txt", "\x1b[2J", strings.Repeat("x", 251) + ".txt", "%2e%2e", "ⅷ" + plantedID[1:] + ".txt",
	}
	for _, name := range foreign {
		put(t, filepath.Join(store, name), secret)
		old := time.Now().Add(-1000 * time.Hour)
		if err := os.Chtimes(filepath.Join(store, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	if got := runWithin(t, store, "", "ls", "-q"); got.stdout != goodID+"\n" {
		t.Errorf("ls: %+v", got)
	}
	if got := runWithin(t, store, "", "verify"); got.status != 0 || strings.Count(got.stdout, "foreign file") != len(foreign) {
		t.Errorf("verify: %+v", got)
	}
	for _, id := range []string{plantedID, upper, "blob://" + plantedID} {
		if got := runWithin(t, store, "", "cat", id); got.status != 3 || got.stdout != "" {
			t.Errorf("cat %s: %+v", id, got)
		}
	}
	if got := runWithin(t, store, "", "cat", strings.ToUpper(goodID)); got.stdout != goodText {
		t.Errorf("cat: %+v", got)
	}
	if got := runWithin(t, store, "", "gc", "--unreferenced-ok", "--older-than", "0s"); got.status != 0 || !strings.Contains(got.stdout, goodID) {
		t.Errorf("gc: %+v", got)
	}
	if entries, err := os.ReadDir(store); err != nil || len(entries) != len(foreign) {
		t.Errorf("%d of %d foreign files are left, %v", len(entries), len(foreign), err)
	}
}

// No text that stands for a blob becomes a path, wherever it is given.
func TestNoTextBecomesAPath(t *testing.T) {
	manyProcesses(t)
	dir := t.TempDir()
	store := filepath.Join(dir, "a", "store")
	put(t, filepath.Join(store, goodID+".txt"), goodText)
	put(t, filepath.Join(dir, plantedID+".txt"), secret)
	put(t, filepath.Join(dir, "a", plantedID+".txt"), secret)
	for _, text := range []string{
		"../" + plantedID, "../" + plantedID + ".txt", "..\\" + plantedID, "%2e%2e/" + plantedID, store + "/../" + plantedID, "../../" + plantedID,
		plantedID + "/../" + goodID, goodID + "\x00", "\x00", "..", ".", "/", "", strings.Repeat("../", 1400), strings.Repeat("0", 4096), goodID + "/", "./" + goodID, "file://" + store + "/" + goodID,
		"[blob:../" + plantedID + "]", "blob://../" + plantedID, "blob:///" + plantedID, "{" + goodID + "}", "urn:uuid:" + goodID, goodID + ".txt", goodID + "x", "-" + goodID[1:] + "x",
	} {
		for _, form := range []string{
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"inspect","arguments":{"blob_id":` + jsonOf(text) + `}}}`,
			`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":` + jsonOf("blob://"+text) + `}}`,
			`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":` + jsonOf(text) + `}}`,
		} {
			got := runWithin(t, store, form+"\n", "mcp")
			if got.status != 0 || !strings.Contains(got.stdout, `"error"`) && !strings.Contains(got.stdout, `"isError":true`) || strings.Contains(got.stdout, secret) || strings.Contains(got.stdout, goodText[:4]) {
				t.Errorf("%.200s: %+v", form, got)
			}
		}
		if !strings.Contains(text, "\n") && strings.TrimSpace(text) != "" {
			for _, command := range []string{"rm", "verify"} {
				if got := runWithin(t, store, text+"\n", command, "-"); got.status != 2 && got.status != 3 || got.stdout != "" {
					t.Errorf("%.200q: %s: %+v", text, command, got)
				}
			}
		}
	}
	for _, name := range []string{filepath.Join(store, goodID+".txt"), filepath.Join(dir, plantedID+".txt"), filepath.Join(dir, "a", plantedID+".txt")} {
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
		}
	}
}

// A store that is no directory, or that cannot be reached, is a fault that is told by every command that needs it.
func TestStoresThatAreNone(t *testing.T) {
	manyProcesses(t)
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	put(t, path("file"), secret)
	if err := errors.Join(unix.Mkfifo(path("pipe"), 0o600), os.Symlink("nowhere/at/all", path("dangling")), os.Symlink("loop", path("loop"))); err != nil {
		t.Fatal(err)
	}
	for _, store := range []string{path("file"), path("pipe"), path("loop"), "/dev/null", path("file") + "/below", path("pipe") + "/below"} {
		for _, args := range [][]string{{"ls"}, {"cat", goodID}, {"rm", goodID}, {"verify"}, {"gc", "--unreferenced-ok"}, {"store"}} {
			got := runWithin(t, store, "x", args...)
			if got.status != 1 || got.stdout != "" || !strings.Contains(got.stderr, "store: ") {
				t.Errorf("%s: %q: %+v", store, args, got)
			}
		}
	}
	if got := runWithin(t, path("dangling"), "x", "store"); got.status != 1 || got.stdout != "" {
		t.Errorf("a dangling link: %+v", got)
	}
	if got, err := os.ReadFile(path("file")); err != nil || string(got) != secret {
		t.Errorf("%q, %v", got, err)
	}
}

// Modes are private whatever the umask, in a store that is made with its parents, for temporary files too.
func TestModesWhateverTheUmask(t *testing.T) {
	for _, mask := range []string{"0", "022", "0277", "0777"} {
		dir := t.TempDir()
		store := filepath.Join(dir, "parent", "store")
		exe, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		link := filepath.Join(dir, "llmblob")
		if err := os.Symlink(exe, link); err != nil {
			t.Fatal(err)
		}
		// The filter of capture sees the temporary file of the run that goes on.
		cmd := exec.Command("sh", "-c", `umask `+mask+`; seq 1 1000 | "$0" store >/dev/null && seq 1 2000 | "$0" capture >/dev/null && echo '[1]' | "$0" store --type json >/dev/null &&
			{ seq 1 100000; ls -l "$LLMBLOB_STORE"/.tmp-* | cut -c1-10 >&2; } | "$0" store >/dev/null`, link)
		cmd.Env = append(cmd.Environ(), "LLMBLOB_STORE="+store)
		if got := finish(t, cmd, ""); got.status != 0 || got.stderr != "-rw-------\n" && !strings.Contains(got.stderr, ".tmp-*") {
			t.Fatalf("umask %s: %+v", mask, got)
		}
		blobs := 0
		err = filepath.WalkDir(filepath.Join(dir, "parent"), func(path string, d os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			want := os.FileMode(0o600)
			if d.IsDir() {
				want = 0o700
			} else {
				blobs++
			}
			if err == nil && info.Mode().Perm() != want {
				t.Errorf("umask %s: %s has mode %o", mask, path, info.Mode().Perm())
			}
			return err
		})
		if err != nil || blobs != 4 {
			t.Errorf("umask %s: %d blobs, %v", mask, blobs, err)
		}
		if got := runWithin(t, store, "", "verify"); got.status != 0 || got.stdout != "" {
			t.Errorf("umask %s: verify: %+v", mask, got)
		}
	}
}
