package web_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/server/internal/api/web"
)

var errDown = errors.New("down")

func isDown(err error) bool { return errors.Is(err, errDown) }

// TestRetry tests that trouble with the database is a 503 in the words of the contract, after a read was tried twice. A
// fault of the program is a 500, and is not tried again (H13).
func TestRetry(t *testing.T) {
	const (
		later    = `{"statusCode":503,"error":"Service Unavailable","message":"the data are not available now; try again later"}`
		internal = `{"statusCode":500,"error":"Internal Server Error","message":"internal server error"}`
	)
	down, fault := fmt.Errorf("read: %w", errDown), errors.New("broken")
	for _, tt := range []struct {
		rule, method, body string
		errs               []error // one for each attempt
		status             int
		answer             string
	}{
		{"a read that succeeds", "GET", "", []error{nil}, 200, "ok"},
		{"a read that succeeds the second time", "GET", "", []error{down, nil}, 200, "ok"},
		{"a HEAD request that succeeds the second time", "HEAD", "", []error{down, nil}, 200, "ok"},
		{"a read that fails twice", "GET", "", []error{down, down}, 503, later},
		{"a read whose second failure is a fault", "GET", "", []error{down, fault}, 500, internal},
		{"a fault", "GET", "", []error{fault}, 500, internal},
		{"a problem that is shown to the client", "GET", "", []error{fmt.Errorf("%w: %w", web.ErrTrouble, errDown)}, 503, later},
		{"a write", "POST", "", []error{down}, 503, later},
		{"a change", "DELETE", "", []error{down}, 503, later},
		{"a read with a body, which is consumed", "GET", "x", []error{down}, 503, later},
	} {
		asked := 0
		h := web.Chain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			err := web.Retry(r, func() error { asked++; return tt.errs[asked-1] })
			if err != nil {
				web.Fail(w, r, err)
				return
			}
			fmt.Fprint(w, "ok")
		}), web.Identify(slog.New(slog.DiscardHandler), nil, isDown))
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(tt.method, "/", strings.NewReader(tt.body)))
		if w.Code != tt.status || w.Body.String() != tt.answer || asked != len(tt.errs) {
			t.Errorf("%s = %d %s, asked %d times, want %d %s, %d", tt.rule, w.Code, w.Body, asked, tt.status, tt.answer, len(tt.errs))
		}
		if after := w.Header().Get("Retry-After"); (after == "1") != (tt.status == 503) {
			t.Errorf("%s: Retry-After = %q", tt.rule, after)
		}
	}
}

// TestTroubleOfTime tests that a request that times out is answered with 503, whatever error the handler has.
func TestTroubleOfTime(t *testing.T) {
	h := web.Chain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		web.Fail(w, r, errors.New("transaction is over"))
	}), web.Identify(slog.New(slog.DiscardHandler), nil, isDown), web.Timeout(time.Millisecond))
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, httptest.NewRequest("POST", "/", nil)); w.Code != 503 {
		t.Errorf("a request past its deadline = %d %s, want 503", w.Code, w.Body)
	}
}

// TestCountedOnce tests that a request is counted once, with the key check or after it, even if it is tried twice.
func TestCountedOnce(t *testing.T) {
	for _, ahead := range []bool{false, true} {
		limiter := new(auth.MemoryLimiter)
		k := &counting{Limiter: limiter, ahead: ahead, broken: ahead}
		refused, first := 0, !ahead
		front := web.Front{Keys: k, Limit: web.Limit{Limiter: limiter, Rate: 2, Refused: func() { refused++ }}}
		h := web.Chain(front.Checked("/", func(w http.ResponseWriter, r *http.Request, _ web.Caller) error {
			if first {
				first = false
				return errDown
			}
			return nil
		}), web.Identify(slog.New(slog.DiscardHandler), nil, isDown))
		for i, want := range []int{200, 200, 429} {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
			if left := w.Header().Get("X-Ratelimit-Remaining-Public-Default"); w.Code != want || want == 200 && left != fmt.Sprint(1-i) {
				t.Errorf("ahead %t, request %d = %d with %s left, want %d with %d", ahead, i+1, w.Code, left, want, 1-i)
			}
		}
		if refused != 1 || k.checks != 4 {
			t.Errorf("ahead %t: %d refused after %d checks, want 1 after 4", ahead, refused, k.checks)
		}
	}
}

// counting accepts every key as that of one caller. If ahead is true, it counts requests with the key check.
type counting struct {
	auth.Limiter
	ahead  bool
	broken bool // the first check fails after it has counted
	checks int
}

// Check implements web.Keys.
func (k *counting) Check(ctx context.Context, _ string, count bool) (c web.Caller, err error) {
	k.checks++
	c.Spends = auth.Budget{Tenant: 1}
	if k.ahead && count {
		q, _ := k.Take(ctx, c.Spends, 2)
		c.Counted = &q
	}
	if k.broken && k.checks == 1 {
		err = errDown
	}
	return c, err
}

// TestTroubleIsLogged tests that trouble with the database is logged as an error with the identifier of the request.
func TestTroubleIsLogged(t *testing.T) {
	var out strings.Builder
	log := slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	h := web.Chain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { web.Fail(w, r, errDown) }),
		web.Identify(log, nil, isDown))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	want := fmt.Sprintf(`{"level":"ERROR","msg":"trouble with the database","error":"down","request":%q,"route":"","tenant":0}`+"\n", w.Header().Get("X-Request-Id"))
	if out.String() != want {
		t.Errorf("logged %s, want %s", out.String(), want)
	}
}
