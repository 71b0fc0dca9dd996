package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/feed"
)

// The kinds of raw events that the baselines use. Of a loan there are two, where it has ended.
const (
	rawLoan = iota
	rawReturn
	rawExpiry
	rawRenewal
	rawReservation
	rawConverted // a reservation that was, by the day of the reservation
	rawSession
	rawPreview
	rawActivity
)

// eventColumns are the columns of the raw events.
var eventColumns = []string{"kind", "user_id", "book_id", "day", "seconds", "progress"}

// eventFile is how the rows of one file become raw events.
type eventFile struct {
	resource string
	fields   []feed.Field
	parse    func(*feed.Row) [][]any
}

func fieldsOf(names ...string) (list []feed.Field) {
	for _, name := range names {
		list = append(list, feed.Field{Name: name})
	}
	return list
}

// event is one raw event.
func event(kind int, user, book int64, at time.Time, numbers ...int64) []any {
	row := []any{kind, user, book, int64(calendar.Day(at)), int64(0), int64(0)}
	for i, n := range numbers {
		row[4+i] = n
	}
	return row
}

// eventFiles are the files of events; sessions stand first.
var eventFiles = []eventFile{
	{"sessions", fieldsOf("userId", "bookId", "startedAt", "seconds", "progress"), func(r *feed.Row) [][]any {
		progress, err := libraries.ParseProgress(string(r.Number(4)))
		if err != nil {
			r.Fail(4, err.Error())
		}
		return [][]any{event(rawSession, r.Int(0), r.Int(1), r.Time(2), r.Int(3), progress.Hundredths())}
	}},
	{"loans", fieldsOf("userId", "bookId", "borrowedAt", "returnedAt", "status"), func(r *feed.Row) [][]any {
		rows := [][]any{event(rawLoan, r.Int(0), r.Int(1), r.Time(2))}
		switch r.Text(4) {
		case "returned":
			rows = append(rows, event(rawReturn, r.Int(0), r.Int(1), r.Time(3)))
		case "expired":
			rows = append(rows, event(rawExpiry, r.Int(0), r.Int(1), r.Time(3)))
		}
		return rows
	}},
	{"renewals", fieldsOf("userId", "bookId", "renewedAt"), func(r *feed.Row) [][]any {
		return [][]any{event(rawRenewal, r.Int(0), r.Int(1), r.Time(2))}
	}},
	{"reservations", fieldsOf("userId", "bookId", "reservedAt", "status"), func(r *feed.Row) [][]any {
		rows := [][]any{event(rawReservation, r.Int(0), r.Int(1), r.Time(2))}
		if r.Text(3) == "converted" {
			rows = append(rows, event(rawConverted, r.Int(0), r.Int(1), r.Time(2)))
		}
		return rows
	}},
	{"previews", fieldsOf("userId", "bookId", "viewedAt"), func(r *feed.Row) [][]any {
		return [][]any{event(rawPreview, r.Int(0), r.Int(1), r.Time(2))}
	}},
	{"activity", fieldsOf("userId", "at"), func(r *feed.Row) [][]any {
		return [][]any{event(rawActivity, r.Int(0), 0, r.Time(1))}
	}},
}

// each calls f with the raw events of a file until it returns false.
func (e eventFile) each(ctx context.Context, dir string, f func([]any) bool) error {
	return eachRow(ctx, dir, e.resource, e.fields, func(r *feed.Row, row *[]any) {
		for _, one := range e.parse(r) {
			*row = append(*row, one)
		}
	}, func(rows []any) bool {
		for _, row := range rows {
			if !f(row.([]any)) {
				return false
			}
		}
		return true
	})
}

// baselines times a plain COPY of sessions and, with sql, the hand-written SQL on daily rows of the whole feed.
func (b *libraryBench) baselines(ctx context.Context, sql bool) error {
	db, err := database.Open(ctx, b.db)
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, `CREATE TABLE bench_events (kind bigint NOT NULL, user_id bigint NOT NULL, book_id bigint NOT NULL,
		day bigint NOT NULL, seconds bigint NOT NULL, progress bigint NOT NULL)`); err != nil {
		return err
	}
	var rows [][]any
	if err := eventFiles[0].each(ctx, b.network.feed(), func(row []any) bool {
		rows = append(rows, row)
		return len(rows) < copied
	}); err != nil {
		return err
	}
	took, err := copyRows(ctx, db, "bench_events", eventColumns, rows)
	if err != nil {
		return err
	}
	plain := float64(len(rows)) / took.Seconds()
	b.table.row("plain COPY of sessions, without reading a feed", fmt.Sprintf("%.0f rows/s", plain), fmt.Sprintf("the load reaches %.0f %% of it", 100*b.rate/plain))
	if sql {
		if err := b.daily(ctx, db, len(rows)); err != nil {
			return err
		}
	}
	_, err = db.ExecContext(ctx, "DROP TABLE bench_events")
	return err
}

// daily builds a table of daily rows from the feed and times the summaries as one would write them on it.
func (b *libraryBench) daily(ctx context.Context, db *database.DB, skip int) error {
	if err := b.copyAll(ctx, db, skip); err != nil {
		return err
	}
	for _, statement := range dailyRows {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	for name, query := range b.dailyQueries() {
		var got dailySums
		var times []time.Duration
		for range 3 {
			start := time.Now()
			if err := scanSums(ctx, db, query, &got); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			times = append(times, time.Since(start))
		}
		slices.Sort(times)
		b.sql[name] = times[1]
		if name == "summary" {
			if err := b.agree(ctx, got); err != nil {
				return err
			}
		}
	}
	_, err := db.ExecContext(ctx, "DROP TABLE bench_days, bench_readers")
	return err
}

// copyAll copies what is left of the sessions, the other events and the readers.
func (b *libraryBench) copyAll(ctx context.Context, db *database.DB, skip int) error {
	if _, err := db.ExecContext(ctx, `CREATE TABLE bench_readers (user_id bigint PRIMARY KEY, library bigint, age_group bigint, state text, city text,
		gender text, registered bigint)`); err != nil {
		return err
	}
	return db.InTx(ctx, func(ctx context.Context, conn bun.Conn, _ bun.Tx) error {
		var failed error
		_, err := db.Copy(ctx, conn, "bench_events", eventColumns, func(yield func([]any) bool) {
			for i, file := range eventFiles {
				n := 0
				failed = file.each(ctx, b.network.feed(), func(row []any) bool {
					if n++; i == 0 && n <= skip {
						return true
					}
					return yield(row)
				})
				if failed != nil {
					return
				}
			}
		})
		if failed != nil || err != nil {
			return errors.Join(failed, err)
		}
		_, err = db.Copy(ctx, conn, "bench_readers", []string{"user_id", "library", "age_group", "state", "city", "gender", "registered"}, func(yield func([]any) bool) {
			fields := fieldsOf("userId", "libraryId", "ageGroupId", "state", "city", "gender", "registeredAt")
			failed = eachRow(ctx, b.network.feed(), "readers", fields, func(r *feed.Row, row *[]any) {
				gender, _ := libraries.ParseGender(r.Text(5)) // the load has checked it
				*row = []any{r.Int(0), r.Int(1), r.Int(2), r.Text(3), r.Text(4), gender.String(), int64(r.Date(6))}
			}, yield)
		})
		return errors.Join(failed, err)
	})
}

// dailyRows make the table of daily rows. A title is first read to 10 or 50 percent on the first day with a session that
// got so far (L4).
var dailyRows = []string{
	`ANALYZE bench_events`,
	fmt.Sprintf(`CREATE TABLE bench_days AS
		SELECT day, user_id,
			(count(*) FILTER (WHERE kind NOT IN (%d, %d, 100, 101)) > 0)::int AS logins,
			count(*) FILTER (WHERE kind = %d) AS loans,
			count(*) FILTER (WHERE kind IN (%d, %d)) AS returns,
			count(*) FILTER (WHERE kind = 100) AS readings10,
			count(*) FILTER (WHERE kind = 101) AS readings50,
			count(*) FILTER (WHERE kind = %d) AS previews,
			coalesce(sum(seconds) FILTER (WHERE kind = %d), 0)::bigint AS seconds,
			count(*) FILTER (WHERE kind = %d) AS renewals,
			count(*) FILTER (WHERE kind = %d) AS reservations,
			count(*) FILTER (WHERE kind = %d) AS converted
		FROM (
			SELECT kind, user_id, day, seconds FROM bench_events
			UNION ALL SELECT 100, user_id, min(day), 0 FROM bench_events WHERE kind = %d AND progress >= 1000 GROUP BY user_id, book_id
			UNION ALL SELECT 101, user_id, min(day), 0 FROM bench_events WHERE kind = %d AND progress >= 5000 GROUP BY user_id, book_id
		) e
		GROUP BY day, user_id`,
		rawExpiry, rawConverted, rawLoan, rawReturn, rawExpiry, rawPreview, rawSession, rawRenewal, rawReservation, rawConverted,
		rawSession, rawSession),
	`CREATE UNIQUE INDEX ON bench_days (day, user_id)`,
	`VACUUM ANALYZE bench_days`,
	`VACUUM ANALYZE bench_readers`,
}

// dailySums are the metrics of data.general that daily rows can tell. The number of distinct titles, which they cannot, is
// left out: the baseline does less.
type dailySums struct {
	UsersWithLogin, Logins, Loans, Returns, Readings10, Readings50, Previews, ReadingSeconds, Renewals, Reservations, ConvertedReservations int64
}

const dailyColumns = `count(DISTINCT d.user_id) FILTER (WHERE logins > 0), coalesce(sum(logins), 0), coalesce(sum(loans), 0), coalesce(sum(returns), 0),
	coalesce(sum(readings10), 0), coalesce(sum(readings50), 0), coalesce(sum(previews), 0), coalesce(sum(seconds), 0), coalesce(sum(renewals), 0),
	coalesce(sum(reservations), 0), coalesce(sum(converted), 0)`

// dailyQueries are the summaries, by the names of summaryCalls.
func (b *libraryBench) dailyQueries() map[string]string {
	p := b.window(0)
	days := fmt.Sprintf("d.day BETWEEN %d AND %d", p.Start, p.End)
	joined := " FROM bench_days d JOIN bench_readers r USING (user_id) WHERE " + days
	queries := map[string]string{
		"summary":               "SELECT " + dailyColumns + " FROM bench_days d WHERE " + days,
		"one state":             "SELECT " + dailyColumns + joined + fmt.Sprintf(" AND r.state = '%s'", b.state),
		"one gender":            "SELECT " + dailyColumns + joined + " AND r.gender = 'Feminino'",
		"new readers":           "SELECT " + dailyColumns + joined + fmt.Sprintf(" AND r.registered BETWEEN %d AND %d", p.Start, p.End),
		"one state, one gender": "SELECT " + dailyColumns + joined + fmt.Sprintf(" AND r.gender = 'Feminino' AND r.state = '%s'", b.state),
	}
	for name, column := range map[string]string{"by library": "library", "by state": "state", "by city": "city", "by age group": "age_group"} {
		queries[name] = "SELECT " + dailyColumns + joined + " GROUP BY r." + column + " ORDER BY r." + column
	}
	return queries
}

// scanSums reads all rows of a summary and keeps the last.
func scanSums(ctx context.Context, db *database.DB, query string, s *dailySums) error {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(&s.UsersWithLogin, &s.Logins, &s.Loans, &s.Returns, &s.Readings10, &s.Readings50, &s.Previews,
			&s.ReadingSeconds, &s.Renewals, &s.Reservations, &s.ConvertedReservations); err != nil {
			return err
		}
	}
	return rows.Err()
}

// agree holds that the product answers what the SQL does.
func (b *libraryBench) agree(ctx context.Context, want dailySums) error {
	s, err := b.serve(ctx)
	if err != nil {
		return err
	}
	defer s.stop()
	_, body, err := s.body("/summary" + asked(b.window(0)))
	if err != nil {
		return err
	}
	var got struct{ Data struct{ General dailySums } }
	if err := json.Unmarshal(body, &got); err != nil {
		return err
	}
	if got.Data.General != want {
		return fmt.Errorf("data.general = %+v, want %+v as SQL on daily rows has it", got.Data.General, want)
	}
	return nil
}
