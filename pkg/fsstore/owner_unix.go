//go:build unix

package fsstore

import (
	"io/fs"
	"os"
	"syscall"
)

// owner is the user a file belongs to; ok is false where the system does not tell.
func owner(info fs.FileInfo) (uid uint32, ok bool) {
	facts, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return facts.Uid, true
}

// ownUser is who runs this process.
func ownUser() uint32 { return uint32(os.Geteuid()) }
