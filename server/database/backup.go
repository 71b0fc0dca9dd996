package database

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrNoBackup says that a database is no file that could be copied: PostgreSQL has its own programs for that.
var ErrNoBackup = errors.New("is not an embedded database")

// Backup copies an embedded database into a file that must not exist, while it is read and written by this and other
// processes, and returns the size of the copy. The copy is one state of the data, that of the moment at which it was begun;
// it is on the disk, under its name, when Backup returns, and is a database like any other. Until then, and after an error,
// there is only a hidden file beside it, which is removed unless the process is killed.
//
// Neither readers nor writers wait. What they write meanwhile stays in the write-ahead log until the copy is made, so that
// there must be room for it. The error is ErrNoBackup on PostgreSQL, and fs.ErrExist where there is such a file; like those of
// Open, errors say what to do.
//
// It is VACUUM INTO. SQLite's backup interface was weighed and left: it begins anew whenever another process commits, and
// would not end beside an hourly load.
func (db *DB) Backup(ctx context.Context, file string) (size int64, err error) {
	if db.Engine != SQLite {
		return 0, fmt.Errorf("database %s: %w", Redact(db.URL), ErrNoBackup)
	}
	if _, err := os.Lstat(file); err == nil {
		return 0, taken(file)
	}
	partial, err := reserve(file)
	if err != nil {
		return 0, fmt.Errorf("%w; create the folder, or name a file in one that can be written", err)
	}
	defer os.Remove(partial) // it has another name by then, unless something went wrong
	if err := db.vacuumInto(ctx, partial); err != nil {
		return 0, fmt.Errorf("database %s: copy: %w", db.URL, err)
	}
	if size, err = syncFile(partial); err != nil {
		return 0, err
	}
	if err := publish(partial, file); err != nil {
		return 0, err
	}
	return size, syncFolder(filepath.Dir(file))
}

// vacuumInto copies the database by a connection of the readers, so that no writer waits. SQLite takes the copy for a write, which
// query_only refuses.
func (db *DB) vacuumInto(ctx context.Context, file string) error {
	conn, err := db.DB.DB.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `PRAGMA query_only = 0`); err != nil {
		return err
	}
	_, err = conn.ExecContext(ctx, `VACUUM INTO ?`, file)
	_, wrong := conn.ExecContext(context.WithoutCancel(ctx), `PRAGMA query_only = 1`)
	return errors.Join(err, wrong)
}

// reserve makes an empty file in the folder of another, which SQLite takes for a new one. Its mode is 0600: a copy holds
// what the database does.
func reserve(file string) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*")
	if err != nil {
		return "", err
	}
	return f.Name(), f.Close()
}

// syncFile writes what the system holds of a file to the disk, which VACUUM INTO does not, and returns the file's size.
func syncFile(name string) (int64, error) {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), f.Sync()
}

// publish gives a file its name, unless there is one of that name. Where a disk knows no second names for a file, one that
// comes in this moment would be replaced.
func publish(partial, file string) error {
	err := os.Link(partial, file)
	if err == nil {
		return nil
	}
	if _, err := os.Lstat(file); err == nil {
		return taken(file)
	}
	return os.Rename(partial, file)
}

// taken is the error for a file that is there, and is not overwritten.
func taken(file string) error {
	return fmt.Errorf("%w; name another file", &fs.PathError{Op: "backup", Path: file, Err: fs.ErrExist})
}

// syncFolder makes a new name outlive a power cut, where that can be asked for.
func syncFolder(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	d.Sync()
	return d.Close()
}
