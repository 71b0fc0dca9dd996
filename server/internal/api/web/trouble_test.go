package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/server/internal/api/web"
)

var errDown = errors.New("down")

func isDown(err error) bool { return errors.Is(err, errDown) }

// Trouble with the database is a 503 in the words of the contract, after a read was asked once more; a fault of the program
// is a 500, and asked once (H13).
func TestRetry(t *testing.T) {
	const (
		later    = `{"statusCode":503,"error":"Service Unavailable","message":"the data are not available now; try again later"}`
		internal = `{"statusCode":500,"error":"Internal Server Error","message":"internal server error"}`
	)
	down, fault := fmt.Errorf("read: %w", errDown), errors.New("broken")
	for _, tt := range []struct {
		rule, method, body string
		errs               []error // of one time after another
		status             int
		answer             string
	}{
		{"a read that succeeds", "GET", "", []error{nil}, 200, "ok"},
		{"a read that succeeds the second time", "GET", "", []error{down, nil}, 200, "ok"},
		{"and one of the head alone", "HEAD", "", []error{down, nil}, 200, "ok"},
		{"a read that fails twice", "GET", "", []error{down, down}, 503, later},
		{"a read whose second failure is a fault", "GET", "", []error{down, fault}, 500, internal},
		{"a fault", "GET", "", []error{fault}, 500, internal},
		{"a problem that the client is told of", "GET", "", []error{fmt.Errorf("%w: %w", web.ErrTrouble, errDown)}, 503, later},
		{"a write", "POST", "", []error{down}, 503, later},
		{"a change", "DELETE", "", []error{down}, 503, later},
		{"a read with a body, which is gone", "GET", "x", []error{down}, 503, later},
	} {
		asked := 0
		troubles := &web.Troubles{Is: isDown}
		h := web.Chain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			err := web.Retry(r, func() error { asked++; return tt.errs[asked-1] })
			if err != nil {
				web.Fail(w, r, err)
				return
			}
			fmt.Fprint(w, "ok")
		}), web.Identify(slog.New(slog.DiscardHandler), nil, troubles))
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

// A request whose time is over met trouble, whatever the error is by which the handler noticed.
func TestTroubleOfTime(t *testing.T) {
	troubles := &web.Troubles{Is: isDown}
	h := web.Chain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		web.Fail(w, r, errors.New("transaction is over"))
	}), web.Identify(slog.New(slog.DiscardHandler), nil, troubles), web.Timeout(time.Millisecond))
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, httptest.NewRequest("POST", "/", nil)); w.Code != 503 {
		t.Errorf("a request without time = %d %s, want 503", w.Code, w.Body)
	}
}

// A request is counted once, with the check of the key or after it, however often it is answered.
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
		}), web.Identify(slog.New(slog.DiscardHandler), nil, &web.Troubles{Is: isDown}))
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

// counting knows one caller, and counts ahead what may be counted.
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

// lines are what was logged since they were last taken.
type lines struct {
	mu   sync.Mutex
	text []byte
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, b...)
	return len(b), nil
}

func (l *lines) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := string(l.text)
	l.text = nil
	return text
}

// The same trouble is one line a second, which says how many requests met it, and another is a line of its own.
func TestTroublesAreLoggedOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out lines
		log := slog.New(zerolog.NewSlogHandler(zerolog.New(&out)))
		troubles := &web.Troubles{Is: func(error) bool { return true }}
		h := web.Chain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			web.Fail(w, r, fmt.Errorf("request %p: %w", r, errors.New(r.URL.Path)))
		}), web.Identify(log, nil, troubles))
		ask := func(n int, path string) {
			for range n {
				h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", path, nil))
			}
		}
		logged := func(rule string, want ...int) {
			t.Helper()
			synctest.Wait()
			var got []int
			for line := range strings.Lines(out.take()) {
				var l struct {
					Level, Message, Error, Request string
					Requests                       int
				}
				if err := json.Unmarshal([]byte(line), &l); err != nil || l.Level != "error" || l.Error == "" || len(l.Request) != 16 {
					t.Errorf("%s: line %s, %v", rule, line, err)
				}
				got = append(got, l.Requests)
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: lines of %v requests, want %v", rule, got, want)
			}
		}
		ask(100, "/reset")
		logged("at once", 1)
		ask(1, "/refused")
		logged("another trouble", 1)
		time.Sleep(time.Second)
		logged("after a second", 99)
		ask(7, "/reset")
		logged("within the next")
		time.Sleep(time.Second)
		logged("after it", 7)
		time.Sleep(2 * time.Second)
		logged("when it is over")
		ask(1, "/reset")
		logged("when it comes back", 1)
		time.Sleep(2 * time.Second)
	})
}
