package database

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"
)

// Copy inserts many rows into a table, as fast as the engine can, and returns
// how many. It runs on conn, inside the transaction begun on it, if any: then it
// is undone with it.
//
//	conn, err := db.Conn(ctx)
//	tx, err := conn.BeginTx(ctx, nil)
//	n, err := db.Copy(ctx, conn, "loans", []string{"tenant_id", "loan_id"}, rows)
//	err = tx.Commit()
//
// Every row has one value for each column, in their order: nil, integers, floats,
// bools, strings, byte slices, times, named types of these and driver.Valuers.
// A row may be reused by the iterator for the next one; its byte slices too.
// There is no ON CONFLICT: a row that breaks a constraint fails the whole. An iterator that
// cannot go on stops, and its owner rolls back.
func (db *DB) Copy(ctx context.Context, conn bun.Conn, table string, columns []string, rows iter.Seq[[]any]) (int64, error) {
	c := copying{conn: conn, table: table, columns: columns, rows: rows}
	run := c.sqlite
	if db.Engine == Postgres {
		run = c.postgres
	}
	n, err := run(ctx)
	if err != nil {
		return n, fmt.Errorf("copy into %s: %w", table, err)
	}
	return n, nil
}

// copying is one copy.
type copying struct {
	conn    bun.Conn
	table   string
	columns []string
	rows    iter.Seq[[]any]
}

// InTx runs f in a transaction on a connection of its own, for use with
// [DB.Copy], commits when f returns nil and else rolls back.
func (db *DB) InTx(ctx context.Context, f func(ctx context.Context, conn bun.Conn, tx bun.Tx) error) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error { return f(ctx, conn, tx) })
}

// postgres is COPY in binary.
func (c copying) postgres(ctx context.Context) (n int64, err error) {
	next, stop := iter.Pull(c.rows)
	defer stop()
	source := pgx.CopyFromFunc(func() ([]any, error) {
		row, _ := next()
		return row, nil // a nil row ends the copy
	})
	err = c.conn.Raw(func(dc any) error {
		pg, err := pgxConn(dc)
		if err != nil {
			return err
		}
		n, err = pg.CopyFrom(ctx, pgx.Identifier(strings.Split(c.table, ".")), c.columns, source)
		return err
	})
	return n, err
}

// sqliteParams is about how many values one statement binds on SQLite. The
// engine allows 32,766; beyond a few hundred nothing is gained.
const sqliteParams = 512

// sqlite inserts several rows a statement, which is prepared once; another
// takes the rest.
func (c copying) sqlite(ctx context.Context) (int64, error) {
	w := &sqliteCopy{copying: c, ctx: ctx, size: max(1, sqliteParams/len(c.columns))}
	defer w.close()
	for row := range c.rows {
		if len(row) != len(c.columns) {
			return w.n, fmt.Errorf("a row has %d values for %d columns", len(row), len(c.columns))
		}
		if err := w.add(row); err != nil {
			return w.n, err
		}
	}
	return w.n, w.flush()
}

// sqliteCopy is one copy under way.
type sqliteCopy struct {
	copying
	ctx  context.Context
	size int // rows a statement

	stmt *sql.Stmt // for size rows; nil until the first are full
	args []any     // of the rows that wait
	n    int64     // rows written
}

// add takes one row and writes the waiting ones when they fill a statement.
func (c *sqliteCopy) add(row []any) (err error) {
	for _, v := range row {
		c.args = append(c.args, sqliteValue(v))
	}
	if len(c.args) < c.size*len(c.columns) {
		return nil
	}
	if c.stmt == nil {
		if c.stmt, err = c.conn.PrepareContext(c.ctx, c.insert(c.size)); err != nil {
			return err
		}
	}
	return c.exec(c.stmt)
}

// flush writes the rows that do not fill a statement.
func (c *sqliteCopy) flush() error {
	if len(c.args) == 0 {
		return nil
	}
	stmt, err := c.conn.PrepareContext(c.ctx, c.insert(len(c.args)/len(c.columns)))
	if err != nil {
		return err
	}
	defer stmt.Close()
	return c.exec(stmt)
}

func (c *sqliteCopy) exec(stmt *sql.Stmt) error {
	if _, err := stmt.ExecContext(c.ctx, c.args...); err != nil {
		return err
	}
	c.n += int64(len(c.args) / len(c.columns))
	clear(c.args)
	c.args = c.args[:0]
	return nil
}

func (c *sqliteCopy) close() {
	if c.stmt != nil {
		c.stmt.Close()
	}
}

// insert is the statement for the given number of rows. A row that breaks a constraint ends it where it is, OR FAIL: to be able
// to undo a statement alone, SQLite copies every page that it touches, and the copy is undone as a whole.
func (c *sqliteCopy) insert(rows int) string {
	quoted := make([]string, len(c.columns))
	for i, name := range c.columns {
		quoted[i] = quote(name)
	}
	row := "(" + strings.Repeat("?,", len(c.columns)-1) + "?)"
	return "INSERT OR FAIL INTO " + quote(c.table) + " (" + strings.Join(quoted, ",") + ") VALUES " +
		strings.Repeat(row+",", rows-1) + row
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// sqliteValue writes a time as bun does, so that copied and inserted rows
// compare alike, and keeps bytes that the iterator may overwrite.
func sqliteValue(v any) any {
	switch v := v.(type) {
	case time.Time:
		return v.UTC().Format("2006-01-02 15:04:05.999999-07:00")
	case []byte:
		if v == nil {
			return nil
		}
		return append(make([]byte, 0, len(v)), v...)
	}
	return v
}
