package openapi

import (
	"fmt"
	"net/http"
	"time"

	"github.com/lectern-dev/lectern/server/internal/api/librariesapi"
	"github.com/lectern-dev/lectern/server/internal/api/schoolsapi"
	"github.com/lectern-dev/lectern/server/internal/api/web"
	"github.com/lectern-dev/lectern/server/internal/api/wire"
)

// schools is the schools reading API.
func schools(s Settings) api {
	return report(api{
		name:    "schools",
		keep:    s.Keep,
		title:   "Schools reading",
		summary: "Users, days of access and reading of a school network.",
		description: "Read-only. The key decides the network. A segment of reading counts as effective when its speed is from 5 to 800 words a minute, or when it has no recorded speed and lasts at least 3 seconds. " +
			forms + allowance(s.SchoolsRate, "for each key") + pulls,
		tags: object{"reading", "The users of a network, the days on which they came, and what they read."},
	}, schoolsapi.Routes(s.SchoolsHistory))
}

// libraries is the libraries reporting API.
func libraries(s Settings) api {
	a := report(api{
		name:    "libraries",
		keep:    s.Keep,
		title:   "Libraries reporting",
		summary: "Figures, readers, catalogue, stock, loans, reservations and suggestions of a library network.",
		description: "Read-only. The key decides the network. Answers are those of a full hour, which `meta.updatedAt` names: the same first page inside the hour has the same answer. " +
			"Days are Brasilia time; the history begins " + s.LibrariesHistory.String() + ". " + forms + allowance(s.LibrariesRate, "for all keys of a network together") +
			"A parameter that belongs to another dataset is ignored; one that belongs to none is refused. " + pulls,
		tags: object{
			"reports", "Figures of the whole network, its readers, their days, and the values of the filters.",
			"datasets", "Titles, stock, loans, reservations, sessions and suggestions, as rows.",
		},
	}, librariesapi.Routes())
	a.failures[http.StatusNotFound] = failed{"There is no such path, or no such dataset.", nil}
	for i := range a.operations {
		if op := &a.operations[i]; op.id == "channels" {
			op.own = map[int]failed{http.StatusServiceUnavailable: {"The analytics source or the database is not available; nothing is kept of it, the call may be repeated later.", []string{"Retry-After"}}}
		}
	}
	return a
}

// report adds what the schools and the libraries API share, and the routes.
func report(a api, routes []web.Route) api {
	a.failures, a.failure, a.pulls = reportFailures(a.keep), "Error", true
	a.security = object{
		"apiKey", object{"type", "apiKey", "in", "header", "name", "X-Api-Key", "description", "The key that the operator issued. It decides where both headers are sent."},
		"bearer", object{"type", "http", "scheme", "bearer", "description", "The same key as a bearer token."},
	}
	a.schemas.Put("Error", wire.Record( // the body of every error (H2)
		wire.Field{Name: "statusCode", Schema: wire.Integer, About: "The status of the answer."},
		wire.Field{Name: "error", Schema: wire.Text, About: "The name of the status."},
		wire.Field{Name: "message", Schema: object{"oneOf", []object{wire.Text, wire.ListOf(wire.Text)}}, About: "What is wrong; for 400 one message for each invalid parameter."},
	))
	for _, rt := range routes {
		sample, rows := rt.Sample()
		op := operation{
			method: "get", path: rt.Path, id: rt.ID, tag: rt.Tag, summary: rt.Summary, description: rt.About,
			status: http.StatusOK, answer: rt.Schema, rows: rows, errors: []int{400, 401, 403, 404, 405, 410, 429, 500, 503},
		}
		for _, p := range rt.Params() {
			op.params = append(op.params, param{"query", p})
		}
		a.operations = append(a.operations, op)
		a.schemas.Add(rt.Schema, sample)
	}
	return a
}

// forms says in which forms the lists come (H11).
const forms = "Lists also answer Accept: text/csv, application/x-ndjson, one row a line, " +
	"and " + wire.XLSXType + ", a workbook with the columns of CSV and typed cells. "

// pulls says how a list is pulled (H12), and how a copy of it is kept up to date (H14).
const pulls = "Page through a route one page at a time until totalRows rows are there: later pages of a query with the same key are answered from the snapshot of its first page, for 24 hours, whatever is loaded meanwhile. " +
	"Two clients that pull one query with one key at the same time send the first page's X-Snapshot as snapshot. " +
	"A list with changedSince answers what has changed since the X-Snapshot of an earlier pull of the same query: in `rows` the rows to put in place of those of their key, and in `removed` the keys of those to take out; totalRows counts both. " +
	"In CSV, NDJSON and XLSX a removed row has its key and a last member `removed`, which is true."

// retention is the sentence that tells how long states are kept (H14).
func retention(keep time.Duration) string {
	return fmt.Sprintf(" A superseded state is kept for %v, and longer while a pull uses it.", keep)
}

// reportFailures are the errors of every route of the two APIs.
func reportFailures(keep time.Duration) map[int]failed {
	return map[int]failed{
		400: {"A parameter is invalid, or is none of the route.", nil},
		401: {"The key is missing, or no key of this API that is good.", []string{"WWW-Authenticate"}},
		403: {"The default user agent of Python's standard URL library; send a User-Agent of your own.", nil},
		404: {"There is no such path.", nil},
		405: {"A method other than GET.", []string{"Allow"}},
		410: {"The state that the pull is answered from, or that of changedSince, is no longer kept, or too much has changed since. " +
			"Begin the pull again with its first page, without snapshot and changedSince." + retention(keep), nil},
		429: {"The requests of this minute are used up.", []string{"Retry-After"}},
		500: {"Something failed here; nothing partial is returned.", nil},
		503: {"The database does not answer for a moment, or too many heavy queries run at once.", []string{"Retry-After"}},
	}
}
