package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/feed"
)

// rawColumns are the columns of the raw segments that the baselines use.
var rawColumns = []string{"segment_id", "account", "book_id", "started_at", "duration_ms", "from_unit", "to_unit", "wpm"}

// copied is the number of rows of the plain COPY: enough for a steady rate.
const copied = 1_000_000

// baselines times a plain COPY of the feed's segments and, with sql, the hand-written SQL on all of them.
func (b bench) baselines(ctx context.Context, rate float64, sql bool) error {
	db, err := database.Open(ctx, b.db)
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, `CREATE TABLE bench_segments (segment_id text NOT NULL, account text NOT NULL, book_id bigint NOT NULL,
		started_at bigint NOT NULL, duration_ms bigint NOT NULL, from_unit bigint NOT NULL, to_unit bigint NOT NULL, wpm numeric)`); err != nil {
		return err
	}
	rows, err := b.segments(ctx, copied)
	if err != nil {
		return err
	}
	took, err := copyRows(ctx, db, "bench_segments", rawColumns, rows)
	if err != nil {
		return err
	}
	plain := float64(len(rows)) / took.Seconds()
	b.table.row("plain COPY of the same rows, without reading a feed", fmt.Sprintf("%.0f rows/s", plain), fmt.Sprintf("the load reaches %.0f %% of it", 100*rate/plain))
	if sql {
		if err := b.raw(ctx, db, len(rows)); err != nil {
			return err
		}
	}
	_, err = db.ExecContext(ctx, "DROP TABLE bench_segments")
	return err
}

var rawFields = []feed.Field{{Name: "segmentId"}, {Name: "account"}, {Name: "bookId"}, {Name: "startedAt"}, {Name: "durationMs"}, {Name: "from"}, {Name: "to"}, {Name: "wpm"}}

// each calls f with the raw rows of the feed until it returns false.
func (b bench) each(ctx context.Context, f func([]any) bool) error {
	return eachRow(ctx, b.network.feed(), "segments", rawFields, func(r *feed.Row, row *[]any) {
		*row = []any{r.Text(0), r.Text(1), r.Int(2), r.Time(3).UnixMilli(), r.Int(4), r.Int(5), r.Int(6), nil}
		if !r.Null(7) {
			(*row)[7] = string(r.Number(7))
		}
	}, f)
}

// unused are the fields of feeds that some table of the baseline has no column for.
var unused = []string{
	"loanId", "name", "email", "ra", "deletedAt", "updatedAt", "confirmedAt", "lastSignInAt", "userId", "bookId", "dueAt", "format", "mode", "position", "resolvedAt", "sessionId", "renewalId", "reservationId", "previewId", "activityId", "status",
}

// eachRow calls f with the rows of a feed's file, as parse makes them, until it returns false.
func eachRow(ctx context.Context, dir, resource string, fields []feed.Field, parse func(*feed.Row, *[]any), f func([]any) bool) error {
	folder, err := feed.Open(dir)
	if err != nil {
		return err
	}
	folder.Ignore(unused...)
	file, err := folder.File(resource)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := false
	err = feed.Read(ctx, file, fields, parse, func(row *[]any, _ feed.Pos) error {
		if done = done || !f(*row); done {
			cancel()
		}
		return nil
	}, func(e *feed.RowError) error { return e })
	if done {
		return nil
	}
	return err
}

// segments returns the first n rows of the feed.
func (b bench) segments(ctx context.Context, n int) ([][]any, error) {
	var rows [][]any
	return rows, b.each(ctx, func(row []any) bool {
		rows = append(rows, row)
		return len(rows) < n
	})
}

// raw copies the rest of the segments, indexes them as one would, and times the questions in SQL.
func (b bench) raw(ctx context.Context, db *database.DB, skip int) error {
	err := db.InTx(ctx, func(ctx context.Context, conn bun.Conn, _ bun.Tx) error {
		var failed error
		_, err := db.Copy(ctx, conn, "bench_segments", rawColumns, func(yield func([]any) bool) {
			i := 0
			failed = b.each(ctx, func(row []any) bool {
				if i++; i <= skip {
					return true
				}
				return yield(row)
			})
		})
		if failed != nil {
			return failed
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, statement := range []string{
		`ALTER TABLE bench_segments ADD COLUMN user_id bigint, ADD COLUMN day date`,
		`CREATE TABLE bench_raw AS
			SELECT a.user_id, s.book_id, s.started_at, ((to_timestamp(s.started_at / 1000.0) AT TIME ZONE 'UTC') - interval '3 hours')::date AS day,
				s.duration_ms, s.from_unit, s.to_unit, s.wpm
			FROM bench_segments s JOIN accounts a ON a.reference_id = s.account`,
		`CREATE INDEX ON bench_raw (user_id, book_id)`,
		`CREATE INDEX ON bench_raw (day, user_id)`,
		`VACUUM ANALYZE bench_raw`,
	} {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	for route, query := range rawQueries {
		start := time.Now()
		rows, err := db.QueryContext(ctx, query)
		if err != nil {
			return err
		}
		for rows.Next() { // the rows themselves are of no interest
		}
		if err := rows.Close(); err != nil {
			return err
		}
		b.sql[route+", all days"] = time.Since(start)
	}
	_, err = db.ExecContext(ctx, "DROP TABLE bench_raw")
	return err
}

// rawQueries are the first pages as one would write them on raw segments, with the number of rows in all.
var rawQueries = map[string]string{
	"readings": `
		SELECT user_id, book_id, ms, first, last, (SELECT sum(upper(r) - lower(r)) FROM unnest(read) r), count(*) OVER ()
		FROM (
			SELECT user_id, book_id, sum(duration_ms) AS ms, min(started_at) AS first, max(started_at) AS last,
				range_agg(int8range(from_unit, to_unit)) AS read
			FROM bench_raw
			WHERE wpm BETWEEN 5 AND 800 OR wpm IS NULL AND duration_ms >= 3000
			GROUP BY user_id, book_id
		) rows
		ORDER BY user_id, book_id
		LIMIT 1000`,
	"engagements": `
		SELECT day, user_id, sum(duration_ms) FILTER (WHERE wpm BETWEEN 5 AND 800 OR wpm IS NULL AND duration_ms >= 3000), count(*) OVER ()
		FROM bench_raw
		GROUP BY day, user_id
		ORDER BY day, user_id
		LIMIT 1000`,
}

// copyRows times one COPY.
func copyRows(ctx context.Context, db *database.DB, table string, columns []string, rows [][]any) (time.Duration, error) {
	start := time.Now()
	err := db.InTx(ctx, func(ctx context.Context, conn bun.Conn, _ bun.Tx) error {
		_, err := db.Copy(ctx, conn, table, columns, slices.Values(rows))
		return err
	})
	return time.Since(start), err
}
