package main

import (
	"math"
	"testing"
	"time"
)

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		times []time.Duration
		want  time.Duration
	}{
		{nil, 0}, {[]time.Duration{7}, 7}, {[]time.Duration{9, 1}, 5}, {[]time.Duration{9, 1, 4}, 4}, {[]time.Duration{100, 1, 4, 2}, 3},
	} {
		if got := median(c.times); got != c.want {
			t.Errorf("%v: got %d, want %d", c.times, got, c.want)
		}
	}
}

// grows makes points at the sizes, each ten times the one before.
func grows(times ...time.Duration) []point {
	var points []point
	for i, took := range times {
		points = append(points, point{size: math.Pow(10, float64(i)), took: took})
	}
	return points
}

func TestExponent(t *testing.T) {
	for name, c := range map[string]struct {
		points []point
		want   float64
	}{
		"none":      {nil, 0},
		"one":       {grows(5), 0},
		"constant":  {grows(200, 200, 200), 0},
		"linear":    {grows(1, 10, 100, 1000), 1},
		"quadratic": {grows(1, 100, 10_000), 2},
		"root":      {grows(10, 10, 10_000, 10_000, 10_000, 10_000), 0},
		// What a start costs hides the slope only where it is all there is.
		"linear after a start":  {grows(1000, 1000, 1000, 10_000, 100_000, 1_000_000), 1},
		"three times the least": {grows(10, 40, 4000, 40_000), 1.5},
		"late":                  {grows(1000, 1000, 1000, 1000, 10_000), 1},
	} {
		if got := exponent(c.points); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: got %g, want %g", name, got, c.want)
		}
	}
}

func TestSteepest(t *testing.T) {
	for name, c := range map[string]struct {
		points []point
		factor float64
		size   float64
	}{
		"one":    {grows(5), 0, 0},
		"linear": {grows(1, 10, 100), 1, 10},
		"cliff":  {grows(1, 10, 400, 2000), 4, 100},
		"faster": {grows(100, 50, 10), 0.05, 10},
	} {
		factor, at := steepest(c.points)
		if math.Abs(factor-c.factor) > 1e-9 || at.size != c.size {
			t.Errorf("%s: got %g at %g, want %g at %g", name, factor, at.size, c.factor, c.size)
		}
	}
}

func TestExtrapolate(t *testing.T) {
	if got := extrapolate(point{size: 1000, took: time.Second}, 2, 10_000); got.Round(time.Millisecond) != 100*time.Second {
		t.Errorf("got %v", got)
	}
}

func TestUnits(t *testing.T) {
	for got, want := range map[string]string{
		size(0): "0 B", size(999): "999 B", size(1000): "1 kB", size(10_000): "10 kB", size(1_150_000): "1.2 MB", size(99_949_999): "100 MB", size(4 * gB): "4 GB", size(12_400): "12 kB",
		count(0): "0", count(999): "999", count(1000): "1,000", count(1_234_567): "1,234,567",
		ms(1_234_567): "1.2 ms", ms(9_999 * time.Millisecond): "9999.0 ms", ms(12_340 * time.Millisecond): "12.3 s",
		memoryOf(0): "?", memoryOf(64 * mB): "64.0 MB",
		ratioText(1.254): "1.25 ×", ratioText(0.5): "0.50 ×", ratioText(0.1): "10 × faster", ratioText(0.3): "3.3 × faster",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
