package directorydb

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"slices"
	"strings"

	"github.com/uptrace/bun"
)

// later is a connection on which what is written waits for what is read next, or for the end: then all of it is one text, and
// costs one round trip, or where the connection can, none of its own. Errors of what waited are those of what it waited for.
type later struct {
	bun.IDB
	past  bun.IConn // the same connection, past bun
	texts []string
	joins bool  // the connection sends waited with the query that follows
	sent  bool  // some of it was sent
	ahead bool  // nothing is locked yet, so that nothing can be sent
	err   error // that a row met, which tells its own too late
}

// ExecContext implements bun.IConn. How many rows there are is not known yet.
func (l *later) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if len(args) > 0 {
		return l.NewRaw(query, args...).Exec(ctx)
	}
	l.texts = append(l.texts, query)
	return driver.ResultNoRows, nil
}

// QueryContext implements bun.IConn.
func (l *later) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if err := l.send(ctx); err != nil {
		return nil, err
	}
	return l.IDB.QueryContext(ctx, query, args...)
}

// QueryRowContext implements bun.IConn.
func (l *later) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	l.err = cmp.Or(l.err, l.send(ctx))
	return l.IDB.QueryRowContext(ctx, query, args...)
}

// send sends what waits.
func (l *later) send(ctx context.Context) error {
	if len(l.texts) == 0 {
		return l.err
	}
	if l.ahead {
		return errAhead
	}
	l.sent = true
	_, err := l.past.ExecContext(ctx, strings.Join(l.texts, "; "))
	l.texts = l.texts[:0]
	return cmp.Or(l.err, err)
}

// look runs a query with parameters after what waits.
func (l *later) look(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if l.joins && len(l.texts) > 0 && l.err == nil {
		args = slices.Insert(args, 0, any(waited(l.texts)))
		l.texts, l.sent = nil, true
	} else if err := l.send(ctx); err != nil {
		return nil, err
	}
	return l.past.QueryContext(ctx, query, args...)
}

// waited is what some connections take as the first argument of a query: statements that are sent with it.
type waited []string

// Before returns the statements.
func (w waited) Before() []string { return w }

// sendsBefore reports whether the connections of a pool take waited: those of the server do.
func sendsBefore(db *bun.DB) bool {
	_, ok := db.Driver().(interface{ SendsBefore() })
	return ok
}

// NewSelect and the others build statements that run on l.
func (l *later) NewSelect() *bun.SelectQuery { return l.IDB.NewSelect().Conn(l) }
func (l *later) NewInsert() *bun.InsertQuery { return l.IDB.NewInsert().Conn(l) }
func (l *later) NewUpdate() *bun.UpdateQuery { return l.IDB.NewUpdate().Conn(l) }
func (l *later) NewDelete() *bun.DeleteQuery { return l.IDB.NewDelete().Conn(l) }
func (l *later) NewRaw(query string, args ...any) *bun.RawQuery {
	return l.IDB.NewRaw(query, args...).Conn(l)
}
