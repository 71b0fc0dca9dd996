package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/lectern-dev/lectern/auth"
)

// Trace identifies one request in the log. The middleware and handlers of a request share it. It is not for concurrent use.
type Trace struct {
	// ID is 16 hexadecimal digits, sent as X-Request-Id. A client's own header of that name is not used.
	ID string
	// Route is the pattern of the route; empty for an unknown path. It is never the path itself, which may contain a name.
	Route string
	// Tenant is the number of the tenant that the key belongs to, 0 before the key check.
	Tenant int64
	// Key is the id of the key that the request names; empty if it names none. The key is valid only if Tenant is set.
	Key string
	// Client is the address that the request came from; see Client.
	Client string
	// Reason says why the request was refused, if the answer does not. It has no text of the client.
	Reason string

	log    *slog.Logger
	isDown func(error) bool // of the database; nil = no error is
}

type traceKey struct{}

// TraceOf returns the request's trace. Outside of Identify it is a new one, which logs nothing.
func TraceOf(ctx context.Context) *Trace {
	if t, ok := ctx.Value(traceKey{}).(*Trace); ok {
		return t
	}
	return &Trace{log: slog.New(slog.DiscardHandler)}
}

// Claim notes the key that a request names, as auth.ParseKey and auth.ParseID return it.
func (t *Trace) Claim(tenant auth.Tenant, number int, ok bool) {
	if ok {
		t.Key = auth.Key{Tenant: tenant, Number: number}.ID()
	}
}

// Error logs an error of the request once, with its identifier.
func (t *Trace) Error(err error) {
	t.log.Error("request failed", "error", err, "request", t.ID, "route", t.Route, "tenant", t.Tenant)
}

// unavailable reports whether an error that ended the request is trouble with the database, and not a fault of the program.
func (t *Trace) unavailable(ctx context.Context, err error) bool {
	return t.isDown != nil && (t.isDown(err) || errors.Is(ctx.Err(), context.DeadlineExceeded))
}

// Identify gives every request an identifier and a Trace that logs to log. It takes the client's address from the headers that the
// proxies write. isDown tells Retry and Fail which errors are trouble with the database; nil says that none is.
func Identify(log *slog.Logger, proxies []netip.Prefix, isDown func(error) bool) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			t := &Trace{ID: fmt.Sprintf("%016x", rand.Uint64()), Client: Client(r, proxies), log: log, isDown: isDown}
			w.Header().Set("X-Request-Id", t.ID)
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), traceKey{}, t)))
		})
	}
}

// Client returns the address that a request came from: the connection's or, if that is a proxy's, the right-most address of
// X-Forwarded-For that is not a proxy's. The client may have written anything left of that. An entry that is not an address ends the
// search: Client returns the proxy that wrote it.
func Client(r *http.Request, proxies []netip.Prefix) string {
	client, ok := parseHop(r.RemoteAddr)
	if !ok {
		return ""
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		trusted := slices.ContainsFunc(proxies, func(p netip.Prefix) bool { return p.Contains(client) })
		next, ok := parseHop(strings.TrimSpace(hop))
		if !trusted || !ok {
			break
		}
		client = next
	}
	return client.String()
}

// parseHop reads an address, with a port or without.
func parseHop(text string) (netip.Addr, bool) {
	a, err := netip.ParseAddr(strings.Trim(text, "[]"))
	if err != nil {
		withPort, err := netip.ParseAddrPort(text)
		if err != nil {
			return netip.Addr{}, false
		}
		a = withPort.Addr()
	}
	return a.Unmap().WithZone(""), true
}

// Observed describes a request that has been answered.
type Observed struct {
	Method, Route string // see Trace; a method that is none of HTTP's is "other"
	Status        int
	Took          time.Duration
}

// AccessLog logs one line for every request. It has the id of the key, never the key, and the pattern of the route, never the
// path or the query. Text of the client is cut and cleaned. observe, if not nil, is called too.
func AccessLog(observe func(Observed)) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			start := time.Now()
			rec := &recorder{ResponseWriter: w}
			defer func() {
				t := TraceOf(r.Context())
				o := Observed{method(r.Method), t.Route, rec.status, time.Since(start)}
				t.access(o, rec.bytes, r.UserAgent())
				if observe != nil {
					observe(o)
				}
			}()
			next.ServeHTTP(rec, r)
		})
	}
}

// access logs a request. It makes the record itself: a Logger would look up the caller's place, which costs as much as all the
// rest.
func (t *Trace) access(o Observed, bytes int64, agent string) {
	ctx := context.Background()
	if !t.log.Enabled(ctx, slog.LevelInfo) {
		return
	}
	line := slog.NewRecord(time.Now(), slog.LevelInfo, "request", 0)
	line.AddAttrs(
		slog.String("request", t.ID), slog.String("method", o.Method), slog.String("route", o.Route),
		slog.Int64("tenant", t.Tenant), slog.String("key", t.Key), slog.String("client", t.Client),
		slog.String("agent", clean(agent)), slog.Int("status", o.Status), slog.Int64("bytes", bytes),
		slog.Int64("ms", o.Took.Milliseconds()),
	)
	if t.Reason != "" {
		line.AddAttrs(slog.String("reason", t.Reason))
	}
	_ = t.log.Handler().Handle(ctx, line) // as a Logger does: there is nowhere to tell it
}

// method returns the method if it is one of HTTP's, so that a client cannot write arbitrary text into the log.
func method(m string) string {
	switch m {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions, http.MethodConnect, http.MethodTrace:
		return m
	}
	return "other"
}

// maxLogged is how many characters of a client's text are logged.
const maxLogged = 200

// clean returns a client's text for the log: cut, and with U+FFFD for characters that do not print, so that it cannot look like
// another line or control a terminal.
func clean(text string) string {
	if len(text) > maxLogged { // in bytes, of which a character has one or more
		if characters := []rune(text); len(characters) > maxLogged {
			text = string(characters[:maxLogged]) + "…"
		}
	}
	return strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return unicode.ReplacementChar
		}
		return c
	}, text)
}

// recorder notes the status and the size of an answer.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(b)
	r.bytes += int64(n)
	return n, err
}

// Unwrap gives http.ResponseController the connection's own writer.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
