//go:build !linux && !darwin

package check

// freeBytes does not know.
func freeBytes(string) (uint64, bool) { return 0, false }
