// Package handle is the database as the stores use it: one handle to read, and one to write.
//
//	db := &handle.DB{DB: pool, Writer: pool} // one handle for both, as on PostgreSQL
//
// SQLite allows one writer at a time. There Writer has one connection, whose users wait for one another in the process,
// and DB has several read-only connections, so that no read waits for a writer. Writer gets:
//
//   - transactions, unless they are ReadOnly, and Conn
//   - NewInsert, NewUpdate and NewDelete
//   - Exec and ExecContext
//   - NewRaw, if the statement does not begin with SELECT or WITH
//
// QueryContext and QueryRowContext send their values as parameters. bun writes the values of all other statements into
// their texts.
//
// Everything else reads, and fails if it writes: on SQLite the connections of DB are query_only. Within a transaction
// of Writer, use only that transaction: another use of Writer would wait for it.
package handle

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect"
)

// DB is a bun.IDB that reads through one handle and writes through another.
type DB struct {
	*bun.DB         // reads
	Writer  *bun.DB // may be the same handle

	hooks []bun.QueryHook // called for the statements that bun does not run

	mu         sync.Mutex
	statements map[string]*sql.Stmt // by their texts
}

var _ bun.IDB = (*DB)(nil)

// Close closes both handles.
func (db *DB) Close() error { return errors.Join(db.DB.Close(), db.Writer.Close()) }

// Pool returns the pool of the handle that reads.
func (db *DB) Pool() *sql.DB { return db.DB.DB }

// WithQueryHook returns a copy that calls a hook for each statement.
func (db *DB) WithQueryHook(hook bun.QueryHook) *DB {
	return &DB{DB: db.DB.WithQueryHook(hook), Writer: db.Writer.WithQueryHook(hook), hooks: append(slices.Clip(db.hooks), hook)}
}

// BeginTx begins a transaction, which may write unless it is ReadOnly.
func (db *DB) BeginTx(ctx context.Context, opts *sql.TxOptions) (bun.Tx, error) {
	return db.of(opts).BeginTx(ctx, opts)
}

// RunInTx runs f in a transaction, which may write unless it is ReadOnly, and commits if f returns nil.
func (db *DB) RunInTx(ctx context.Context, opts *sql.TxOptions, f func(ctx context.Context, tx bun.Tx) error) error {
	return db.of(opts).RunInTx(ctx, opts, f)
}

func (db *DB) of(opts *sql.TxOptions) *bun.DB {
	if opts != nil && opts.ReadOnly {
		return db.DB
	}
	return db.Writer
}

// Conn returns a connection to write with.
func (db *DB) Conn(ctx context.Context) (bun.Conn, error) { return db.Writer.Conn(ctx) }

// Exec is ExecContext without a context.
func (db *DB) Exec(query string, args ...any) (sql.Result, error) {
	return db.Writer.Exec(query, args...)
}

// ExecContext executes a statement that writes.
func (db *DB) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	return db.Writer.ExecContext(ctx, query, args...)
}

// NewInsert builds an INSERT.
func (db *DB) NewInsert() *bun.InsertQuery { return db.Writer.NewInsert() }

// NewUpdate builds an UPDATE.
func (db *DB) NewUpdate() *bun.UpdateQuery { return db.Writer.NewUpdate() }

// NewDelete builds a DELETE.
func (db *DB) NewDelete() *bun.DeleteQuery { return db.Writer.NewDelete() }

// NewRaw builds a statement from a text, which writes unless it begins with SELECT or WITH.
func (db *DB) NewRaw(query string, args ...any) *bun.RawQuery {
	if text := strings.TrimSpace(query); strings.HasPrefix(text, "SELECT") || strings.HasPrefix(text, "WITH") {
		return db.DB.NewRaw(query, args...)
	}
	return db.Writer.NewRaw(query, args...)
}

// Postgres reports whether a database is PostgreSQL, or compatible with it, and not SQLite.
func Postgres(idb bun.IDB) bool { return idb.Dialect().Name() == dialect.PG }

// Clock returns the time in whole microseconds, the precision of both engines. If now is nil, the clock on PostgreSQL
// is the database's, so that all servers agree, and on SQLite the process's.
func Clock(ctx context.Context, idb bun.IDB, now func() time.Time) (at time.Time, err error) {
	switch {
	case now != nil:
		at = now()
	case Postgres(idb):
		err = idb.NewRaw(`SELECT clock_timestamp()`).Scan(ctx, &at)
	default:
		at = time.Now()
	}
	return at.UTC().Truncate(time.Microsecond), err
}
