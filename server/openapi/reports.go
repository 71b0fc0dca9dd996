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
		description: "Read-only. The key determines the network. A segment of reading counts as effective when its speed is from 5 to 800 words a minute, or when it has no recorded speed and lasts at least 3 seconds. " +
			forms + allowance(s.SchoolsRate, "for each key") + pulls,
		tags: object{"reading", "The users of a network, their days of access, and what they read."},
	}, schoolsapi.Prefix, schoolsapi.Routes(s.SchoolsHistory))
}

// libraries is the libraries reporting API.
func libraries(s Settings) api {
	a := report(api{
		name:    "libraries",
		keep:    s.Keep,
		title:   "Libraries reporting",
		summary: "Numbers, readers, catalogue, stock, loans, reservations and suggestions of a library network.",
		description: "Read-only. The key determines the network. Answers are as of a full hour, which `meta.updatedAt` gives: within the hour, the same first page is always the same. " +
			"Days are Brasilia time; the history begins " + s.LibrariesHistory.String() + ". " + forms + allowance(s.LibrariesRate, "for all keys of a network together") +
			"A parameter of another dataset is ignored, and an unknown one is refused. " + pulls,
		tags: object{
			"reports", "Numbers of the whole network, its readers, their days, and the values of the filters.",
			"datasets", "Titles, stock, loans, reservations, sessions and suggestions, as rows.",
		},
	}, librariesapi.Prefix, librariesapi.Routes())
	a.failures[http.StatusNotFound] = failed{"There is no such path, or no such dataset.", nil}
	for i := range a.operations {
		if op := &a.operations[i]; op.id == "channels" {
			op.own = map[int]failed{http.StatusServiceUnavailable: {"The analytics source or the database is not available; repeat the call later.", []string{"Retry-After"}}}
		}
	}
	return a
}

// report adds what the schools and the libraries API share, and the routes under a prefix.
func report(a api, prefix string, routes []web.Route) api {
	a.failures, a.failure, a.reports = reportFailures(a.keep), "Error", true
	a.security = object{
		"apiKey", object{"type", "apiKey", "in", "header", "name", "X-Api-Key", "description", "The key that the operator issued. If both headers are sent, this one counts."},
		"bearer", object{"type", "http", "scheme", "bearer", "description", "The same key as a bearer token."},
	}
	a.schemas.Put("Error", wire.Record( // the body of every error (H2)
		wire.Field{Name: "statusCode", Schema: wire.Integer, About: "The status of the answer."},
		wire.Field{Name: "error", Schema: wire.Text, About: "The name of the status."},
		wire.Field{Name: "message", Schema: object{"oneOf", []object{wire.Text, wire.ListOf(wire.Text)}}, About: "What is wrong; for 400, a message for each invalid parameter."},
	))
	for _, rt := range routes {
		sample, rows := rt.Sample()
		op := operation{
			method: "get", path: prefix + rt.Path, id: rt.ID, tag: rt.Tag, summary: rt.Summary, description: rt.About,
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
const forms = "With the header Accept, lists are also available as text/csv, as application/x-ndjson with a row on each line, " +
	"and " + wire.XLSXType + ", a workbook with the columns of CSV and typed cells. "

// pulls says how a list is pulled (H12), and how a copy of it is kept up to date (H14).
const pulls = "Request one page after another, until you have totalRows rows. For 24 hours, later pages of a query with the same key are of the snapshot of its first page, whatever is loaded in between. " +
	"If two clients pull one query with one key at the same time, each sends the X-Snapshot of its first page as snapshot. " +
	"With changedSince, the X-Snapshot of an earlier pull of the same query, a list has only what has changed since: `rows` has rows to add or to replace by key, and `removed` has the keys of rows to remove; totalRows counts both. " +
	"In CSV, NDJSON and XLSX, a removed row has its key and, as the last member, `removed`: true."

// retention is the sentence that tells how long snapshots are kept (H14).
func retention(keep time.Duration) string {
	return fmt.Sprintf(" A superseded snapshot is kept for %v, and longer while a pull uses it.", keep)
}

// reportFailures are the errors of every route of the two APIs.
func reportFailures(keep time.Duration) map[int]failed {
	return map[int]failed{
		400: {"A parameter is invalid, or unknown to the route.", nil},
		401: {"The key is missing, or is not a valid key of this API.", []string{"WWW-Authenticate"}},
		403: {"The User-Agent is the default of Python's standard URL library; send one of your own.", nil},
		404: {"There is no such path.", nil},
		405: {"A method other than GET.", []string{"Allow"}},
		410: {"The snapshot of the pull, or that of changedSince, is no longer kept, or too much has changed since. " +
			"Begin the pull again at its first page, without snapshot and changedSince." + retention(keep), nil},
		429: {"The requests of this minute are used up.", []string{"Retry-After"}},
		500: {"The server failed; nothing partial is returned.", nil},
		503: {"The database does not answer at the moment, or too many heavy queries run at once.", []string{"Retry-After"}},
	}
}
