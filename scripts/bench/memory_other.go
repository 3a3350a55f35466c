//go:build !linux

package main

// watch tells nothing here.
func watch(_ int, ended <-chan struct{}) memory {
	<-ended
	return memory{}
}
