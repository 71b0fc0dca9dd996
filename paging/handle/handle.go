// Package handle has a database as the stores use it: a handle that reads, and one that writes.
//
//	db := &handle.DB{DB: pool, Writer: pool} // one that does both, as on PostgreSQL
//
// SQLite has one writer at a time. There Writer has one connection, whose users wait for one another in the process, and DB has
// several that read only, so that no read waits for a writer. What goes to Writer:
//
//   - transactions, unless they are ReadOnly, and Conn
//   - NewInsert, NewUpdate and NewDelete
//   - Exec and ExecContext
//   - NewRaw, where the statement does not begin with SELECT or WITH
//
// QueryContext and QueryRowContext send their values as parameters; all other statements have them in their texts, as bun writes them.
//
// All else reads, and fails if it writes: on SQLite the connections of DB are query_only. Who holds Writer, as within a transaction,
// must not use it again but through that transaction.
package handle

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect"
)

// DB is a database: it is a bun.IDB that reads through one handle and writes through another.
type DB struct {
	*bun.DB         // reads
	Writer  *bun.DB // the same where one handle does both

	hooks []bun.QueryHook // of the statements that bun does not run

	mu         sync.Mutex
	statements map[string]*sql.Stmt // by their texts
}

var _ bun.IDB = (*DB)(nil)

// Close closes both handles.
func (db *DB) Close() error {
	err := db.DB.Close()
	if wrong := db.Writer.Close(); err == nil {
		err = wrong
	}
	return err
}

// WithQueryHook returns a copy that tells a hook of its statements.
func (db *DB) WithQueryHook(hook bun.QueryHook) *DB {
	return &DB{DB: db.DB.WithQueryHook(hook), Writer: db.Writer.WithQueryHook(hook), hooks: append(slices.Clip(db.hooks), hook)}
}

// BeginTx begins a transaction, which writes unless it is ReadOnly.
func (db *DB) BeginTx(ctx context.Context, opts *sql.TxOptions) (bun.Tx, error) {
	return db.of(opts).BeginTx(ctx, opts)
}

// RunInTx runs f in a transaction, which writes unless it is ReadOnly, and commits where f returns nil.
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

// NewRaw builds a statement of a text. One that does not begin with SELECT or WITH writes.
func (db *DB) NewRaw(query string, args ...any) *bun.RawQuery {
	if text := strings.TrimSpace(query); strings.HasPrefix(text, "SELECT") || strings.HasPrefix(text, "WITH") {
		return db.DB.NewRaw(query, args...)
	}
	return db.Writer.NewRaw(query, args...)
}

// Postgres reports whether a database is PostgreSQL, or one of its kind, and not SQLite.
func Postgres(idb bun.IDB) bool { return idb.Dialect().Name() == dialect.PG }

// Clock reads the time in whole microseconds, which both engines keep. It is that of now, or, where now is nil, of the database with
// PostgreSQL, so that all servers agree, and of the process with SQLite.
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
