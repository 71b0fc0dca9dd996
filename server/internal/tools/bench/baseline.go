package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/feed"
)

// baseline is what one would do without the product: copy the rows of a feed into tables as they are, and ask them in SQL.
type baseline struct {
	tables  []rawTable
	made    string   // a table that is made of them
	prepare []string // by these statements
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

// rawFile yields the rows of a table that a file of a feed makes, until there are enough.
type rawFile func(ctx context.Context, folder *feed.Folder, yield func([]any) bool) error

var errEnough = errors.New("there are enough rows")

// from is a file of rows R, each of which is made into rows of a table.
func from[R any, P feed.Record[R]](resource string, raw func(R) [][]any) rawFile {
	return func(ctx context.Context, folder *feed.Folder, yield func([]any) bool) error {
		file, err := folder.File(resource)
		if err != nil {
			return err
		}
		err = feed.Records[R, [][]any, P](ctx, file, row.File[R, [][]any]{
			Check: func(r R) ([][]any, error) { return raw(r), nil },
			Take: func(rows [][]any, _ int) error {
				for _, r := range rows {
					if !yield(r) {
						return errEnough
					}
				}
				return nil
			},
		}, nil)
		if errors.Is(err, errEnough) {
			return nil
		}
		return err
	}
}

// baselines times the hand-written SQL on all rows of the feed.
func (n *network) baselines(ctx context.Context, sections []section) error {
	db, err := database.Open(ctx, n.db)
	if err != nil {
		return err
	}
	defer db.Close()
	folder, err := feed.Open(os.DirFS(n.feed()))
	if err != nil {
		return err
	}
	return n.queried(ctx, db, folder, sections)
}

func (t rawTable) create() string { return "CREATE TABLE " + t.name + " (" + t.columns + ")" }

func execute(ctx context.Context, db *database.DB, statements ...string) error {
	for _, statement := range statements {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// copyInto copies rows in a transaction of their own.
func copyInto(ctx context.Context, db *database.DB, t rawTable, each func(yield func([]any) bool) error) error {
	return db.InTx(ctx, func(ctx context.Context, conn bun.Conn, _ bun.Tx) error {
		var failed error
		_, err := db.Copy(ctx, conn, t.name, t.names(), func(yield func([]any) bool) { failed = each(yield) })
		return errors.Join(failed, err)
	})
}

// queried copies the feed and times the SQL of the questions.
func (n *network) queried(ctx context.Context, db *database.DB, folder *feed.Folder, sections []section) error {
	drop := []string{"DROP TABLE " + n.raw.made}
	for _, t := range n.raw.tables {
		if err := execute(ctx, db, t.create()); err != nil {
			return err
		}
		for _, file := range t.files {
			if err := copyInto(ctx, db, t, func(yield func([]any) bool) error { return file(ctx, folder, yield) }); err != nil {
				return err
			}
		}
		drop = append(drop, "DROP TABLE "+t.name)
	}
	if err := execute(ctx, db, n.raw.prepare...); err != nil {
		return err
	}
	for _, s := range sections {
		for _, q := range s.questions {
			if err := n.query(ctx, db, q); err != nil {
				return fmt.Errorf("%s: %w", q.name, err)
			}
		}
	}
	return execute(ctx, db, drop...)
}

// query times the SQL of a question: the median of three, all rows read.
func (n *network) query(ctx context.Context, db *database.DB, q question) error {
	if q.sql == "" {
		return nil
	}
	var times []time.Duration
	for range 3 {
		start := time.Now()
		rows, err := db.QueryContext(ctx, q.sql)
		if err != nil {
			return err
		}
		for rows.Next() {
		}
		times = append(times, time.Since(start))
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			return err
		}
	}
	slices.Sort(times)
	n.sql[q.name] = times[1]
	if q.agrees == nil {
		return nil
	}
	var row string
	if err := db.QueryRowContext(ctx, "SELECT to_json(q)::text FROM ("+q.sql+") q").Scan(&row); err != nil {
		return err
	}
	return q.agrees(ctx, []byte(row))
}
