//go:build unix

package main

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// terminalInterrupts reports whether an interrupt comes from the terminal, which then gives it to the command too: we
// are in its foreground.
func terminalInterrupts() bool {
	tty, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	defer tty.Close()
	foreground, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err == nil && foreground == unix.Getpgrp()
}

// ownGroup keeps the signals that the terminal gives to our process group from a command.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills a command that has a group of its own, with all that it started.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// quietStderr is standard error under another number, for a write to the usual one kills a Go program where nobody reads:
// messages are not worth a tool output.
func quietStderr() *os.File {
	fd, err := unix.FcntlInt(2, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return os.Stderr
	}
	return os.NewFile(uintptr(fd), os.Stderr.Name())
}
