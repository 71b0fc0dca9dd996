package web

import (
	"context"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/julienschmidt/httprouter"
)

// Middleware wraps a handler with something that every request passes through.
type Middleware func(http.Handler) http.Handler

// Chain returns h wrapped by the middleware, the first of which is the outermost.
func Chain(h http.Handler, ms ...Middleware) http.Handler {
	for i := len(ms) - 1; i >= 0; i-- {
		h = ms[i](h)
	}
	return h
}

// NoSniff keeps browsers from guessing another content type than the answer has.
func NoSniff(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		next.ServeHTTP(w, r)
	})
}

// Timeout gives the work of a request the time d, or less if its context has an earlier deadline. The work does not end when the
// client leaves: a canceled statement costs its database connection, so that clients who hang up would leave none for the others.
func Timeout(d time.Duration) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			end := time.Now().Add(d)
			if own, ok := r.Context().Deadline(); ok && own.Before(end) {
				end = own
			}
			ctx, cancel := context.WithDeadline(context.WithoutCancel(r.Context()), end)
			defer cancel()
			next.ServeHTTP(w, r.WithContext(ctx))
		})
	}
}

// UserAgent refuses the default agent of Python's standard URL library with 403, before any other check (H5).
func UserAgent(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.UserAgent(), "Python-urllib") {
			Fail(w, r, ErrUserAgent)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Recover answers a panic with fail, which writes an error in the shape of an API, as [Fail] does. The text of the error has the
// stack, which only the log shows. http.ErrAbortHandler passes.
func Recover(fail func(w http.ResponseWriter, r *http.Request, err error)) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer func() {
				v := recover()
				if v == nil {
					return
				}
				if v == http.ErrAbortHandler {
					panic(v)
				}
				fail(w, r, fmt.Errorf("panic: %v\n%s", v, debug.Stack()))
			}()
			next.ServeHTTP(w, r)
		})
	}
}

// NewRouter returns a router for the read-only APIs. It answers unknown routes as H4 says, without a router's usual redirects and
// automatic answers. Serve it through Exact.
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

// Exact refuses paths with an escaped slash, which a router would take for a slash: it compares paths after unescaping.
func Exact(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(strings.ToLower(r.URL.RawPath), "%2f") {
			notFound(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// unreadWait is how long the server goes on reading a body that it does not want. If it closed the connection while the client
// still sends, the connection would be reset, and the answer might be lost.
const unreadWait = 500 * time.Millisecond

// CloseUnread closes the connection of a request whose body is not read, soon after the answer. net/http would wait longer for
// the body to use the connection again. A handler that has read the body deletes the header Connection.
func CloseUnread(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength == 0 {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Connection", "close")
		next.ServeHTTP(w, r)
		if c := http.NewResponseController(w); w.Header().Get("Connection") == "close" && c.Flush() == nil {
			_ = c.SetReadDeadline(time.Now().Add(unreadWait)) // of net/http's own reading
		}
	})
}
