package schoolsapi

import (
	"net/http"

	"github.com/lectern-dev/lectern/server/internal/web"
)

// Routes returns the routes as the API answers them.
func Routes() []web.Route {
	var all []web.Route
	for _, rt := range new(API).routes() {
		all = append(all, web.Route{Method: http.MethodGet, Path: Prefix + rt.path, Params: rt.params})
	}
	return all
}
