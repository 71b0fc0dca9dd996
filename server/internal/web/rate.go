package web

import (
	"net/http"
	"strconv"

	"github.com/lectern-dev/lectern/auth"
)

// ShowQuota sets the three headers of H6, which every answer past the key check carries. A limit of 0 shows none.
func ShowQuota(w http.ResponseWriter, q auth.Quota) {
	if q.Limit == 0 {
		return
	}
	h := w.Header()
	h.Set("X-Ratelimit-Limit-Public-Default", strconv.Itoa(q.Limit))
	h.Set("X-Ratelimit-Remaining-Public-Default", strconv.Itoa(q.Remaining))
	h.Set("X-Ratelimit-Reset-Public-Default", strconv.Itoa(q.Reset))
}
