//go:build race

package main

// floodInRaces is how much more memory a process with the race detector in it needs.
const floodInRaces = 8
