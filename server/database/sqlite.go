package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// sqlitePragmas are the settings of every connection. The driver applies
// journal_mode after the others where it is written like this, and so it must be:
// a page size counts only before WAL has made the first page.
const sqlitePragmas = "_txlock=immediate" + // a transaction is there to write: wait at its begin, not in its middle
	"&_time_format=sqlite" +
	"&_pragma=busy_timeout(250)" + // milliseconds, of busyMost: the driver's wait heeds no context
	"&_pragma=page_size(8192)" + // facts are blobs of a few hundred bytes to a few kilobytes
	"&_journal_mode=WAL" + // readers and the writer do not wait for each other
	"&_pragma=synchronous(FULL)" + // a commit is on the disk when it is acknowledged: a power cut takes nothing of it
	"&_pragma=foreign_keys(1)" +
	"&_pragma=temp_store(MEMORY)" +
	"&_pragma=secure_delete(1)" + // what is erased, such as the e-mail of a deleted reader, is not left in free pages
	"&_pragma=journal_size_limit(67108864)" // a load's long journal is cut back after it

// Where the pages of a connection are, of which it keeps so many kibibytes itself: those of a file that is mapped are read from the
// system's cache, shared by the connections.
const (
	sqliteMapped   = "&_pragma=cache_size(-8192)&_pragma=mmap_size(268435456)"
	sqliteUnmapped = "&_pragma=cache_size(-12288)&_pragma=mmap_size(0)"
)

// sqliteConns bounds the pool: readers beside one writer. More would only queue
// for the processor.
const sqliteConns = 8

// openSQLite opens url, "sqlite:path", with further settings. The hint is for a failed first use.
func openSQLite(url, settings string, seen *seen) (db *bun.DB, hint string, err error) {
	path := strings.TrimPrefix(url, "sqlite:")
	if err := checkPath(path); err != nil {
		return nil, "", err
	}
	if err := createPrivate(path); err != nil {
		return nil, "", err
	}
	connector, err := sqlite.NewConnector(sqliteDSN(path) + settings)
	if err != nil {
		return nil, "", err
	}
	pool := sql.OpenDB(queuedConnector{connector, newQueue(path), seen})
	pool.SetMaxOpenConns(sqliteConns)
	pool.SetMaxIdleConns(sqliteConns)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	return bun.NewDB(pool, sqlitedialect.New()), "check that the file is a SQLite database and that it and its folder can be written", nil
}

// createPrivate makes a missing file one that its owner alone can read: it has people's names. SQLite gives the files
// beside it the same mode.
func createPrivate(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil { // it is there, or cannot be made: the driver's first use says which
		return nil
	}
	return f.Close()
}

// sqliteDSN is the driver's name for the file: a URI, in which the characters
// that end a path are escaped.
func sqliteDSN(path string) string {
	return "file:" + strings.NewReplacer("%", "%25", "?", "%3F", "#", "%23").Replace(filepath.ToSlash(path)) + "?" + sqlitePragmas
}

// checkPath refuses early what SQLite would call "unable to open database file".
func checkPath(path string) error {
	if path == "" {
		return errors.New("no file named; write sqlite:FILE")
	}
	if path == ":memory:" || strings.HasPrefix(path, "file:") {
		return errors.New("not a path; write sqlite:FILE with a plain file")
	}
	folder := filepath.Dir(path)
	info, err := os.Stat(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("folder %s does not exist; create it or name another file", folder)
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder; name another file", folder)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return errors.New("is a folder; name a file in it")
	}
	return nil
}

const (
	busyMost  = 30 * time.Second     // how long one waits for another process that keeps the file to itself
	busyPause = 5 * time.Millisecond // between two tries, of which some fail at once
)

// patiently calls f again where another process is in the way, for busyMost, and no longer than the caller has time: a request must
// have its answer before its connection is closed (H13).
func patiently(ctx context.Context, f func() error) error {
	for until := time.Now().Add(busyMost); ; {
		err := f()
		if !Busy(err) && err != ErrJournal || time.Now().After(until) {
			return err
		}
		select {
		case <-time.After(busyPause):
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		}
	}
}

// Busy reports whether an error says that another process kept the database to itself for too long.
func Busy(err error) bool {
	s, ok := errors.AsType[*sqlite.Error](err)
	return ok && s.Code()&0xff == sqlite3.SQLITE_BUSY
}

// Full reports whether an error says that there is no room left on the disk.
func Full(err error) bool {
	if s, ok := errors.AsType[*sqlite.Error](err); ok {
		return s.Code()&0xff == sqlite3.SQLITE_FULL
	}
	p, ok := errors.AsType[*pgconn.PgError](err)
	return ok && p.Code == "53100"
}
