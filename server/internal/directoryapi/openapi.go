package directoryapi

import (
	"maps"
	"slices"

	"github.com/lectern-dev/lectern/server/internal/web"
)

// Routes returns the routes as the API answers them, without their parameters, which the handlers read by themselves.
func Routes() []web.Route {
	var all []web.Route
	for _, rt := range new(API).routes() {
		for _, method := range slices.Sorted(maps.Keys(rt.methods)) {
			all = append(all, web.Route{Method: method, Path: Prefix + rt.path})
		}
	}
	return all
}
