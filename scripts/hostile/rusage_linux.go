package main

import (
	"os"
	"syscall"
)

// peakMemory is the largest resident set of an ended process in bytes, mapped files included.
func peakMemory(p *os.ProcessState) int64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return int64(usage.Maxrss) * 1024
}
