package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// watch looks at a process until it has ended. The maximum that the kernel reports with the end of a process is of no use
// here: it includes that of the process which started it.
func watch(pid int, ended <-chan struct{}) memory {
	var peak memory
	name := fmt.Sprintf("/proc/%d/status", pid)
	for {
		if status, err := os.ReadFile(name); err == nil {
			peak = peak.max(readStatus(status))
		}
		select {
		case <-ended:
			return peak
		case <-time.After(200 * time.Microsecond):
		}
	}
}

// readStatus reads /proc/PID/status. Pages of shared memory have no file on a disk, so they count as anonymous.
func readStatus(status []byte) memory {
	field := func(name string) int64 {
		_, rest, _ := bytes.Cut(status, []byte("\n"+name+":"))
		value, _, _ := bytes.Cut(rest, []byte(" kB"))
		n, _ := strconv.ParseInt(string(bytes.TrimSpace(value)), 10, 64) // an ended process has none
		return n * 1024
	}
	return memory{resident: field("VmHWM"), anonymous: field("RssAnon") + field("RssShmem")}
}
