package database

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"
)

// Copy inserts many rows into a table, as fast as the engine can, and returns their number. It runs on conn, inside
// the transaction that was begun on it, if there is one.
//
//	conn, err := db.Conn(ctx)
//	tx, err := conn.BeginTx(ctx, nil)
//	n, err := db.Copy(ctx, conn, "loans", []string{"tenant_id", "loan_id"}, rows)
//	err = tx.Commit()
//
// Every row has one value for each column, in their order: nil, integers, floats, bools, strings, byte slices, times,
// named types of these and driver.Valuers. The iterator may reuse a row and its byte slices for the next one. A row
// that breaks a constraint fails the whole copy. An iterator that fails stops, and its owner rolls the transaction
// back.
func (db *DB) Copy(ctx context.Context, conn bun.Conn, table string, columns []string, rows iter.Seq[[]any]) (int64, error) {
	run := sqliteCopy
	if db.Engine == Postgres {
		run = postgresCopy
	}
	n, err := run(ctx, conn, table, columns, rows)
	if err != nil {
		return n, fmt.Errorf("copy into %s: %w", table, err)
	}
	return n, nil
}

// postgresCopy is a binary COPY.
func postgresCopy(ctx context.Context, conn bun.Conn, table string, columns []string, rows iter.Seq[[]any]) (n int64, err error) {
	next, stop := iter.Pull(rows)
	defer stop()
	source := pgx.CopyFromFunc(func() ([]any, error) {
		row, _ := next()
		return row, nil // a nil row ends the copy
	})
	err = conn.Raw(func(dc any) error {
		pg, err := pgxConn(dc)
		if err != nil {
			return err
		}
		n, err = pg.CopyFrom(ctx, pgx.Identifier(strings.Split(table, ".")), columns, source)
		return err
	})
	return n, err
}

// sqliteParams is about the number of values of one statement on SQLite. The engine allows 32,766, but more than a
// few hundred gain nothing.
const sqliteParams = 512

// sqliteCopy inserts several rows with one statement, which is prepared once. Another statement inserts the last
// rows.
func sqliteCopy(ctx context.Context, conn bun.Conn, table string, columns []string, rows iter.Seq[[]any]) (n int64, err error) {
	size := max(1, sqliteParams/len(columns))
	var full *sql.Stmt // for size rows; prepared for the first of them
	var args []any     // of the rows that are not inserted yet
	for row := range rows {
		if len(row) != len(columns) {
			return n, fmt.Errorf("a row has %d values for %d columns", len(row), len(columns))
		}
		for _, v := range row {
			args = append(args, sqliteValue(v))
		}
		if len(args) < size*len(columns) {
			continue
		}
		if n == 0 {
			if full, err = conn.PrepareContext(ctx, insert(table, columns, size)); err != nil {
				return 0, err
			}
			defer full.Close()
		}
		if _, err := full.ExecContext(ctx, args...); err != nil {
			return n, err
		}
		n += int64(size)
		clear(args)
		args = args[:0]
	}
	if len(args) == 0 {
		return n, nil
	}
	rest := len(args) / len(columns)
	if _, err := conn.ExecContext(ctx, insert(table, columns, rest), args...); err != nil {
		return n, err
	}
	return n + int64(rest), nil
}

// insert returns the statement for a number of rows. With OR FAIL a row that breaks a constraint ends the statement
// without undoing it. To undo a single statement SQLite would copy every page that it changes; the copy is rolled
// back as a whole.
func insert(table string, columns []string, rows int) string {
	quoted := make([]string, len(columns))
	for i, name := range columns {
		quoted[i] = quote(name)
	}
	row := "(" + strings.Repeat("?,", len(columns)-1) + "?)"
	return "INSERT OR FAIL INTO " + quote(table) + " (" + strings.Join(quoted, ",") + ") VALUES " +
		strings.Repeat(row+",", rows-1) + row
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// sqliteValue formats a time as bun does, so that copied and inserted rows compare alike, and copies bytes that the
// iterator may overwrite.
func sqliteValue(v any) any {
	switch v := v.(type) {
	case time.Time:
		return v.UTC().Format("2006-01-02 15:04:05.999999-07:00")
	case []byte:
		return bytes.Clone(v)
	}
	return v
}
