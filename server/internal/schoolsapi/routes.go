package schoolsapi

import (
	"net/http"
	"strings"

	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/web"
	"github.com/lectern-dev/lectern/server/internal/wire"
)

// route is one route under Prefix: what the document says of it, and its list.
type route struct {
	path           string
	summary, about string
	// aboutStart is said of startDate; it is empty where the route has no period.
	aboutStart string
	people     bool // it shows names and e-mails
	list
}

func (rt route) hasPeriod() bool { return rt.aboutStart != "" }

func (a *API) routes() []route {
	start := "First day, Brasilia time. Left out: 29 days before the end. Before " + a.History.String() + ": that day."
	return []route{
		{"/users", "Users of the network",
			"The register of students and teachers, by userId. The only route with personal data.",
			"", true, userList},
		{"/engagements", "Days with access",
			"One row for each user and day with an access, by date, then userId. The sum of readingMinutes equals that of readings for the same period and filters.",
			start, false, engagementList},
		{"/readings", "What was read",
			"One row for each user and book with effective reading in the period, by userId, then book. Percent and finished are of the period.",
			start, false, readingList},
	}
}

// Routes returns the routes of an API whose reports begin on a day.
func Routes(history calendar.Date) []web.Route {
	a := &API{History: history}
	var all []web.Route
	for _, rt := range a.routes() {
		name := rt.path[1:]
		sample := &asked{route: rt}
		all = append(all, web.Route{
			Method: http.MethodGet, Path: Prefix + rt.path, ID: name, Tag: "reading", Summary: rt.summary, About: rt.about,
			Params: web.Params(a.asking(rt)),
			Schema: strings.ToUpper(name[:1]) + name[1:], Sample: func(w *wire.Writer) { sample.write(w, rt.none) }, Rows: true,
		})
	}
	return all
}

// limits are the bounds of the pages of all routes.
var limits = web.Limits{MaxPage: 100_000, DefaultSize: 100, MaxSize: 1000}
