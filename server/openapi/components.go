package openapi

import (
	"fmt"
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
	if a.reports {
		return append(slices.Clone(cacheHeaders), web.SnapshotHeader)
	}
	return cacheHeaders
}

// rateHeaders are those of H6.
var rateHeaders = []string{"x-ratelimit-limit-public-default", "x-ratelimit-remaining-public-default", "x-ratelimit-reset-public-default",
	"RateLimit-Policy", "RateLimit"}

// allHeaders are those of the answers of all APIs, but for those that HTTP has for every body.
func (a api) allHeaders() object {
	return object{
		"X-Request-Id", always("Identifies the request in the server's log.", wire.Text),
		"ETag", always("Identifies the answer. If you send it as If-None-Match and the answer is the same, you get 304 without a body.", wire.Text),
		"Cache-Control", always("Only the client may cache the answer, and must revalidate it each time.", wire.Text),
		"Vary", always("The headers of the request that the answer depends on.", wire.Text),
		web.SnapshotHeader, always("Names the snapshot and the time of the answer. Send it as snapshot to get answers of the same snapshot."+
			retention(a.keep), web.Snapshot),
		"X-Total-Rows", header("The total number of rows, if the answer is CSV, NDJSON or a workbook.", wire.Integer),
		"Content-Disposition", header("The name of the file, if the answer is a workbook.", wire.Text),
		"Retry-After", always("Seconds to wait before you repeat the call.", wire.Integer),
		"Allow", always("The methods of the path.", wire.Text),
		"WWW-Authenticate", always("The name of the scheme to authenticate with.", wire.Text),
		rateHeaders[0], header("Requests a minute; absent if there is no limit.", wire.Integer),
		rateHeaders[1], header("Requests that are left in this minute.", wire.Integer),
		rateHeaders[2], header("Seconds until the next minute, rounded up.", wire.Integer),
		rateHeaders[3], header("The limit in the form of the IETF draft: q requests in w seconds.", wire.Text),
		rateHeaders[4], header("What is left, in the form of the IETF draft: r requests for t seconds.", wire.Text),
	}
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

// beforeRate has the statuses of the checks before that of the rate (H5, P10). Their answers have no rate headers.
var beforeRate = map[int]bool{
	http.StatusUnauthorized: true, http.StatusForbidden: true, http.StatusMethodNotAllowed: true, http.StatusRequestEntityTooLarge: true,
}

func (a api) components() object {
	same := a.getHeaders()
	if a.reports {
		same = append(same[:len(same):len(same)], "X-Total-Rows")
	}
	responses := object{responseName(http.StatusNotModified), object{
		"description", "The answer is still that of If-None-Match.",
		"headers", headerRefs(http.StatusNotModified, same),
	}}
	for _, status := range slices.Sorted(maps.Keys(a.failures)) {
		responses = append(responses, responseName(status), a.failureOf(a.name, status, a.failures[status]))
	}
	return object{"schemas", a.schemas.All(), "responses", responses, "headers", a.headers(), "securitySchemes", a.security}
}

// failureOf is an answer that is an error, of the whole API or of one operation, by its name.
func (a api) failureOf(of string, status int, f failed) object {
	body := content(a.failure, fmt.Sprintf("failures/%s.%d", of, status))
	return object{"description", f.description, "headers", headerRefs(status, f.headers), "content", body}
}

// headers are the headers that the answers of this API have.
func (a api) headers() object {
	used := slices.Concat(a.getHeaders(), rateHeaders, []string{"X-Request-Id"})
	for _, f := range a.failures {
		used = append(used, f.headers...)
	}
	if a.reports {
		used = append(used, "X-Total-Rows", "Content-Disposition")
	}
	all, kept := a.allHeaders(), object{}
	for i := 0; i < len(all); i += 2 {
		if slices.Contains(used, all[i].(string)) {
			kept = append(kept, all[i], all[i+1])
		}
	}
	return kept
}
