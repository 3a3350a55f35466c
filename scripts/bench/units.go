package main

import (
	"fmt"
	"strconv"
	"time"
)

// Units are decimal, as tools and disks count.
const (
	kB = 1000
	mB = 1000 * kB
	gB = 1000 * mB
)

// size shows bytes with three digits at most.
func size(n int64) string {
	switch {
	case n >= gB:
		return short(float64(n)/gB) + " GB"
	case n >= mB:
		return short(float64(n)/mB) + " MB"
	case n >= kB:
		return short(float64(n)/kB) + " kB"
	}
	return strconv.FormatInt(n, 10) + " B"
}

func short(f float64) string {
	if f < 9.95 {
		return strconv.FormatFloat(float64(int(f*10+0.5))/10, 'f', -1, 64)
	}
	return strconv.FormatFloat(f, 'f', 0, 64)
}

// ms shows a time in milliseconds or seconds.
func ms(d time.Duration) string {
	if d >= 10*time.Second {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
}

// memoryOf shows bytes of memory; 0 is not known.
func memoryOf(n int64) string {
	if n == 0 {
		return "?"
	}
	return fmt.Sprintf("%.1f MB", float64(n)/mB)
}

// count shows a number with commas.
func count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
