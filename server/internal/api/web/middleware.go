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

// Middleware wraps a handler with something that every request passes.
type Middleware func(http.Handler) http.Handler

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

// Timeout gives the work of a request d, or less where its context has a deadline before. The work does not end because the
// client has left: a statement that is canceled costs its connection to the database, so that clients who hang up would leave
// none for the others.
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

// UserAgent refuses the default agent of Python's standard URL library with 403, before anything else is looked at (H5).
func UserAgent(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.UserAgent(), "Python-urllib") {
			Fail(w, r, ErrUserAgent)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Recover answers a panic with fail, which writes an error in the shape of an API, as [Fail] does. The error's text has the stack, which
// the log shows and no client sees. http.ErrAbortHandler passes.
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

// unreadWait is how long the server goes on reading a body that it does not want. A connection that is closed while its client
// still sends is reset, and the answer may be lost with it.
const unreadWait = 500 * time.Millisecond

// CloseUnread closes the connection of a request whose body is not read, soon after it is answered. net/http would wait longer for
// the body, so that the connection can be used again. A handler that has read the body deletes the header Connection.
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
