package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/intake"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// libraryNetworks are networks of libraries, from the beginning of the history.
var libraryNetworks = domain{
	name: "libraries", users: "readers", first: libraries.HistoryStart,
	tenant: "library", prefix: "/api-platform/libraries/v1",
	flags: map[string][]string{"key": {"--library", "bench"}, "load": {"--library", "bench", "--now"}},
	again: "the same feed again, with --now", unit: "events",
	counted: []string{"loans", "renewals", "reservations", "sessions", "previews", "activity", "suggestions"},
	asked: func(ctx context.Context, n *network) ([]section, error) {
		state, err := n.mostReaders(ctx, "state")
		if err != nil {
			return nil, err
		}
		library, err := n.mostReaders(ctx, "library")
		return []section{
			{"summary of 30 days", ofSummaries(), n.summaries(state), daysBack},
			{"list, pages of 1,000 or 100", ofPages("SQL"), n.lists(library), otherPages},
		}, err
	},
	raw: baseline{
		tables: []rawTable{
			{"bench_events", `kind text NOT NULL, user_id bigint NOT NULL, book_id bigint NOT NULL, day bigint NOT NULL, seconds bigint NOT NULL,
				progress bigint NOT NULL`, eventFiles},
			{"bench_readers", "user_id bigint PRIMARY KEY, library bigint, age_group bigint, state text, city text, gender text, registered bigint", []rawFile{
				from("readers", func(r libraries.Reader) [][]any {
					return [][]any{{r.ID, r.Library, r.AgeGroup, r.State, r.City, r.Gender.String(), int64(r.Registered)}}
				}),
			}},
		},
		made: "bench_days", prepare: dailyRows,
	},
}

// mostReaders returns the state or the library of most readers.
func (n *network) mostReaders(ctx context.Context, groupBy string) (key string, err error) {
	var answer struct {
		Data struct {
			Breakdown []struct {
				Key     *string
				Metrics struct{ RegisteredUsers int }
			}
		}
	}
	err = n.answer(ctx, "/summary?pageSize=100&groupBy="+groupBy, &answer)
	most := -1
	for _, g := range answer.Data.Breakdown {
		if g.Key != nil && *g.Key != "" && g.Metrics.RegisteredUsers > most { // those without one are no library
			key, most = *g.Key, g.Metrics.RegisteredUsers
		}
	}
	return key, err
}

// month is the number of days of the summaries that are timed.
const month = 30

// window returns the month that ends so many days before the feed does.
func (n *network) window(ago int) calendar.Period {
	end := n.last() - calendar.Date(ago)
	return calendar.Period{Start: end - month + 1, End: end}
}

// ofSummaries are the figures of a summary: of days of which none was asked for before, of a period of which one day was not, and of
// the first one again.
func ofSummaries() []column {
	return []column{
		rowsInAll, afterRestart,
		timed("other 30 days", func(a *asked) []int {
			if a.days < 2*month {
				return nil
			}
			return []int{month}
		}),
		timed("moved by a day", daysBack),
		timed("again", again), unchanged, inSQL("SQL on daily rows", "other 30 days"),
	}
}

// daysBack are months that end some days before the feed does.
func daysBack(a *asked) (days []int) {
	for i := range max(0, min(a.days-month, month-1, repeats)) {
		days = append(days, i+1)
	}
	return days
}

// summaries are those of a month that are timed, each with its SQL on daily rows.
func (n *network) summaries(state string) []question {
	p := n.window(0)
	summary := func(name, parameters, more string) question {
		return question{
			name: name, sql: fmt.Sprintf("SELECT %s FROM bench_days d JOIN bench_readers r USING (user_id) WHERE d.day BETWEEN %d AND %d %s", dailyColumns, p.Start, p.End, more),
			path: func(ago int) string {
				p := n.window(ago)
				return "/summary" + between(p.Start, p.End) + parameters
			},
		}
	}
	of, in := "&state="+url.QueryEscape(state), " AND r.state = '"+state+"'"
	all := summary("summary", "", "")
	all.sql = strings.Replace(all.sql, " JOIN bench_readers r USING (user_id)", "", 1)
	all.agrees = func(ctx context.Context, row []byte) error { return n.agrees(ctx, all.path(0), row) }
	list := []question{
		all, summary("one state", of, in), summary("one gender", "&gender=Feminino", "AND r.gender = 'Feminino'"),
	}
	for _, by := range []string{"library", "city"} {
		list = append(list, summary("by "+by, "&groupBy="+by, "GROUP BY r."+by+" ORDER BY r."+by))
	}
	return list
}

// lists are those that are timed, with the most rows that a page may have.
func (n *network) lists(library string) []question {
	days, all := between(max(n.last()-30, n.first), n.last()), between(n.first, n.last())
	return []question{
		list("engagements, 31 days", "/engagements"+days, 1000),
		list("users", "/users?", 1000),
		list("users, one library", "/users?libraryId="+library, 1000),
		list("loans, 31 days", "/datasets/loans"+days, 1000),
		list("loans, all days", "/datasets/loans"+all, 1000),
		list("reservations, all days", "/datasets/reservations"+all, 1000),
		list("logins, 31 days", "/datasets/logins"+days, 1000),
		list("suggestion-requests, all days", "/datasets/suggestion-requests"+all, 1000),
		list("channels, 31 days", "/datasets/channels"+days, 0),
		list("dimensions", "/dimensions", 0),
		list("books, 31 days, by title", "/datasets/books"+days+"&orderBy=title", 100),
		list("stock, by title", "/datasets/stock?orderBy=title", 100),
	}
}

// eventFiles are the files of events. Of a loan that has ended there are two, and of a reservation that was converted, both of the
// day of the reservation.
var eventFiles = []rawFile{
	from("sessions", func(r intake.SessionRow) [][]any {
		progress, _ := libraries.ParseProgress(string(r.Progress)) // the load has checked it
		return [][]any{{"session", r.Reader, r.Book, int64(calendar.Day(r.Start)), r.Seconds, progress.Hundredths()}}
	}),
	from("loans", func(r libraries.Loan) [][]any {
		rows := [][]any{event("loan", r.Reader, r.Book, r.Borrowed)}
		if r.Status != libraries.LoanActive {
			rows = append(rows, event(r.Status.String(), r.Reader, r.Book, r.Returned))
		}
		return rows
	}),
	from("reservations", func(r libraries.Reservation) [][]any {
		rows := [][]any{event("reservation", r.Reader, r.Book, r.Reserved)}
		if r.Status == libraries.Converted {
			rows = append(rows, event("converted", r.Reader, r.Book, r.Reserved))
		}
		return rows
	}),
	from("renewals", func(r intake.RenewalRow) [][]any { return [][]any{event("renewal", r.Reader, r.Book, r.Renewed)} }),
	from("previews", func(r intake.PreviewRow) [][]any { return [][]any{event("preview", r.Reader, r.Book, r.Viewed)} }),
	from("activity", func(r intake.ActivityRow) [][]any { return [][]any{event("activity", r.Reader, 0, r.At)} }),
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

// dailyColumns are the metrics of data.general that daily rows can tell, by their names. The number of distinct titles, which they
// cannot, is left out: the baseline does less.
const dailyColumns = `count(DISTINCT d.user_id) FILTER (WHERE logins > 0) AS "usersWithLogin", coalesce(sum(logins), 0) AS logins,
	coalesce(sum(loans), 0) AS loans, coalesce(sum(returns), 0) AS returns, coalesce(sum(readings10), 0) AS readings10,
	coalesce(sum(readings50), 0) AS readings50, coalesce(sum(previews), 0) AS previews, coalesce(sum(seconds), 0) AS "readingSeconds",
	coalesce(sum(renewals), 0) AS renewals, coalesce(sum(reservations), 0) AS reservations, coalesce(sum(converted), 0) AS "convertedReservations"`

// agrees holds that the product answers a summary as a row of SQL on daily rows does.
func (n *network) agrees(ctx context.Context, path string, row []byte) error {
	var want map[string]int64
	if err := json.Unmarshal(row, &want); err != nil {
		return err
	}
	var answer struct {
		Data struct{ General map[string]json.RawMessage }
	}
	if err := n.answer(ctx, path, &answer); err != nil {
		return err
	}
	for metric, n := range want {
		if got := string(answer.Data.General[metric]); got != fmt.Sprint(n) {
			return fmt.Errorf("data.general has %s = %s, want %d as SQL on daily rows has it", metric, got, n)
		}
	}
	return nil
}
