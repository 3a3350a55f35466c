//go:build !linux

package durable

import (
	"errors"
	"os"
)

// RenameExclusive implements FS. There is no call here that replaces nothing.
func (System) RenameExclusive(_ *os.File, from, to string) error {
	return &os.LinkError{Op: "rename", Old: from, New: to, Err: errors.ErrUnsupported}
}
