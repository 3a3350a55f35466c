package main

import (
	"errors"
	"testing"
)

func TestParseSize(t *testing.T) {
	for s, want := range map[string]int64{
		"0": 0, "1": 1, "12B": 12, "1000000": 1_000_000, "9007199254740992": 1 << 53,
		"3kB": 3000, "3KB": 3000, "500MB": 500_000_000, "2GB": 2_000_000_000, "1TB": 1_000_000_000_000,
		"1KiB": 1024, "10MiB": 10 << 20, "10GiB": 10 << 30, "2TiB": 2 << 40,
		"1.5GiB": 3 << 29, "0.5kb": 500, ".5kib": 512, "1.0 KiB": 1024, "0.0001KiB": 0,
	} {
		if got, err := parseSize("flag", s); err != nil || got != want {
			t.Errorf("%q: got %d, %v, want %d", s, got, err, want)
		}
	}
	for _, s := range []string{"", " ", "GiB", ".", "1.5", "1.5B", "-1", "+1", "1e3", "0x10", "1_000", "inf", "NaN", "1 000", "1,5GiB", "1.2.3kB",
		"1G", "1PB", "10Gib it", "9223372036854775808", "8388608TiB", " 1", "1  kB", "1kB "} {
		var usage *usageError
		if got, err := parseSize("flag", s); !errors.As(err, &usage) {
			t.Errorf("%q: got %d, %v, want a usage error", s, got, err)
		}
	}
}
