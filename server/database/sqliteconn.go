package database

import (
	"context"
	"database/sql/driver"
)

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

// driverConn is what database/sql uses of the driver's connection.
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

// sqliteConn is a connection that asks again, each millisecond, while another process has the file. SQLite's own wait asks ever
// more seldom, so that one writer can be kept out for seconds by another that writes transaction after transaction.
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

// ResetSession implements driver.SessionResetter. Each commit waits for the disk again: a load has its own wait no longer.
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

// IsValid implements driver.Validator: the driver closes a connection after an interrupted statement, though the next one goes on.
func (c sqliteConn) IsValid() bool { return c.file.removed || c.driverConn.IsValid() }
