package database

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// errHeld is the error for a file that another process has locked.
var errHeld = errors.New("is locked")

// Claim makes the caller the only server of an embedded database, until release is called or the process ends in any
// way. Two servers would each count the rates for themselves. Other commands claim nothing. The error names the
// process that has the claim. On a database that several processes may serve, Claim does nothing.
//
// The claim is a lock on the file with the database's name and `.serving`, which has the process's number and is not
// removed.
func (db *DB) Claim() (release func(), err error) {
	file := db.servingFile()
	if file == "" {
		return func() {}, nil
	}
	f, err := lockFile(file)
	if errors.Is(err, errHeld) {
		return nil, fmt.Errorf("database %s is served already, by %s: a SQLite file is for one server; stop that one, or name another database",
			db.URL, holder(file))
	}
	if errors.Is(err, errors.ErrUnsupported) { // a disk without locks, on which only one process can use SQLite
		return func() {}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("database %s: %w", db.URL, err)
	}
	if err := sign(f, db.File()); err != nil {
		f.Close()
		return nil, fmt.Errorf("database %s: %w", db.URL, err)
	}
	return func() { f.Close() }, nil
}

// servingFile returns the file whose lock is the claim, the same for every name of the database, or an empty string
// if the database needs no claim.
func (db *DB) servingFile() string {
	path := db.File()
	if path == "" {
		return ""
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return path + ".serving"
}

// ServedBy returns the process that has the claim of an embedded database, or an empty string. It tries the claim for
// a moment: a server that starts in that moment is refused.
func (db *DB) ServedBy() (string, error) {
	file := db.servingFile()
	if _, err := os.Stat(file); file == "" || errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	f, err := lockFile(file)
	if errors.Is(err, errHeld) {
		return holder(file), nil
	}
	if err != nil {
		return "", err
	}
	return "", f.Close()
}

// sign writes the process's number into a lock's file, and gives the file to the database's owner.
func sign(f *os.File, path string) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	if _, err := io.WriteString(f, strconv.Itoa(os.Getpid())+"\n"); err != nil {
		return err
	}
	return ownLike(f.Name(), path)
}

// holder returns the process whose number is in a file.
func holder(file string) string {
	text, _ := os.ReadFile(file)
	if pid := strings.TrimSpace(string(text)); pid != "" {
		return "process " + pid
	}
	return "another process"
}

// WriteBeside creates a file beside an embedded database. The file is complete and on the disk before it gets its name.
// It belongs to the owner of the database, whose server can then read a file that an operator made. An existing file is
// not changed.
func (db *DB) WriteBeside(file, text string) error {
	partial, err := reserve(file)
	if err != nil {
		return err
	}
	defer os.Remove(partial)
	if err := os.WriteFile(partial, []byte(text), 0o600); err != nil {
		return err
	}
	if _, err := syncFile(partial); err != nil {
		return err
	}
	path := db.File()
	if err := ownLike(partial, path); err != nil {
		return fmt.Errorf("%w; run this as the owner of %s", err, path)
	}
	if err := os.Link(partial, file); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncFolder(filepath.Dir(file))
}

// OwnedLike reports whether a file beside an embedded database has the database's owner.
func (db *DB) OwnedLike(file string) (bool, error) {
	if db.File() == "" {
		return true, nil
	}
	return sameOwner(file, db.File())
}
