package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/lectern-dev/lectern/paging/handle"
)

// sqliteSettings are the settings of every connection. busyPause replaces the driver's own wait, which ignores
// contexts.
const sqliteSettings = "_time_format=sqlite&_pragma=busy_timeout(0)&_pragma=temp_store(MEMORY)"

// sqliteReads are the settings of connections that read.
const sqliteReads = "&_query_only=1"

// sqliteWrites are the settings of the connection that writes. In this notation the driver applies journal_mode after
// the others, as it must: page_size counts only before WAL has created the first page.
const sqliteWrites = "&_txlock=immediate" + // a transaction waits for the write lock when it begins, not half-way
	"&_pragma=page_size(8192)" + // blocks have a few hundred bytes to a few kilobytes
	"&_journal_mode=WAL" + // readers and the writer do not wait for each other
	"&_pragma=synchronous(FULL)" + // an acknowledged commit survives a power cut
	"&_pragma=foreign_keys(1)" +
	"&_pragma=secure_delete(1)" + // erased data, such as the e-mail of a deleted reader, does not stay in free pages
	"&_pragma=wal_autocheckpoint(8192)" + // 64 MiB: with SQLite's 1,000 pages a load writes a third more
	"&_pragma=journal_size_limit(67108864)" // and a long journal is cut back to as much

// The page cache of a connection, in kibibytes, and the mapping of the file. The pages of a mapped file are read from the
// system's cache, shared by the connections.
const (
	sqliteMapped   = "&_pragma=cache_size(-8192)&_pragma=mmap_size(268435456)"
	sqliteUnmapped = "&_pragma=cache_size(-12288)&_pragma=mmap_size(0)"
)

// sqliteReaders is the number of connections that read. More would only queue for the processor.
const sqliteReaders = 8

// sqliteFile is a file to open.
type sqliteFile struct {
	path, settings string
	removed        bool // a connection cannot be opened again
}

// openSQLite opens the file at a path, with further settings.
func openSQLite(ctx context.Context, path, settings string) (*handle.DB, error) {
	if path == memory {
		return openMemory(ctx, settings)
	}
	if err := checkPath(path); err != nil {
		return nil, err
	}
	createPrivate(path)
	db, err := sqliteFile{path: path, settings: settings}.open(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w; check that the file is a SQLite database and that it and its folder can be written", err)
	}
	return db, nil
}

// memory is the path of a database without a file.
const memory = ":memory:"

// openMemory creates a file and removes it when all connections have opened it.
func openMemory(ctx context.Context, settings string) (*handle.DB, error) {
	folder, err := os.MkdirTemp("", "lectern-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	db, err := sqliteFile{filepath.Join(folder, "lectern.db"), settings, true}.open(ctx)
	if err != nil {
		return nil, err
	}
	if err := touchAll(ctx, db); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// touchAll makes every connection open the file and its journal.
func touchAll(ctx context.Context, db *handle.DB) error {
	for _, pool := range []*bun.DB{db.Writer, db.DB} {
		for range pool.Stats().MaxOpenConnections {
			c, err := pool.Conn(ctx)
			if err != nil {
				return err
			}
			defer c.Close() // at the end, so that each connection is a different one
			if _, err := c.ExecContext(ctx, `SELECT 1 FROM sqlite_schema`); err != nil {
				return err
			}
		}
	}
	return nil
}

// open opens the two pools. The one that writes comes first, because it creates the file and its journal.
func (f sqliteFile) open(ctx context.Context) (*handle.DB, error) {
	writer, err := f.openHandle(ctx, sqliteWrites, 1)
	if err != nil {
		return nil, err
	}
	reader, err := f.openHandle(ctx, sqliteReads, sqliteReaders)
	if err != nil {
		writer.Close()
		return nil, err
	}
	return &handle.DB{DB: reader, Writer: writer}, nil
}

// openHandle opens a pool, and one of its connections. They stay open.
func (f sqliteFile) openHandle(ctx context.Context, settings string, conns int) (*bun.DB, error) {
	c, err := sqlite.NewConnector(sqliteDSN(f.path) + settings + f.settings)
	if err != nil {
		return nil, err
	}
	pool := sql.OpenDB(sqliteConnector{c, f, settings == sqliteWrites})
	pool.SetMaxOpenConns(conns)
	pool.SetMaxIdleConns(conns)
	if err := ping(ctx, pool); err != nil {
		pool.Close()
		return nil, err
	}
	return bun.NewDB(pool, sqlitedialect.New()), nil
}

// createPrivate creates a missing file that only its owner can read, because it has people's names. SQLite gives the
// files beside it the same mode.
func createPrivate(path string) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil { // otherwise the file exists or cannot be created, and the driver reports that
		f.Close()
	}
}

// sqliteDSN is the driver's name for the file: a URI, in which the characters that end a path are escaped.
func sqliteDSN(path string) string {
	return "file:" + strings.NewReplacer("%", "%25", "?", "%3F", "#", "%23").Replace(filepath.ToSlash(path)) + "?" + sqliteSettings
}

// checkPath finds the causes of SQLite's "unable to open database file" in advance.
func checkPath(path string) error {
	if path == "" {
		return errors.New("no file named; write sqlite:FILE")
	}
	if strings.HasPrefix(path, "file:") {
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
	busyMost  = 30 * time.Second // the longest wait for another process that locks the file
	busyPause = time.Millisecond // between two attempts
)

// patiently calls f again while another process locks the file, until busyMost or the context ends: a request must
// get its answer before its connection is closed (H13). If ctx interrupted a call, the error is that of ctx, although
// the driver may return SQLITE_INTERRUPT.
func patiently(ctx context.Context, f func() error) error {
	for until := time.Now().Add(busyMost); ; {
		err := f()
		if err != nil && ctx.Err() != nil && !errors.Is(err, ctx.Err()) {
			return errors.Join(err, ctx.Err())
		}
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

// Busy reports whether an error says that another process locked the database for too long.
func Busy(err error) bool {
	s, ok := errors.AsType[*sqlite.Error](err)
	return ok && s.Code()&0xff == sqlite3.SQLITE_BUSY
}

// Full reports whether an error says that the disk is full.
func Full(err error) bool {
	if s, ok := errors.AsType[*sqlite.Error](err); ok {
		return s.Code()&0xff == sqlite3.SQLITE_FULL
	}
	return state(err) == "53100"
}

// sqliteConnector makes connections that wait for other processes.
type sqliteConnector struct {
	driver.Connector
	file   sqliteFile
	writes bool
}

// Connect implements driver.Connector.
func (c sqliteConnector) Connect(ctx context.Context) (dc driver.Conn, err error) {
	err = patiently(ctx, func() (err error) { dc, err = c.Connector.Connect(ctx); return err })
	if err != nil {
		return nil, err
	}
	return sqliteConn{dc.(driverConn), c.file, c.writes}, nil
}

// driverConn has the methods of the driver's connection that database/sql uses.
type driverConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// sqliteConn is a connection that tries again each millisecond while another process locks the file. SQLite's own
// wait tries less and less often, so a process that writes transaction after transaction could keep a writer out for
// seconds.
type sqliteConn struct {
	driverConn
	file   sqliteFile
	writes bool
}

// BeginTx implements driver.ConnBeginTx.
func (c sqliteConn) BeginTx(ctx context.Context, opts driver.TxOptions) (tx driver.Tx, err error) {
	err = patiently(ctx, func() (err error) { tx, err = c.driverConn.BeginTx(ctx, opts); return err })
	return tx, err
}

// PrepareContext implements driver.ConnPrepareContext.
func (c sqliteConn) PrepareContext(ctx context.Context, query string) (st driver.Stmt, err error) {
	err = patiently(ctx, func() (err error) { st, err = c.driverConn.PrepareContext(ctx, query); return err })
	return st, err
}

// ExecContext implements driver.ExecerContext.
func (c sqliteConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (r driver.Result, err error) {
	err = patiently(ctx, func() (err error) { r, err = c.driverConn.ExecContext(ctx, query, args); return err })
	return r, err
}

// QueryContext implements driver.QueryerContext.
func (c sqliteConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (r driver.Rows, err error) {
	err = patiently(ctx, func() (err error) { r, err = c.driverConn.QueryContext(ctx, query, args); return err })
	return r, err
}

// ResetSession implements driver.SessionResetter. Each commit waits for the disk again, in case a load had changed
// that.
func (c sqliteConn) ResetSession(ctx context.Context) error {
	if c.file.removed {
		return nil
	}
	if c.writes {
		if _, err := c.driverConn.ExecContext(context.WithoutCancel(ctx), `PRAGMA synchronous = FULL`, nil); err != nil {
			return driver.ErrBadConn
		}
	}
	return c.driverConn.ResetSession(ctx)
}

// IsValid implements driver.Validator. The driver would close a connection after an interrupted statement, although
// the next statement succeeds.
func (c sqliteConn) IsValid() bool { return c.file.removed || c.driverConn.IsValid() }
