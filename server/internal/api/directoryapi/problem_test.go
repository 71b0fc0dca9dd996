package directoryapi

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/lectern-dev/lectern/server/internal/api/web"
)

// TestFail tests errors that are not the client's fault, in the directory's own shape. Trouble with the database is a
// 503, after a read was tried twice (H13). Any other error is a 500.
func TestFail(t *testing.T) {
	down := errors.New("down")
	for _, tt := range []struct {
		method string
		err    error
		asked  int
		status int
		retry  string
		body   string
	}{
		{"GET", fmt.Errorf("entity: %w", down), 2, 503, "1", `{"errors":{"detail":"Service Unavailable"}}`},
		{"POST", fmt.Errorf("entity: %w", down), 1, 503, "1", `{"errors":{"detail":"Service Unavailable"}}`},
		{"GET", errors.New("broken"), 1, 500, "", `{"errors":{"detail":"Internal Server Error"}}`},
	} {
		asked := 0
		isDown := func(err error) bool { return errors.Is(err, down) }
		h := web.Chain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fail(w, r, web.Retry(r, func() error { asked++; return tt.err }))
		}), web.Identify(slog.New(slog.DiscardHandler), nil, isDown))
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(tt.method, "/", nil))
		if w.Code != tt.status || w.Header().Get("Retry-After") != tt.retry || w.Body.String() != tt.body || asked != tt.asked {
			t.Errorf("%s with %v = %d, Retry-After %q, %s, asked %d times, want %d, %q, %s, %d",
				tt.method, tt.err, w.Code, w.Header().Get("Retry-After"), w.Body, asked, tt.status, tt.retry, tt.body, tt.asked)
		}
	}
}
