package directoryapi

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/julienschmidt/httprouter"
	"golang.org/x/sync/semaphore"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/server/internal/api/web"
)

// Prefix is the path before all routes (H1).
const Prefix = "/api/v2/partners"

// Keys checks signatures.
type Keys interface {
	// Check returns what the key opens that signed a request, whose body has not been read: the caller compares it with the
	// hash that was signed. The error is one of Refuse for every request that no live directory key signed, and the work
	// before it is always the same.
	Check(ctx context.Context, s auth.Signed) (Grant, error)
}

// Grant is the partner that a good signature opens, and the budget that its requests count on.
type Grant struct {
	Partner directory.PartnerID
	Budget  auth.Budget
}

// API answers the routes. Keys, Limit, Store, Answers and Cursors must be set.
type API struct {
	Keys    Keys
	Limit   web.Limit // of a key
	Store   directory.Store
	Answers *web.Answers
	// Cursors returns what seals the cursors of lists (P8). It is asked at each list, since the key may come to be after
	// the start.
	Cursors func() (paging.Sealer, error)
	// Debug makes a 401 tell the canonical string that the signature should have been made of, and the reason.
	Debug bool

	bodies *semaphore.Weighted // the bytes of those in memory
}

// Handler returns the handler of every path under Prefix.
func (a *API) Handler() http.Handler {
	router := a.router()
	a.bodies = semaphore.NewWeighted(maxBodies)
	return web.Recover(fail)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handle, params := find(router, r)
		if handle == nil {
			fail(w, r, errNotFound)
			return
		}
		handle(w, r, params)
	}))
}

// call is a request under way, of which the checks up to the rate fill in the partner and the body.
type call struct {
	*API
	w       http.ResponseWriter
	r       *http.Request
	ref     directory.Ref // of the path; empty where the route has none
	partner directory.PartnerID
	body    []byte
	room    int64 // of the bodies in memory, that this one has
	counted *auth.Quota
}

// serve answers the requests for a path.
func (a *API) serve(path string, methods map[string]handler) httprouter.Handle {
	return func(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
		web.TraceOf(r.Context()).Route = path
		handle, ok := methods[r.Method]
		if !ok {
			allow := strings.Join(slices.Sorted(maps.Keys(methods)), ", ")
			fail(w, r, &web.Problem{Status: http.StatusMethodNotAllowed, Allow: allow})
			return
		}
		c := &call{API: a, w: w, r: r, ref: refOf(params)}
		defer func() { a.bodies.Release(c.room) }()
		err := web.Retry(r, func() error {
			if err := c.check(); err != nil {
				return err
			}
			return handle(c)
		})
		if err != nil {
			fail(w, r, err)
		}
	}
}

// check makes the checks between that of the method and that of the content type. Nothing of the body is read before its length
// is allowed and its hash, with the rest of the header, is signed by a live key.
func (c *call) check() error {
	if c.r.ContentLength > maxBody {
		return errTooLarge
	}
	ctx, trace := c.r.Context(), web.TraceOf(c.r.Context())
	signed := auth.SignedFrom(c.r, nil)
	id, _, _, _ := auth.ParseAuthorization(signed.Authorization)
	trace.Claim(auth.ParseID(id))
	grant, err := c.Keys.Check(ctx, signed)
	if err != nil {
		return c.explain(signed, err)
	}
	c.partner, trace.Tenant = grant.Partner, int64(grant.Partner)
	if err := c.readBody(); err != nil {
		return err
	}
	signed.Body = c.body
	if err := signed.VerifyBody(); err != nil {
		return c.explain(signed, Refuse(err))
	}
	c.counted, err = c.Limit.Spend(ctx, c.w, grant.Budget, c.counted)
	return err
}

// explain adds the canonical string to a refusal when that is asked for, and the reason is told then; the signature never
// is.
func (a *API) explain(s auth.Signed, err error) error {
	var p *web.Problem
	if !a.Debug || !errors.As(err, &p) || p.Status != http.StatusUnauthorized {
		return err
	}
	told := *p
	told.Canonical = s.Canonical()
	return &told
}
