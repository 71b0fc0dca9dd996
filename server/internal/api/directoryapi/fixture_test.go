package directoryapi_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/server/internal/api/directoryapi"
	"github.com/lectern-dev/lectern/server/internal/api/web"
)

const prefix = directoryapi.Prefix

// fixed is a store that answers with its fields and records the arguments of the last call. Its other methods are those
// of the nil Store, and panic.
type fixed struct {
	directory.Store
	entities directory.Page[directory.EntityRecord]
	err      error
	asked    []any
}

func (f *fixed) CreateEntity(_ context.Context, p directory.PartnerID, e directory.EntityInput) (directory.EntityRecord, error) {
	f.asked = []any{p, e}
	return directory.EntityRecord{Entity: directory.Entity{ID: 1, Ref: "n", Type: directory.Network}}, f.err
}

func (f *fixed) UpdateEntity(_ context.Context, p directory.PartnerID, ref directory.Ref, c directory.EntityInput) (directory.EntityRecord, error) {
	f.asked = []any{p, ref, c}
	return directory.EntityRecord{}, f.err
}

func (f *fixed) DeleteEntity(_ context.Context, p directory.PartnerID, ref directory.Ref) error {
	f.asked = []any{p, ref}
	return f.err
}

func (f *fixed) Entity(_ context.Context, p directory.PartnerID, ref directory.Ref) (directory.EntityRecord, error) {
	f.asked = []any{p, ref}
	return directory.EntityRecord{Entity: directory.Entity{Ref: ref, Type: directory.Network}}, f.err
}

func (f *fixed) Entities(_ context.Context, p directory.PartnerID, t directory.EntityType, at directory.Cursor) (directory.Page[directory.EntityRecord], error) {
	f.asked = []any{p, t, at}
	return f.entities, f.err
}

func (f *fixed) Subtree(_ context.Context, p directory.PartnerID, ref directory.Ref, at directory.Cursor) (directory.Page[directory.EntityRecord], error) {
	f.asked = []any{p, ref, at}
	return f.entities, f.err
}

var errBad = errors.New("it is bad")

// anyKey accepts every request whose Authorization is not "bad".
type anyKey struct{}

func (anyKey) Check(_ context.Context, s auth.Signed) (directoryapi.Grant, error) {
	if s.Authorization == "bad" {
		return directoryapi.Grant{}, directoryapi.Refuse(errBad)
	}
	return directoryapi.Grant{Partner: 7, Budget: auth.Budget{Tenant: 7, Name: "directory/1"}}, nil
}

var noon = time.Date(2026, 3, 31, 12, 0, 30, 0, time.UTC)

func newAPI(store directory.Store) *directoryapi.API {
	return &directoryapi.API{
		Keys:    anyKey{},
		Limit:   web.Limit{Limiter: &auth.MemoryLimiter{Now: func() time.Time { return noon }}},
		Store:   store,
		Answers: new(web.Answers),
		Cursors: func() (paging.Sealer, error) { return paging.Sealer{Key: []byte("a key of the tests")}, nil },
	}
}

// send sends a request and returns the answer. A body is sent as JSON with its hash, unless a header says otherwise. The
// target is sent as it is.
func send(t *testing.T, api *directoryapi.API, method, target, body string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Authorization-Content-SHA256", auth.HashBody([]byte(body)))
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
		if headers[i+1] == "" {
			r.Header.Del(headers[i])
		}
	}
	w := httptest.NewRecorder()
	api.Handler().ServeHTTP(w, r)
	return w
}

func expect(t *testing.T, rule string, w *httptest.ResponseRecorder, status int, body string) {
	t.Helper()
	if w.Code != status || w.Body.String() != body {
		t.Errorf("%s: %d %s, want %d %s", rule, w.Code, w.Body, status, body)
	}
	if loc := w.Header().Get("Location"); loc != "" && status != http.StatusCreated {
		t.Errorf("%s: Location = %q, want no redirect", rule, loc)
	}
}

// detail is the body of an error outside validation.
func detail(text string) string { return `{"errors":{"detail":"` + text + `"}}` }
