package web

import (
	"context"
	"net/http"
	"strings"
	"time"
)

// Middleware wraps a handler with something that every request passes.
type Middleware func(http.Handler) http.Handler

// FailFunc answers a request with an error, in the shape of an API. Fail is one.
type FailFunc func(w http.ResponseWriter, r *http.Request, err error)

// Chain returns h wrapped by the middleware, the first of which is the outermost.
func Chain(h http.Handler, ms ...Middleware) http.Handler {
	for i := len(ms) - 1; i >= 0; i-- {
		h = ms[i](h)
	}
	return h
}

// NoSniff keeps browsers from taking an answer for something else than its content type says.
func NoSniff(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		next.ServeHTTP(w, r)
	})
}

// Timeout ends a request's context after d, so that its work stops. Zero sets no limit.
func Timeout(d time.Duration) Middleware {
	return func(next http.Handler) http.Handler {
		if d == 0 {
			return next
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ctx, cancel := context.WithTimeout(r.Context(), d)
			defer cancel()
			next.ServeHTTP(w, r.WithContext(ctx))
		})
	}
}

// UserAgent refuses the default agent of Python's standard URL library with 403, before anything else is looked at (H5).
func UserAgent(fail FailFunc) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.UserAgent(), "Python-urllib") {
				fail(w, r, ErrUserAgent)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}
