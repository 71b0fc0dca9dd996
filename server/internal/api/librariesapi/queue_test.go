package librariesapi_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/server/internal/api/librariesapi"
	"github.com/lectern-dev/lectern/server/internal/api/web"
)

// TestUsersQueue tests that the queue bounds users but not dimensions, and comes after the parameters.
func TestUsersQueue(t *testing.T) {
	started, end := make(chan struct{}), make(chan struct{})
	f := &fixed{during: func() { started <- struct{}{}; <-end }}
	a := &librariesapi.API{
		Front: front(noon, 0), Reports: f,
		Queue: &web.Queue{AtATime: 1, Waiting: 0, Wait: time.Minute},
	}
	h := a.Handler()
	first := make(chan *httptest.ResponseRecorder)
	go func() { first <- get(h, "/users") }()
	<-started

	w := get(h, "/users")
	const want = `{"statusCode":503,"error":"Service Unavailable","message":"too many heavy queries; try again later"}`
	if w.Code != 503 || w.Body.String() != want || w.Header().Get("Retry-After") != "5" {
		t.Errorf("a second query at once = %d %s, Retry-After %q, want 503 %s, 5", w.Code, w.Body, w.Header().Get("Retry-After"), want)
	}
	if w := get(h, "/users?page=0"); w.Code != 400 {
		t.Errorf("a bad query = %d, want 400: parameters come before the queue", w.Code)
	}
	if w := get(h, "/dimensions"); w.Code != 200 {
		t.Errorf("another route = %d, want 200", w.Code)
	}
	close(end)
	if w := <-first; w.Code != 200 {
		t.Errorf("the first query = %d, want 200", w.Code)
	}
}

// TestUsersQueueAfterFailure tests that a query that fails or panics gives its slot back.
func TestUsersQueueAfterFailure(t *testing.T) {
	f := &fixed{during: func() { panic(http.ErrAbortHandler) }}
	a := &librariesapi.API{
		Front: front(noon, 0), Reports: f,
		Queue: &web.Queue{AtATime: 1},
	}
	h := a.Handler()
	func() {
		defer func() { recover() }()
		get(h, "/users")
	}()
	f.during, f.err = nil, errors.New("boom")
	if w := get(h, "/users"); w.Code != 500 {
		t.Errorf("after a panic = %d, want a slot and the report's error", w.Code)
	}
	f.err = nil
	if w := get(h, "/users"); w.Code != 200 {
		t.Errorf("after an error = %d, want 200", w.Code)
	}
}
