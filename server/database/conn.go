package database

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
)

// connector gives database/sql the connections of a pool.
type connector struct {
	driver.Connector
	pool *pgxpool.Pool
	text pgx.QueryExecMode // of statements whose values are in their text
}

const (
	fullWait  = 30 * time.Second       // waits for a free connection of the server, if the caller has no deadline
	fullEvery = 100 * time.Millisecond // between two attempts
)

// Connect takes a connection from the pool. If the server has no free connection it waits for one (H13).
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, fullWait)
	defer cancel()
	for {
		dc, err := c.Connector.Connect(ctx)
		if err == nil {
			return conn{dc.(*stdlib.Conn), c.pool, c.text}, nil
		}
		if state(err) != "53300" {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(fullEvery):
		}
	}
}

// Close closes the pool.
func (c connector) Close() error {
	c.pool.Close()
	return nil
}

// state returns the SQLSTATE of an error of PostgreSQL, or an empty string.
func state(err error) string {
	if p, ok := errors.AsType[*pgconn.PgError](err); ok {
		return p.Code
	}
	return ""
}

// conn is a connection to PostgreSQL. Statements with parameters run in the mode of the URL; by default pgx prepares
// them once for each connection. bun's statements have their values in their texts, no two of which are alike: they
// are sent in one round trip and not prepared.
type conn struct {
	*stdlib.Conn
	pool *pgxpool.Pool
	text pgx.QueryExecMode
}

// Close returns the connection to the pool. If it broke, or a deadline ended it, Close also closes the idle
// connections of the pool: a server that restarts ends all of them, and a frozen one answers on none.
func (c conn) Close() error {
	if c.Conn.Conn().IsClosed() {
		c.pool.Reset()
	}
	return c.Conn.Close()
}

// ExecContext implements driver.ExecerContext.
func (c conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if c.Conn.Conn().IsClosed() {
		return nil, driver.ErrBadConn
	}
	if !c.prepares(args) {
		args = c.unprepared(args)
	}
	r, err := c.Conn.ExecContext(ctx, query, args)
	return r, lost(ctx, err)
}

// QueryContext implements driver.QueryerContext. A migration may change the result of a prepared statement, and a
// pooler may not know the statement. Then it runs again unprepared. In a transaction the error would end the
// transaction, so nothing is prepared there.
func (c conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if c.Conn.Conn().IsClosed() {
		return nil, driver.ErrBadConn
	}
	if c.prepares(args) {
		rows, err := c.Conn.QueryContext(ctx, query, args)
		if !stale(err) {
			return rows, lost(ctx, err)
		}
	}
	rows, err := c.Conn.QueryContext(ctx, query, c.unprepared(args))
	return rows, lost(ctx, err)
}

// errLost is the error of a statement whose connection broke.
var errLost = errors.New("the connection to the database broke; whether the statement was carried out is not known")

// lost returns the error of a statement on a connection that was open. It hides driver.ErrBadConn, after which
// database/sql would send the statement again. pgx returns that error also for a statement that the server may have
// executed.
func lost(ctx context.Context, err error) error {
	if !errors.Is(err, driver.ErrBadConn) {
		return err
	}
	return cmp.Or(ctx.Err(), errLost)
}

// prepares reports whether a statement runs in the mode of the URL.
func (c conn) prepares(args []driver.NamedValue) bool {
	return len(args) > 0 && c.Conn.Conn().PgConn().TxStatus() == 'I'
}

// unprepared returns the arguments of a statement that is not prepared.
func (c conn) unprepared(args []driver.NamedValue) []driver.NamedValue {
	return append([]driver.NamedValue{{Value: c.text}}, args...)
}

// stale reports whether an error says that a prepared statement now returns other types, is unknown, or exists
// already.
func stale(err error) bool {
	switch state(err) {
	case "0A000", "26000", "42P05":
		return true
	}
	return false
}

// pgxConn returns the pgx connection of a driver's connection.
func pgxConn(dc any) (*pgx.Conn, error) {
	switch c := dc.(type) {
	case conn:
		return c.Conn.Conn(), nil
	case *stdlib.Conn: // of a pool of the caller's own
		return c.Conn(), nil
	}
	return nil, fmt.Errorf("not a connection of pgx: %T", dc)
}

// Batch sends queries that return one row each, with the arguments of QueryRowContext, in one round trip and as one
// transaction, and reads the rows into dest. The error is sql.ErrNoRows if a query finds no row; the queries after it
// are executed but not read. It works on PostgreSQL only.
func (db *DB) Batch(ctx context.Context, queries []string, args, dest [][]any) error {
	texts, values := make([]string, len(queries)), make([][]any, len(queries))
	for i, query := range queries {
		texts[i], values[i] = db.Parameters(query, args[i])
	}
	return db.Tell(ctx, strings.Join(texts, "; "), slices.Concat(values...), func(ctx context.Context) error {
		return db.batch(ctx, texts, values, dest)
	})
}

func (db *DB) batch(ctx context.Context, texts []string, values, dest [][]any) error {
	c, err := db.Pool().Conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	err = c.Raw(func(dc any) error {
		pg, err := pgxConn(dc)
		if err != nil {
			return err
		}
		batch := new(pgx.Batch)
		for i, text := range texts {
			batch.Queue(text, values[i]...).QueryRow(func(row pgx.Row) error { return row.Scan(dest[i]...) })
		}
		return pg.SendBatch(ctx, batch).Close()
	})
	if !stale(err) {
		return err
	}
	for i, text := range texts {
		if err := c.QueryRowContext(ctx, text, values[i]...).Scan(dest[i]...); err != nil {
			return err
		}
	}
	return nil
}
