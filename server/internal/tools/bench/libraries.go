package main

import (
	"context"
	"net/url"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/internal/tools/generate"
)

// libraryNetworks is the domain of library networks. Its feeds begin with the history.
var libraryNetworks = domain{
	name: "libraries", users: "readers", first: libraries.HistoryStart,
	tenant: "library", prefix: "/api-platform/libraries/v1",
	flags: map[string][]string{"key": {"--library", "bench"}, "load": {"--library", "bench", "--now"}},
	unit:  "events", files: []string{"loans", "renewals", "reservations", "sessions", "previews", "activity", "suggestions"},
	write: generate.Libraries, questions: librariesQuestions,
}

// month is the number of days of the summaries.
const month = 30

func librariesQuestions(ctx context.Context, n *network) []question {
	state, library := n.mostReaders(ctx, "state"), n.mostReaders(ctx, "library_id")
	days, all := between(max(n.last()-30, n.first), n.last()), between(n.first, n.last())
	return []question{
		n.summary("summary", ""), n.summary("one state", "&state="+url.QueryEscape(state)), n.summary("by city", "&groupBy=city"),
		list("users", "/users?", 1000), list("users, one library", "/users?libraryId="+library, 1000),
		list("engagements, 31 days", "/engagements"+days, 1000), list("loans, 31 days", "/datasets/loans"+days, 1000),
		list("loans, all days", "/datasets/loans"+all, 1000), list("logins, 31 days", "/datasets/logins"+days, 1000),
		list("books, 31 days, by title", "/datasets/books"+days+"&orderBy=title", 100), list("stock, by title", "/datasets/stock?orderBy=title", 100),
		list("dimensions", "/dimensions", 0),
	}
}

// summary returns a question for a summary of 30 days.
func (n *network) summary(name, parameters string) question {
	q := question{name: name, path: func(ago int) string {
		end := n.last() - calendar.Date(ago)
		return "/summary" + between(end-month+1, end) + parameters
	}}
	if n.days >= 2*month {
		q.shift = month
	}
	return q
}

// mostReaders returns the value of a column that most readers have. Stored rows have -1 and empty texts for null.
func (n *network) mostReaders(ctx context.Context, column string) (value string) {
	db := must(database.Open(ctx, n.db))
	defer db.Close()
	check(db.NewRaw("SELECT ?0 FROM libraries_readers WHERE CAST(?0 AS TEXT) NOT IN ('', '-1') GROUP BY ?0 ORDER BY count(*) DESC, ?0 LIMIT 1", bun.Ident(column)).Scan(ctx, &value))
	return value
}
