package main

import (
	"context"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools/intake"
	"github.com/lectern-dev/lectern/server/database"
)

// schools are networks of schools, of a year that ends before any day on which this can run.
var schools = domain{
	name: "schools", users: "users", first: calendar.MustParse("2025-01-01"),
	tenant: "partner", prefix: "/api-platform/schools/v1", flags: map[string][]string{
		"key":   {"--partner", "bench", "--network", "rede-1"},
		"load":  {"--partner", "bench", "--schools-history", "2025-01-01"},
		"serve": {"--schools-history", "2025-01-01"},
	},
	again: "the same feed again", unit: "segments", counted: []string{"segments"},
	asked: func(ctx context.Context, n *network) ([]section, error) {
		db, err := database.Open(ctx, n.db)
		if err != nil {
			return nil, err
		}
		defer db.Close()
		school := ""
		err = db.NewRaw("SELECT entity_id FROM entities WHERE entity_type = ? ORDER BY entity_id LIMIT 1", directory.School).Scan(ctx, &school)
		var questions []question
		all, month := between(n.first, n.last()), between(n.first+59, n.first+89) // March
		for _, route := range []string{"readings", "engagements"} {
			for _, of := range [][2]string{
				{"all days", all}, {"one month", month}, {"all days, one school", all + "&schoolId=" + school},
			} {
				q := list(route+", "+of[0], "/"+route+of[1], 1000)
				q.sql = rawQueries[q.name]
				questions = append(questions, q)
			}
		}
		questions = append(questions, list("users", "/users?", 1000))
		return []section{{"page of 1,000", ofPages("SQL on segments"), questions, otherPages}}, err
	},
	raw: baseline{
		tables: []rawTable{{"bench_segments", `segment_id text NOT NULL, account text NOT NULL, book_id bigint NOT NULL, started_at bigint NOT NULL,
			duration_ms bigint NOT NULL, from_unit bigint NOT NULL, to_unit bigint NOT NULL, wpm numeric`, []rawFile{
			from("segments", func(r intake.SegmentRow) [][]any {
				var wpm any
				if r.WPM != nil {
					wpm = string(r.WPM)
				}
				return [][]any{{string(r.ID), string(r.Account), r.Book, r.Start.UnixMilli(), r.DurationMS, r.From, r.To, wpm}}
			}),
		}}},
		made: "bench_raw",
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
