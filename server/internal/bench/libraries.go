package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/feed"
)

// libraryNetworks are networks of libraries, from the beginning of the history.
var libraryNetworks = domain{
	name: "libraries", users: "readers", first: libraries.HistoryStart,
	tenant: []string{"library", "create", "bench", "--name", "Bench"}, owner: []string{"--library", "bench"},
	load: []string{"--now"}, prefix: "/api-platform/libraries/v1",
	again: "the same feed again, with --now", unit: "events",
	counted: []string{"loans", "renewals", "reservations", "sessions", "previews", "activity", "suggestions"},
	prepare: choose,
	asked: func(n *network) []section {
		return []section{
			{"summary of 30 days", "SQL on daily rows", n.summaryWays(), n.summaries()},
			{"list, pages of 1,000 or 100", "", pageWays, n.lists()},
		}
	},
	raw: baseline{
		what: "sessions",
		tables: []rawTable{
			{"bench_events", `kind text NOT NULL, user_id bigint NOT NULL, book_id bigint NOT NULL, day bigint NOT NULL, seconds bigint NOT NULL,
				progress bigint NOT NULL`, eventFiles},
			{"bench_readers", "user_id bigint PRIMARY KEY, library bigint, age_group bigint, state text, city text, gender text, registered bigint", []rawFile{
				{"readers", "userId libraryId ageGroupId state city gender registeredAt", func(r *feed.Row) [][]any {
					gender, _ := libraries.ParseGender(r.Text(5)) // the load has checked it
					return [][]any{{r.Int(0), r.Int(1), r.Int(2), r.Text(3), r.Text(4), gender.String(), int64(r.Date(6))}}
				}},
			}},
		},
		prepare: dailyRows, queries: dailyQueries, agree: agree, drop: []string{"DROP TABLE bench_days"},
	},
}

// choose finds the state and the library of most readers.
func choose(ctx context.Context, n *network) error {
	s, err := n.start(ctx)
	if err != nil {
		return err
	}
	defer s.stop()
	for groupBy, key := range map[string]*string{"state": &n.state, "library": &n.library} {
		var answer struct {
			Data struct {
				Breakdown []struct {
					Key     *string
					Metrics struct{ RegisteredUsers int }
				}
			}
		}
		if err := s.read("/summary?pageSize=100&groupBy="+groupBy, &answer); err != nil {
			return err
		}
		most := -1
		for _, g := range answer.Data.Breakdown {
			if g.Key != nil && *g.Key != "" && g.Metrics.RegisteredUsers > most { // those without one are no library
				*key, most = *g.Key, g.Metrics.RegisteredUsers
			}
		}
	}
	return nil
}

// month is the number of days of the summaries that are timed.
const month = 30

// window returns the month that ends so many days before the feed does.
func (n *network) window(ago int) calendar.Period {
	end := n.last() - calendar.Date(ago)
	return calendar.Period{Start: end - month + 1, End: end}
}

// summaryWays ask a summary for days of which none was asked for before, for a period of which one day was not, and for the first
// one again.
func (n *network) summaryWays() []way {
	path := func(q question, ago int) string {
		w := n.window(ago)
		return "/summary" + between(w.Start, w.End) + q.path
	}
	return []way{
		{"other 30 days", false, func(q question, _ int) []string {
			if n.days < 2*month {
				return nil
			}
			return []string{path(q, month)}
		}},
		{"moved by a day", false, func(q question, _ int) (paths []string) {
			for i := range max(0, min(n.days-month, month-1, repeats)) {
				paths = append(paths, path(q, i+1))
			}
			return paths
		}},
		{"again", true, func(q question, _ int) []string { return slices.Repeat([]string{path(q, 0)}, repeats) }},
	}
}

// summaries are those of a month that are timed.
func (n *network) summaries() []question {
	state := "&state=" + url.QueryEscape(n.state)
	return []question{
		{"summary", "", 0}, {"one state", state, 0}, {"one gender", "&gender=Feminino", 0}, {"new readers", "&newUsers=true", 0},
		{"one state, one gender", "&gender=Feminino" + state, 0},
		{"by library", "&groupBy=library", 0}, {"by state", "&groupBy=state", 0}, {"by city", "&groupBy=city", 0}, {"by age group", "&groupBy=ageGroup", 0},
	}
}

// lists are those that are timed, with the most rows that a page may have.
func (n *network) lists() []question {
	days, all, last := between(max(n.last()-30, n.first), n.last()), between(n.first, n.last()), between(n.last(), n.last())
	list := []question{
		{"engagements, 31 days", "/engagements" + days, 1000},
		{"engagements, one day", "/engagements" + last, 1000},
		{"users", "/users?", 1000},
		{"users, one library", "/users?libraryId=" + n.library, 1000},
		{"users, changed in 7 days", fmt.Sprintf("/users?updatedSince=%v", n.last()-6), 1000},
		{"loans, 31 days", "/datasets/loans" + days, 1000},
		{"loans, all days", "/datasets/loans" + all, 1000},
		{"loans, all days, active", "/datasets/loans" + all + "&status=active", 1000},
		{"reservations, all days", "/datasets/reservations" + all, 1000},
		{"logins, 31 days", "/datasets/logins" + days, 1000},
		{"suggestion-requests, all days", "/datasets/suggestion-requests" + all, 1000},
		{"suggestions, all days", "/datasets/suggestions" + all, 100},
		{"channels, 31 days", "/datasets/channels" + days, 0},
		{"dimensions", "/dimensions", 0},
	}
	for _, order := range strings.Fields("title loans returns readings10 readings50 readingSeconds renewals reservations activeReservations convertedReservations") {
		list = append(list, question{"books, 31 days, by " + order, "/datasets/books" + days + "&orderBy=" + order, 100})
	}
	for _, order := range strings.Fields("title activeLoans readings possibleReadings percentage activeReservations") {
		list = append(list, question{"stock, by " + order, "/datasets/stock?orderBy=" + order, 100})
	}
	return list
}

// eventFiles are the files of events. Of a loan that has ended there are two, and of a reservation that was converted, both of the
// day of the reservation.
var eventFiles = []rawFile{
	{"sessions", "userId bookId startedAt seconds progress", func(r *feed.Row) [][]any {
		progress, err := libraries.ParseProgress(string(r.Number(4)))
		if err != nil {
			r.Fail(4, err.Error())
		}
		return [][]any{{"session", r.Int(0), r.Int(1), int64(calendar.Day(r.Time(2))), r.Int(3), progress.Hundredths()}}
	}},
	{"loans", "userId bookId borrowedAt returnedAt status", func(r *feed.Row) [][]any {
		rows := [][]any{event("loan", r.Int(0), r.Int(1), r.Time(2))}
		if status := r.Text(4); status != "active" {
			rows = append(rows, event(status, r.Int(0), r.Int(1), r.Time(3)))
		}
		return rows
	}},
	{"reservations", "userId bookId reservedAt status", func(r *feed.Row) [][]any {
		rows := [][]any{event("reservation", r.Int(0), r.Int(1), r.Time(2))}
		if r.Text(3) == "converted" {
			rows = append(rows, event("converted", r.Int(0), r.Int(1), r.Time(2)))
		}
		return rows
	}},
	{"renewals", "userId bookId renewedAt", func(r *feed.Row) [][]any { return [][]any{event("renewal", r.Int(0), r.Int(1), r.Time(2))} }},
	{"previews", "userId bookId viewedAt", func(r *feed.Row) [][]any { return [][]any{event("preview", r.Int(0), r.Int(1), r.Time(2))} }},
	{"activity", "userId at", func(r *feed.Row) [][]any { return [][]any{event("activity", r.Int(0), 0, r.Time(1))} }},
}

// event is one raw event that takes no time.
func event(kind string, user, book int64, at time.Time) []any {
	return []any{kind, user, book, int64(calendar.Day(at)), int64(0), int64(0)}
}

// dailyRows make the table of daily rows. A title is first read to 10 or 50 percent on the first day with a session that
// got so far (L4).
var dailyRows = []string{
	`ANALYZE bench_events`,
	`CREATE TABLE bench_days AS
		SELECT day, user_id,
			(count(*) FILTER (WHERE kind NOT IN ('expired', 'converted', '10', '50')) > 0)::int AS logins,
			count(*) FILTER (WHERE kind = 'loan') AS loans,
			count(*) FILTER (WHERE kind IN ('returned', 'expired')) AS returns,
			count(*) FILTER (WHERE kind = '10') AS readings10,
			count(*) FILTER (WHERE kind = '50') AS readings50,
			count(*) FILTER (WHERE kind = 'preview') AS previews,
			coalesce(sum(seconds), 0)::bigint AS seconds,
			count(*) FILTER (WHERE kind = 'renewal') AS renewals,
			count(*) FILTER (WHERE kind = 'reservation') AS reservations,
			count(*) FILTER (WHERE kind = 'converted') AS converted
		FROM (
			SELECT kind, user_id, day, seconds FROM bench_events
			UNION ALL SELECT '10', user_id, min(day), 0 FROM bench_events WHERE kind = 'session' AND progress >= 1000 GROUP BY user_id, book_id
			UNION ALL SELECT '50', user_id, min(day), 0 FROM bench_events WHERE kind = 'session' AND progress >= 5000 GROUP BY user_id, book_id
		) e
		GROUP BY day, user_id`,
	`CREATE UNIQUE INDEX ON bench_days (day, user_id)`,
	`VACUUM ANALYZE bench_days`,
	`VACUUM ANALYZE bench_readers`,
}

// The metrics of data.general that daily rows can tell, and the columns that tell them. The number of distinct titles, which they
// cannot, is left out: the baseline does less.
const (
	dailyMetrics = "usersWithLogin logins loans returns readings10 readings50 previews readingSeconds renewals reservations convertedReservations"
	dailyColumns = `count(DISTINCT d.user_id) FILTER (WHERE logins > 0), coalesce(sum(logins), 0), coalesce(sum(loans), 0), coalesce(sum(returns), 0),
		coalesce(sum(readings10), 0), coalesce(sum(readings50), 0), coalesce(sum(previews), 0), coalesce(sum(seconds), 0), coalesce(sum(renewals), 0),
		coalesce(sum(reservations), 0), coalesce(sum(converted), 0)`
)

// dailyQueries are the summaries on daily rows, by the names of the questions.
func dailyQueries(n *network) map[string]string {
	p := n.window(0)
	days := fmt.Sprintf("d.day BETWEEN %d AND %d", p.Start, p.End)
	queries := map[string]string{"summary": "SELECT " + dailyColumns + " FROM bench_days d WHERE " + days}
	for name, more := range map[string]string{
		"one state": "AND r.state = '" + n.state + "'", "one gender": "AND r.gender = 'Feminino'",
		"new readers":           fmt.Sprintf("AND r.registered BETWEEN %d AND %d", p.Start, p.End),
		"one state, one gender": "AND r.gender = 'Feminino' AND r.state = '" + n.state + "'",
		"by library":            "GROUP BY r.library ORDER BY r.library", "by state": "GROUP BY r.state ORDER BY r.state",
		"by city": "GROUP BY r.city ORDER BY r.city", "by age group": "GROUP BY r.age_group ORDER BY r.age_group",
	} {
		queries[name] = "SELECT " + dailyColumns + " FROM bench_days d JOIN bench_readers r USING (user_id) WHERE " + days + " " + more
	}
	return queries
}

// agree holds that the product answers the summary as SQL on daily rows does.
func agree(ctx context.Context, n *network, name, want string) error {
	if name != "summary" {
		return nil
	}
	s, err := n.start(ctx)
	if err != nil {
		return err
	}
	defer s.stop()
	var answer struct {
		Data struct{ General map[string]json.RawMessage }
	}
	p := n.window(0)
	if err := s.read("/summary"+between(p.Start, p.End), &answer); err != nil {
		return err
	}
	var got []string
	for metric := range strings.FieldsSeq(dailyMetrics) {
		got = append(got, string(answer.Data.General[metric]))
	}
	if text := strings.Join(got, " "); text != want {
		return fmt.Errorf("data.general has %s = %s, want %s as SQL on daily rows has it", dailyMetrics, text, want)
	}
	return nil
}
