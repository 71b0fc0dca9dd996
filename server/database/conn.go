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
	text pgx.QueryExecMode // of statements that have their values in their text
}

const (
	fullWait  = 30 * time.Second       // for a server that has no connection left, of a caller without a deadline
	fullEvery = 100 * time.Millisecond // it is asked again
)

// Connect takes a connection from the pool. Where the server has none left it waits for one (H13).
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

// state returns the SQLSTATE of an error of PostgreSQL, or nothing.
func state(err error) string {
	if p, ok := errors.AsType[*pgconn.PgError](err); ok {
		return p.Code
	}
	return ""
}

// conn is a connection to PostgreSQL. Statements with parameters run in the mode of the URL: pgx prepares them once a connection,
// unless it says otherwise. Those of bun have their values in their texts, of which no two are alike: they are sent in one round
// trip and not prepared.
type conn struct {
	*stdlib.Conn
	pool *pgxpool.Pool
	text pgx.QueryExecMode
}

// Close gives the connection back to the pool. If it broke, or a deadline ended it, the pool's idle connections are closed too: a
// server that restarts ends all of them, and a frozen one answers on none.
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

// QueryContext implements driver.QueryerContext. What a connection has prepared a migration may change, and a pooler may not know:
// then the statement runs unprepared. An error would end a transaction, so nothing is prepared in one.
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

// errLost is of a statement on a connection that then broke.
var errLost = errors.New("the connection to the database broke; whether the statement was carried out is not known")

// lost returns the error of a statement on a connection that was open. With driver.ErrBadConn database/sql would send the statement
// again, and pgx says so of one whose answer did not come, too.
func lost(ctx context.Context, err error) error {
	if !errors.Is(err, driver.ErrBadConn) {
		return err
	}
	return cmp.Or(ctx.Err(), errLost)
}

// prepares reports whether a statement is left to the mode of the URL.
func (c conn) prepares(args []driver.NamedValue) bool {
	return len(args) > 0 && c.Conn.Conn().PgConn().TxStatus() == 'I'
}

// unprepared are the arguments of a statement that is not prepared.
func (c conn) unprepared(args []driver.NamedValue) []driver.NamedValue {
	return append([]driver.NamedValue{{Value: c.text}}, args...)
}

// stale reports whether an error says that a prepared statement returns other types now, is unknown, or exists already.
func stale(err error) bool {
	switch state(err) {
	case "0A000", "26000", "42P05":
		return true
	}
	return false
}

// pgxConn is the pgx connection under a driver's connection.
func pgxConn(dc any) (*pgx.Conn, error) {
	switch c := dc.(type) {
	case conn:
		return c.Conn.Conn(), nil
	case *stdlib.Conn: // of a pool that is not one of Open
		return c.Conn(), nil
	}
	return nil, fmt.Errorf("not a connection of pgx: %T", dc)
}

// Batch sends queries of a row each, as QueryRowContext takes them, in one round trip and as one transaction, and reads the
// rows into dest. A query that finds no row is sql.ErrNoRows, and those behind it are made but not read. It is of PostgreSQL.
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
