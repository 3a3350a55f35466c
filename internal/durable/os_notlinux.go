//go:build !linux

package durable

// renameExclusive has no call here that replaces nothing, so the fault of the hard link stands.
func renameExclusive(_ *Dir, _, _ string, linkErr error) error { return linkErr }
