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

// errHeld says that another has locked a file.
var errHeld = errors.New("is locked")

// Claim makes the caller the one that serves an embedded database, until release is called or the process ends, however it
// does: two servers would each count the rates for themselves. Commands beside the server claim nothing. The error says
// which process has it. A database that several may serve is claimed by nobody.
//
// The claim is a lock on a file of the database's name and `.serving`, which holds the process's number and stays.
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
	if errors.Is(err, errors.ErrUnsupported) { // a disk without locks, on which SQLite runs only if it is alone
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

// servingFile returns the file whose lock is the claim, whatever name the database is opened by; empty where nobody claims it.
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

// ServedBy returns who has the claim of an embedded database, and "" where nobody has it, or nobody needs it. The claim is tried for
// a moment: a server that starts in it is refused.
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

// holder names the process that has signed a file.
func holder(file string) string {
	text, _ := os.ReadFile(file)
	if pid := strings.TrimSpace(string(text)); pid != "" {
		return "process " + pid
	}
	return "another process"
}

// WriteBeside makes a file beside an embedded database, on the disk and whole before it has its name, of who owns the database,
// so that a server of that user can read what an operator made. A name is given once: a file that is there stays as it is.
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

// OwnedLike reports whether a file beside an embedded database is of who owns the database.
func (db *DB) OwnedLike(file string) (bool, error) {
	if db.File() == "" {
		return true, nil
	}
	return sameOwner(file, db.File())
}
