package main

import (
	"os"
	"os/exec"
)

// terminalInterrupts is true: a console gives an interrupt to all of its programs.
func terminalInterrupts() bool { return true }

func ownGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func quietStderr() *os.File { return os.Stderr }
