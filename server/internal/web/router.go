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

// KeyText returns the API key that a request was sent with. X-Api-Key decides where both headers are sent, even empty
// (H5). A header that is sent twice is none.
func KeyText(h http.Header) string {
	if keys := h.Values("X-Api-Key"); len(keys) > 0 {
		return single(keys)
	}
	scheme, key, _ := strings.Cut(single(h.Values("Authorization")), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimLeft(key, " ")
}

func single(values []string) string {
	if len(values) != 1 {
		return ""
	}
	return values[0]
}
