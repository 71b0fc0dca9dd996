package directoryapi

import (
	"maps"
	"slices"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/server/internal/web"
	"github.com/lectern-dev/lectern/server/internal/wire"
)

// Routes returns the routes as the API answers them, without their parameters, which the handlers read by themselves.
func Routes() []web.Route {
	var all []web.Route
	for _, rt := range routes {
		for _, method := range slices.Sorted(maps.Keys(rt.methods)) {
			all = append(all, web.Route{Method: method, Path: Prefix + rt.path})
		}
	}
	return all
}

// Schemas adds the schemas of the good answers.
func Schemas(s *wire.Schemas) {
	s.Add("EntityDocument", entityDocument(directory.EntityRecord{}))
	s.Add("Entities", list{}.entityPage(directory.Page[directory.EntityRecord]{}))
	s.Add("TeacherDocument", teacherDocument(directory.AccountRecord{}))
	s.Add("Accounts", list{}.accountPage(directory.Page[directory.AccountRecord]{}))
}
