package directoryapi

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/julienschmidt/httprouter"

	"github.com/lectern-dev/lectern/directory"
)

// route is a path under Prefix, in which `:ref` stands for a reference, and what answers each of its methods.
type route struct {
	path    string
	methods map[string]handler
}

// handler answers a request that passed the checks. An error is for fail, and nothing was written then.
type handler func(c *call) error

var routes = []route{
	{"/entities", map[string]handler{
		http.MethodGet:  listEntities,
		http.MethodPost: create(directory.Store.CreateEntity, entityDocument),
	}},
	{"/entities/:ref", map[string]handler{
		http.MethodGet:    show(directory.Store.Entity, entityDocument),
		http.MethodPut:    update(directory.Store.UpdateEntity, entityDocument),
		http.MethodDelete: remove(directory.Store.DeleteEntity),
	}},
	{"/entities/:ref/subtree", map[string]handler{http.MethodGet: listUnder("subtree", directory.Store.Subtree, list.entityPage)}},
	{"/entities/:ref/readers", map[string]handler{http.MethodGet: listUnder("readers", directory.Store.Readers, list.accountPage)}},
	{"/entities/:ref/teachers", map[string]handler{http.MethodGet: listUnder("teachers", directory.Store.Teachers, list.accountPage)}},
	{"/teachers", map[string]handler{http.MethodPost: create(directory.Store.CreateTeacher, teacherDocument)}},
	{"/teachers/:ref", map[string]handler{
		http.MethodGet:    show(directory.Store.Teacher, teacherDocument),
		http.MethodPut:    update(directory.Store.UpdateTeacher, teacherDocument),
		http.MethodDelete: remove(directory.Store.DeleteTeacher),
	}},
}

// allow lists the methods of a route, as the header of that name has them.
func (rt route) allow() string {
	return strings.Join(slices.Sorted(maps.Keys(rt.methods)), ", ")
}

// router is looked up alone, by find: served, it would redirect and clean paths, and match them with their escapes gone,
// so that a reference with a slash were two segments. It knows paths; methods are for the routes to refuse.
func (a *API) router() *httprouter.Router {
	router := httprouter.New()
	for _, rt := range routes {
		router.Handle(http.MethodGet, Prefix+rt.path, a.serve(rt))
	}
	return router
}

// find returns what serves the path of a request, and the reference in it, or nil.
func find(router *httprouter.Router, r *http.Request) (httprouter.Handle, httprouter.Params) {
	path, ok := respell(rawPath(r.URL))
	if !ok {
		return nil, nil
	}
	handle, params, _ := router.Lookup(http.MethodGet, path)
	return handle, params
}

// rawPath returns the path as it was sent. The URL keeps it apart only where its escapes are not the usual ones.
func rawPath(u *url.URL) string {
	if u.RawPath != "" {
		return u.RawPath
	}
	return u.EscapedPath()
}

// Owns reports whether a path is the directory's, which answers it in its own shape even when it is none of its routes.
func Owns(u *url.URL) bool {
	raw := rawPath(u)
	return raw == Prefix || strings.HasPrefix(raw, Prefix+"/")
}

// respell gives each segment of a path as it was sent the usual escapes, so that one spelling stands for all of them. A
// path with an empty segment or a malformed escape is none.
func respell(raw string) (path string, ok bool) {
	segments := strings.Split(strings.TrimPrefix(raw, "/"), "/")
	for i, s := range segments {
		decoded, err := url.PathUnescape(s)
		if err != nil || decoded == "" {
			return "", false
		}
		segments[i] = url.PathEscape(decoded)
	}
	return "/" + strings.Join(segments, "/"), true
}

// refOf returns the reference in a path that respell spelled, empty where the route has none.
func refOf(params httprouter.Params) directory.Ref {
	ref, _ := url.PathUnescape(params.ByName("ref"))
	return directory.Ref(ref)
}
