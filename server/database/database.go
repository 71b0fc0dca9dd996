package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	"github.com/uptrace/bun/schema"

	"github.com/lectern-dev/lectern/paging/handle"
)

// Engine is one of the two database engines. Its text is also the name of the folder of its migrations.
type Engine string

// The two engines.
const (
	SQLite   Engine = "sqlite"
	Postgres Engine = "postgres"
)

// DB is an open database, to be closed after use.
type DB struct {
	*handle.DB
	Engine Engine

	// URL is the URL that the database was opened with, including its password: another
	// process that opens it sees the same data.
	URL string
}

// Open opens the database at url, "sqlite:path" or "postgres://…", and makes sure that it answers. It creates a
// missing SQLite file, but not its folder; a PostgreSQL database must exist. It does not look at the schema: see
// [DB.Migrate].
//
// An error names the database without its password and says what to do.
//
// "sqlite::memory:" is a file that is removed at once, for tests and programs that embed the server. Its data end
// with the process, or with Close.
func Open(ctx context.Context, url string) (*DB, error) { return open(ctx, url, sqliteMapped) }

// OpenToLoad is Open for a process that writes a large part of a database and reads most of it only once. It does not
// map a file into memory, where every page that was read would stay, once for each connection.
func OpenToLoad(ctx context.Context, url string) (*DB, error) { return open(ctx, url, sqliteUnmapped) }

// OnPool returns a database on the caller's pool, which the caller closes. url names the database that the pool is
// connected to, as for [Open]. This package registers the drivers:
//
//	sql.Open("pgx", "postgres://user@host/lectern")
//	sql.Open("sqlite", "file:lectern.db?_time_format=sqlite&_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)")
//
// Such a database lacks two features of Open: separate connections of SQLite for reads and writes, and the quick
// recovery from a frozen server.
func OnPool(pool *sql.DB, url string) (*DB, error) {
	engine, err := engineOf(url)
	if err != nil {
		return nil, err
	}
	dialect := schema.Dialect(pgdialect.New())
	if engine == SQLite {
		dialect = sqlitedialect.New()
	}
	own := bun.NewDB(pool, dialect)
	return &DB{DB: &handle.DB{DB: own, Writer: own}, Engine: engine, URL: url}, nil
}

// open opens the database at url, a SQLite file with further settings.
func open(ctx context.Context, url, settings string) (*DB, error) {
	engine, err := engineOf(url)
	if err != nil {
		return nil, err
	}
	if engine == SQLite {
		h, err := openSQLite(ctx, strings.TrimPrefix(url, "sqlite:"), settings)
		if err != nil {
			return nil, fmt.Errorf("database %s: %w", url, oneLine{err})
		}
		return &DB{DB: h, Engine: engine, URL: url}, nil
	}
	b, err := openPostgres(url)
	if err != nil {
		return nil, fmt.Errorf("database %s: %w", Redact(url), oneLine{err})
	}
	if err := ping(ctx, b.DB); err != nil {
		b.Close()
		return nil, fmt.Errorf("database %s: %w; check that the server runs, and the URL's host, user, password and database", Redact(url), oneLine{err})
	}
	return &DB{DB: &handle.DB{DB: b, Writer: b}, Engine: engine, URL: url}, nil
}

// WithHook returns a copy of db whose statements, except COPY, are reported to a hook.
func (db *DB) WithHook(hook bun.QueryHook) *DB {
	return &DB{DB: db.WithQueryHook(hook), Engine: db.Engine, URL: db.URL}
}

// File returns the file of an embedded database, or an empty string.
func (db *DB) File() string {
	path, ok := strings.CutPrefix(db.URL, "sqlite:")
	if !ok || path == memory {
		return ""
	}
	return path
}

// engineOf returns the engine of a URL.
func engineOf(url string) (Engine, error) {
	switch {
	case strings.HasPrefix(url, "sqlite:"):
		return SQLite, nil
	case strings.HasPrefix(url, "postgres://"), strings.HasPrefix(url, "postgresql://"):
		return Postgres, nil
	}
	// The text may hold a password in a form that is not known: none of it is shown.
	return "", errors.New("database of an unknown kind; write sqlite:FILE or postgres://USER@HOST/NAME")
}

// Redact returns url without its password, fit for logs and errors.
func Redact(raw string) string {
	if strings.HasPrefix(raw, "sqlite:") {
		return raw
	}
	u, err := url.Parse(raw)
	if err != nil {
		// The error and the text may both hold the password.
		scheme, _, _ := strings.Cut(raw, ":")
		return scheme + ":…"
	}
	if q := u.Query(); q.Has("password") {
		q.Set("password", "xxxxx")
		u.RawQuery = q.Encode()
	}
	return u.Redacted()
}

// ping gives up after ten seconds, so that a wrong host is reported soon.
func ping(ctx context.Context, db *sql.DB) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return db.PingContext(ctx)
}

// oneLine is an error whose text is joined to one line. Drivers list their attempts on several.
type oneLine struct{ err error }

func (e oneLine) Error() string { return strings.Join(strings.Fields(e.err.Error()), " ") }
func (e oneLine) Unwrap() error { return e.err }
