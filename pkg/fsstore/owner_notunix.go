//go:build !unix

package fsstore

import "io/fs"

// owner is not known here.
func owner(fs.FileInfo) (uid uint32, ok bool) { return 0, false }

func ownUser() uint32 { return 0 }
