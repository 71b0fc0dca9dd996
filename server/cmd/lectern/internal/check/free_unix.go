//go:build linux || darwin

package check

import "syscall"

// freeBytes asks the system.
func freeBytes(folder string) (uint64, bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(folder, &s); err != nil {
		return 0, false
	}
	return s.Bavail * uint64(s.Bsize), true
}
