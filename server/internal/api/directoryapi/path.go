package directoryapi

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/julienschmidt/httprouter"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/server/internal/api/web"
)

// handler answers a request that passed the checks. If it returns an error it has written nothing, and fail answers.
type handler func(c *call) error

// Operation is a method of a path under Prefix, in which references are in braces. It has the description for the
// document and the handler.
type Operation struct {
	ID, Method, Path, Summary, About string

	Params       []web.Param // of the query
	Body, Answer string      // the names of the schemas; empty if there is no body
	handle       handler
}

// Operations returns all operations, in the order of the document.
func Operations() []Operation {
	return []Operation{
		{"listEntities", http.MethodGet, "/entities", "List entities",
			"The entities of one type, by creation, 50 a page.",
			append([]web.Param{ofType}, cursors...), "", "Entities", listEntities},
		{"createEntity", http.MethodPost, "/entities", "Create an entity",
			"All errors are returned together, with messages for each field.",
			nil, "NewEntity", "EntityDocument", create(directory.Store.CreateEntity, entityDocument)},
		{"showEntity", http.MethodGet, "/entities/{reference_id}", "Show an entity",
			"The entity with the entity above it.",
			nil, "", "EntityDocument", show(directory.Store.Entity, entityDocument)},
		{"editEntity", http.MethodPut, "/entities/{reference_id}", "Edit an entity",
			"A field that is left out keeps its value. An optional field that is null is cleared.",
			nil, "EntityChange", "EntityDocument", update(directory.Store.UpdateEntity, entityDocument)},
		{"deleteEntity", http.MethodDelete, "/entities/{reference_id}", "Delete an entity",
			"An entity with children cannot be deleted. Its teachers and readers become inactive, its evaluations are removed, and its reference becomes free.",
			nil, "", "", remove(directory.Store.DeleteEntity)},
		{"listSubtree", http.MethodGet, "/entities/{reference_id}/subtree", "List descendants",
			"All entities below this one, by creation, 50 a page.",
			cursors, "", "Entities", listUnder("subtree", directory.Store.Subtree, list.entityPage)},
		{"listReaders", http.MethodGet, "/entities/{entity_reference_id}/readers", "List readers of an entity",
			"The accounts that are attached to this entity, by creation, 50 a page.",
			cursors, "", "Accounts", listUnder("readers", directory.Store.Readers, list.accountPage)},
		{"listTeachers", http.MethodGet, "/entities/{entity_reference_id}/teachers", "List teachers of an entity",
			"The accounts that are attached to this entity, by creation, 50 a page.",
			cursors, "", "Accounts", listUnder("teachers", directory.Store.Teachers, list.accountPage)},
		{"createTeacher", http.MethodPost, "/teachers", "Create a teacher",
			"The answer has the teacher's access token, which never changes.",
			nil, "NewTeacher", "TeacherDocument", create(directory.Store.CreateTeacher, teacherDocument)},
		{"showTeacher", http.MethodGet, "/teachers/{reference_id}", "Show a teacher",
			"The teacher with e-mail and access token.",
			nil, "", "TeacherDocument", show(directory.Store.Teacher, teacherDocument)},
		{"editTeacher", http.MethodPut, "/teachers/{reference_id}", "Edit a teacher",
			"All five strings are required. They may move the teacher and change the reference.",
			nil, "TeacherChange", "TeacherDocument", update(directory.Store.UpdateTeacher, teacherDocument)},
		{"deleteTeacher", http.MethodDelete, "/teachers/{reference_id}", "Delete a teacher",
			"E-mail and phone are erased; the name and what the teacher read stay in the reports.",
			nil, "", "", remove(directory.Store.DeleteTeacher)},
	}
}

// references are the names of the references in paths.
var references = regexp.MustCompile(`\{\w+\}`)

// router is only used by find to look paths up. As a handler it would redirect, clean and unescape paths,
// and a reference with a slash would become two segments. It knows paths; serve refuses methods.
func (a *API) router() *httprouter.Router {
	paths := map[string]map[string]handler{}
	for _, op := range Operations() {
		path := Prefix + references.ReplaceAllString(op.Path, ":ref")
		if paths[path] == nil {
			paths[path] = map[string]handler{}
		}
		paths[path][op.Method] = op.handle
	}
	router := httprouter.New()
	for path, methods := range paths {
		router.Handle(http.MethodGet, path, a.serve(path, methods))
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

// rawPath returns the path as it was sent. The URL has it separately only if its escapes are unusual.
func rawPath(u *url.URL) string {
	if u.RawPath != "" {
		return u.RawPath
	}
	return u.EscapedPath()
}

// Owns reports whether a path belongs to the directory, which answers in its own shape even if no route matches.
func Owns(u *url.URL) bool {
	raw := rawPath(u)
	return raw == Prefix || strings.HasPrefix(raw, Prefix+"/")
}

// respell escapes each segment of a path in the usual way, so that all spellings of a path become one. It returns
// false for a path with an empty segment or a malformed escape.
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

// refOf returns the reference in a path that respell returned, or an empty reference if the route has none.
func refOf(params httprouter.Params) directory.Ref {
	ref, _ := url.PathUnescape(params.ByName("ref"))
	return directory.Ref(ref)
}
