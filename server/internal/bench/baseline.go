package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/feed"
)

// baseline is what one would do without the product: copy the rows of a feed into tables as they are, and ask them in SQL.
type baseline struct {
	what    string // of the first file, whose plain COPY is timed
	tables  []rawTable
	prepare []string                                                      // statements, once all rows are there
	queries func(*network) map[string]string                              // by the question that they answer
	agree   func(ctx context.Context, n *network, name, row string) error // nil, or holds that the product answers what the last row of a query says
	drop    []string
}

// rawTable is a table and the files that go into it.
type rawTable struct {
	name, columns string // the columns with their types
	files         []rawFile
}

// names are those of the columns.
func (t rawTable) names() (names []string) {
	for column := range strings.SplitSeq(t.columns, ",") {
		names = append(names, strings.Fields(column)[0])
	}
	return names
}

// rawFile is how the rows of a file become rows of a table.
type rawFile struct {
	resource, fields string
	parse            func(*feed.Row) [][]any
}

// copied is the number of rows of the plain COPY: enough for a steady rate.
const copied = 1_000_000

// baselines times a plain COPY of rows of the feed and, with ask, the hand-written SQL on all of them.
func (n *network) baselines(ctx context.Context, ask bool) error {
	db, err := database.Open(ctx, n.db)
	if err != nil {
		return err
	}
	defer db.Close()
	for _, t := range n.raw.tables {
		if _, err := db.ExecContext(ctx, "CREATE TABLE "+t.name+" ("+t.columns+")"); err != nil {
			return err
		}
	}
	var rows [][]any
	main := n.raw.tables[0]
	if err := main.files[0].each(ctx, n.feed(), func(row []any) bool {
		rows = append(rows, row)
		return len(rows) < copied
	}); err != nil {
		return err
	}
	start := time.Now()
	if err := copyInto(ctx, db, main, func(yield func([]any) bool) error { slices.Values(rows)(yield); return nil }); err != nil {
		return err
	}
	plain := float64(len(rows)) / time.Since(start).Seconds()
	n.table.row("plain COPY of "+n.raw.what+", without reading a feed", fmt.Sprintf("%.0f rows/s", plain), fmt.Sprintf("the load reaches %.0f %% of it", 100*n.rate/plain))
	if ask {
		if err := n.queried(ctx, db, len(rows)); err != nil {
			return err
		}
	}
	for _, t := range n.raw.tables {
		if _, err := db.ExecContext(ctx, "DROP TABLE "+t.name); err != nil {
			return err
		}
	}
	return nil
}

// each calls f with the raw rows of a file until it returns false.
func (r rawFile) each(ctx context.Context, dir string, f func([]any) bool) error {
	folder, err := feed.Open(dir)
	if err != nil {
		return err
	}
	folder.Ignore(unused...)
	file, err := folder.File(r.resource)
	if err != nil {
		return err
	}
	var fields []feed.Field
	for name := range strings.FieldsSeq(r.fields) {
		fields = append(fields, feed.Field{Name: name})
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := false
	err = feed.Read(ctx, file, fields, func(row *feed.Row, rows *[][]any) { *rows = r.parse(row) }, func(rows *[][]any, _ feed.Pos) error {
		for _, row := range *rows {
			if done = done || !f(row); done {
				cancel()
			}
		}
		return nil
	}, func(e *feed.RowError) error { return e })
	if done {
		return nil
	}
	return err
}

// unused are the fields of feeds that some table of the baselines has no column for.
var unused = strings.Fields(`loanId userId bookId dueAt status format mode position resolvedAt sessionId renewalId reservationId previewId activityId
	name email ra deletedAt updatedAt confirmedAt lastSignInAt`)

// copyInto copies rows in a transaction of their own.
func copyInto(ctx context.Context, db *database.DB, t rawTable, each func(yield func([]any) bool) error) error {
	return db.InTx(ctx, func(ctx context.Context, conn bun.Conn, _ bun.Tx) error {
		var failed error
		_, err := db.Copy(ctx, conn, t.name, t.names(), func(yield func([]any) bool) { failed = each(yield) })
		return errors.Join(failed, err)
	})
}

// queried copies the rest of the feed, past the rows of the first file that are there, and times the queries: the median of three.
func (n *network) queried(ctx context.Context, db *database.DB, skip int) error {
	for _, t := range n.raw.tables {
		for _, file := range t.files {
			err := copyInto(ctx, db, t, func(yield func([]any) bool) error {
				return file.each(ctx, n.feed(), func(row []any) bool {
					if skip > 0 {
						skip--
						return true
					}
					return yield(row)
				})
			})
			if err != nil {
				return err
			}
		}
	}
	for _, statement := range n.raw.prepare {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	for name, query := range n.raw.queries(n) {
		var times []time.Duration
		var row string
		var err error
		for range 3 {
			start := time.Now()
			if row, err = lastRow(ctx, db, query); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			times = append(times, time.Since(start))
		}
		slices.Sort(times)
		n.sql[name] = times[1]
		if n.raw.agree != nil {
			if err := n.raw.agree(ctx, n, name, row); err != nil {
				return err
			}
		}
	}
	for _, statement := range n.raw.drop {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// lastRow reads all rows of a query and returns the last, its values separated by spaces.
func lastRow(ctx context.Context, db *database.DB, query string) (string, error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return "", err
	}
	values, into := make([]sql.NullString, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return "", err
		}
	}
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = v.String
	}
	return strings.Join(texts, " "), rows.Err()
}
