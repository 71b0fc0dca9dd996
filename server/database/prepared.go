package database

import (
	"context"
	"database/sql/driver"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// This file decides how a statement runs. What bun builds has its values in its text and is parsed each time: pages of rows
// cost far more than that. Those of few texts that many requests run (the key, the rate, the pull, names) are
// written with parameters, $1 and on, and go past bun: they are parsed and planned once a connection.

// queryPrepared runs a query with parameters.
//
// A pooler that hands the statements of one connection to several of its own may not know there what was prepared here. From
// the first time that this is seen on, nothing is prepared any more.
func (c binaryConn) queryPrepared(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if !c.unprepared.Load() {
		mode := driver.NamedValue{Value: pgx.QueryExecModeCacheStatement}
		r, err := c.watched.QueryContext(ctx, query, slices.Insert(slices.Clone(args), 0, mode))
		if !notPrepared(err) {
			return r, err
		}
		c.unprepared.Store(true)
	}
	return c.watched.QueryContext(ctx, query+" ", args) // under the text itself pgx may know what was prepared once, and take it
}

// notPrepared reports whether an error says that a statement is not prepared which was, or the other way round.
func notPrepared(err error) bool {
	p, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (p.Code == "26000" || p.Code == "42P05")
}

// preparing is what the connections of a pool know of one another.
type preparing struct{ unprepared atomic.Bool }

// maxPrepared bounds the statements that a connection to SQLite keeps: there are a handful.
const maxPrepared = 64

// compiled is a statement of a connection to SQLite, and whether rows of it are open: it cannot run twice at a time.
type compiled struct {
	driver.Stmt
	open bool
}

// QueryContext runs a query. One with parameters is compiled once.
func (c *queuedConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (r driver.Rows, err error) {
	defer c.seen.since(time.Now())
	err = patiently(ctx, func() (err error) { r, err = c.query(ctx, query, args); return err })
	return r, err
}

func (c *queuedConn) query(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	s := c.compiled[query]
	if len(args) == 0 || s == nil && len(c.compiled) == maxPrepared || s != nil && s.open {
		return c.sqliteConn.QueryContext(ctx, query, args)
	}
	if s == nil {
		made, err := c.PrepareContext(ctx, query)
		if err != nil {
			return nil, err
		}
		s = &compiled{Stmt: made}
		c.compiled[query] = s
	}
	r, err := s.Stmt.(driver.StmtQueryContext).QueryContext(ctx, args)
	if err != nil {
		return nil, err
	}
	s.open = true
	return compiledRows{r, s}, nil
}

// compiledRows are the rows of a compiled statement.
type compiledRows struct {
	driver.Rows
	of *compiled
}

// Close closes the rows; the statement may run again.
func (r compiledRows) Close() error {
	r.of.open = false
	return r.Rows.Close()
}

// Close closes the connection and what was compiled on it.
func (c *queuedConn) Close() error {
	var err error
	for _, s := range c.compiled {
		err = errors.Join(err, s.Close())
	}
	return errors.Join(err, c.sqliteConn.Close())
}
