package database

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrNoBackup is the error for a database that is not a file. PostgreSQL has its own programs for backups.
var ErrNoBackup = errors.New("is not an embedded database")

// Backup copies an embedded database into a new file and returns the size of the copy. Other processes may read and
// write the database during the copy. The copy has the data of the moment at which it was begun. When Backup returns, the
// copy is on the disk under its name and can be used like any other database. Before, and after an error, there is
// only a hidden file beside it, which is removed unless the process is killed.
//
// Neither readers nor writers wait. Their writes stay in the write-ahead log until the copy is complete, so the disk
// must have room for them. The error is ErrNoBackup on PostgreSQL, and fs.ErrExist if the file exists. Errors say
// what to do.
//
// Backup runs VACUUM INTO. SQLite's backup interface was considered and rejected: it starts again whenever another
// process commits, and would not end beside an hourly load.
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
	defer os.Remove(partial) // it was renamed unless something went wrong
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

// vacuumInto copies the database on a connection for reads, so no writer waits. SQLite treats the copy as a write,
// which query_only refuses.
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

// reserve creates an empty file in the folder of another, which SQLite accepts as a new one. Its mode is 0600,
// because a copy has the same data as the database.
func reserve(file string) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*")
	if err != nil {
		return "", err
	}
	return f.Name(), f.Close()
}

// syncFile flushes a file to the disk, which VACUUM INTO does not do, and returns the file's size.
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

// publish renames a file to a name that must be free. On a disk without hard links, a file that is created under the
// name at this moment is replaced.
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

// taken is the error for a file that exists and is not overwritten.
func taken(file string) error {
	return fmt.Errorf("%w; name another file", &fs.PathError{Op: "backup", Path: file, Err: fs.ErrExist})
}

// syncFolder makes a new name survive a power cut, if the system can do that.
func syncFolder(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	d.Sync()
	return d.Close()
}
