package database

import (
	"context"
	"database/sql/driver"
	"errors"
	"time"
)

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
