package database

import (
	"errors"
	"os"
	"syscall"
)

// errSharing is the system's ERROR_SHARING_VIOLATION.
const errSharing = syscall.Errno(32)

// lockFile opens a file, creates it if it is missing, and lets others only read it while it is open. The error is
// errHeld if another process has it open.
func lockFile(name string) (*os.File, error) {
	path, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(path, syscall.GENERIC_READ|syscall.GENERIC_WRITE, syscall.FILE_SHARE_READ, nil,
		syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, errSharing) {
		err = errHeld
	}
	if err != nil {
		return nil, &os.PathError{Op: "lock", Path: name, Err: err}
	}
	return os.NewFile(uintptr(h), name), nil
}

// ownLike does nothing: a file has the owner and rights that its folder gives it.
func ownLike(_, _ string) error { return nil }

// sameOwner returns true, for the same reason.
func sameOwner(_, _ string) (bool, error) { return true, nil }
