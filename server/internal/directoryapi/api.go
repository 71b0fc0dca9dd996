package directoryapi

import (
	"context"
	"net/http"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/server/internal/web"
)

// Prefix is the path that the routes stand under (H1).
const Prefix = "/api/v2/partners"

// Keys checks signatures.
type Keys interface {
	// Check returns what the key opens that signed a request. The error is ErrSignature for every request that no live
	// directory key signed, and the work before it is always the same.
	Check(ctx context.Context, s auth.Signed) (Grant, error)
}

// Grant is the partner that a good signature opens, and the budget that its requests count on.
type Grant struct {
	Partner directory.PartnerID
	Budget  auth.Budget
}

// API answers the routes. Keys, Limiter, Store, Answers and Cursors must be set.
type API struct {
	Keys    Keys
	Limiter auth.Limiter
	Store   directory.Store
	Answers *web.Answers
	// Cursors returns what seals the cursors of lists (P8). It is asked at each list, since the key may come to be after
	// the start.
	Cursors func() (paging.Sealer, error)
	// Rate is the number of requests a minute that a key may make; 0 sets no limit.
	Rate int
	// Debug makes a 401 tell the canonical string that the signature should have been made of.
	Debug bool
}

// Handler returns the handler of every path under Prefix.
func (a *API) Handler() http.Handler {
	routes := a.routes()
	return web.Recover(fail)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rt, ref, ok := find(routes, rawPath(r.URL))
		if !ok {
			fail(w, r, errNotFound)
			return
		}
		web.TraceOf(r.Context()).Route = Prefix + rt.path
		handle, ok := rt.methods[r.Method]
		if !ok {
			fail(w, r, methodNotAllowed(rt))
			return
		}
		req, err := a.check(w, r)
		if err != nil {
			fail(w, r, err)
			return
		}
		req.ref = ref
		if err := handle(w, r, req); err != nil {
			fail(w, r, err)
		}
	}))
}

// request is a request that passed the checks up to the rate.
type request struct {
	partner directory.PartnerID
	ref     directory.Ref // of the path; empty where the route has none
	body    []byte
}

// check makes the checks that stand between the method and the content type.
func (a *API) check(w http.ResponseWriter, r *http.Request) (request, error) {
	ctx := r.Context()
	body, err := readBody(w, r)
	if err != nil {
		return request{}, err
	}
	signed := auth.SignedFrom(r, body)
	grant, err := a.Keys.Check(ctx, signed)
	if err != nil {
		return request{}, a.explain(signed, err)
	}
	web.TraceOf(ctx).Tenant = int64(grant.Partner)
	quota, err := a.Limiter.Take(ctx, grant.Budget, a.Rate)
	if err != nil {
		return request{}, err
	}
	web.ShowQuota(w, quota)
	if !quota.OK {
		return request{}, tooMany(quota.Reset)
	}
	return request{partner: grant.Partner, body: body}, nil
}

// explain adds the canonical string to a refusal when that is asked for; the signature is never told.
func (a *API) explain(s auth.Signed, err error) error {
	if !a.Debug || err != ErrSignature {
		return err
	}
	told := *ErrSignature
	told.canonical = s.Canonical()
	return &told
}
