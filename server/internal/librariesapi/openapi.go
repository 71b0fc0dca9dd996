package librariesapi

import (
	"net/http"
	"slices"

	"github.com/lectern-dev/lectern/server/internal/web"
)

// Routes returns the routes as the API answers them under Prefix, each dataset as one. A dataset's parameters are its own:
// the rest of the vocabulary is not read (H3).
func Routes() []web.Route {
	var all []web.Route
	a := new(API)
	for _, rt := range slices.Concat(a.routes(), a.datasets()) {
		all = append(all, web.Route{Method: http.MethodGet, Path: Prefix + rt.path, Params: rt.params})
	}
	return all
}
