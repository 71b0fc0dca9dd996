package openapi

import (
	"maps"
	"net/http"
	"slices"

	"github.com/lectern-dev/lectern/server/internal/api/web"
	"github.com/lectern-dev/lectern/server/internal/api/wire"
)

// cacheHeaders are those of a GET that is answered well (H8).
var cacheHeaders = []string{"ETag", "Cache-Control", "Vary"}

// getHeaders are the headers of a GET of the API that is answered well, or with 304.
func (a api) getHeaders() []string {
	if a.pulls {
		return append(slices.Clone(cacheHeaders), web.SnapshotHeader)
	}
	return cacheHeaders
}

// rateHeaders are those of H6.
var rateHeaders = []string{"x-ratelimit-limit-public-default", "x-ratelimit-remaining-public-default", "x-ratelimit-reset-public-default",
	"RateLimit-Policy", "RateLimit"}

const aboutSnapshot = "Names the state of the data that the answer was made of, and when that was: sent as snapshot, it gets answers of that state."

// headers are all headers that answers have, but for those that HTTP has for every body.
var headers = object{
	"X-Request-Id", always("Identifies the request in the server's log.", wire.Text),
	"ETag", always("Names the answer: sent again as If-None-Match, it is answered with 304 and no body as long as the answer is the same.", wire.Text),
	"Cache-Control", always("Who may keep the answer: the client alone, who asks each time whether it is still the one.", wire.Text),
	"Vary", always("The headers of the request that the answer depends on.", wire.Text),
	web.SnapshotHeader, always(aboutSnapshot, web.Snapshot),
	"X-Total-Rows", header("The total number of rows, where the answer is CSV, NDJSON or a workbook.", wire.Integer),
	"Content-Disposition", header("The name of the file, where the answer is a workbook.", wire.Text),
	"Retry-After", always("Seconds after which the call may be made again.", wire.Integer),
	"Allow", always("The methods of the path.", wire.Text),
	"WWW-Authenticate", always("The name of the scheme to authenticate with.", wire.Text),
	rateHeaders[0], header("Requests a minute; absent where there is no limit.", wire.Integer),
	rateHeaders[1], header("Requests that are left of the minute.", wire.Integer),
	rateHeaders[2], header("Seconds until the next minute, rounded up.", wire.Integer),
	rateHeaders[3], header("The limit as the IETF draft has it: q requests in w seconds.", wire.Text),
	rateHeaders[4], header("What is left as the IETF draft has it: r requests for t seconds.", wire.Text),
}

func header(description string, s object) object {
	return object{"description", description, "schema", s}
}

// always is a header that no answer of its kind is without.
func always(description string, s object) object {
	return object{"description", description, "required", true, "schema", s}
}

// headerRefs refers to the headers of a status: those named, and those that every answer of it has.
func headerRefs(status int, names []string) object {
	all := append([]string{"X-Request-Id"}, names...)
	if !beforeRate[status] {
		all = append(all, rateHeaders...)
	}
	refs := object{}
	for _, n := range all {
		refs = append(refs, n, object{"$ref", "#/components/headers/" + n})
	}
	return refs
}

// beforeRate are the statuses of the checks that stand before the rate (H5, P10), whose answers do not tell it.
var beforeRate = map[int]bool{
	http.StatusUnauthorized: true, http.StatusForbidden: true, http.StatusMethodNotAllowed: true, http.StatusRequestEntityTooLarge: true,
}

func (a api) components() object {
	same := a.getHeaders()
	if a.hasRows() {
		same = append(same[:len(same):len(same)], "X-Total-Rows")
	}
	responses := object{responseName(http.StatusNotModified), object{
		"description", "The answer that If-None-Match names is still the one.",
		"headers", headerRefs(http.StatusNotModified, same),
	}}
	for _, status := range slices.Sorted(maps.Keys(a.failures)) {
		responses = append(responses, responseName(status), a.failureOf(a.name, status, a.failures[status]))
	}
	return object{"schemas", a.schemas.All(), "responses", responses, "headers", a.headers(), "securitySchemes", a.security}
}

// failureOf is an answer that is an error, of the whole API or of one operation, by its name.
func (a api) failureOf(of string, status int, f failed) object {
	content := object{"schema", wire.Ref(a.failure)}
	if e, ok := failureExample(of, status); ok {
		content = append(content, "example", e)
	}
	return object{"description", f.description, "headers", headerRefs(status, f.headers), "content", object{"application/json", content}}
}

func (a api) hasRows() bool {
	return slices.ContainsFunc(a.operations, func(op operation) bool { return op.rows })
}

// headers are the headers that the answers of this API have.
func (a api) headers() object {
	used := slices.Concat(a.getHeaders(), rateHeaders, []string{"X-Request-Id"})
	for _, f := range a.failures {
		used = append(used, f.headers...)
	}
	if a.hasRows() {
		used = append(used, "X-Total-Rows", "Content-Disposition")
	}
	kept := object{}
	for i := 0; i < len(headers); i += 2 {
		if slices.Contains(used, headers[i].(string)) {
			h := headers[i+1].(object)
			if headers[i] == web.SnapshotHeader {
				h = always(aboutSnapshot+retention(a.keep), web.Snapshot)
			}
			kept = append(kept, headers[i], h)
		}
	}
	return kept
}
