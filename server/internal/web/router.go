package web

import (
	"net/http"
	"strings"

	"github.com/julienschmidt/httprouter"
)

// NewRouter returns a router for the read-only APIs that answers what is not registered as H4 says, without the redirects
// and automatic answers that a router has by default. Serve it through Exact.
func NewRouter() *httprouter.Router {
	router := httprouter.New()
	router.RedirectTrailingSlash = false
	router.RedirectFixedPath = false
	router.HandleOPTIONS = false
	router.NotFound = http.HandlerFunc(notFound)
	router.MethodNotAllowed = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { Fail(w, r, ErrMethod) })
	return router
}

func notFound(w http.ResponseWriter, r *http.Request) { Fail(w, r, NotFound(r)) }

// Exact keeps an escaped slash from standing for a slash, since a router compares paths after their escapes are gone.
func Exact(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(strings.ToLower(r.URL.RawPath), "%2f") {
			notFound(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}
