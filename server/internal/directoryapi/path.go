package directoryapi

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/lectern-dev/lectern/directory"
)

// route is a path under Prefix, in which `:ref` stands for a reference, and what answers each of its methods.
type route struct {
	path    string
	methods map[string]handler
}

// handler answers a request that passed the checks. An error is for fail, and nothing was written then.
type handler func(w http.ResponseWriter, r *http.Request, req request) error

func (a *API) routes() []route {
	return []route{
		{"/entities", map[string]handler{http.MethodGet: a.listEntities, http.MethodPost: a.createEntity}},
		{"/entities/:ref", map[string]handler{http.MethodGet: a.showEntity, http.MethodPut: a.updateEntity, http.MethodDelete: a.deleteEntity}},
		{"/entities/:ref/subtree", map[string]handler{http.MethodGet: a.listSubtree}},
		{"/entities/:ref/readers", map[string]handler{http.MethodGet: a.listReaders}},
		{"/entities/:ref/teachers", map[string]handler{http.MethodGet: a.listTeachers}},
		{"/teachers", map[string]handler{http.MethodPost: a.createTeacher}},
		{"/teachers/:ref", map[string]handler{http.MethodGet: a.showTeacher, http.MethodPut: a.updateTeacher, http.MethodDelete: a.deleteTeacher}},
	}
}

// allow lists the methods of a route, as the header of that name has them.
func (rt route) allow() string {
	var methods []string
	for m := range rt.methods {
		methods = append(methods, m)
	}
	slices.Sort(methods)
	return strings.Join(methods, ", ")
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

// find returns the route of a path as it was sent, and the reference in it.
func find(routes []route, raw string) (rt route, ref directory.Ref, ok bool) {
	rest, ok := strings.CutPrefix(raw, Prefix+"/")
	if !ok {
		return route{}, "", false
	}
	segments := strings.Split(rest, "/")
	for i, s := range segments {
		decoded, err := url.PathUnescape(s)
		if err != nil || decoded == "" {
			return route{}, "", false
		}
		segments[i] = decoded
	}
	for _, rt := range routes {
		if ref, ok := rt.match(segments); ok {
			return rt, ref, true
		}
	}
	return route{}, "", false
}

// match reports whether the decoded segments of a path are the route's, and returns the one at `:ref`.
func (rt route) match(segments []string) (ref directory.Ref, ok bool) {
	pattern := strings.Split(rt.path[1:], "/")
	if len(pattern) != len(segments) {
		return "", false
	}
	for i, p := range pattern {
		switch {
		case p == ":ref":
			ref = directory.Ref(segments[i])
		case p != segments[i]:
			return "", false
		}
	}
	return ref, true
}
