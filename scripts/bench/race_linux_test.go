//go:build race

package main

// raceDetector takes memory of its own, much of it.
const raceDetector = true
