package directoryapi

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"testing"
)

// TestFail answers what no client is to blame for: 503 where there was no time, 500 for all else.
func TestFail(t *testing.T) {
	for _, tt := range []struct {
		err    error
		status int
		retry  string
	}{
		{fmt.Errorf("lock: %w", context.DeadlineExceeded), 503, "5"},
		{errors.New("broken"), 500, ""},
	} {
		w := httptest.NewRecorder()
		fail(w, httptest.NewRequest("GET", "/", nil), tt.err)
		if w.Code != tt.status || w.Header().Get("Retry-After") != tt.retry {
			t.Errorf("fail(%v) = %d, Retry-After %q, want %d, %q", tt.err, w.Code, w.Header().Get("Retry-After"), tt.status, tt.retry)
		}
	}
}
