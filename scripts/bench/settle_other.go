//go:build !unix

package main

// settle is not known here.
func settle() error { return nil }
