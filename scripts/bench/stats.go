package main

import (
	"math"
	"slices"
	"time"
)

// median is the middle one; of an even number the mean of the two.
func median(times []time.Duration) time.Duration {
	if len(times) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(times))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// point is what one size costs.
type point struct {
	size   float64
	took   time.Duration
	memory memory
}

// exponent is the slope of time over size, both logarithmic, by least squares: 1 where twice the input takes twice the time. It
// is taken where the input matters, from three times the least time on, or from the last two points where that is
// nowhere.
func exponent(points []point) float64 {
	if len(points) < 2 {
		return 0
	}
	least := slices.MinFunc(points, func(a, b point) int { return int(a.took - b.took) }).took
	first := slices.IndexFunc(points, func(p point) bool { return p.took >= 3*least })
	if first < 0 || first > len(points)-2 {
		first = len(points) - 2
	}
	var n, sx, sy, sxx, sxy float64
	for _, p := range points[first:] {
		x, y := math.Log(p.size), math.Log(float64(p.took))
		n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

// steepest is the step in which the time grew most against the size: 1 is linear, and at is the point it leads to.
func steepest(points []point) (factor float64, at point) {
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		if f := float64(b.took) / float64(a.took) / (b.size / a.size); f > factor {
			factor, at = f, b
		}
	}
	return factor, at
}

// extrapolate is what the size would take if the time went on to grow with that exponent.
func extrapolate(from point, exponent, size float64) time.Duration {
	return time.Duration(float64(from.took) * math.Pow(size/from.size, exponent))
}
