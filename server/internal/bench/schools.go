package main

import (
	"context"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/feed"
)

// schools are networks of schools, of a year that ends before any day on which this can run.
var schools = domain{
	name: "schools", users: "users", first: calendar.MustParse("2025-01-01"),
	tenant: []string{"partner", "create", "bench", "--name", "Bench"}, owner: []string{"--partner", "bench"}, issue: []string{"--network", "rede-1"},
	load: []string{"--schools-history", "2025-01-01"}, serve: []string{"--schools-history", "2025-01-01"}, prefix: "/api-platform/schools/v1",
	again: "the same feed again", unit: "segments", counted: []string{"segments"},
	prepare: func(ctx context.Context, n *network) error {
		db, err := database.Open(ctx, n.db)
		if err != nil {
			return err
		}
		defer db.Close()
		return db.NewRaw("SELECT entity_id FROM entities WHERE entity_type = ? ORDER BY entity_id LIMIT 1", directory.School).Scan(ctx, &n.school)
	},
	asked: func(n *network) []section {
		var list []question
		all, month := between(n.first, n.last()), between(n.first+59, n.first+89) // March
		for _, route := range []string{"readings", "engagements"} {
			for _, q := range []question{
				{"all days", all, 1000}, {"one month", month, 1000}, {"all days, one school", all + "&schoolId=" + n.school, 1000}, {"all days, teachers", all + "&profile=teacher", 1000},
			} {
				list = append(list, question{route + ", " + q.name, "/" + route + q.path, q.size})
			}
		}
		list = append(list, question{"users", "/users?", 1000}, question{"users, one school", "/users?schoolId=" + n.school, 1000})
		return []section{{"page of 1,000", "SQL on segments", pageWays, list}}
	},
	raw: baseline{
		what: "the same rows",
		tables: []rawTable{{"bench_segments", `segment_id text NOT NULL, account text NOT NULL, book_id bigint NOT NULL, started_at bigint NOT NULL,
			duration_ms bigint NOT NULL, from_unit bigint NOT NULL, to_unit bigint NOT NULL, wpm numeric`, []rawFile{
			{"segments", "segmentId account bookId startedAt durationMs from to wpm", func(r *feed.Row) [][]any {
				row := []any{r.Text(0), r.Text(1), r.Int(2), r.Time(3).UnixMilli(), r.Int(4), r.Int(5), r.Int(6), nil}
				if !r.Null(7) {
					row[7] = string(r.Number(7))
				}
				return [][]any{row}
			}},
		}}},
		// indexed as one would
		prepare: []string{
			`CREATE TABLE bench_raw AS
				SELECT a.user_id, s.book_id, s.started_at, ((to_timestamp(s.started_at / 1000.0) AT TIME ZONE 'UTC') - interval '3 hours')::date AS day,
					s.duration_ms, s.from_unit, s.to_unit, s.wpm
				FROM bench_segments s JOIN accounts a ON a.reference_id = s.account`,
			`CREATE INDEX ON bench_raw (user_id, book_id)`,
			`CREATE INDEX ON bench_raw (day, user_id)`,
			`VACUUM ANALYZE bench_raw`,
		},
		queries: func(*network) map[string]string { return rawQueries },
		drop:    []string{"DROP TABLE bench_raw"},
	},
}

// rawQueries are the first pages as one would write them on raw segments, with the number of rows in all.
var rawQueries = map[string]string{
	"readings, all days": `
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
	"engagements, all days": `
		SELECT day, user_id, sum(duration_ms) FILTER (WHERE wpm BETWEEN 5 AND 800 OR wpm IS NULL AND duration_ms >= 3000), count(*) OVER ()
		FROM bench_raw
		GROUP BY day, user_id
		ORDER BY day, user_id
		LIMIT 1000`,
}
