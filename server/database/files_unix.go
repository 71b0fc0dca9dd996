//go:build !windows

package database

import (
	"errors"
	"os"
	"syscall"
)

// lockFile opens a file, creates it if it is missing, and locks it. The lock ends when the file is closed or the
// process ends. The error is errHeld if another process has the lock.
func lockFile(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
		return f, nil
	}
	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = errHeld
	}
	return nil, &os.PathError{Op: "lock", Path: name, Err: err}
}

// ownLike gives a file the owner and group of another.
func ownLike(file, other string) error {
	have, err := stat(file)
	if err != nil {
		return err
	}
	want, err := stat(other)
	if err != nil || have.Uid == want.Uid { // the group of a file of mode 0600 does not matter
		return err
	}
	return os.Chown(file, int(want.Uid), int(want.Gid))
}

// sameOwner reports whether two files have the same owner.
func sameOwner(file, other string) (bool, error) {
	have, err := stat(file)
	if err != nil {
		return false, err
	}
	want, err := stat(other)
	return have.Uid == want.Uid, err
}

func stat(file string) (s syscall.Stat_t, err error) {
	if err := syscall.Stat(file, &s); err != nil {
		return s, &os.PathError{Op: "stat", Path: file, Err: err}
	}
	return s, nil
}
