package server

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/api/directoryapi"
	"github.com/lectern-dev/lectern/server/internal/api/web"
)

// reportKeys checks the keys of a reporting API in the database and notes their use.
type reportKeys struct {
	store *authdb.Checker
	uses  *authdb.Uses
	limit int // of the rate
}

// Check implements web.Keys.
func (k *reportKeys) Check(ctx context.Context, text string, count bool) (web.Caller, error) {
	limit := 0
	if count {
		limit = k.limit
	}
	soon, cancel := context.WithTimeout(ctx, keyTimeout)
	defer cancel()
	var current snapshotdb.Current
	var secret []byte
	g, q, err := k.store.Check(soon, text, limit, authdb.Joined{
		Table: "versions", Columns: `v.secret, ` + snapshotdb.CurrentColumns, Dest: append([]any{&secret}, current.Fields()...),
	})
	if errors.Is(err, authdb.ErrKey) {
		return web.Caller{}, web.RefuseKey(err)
	}
	if err == nil {
		current, err = current.PublishDue(soon, k.store.DB, g.Key.Tenant, g.Now)
	}
	if err != nil {
		return web.Caller{Counted: q}, err
	}
	k.uses.Used(g.Key, g.Now)
	return web.Caller{
		Tenant:  g.Key.Tenant,
		Network: g.Key.Network,
		Spends:  g.Key.RateBudget(),
		Budget:  int64(g.Key.Budget),
		Secret:  secret,
		Time:    g.Now,
		Now:     snapshot.Snapshot{Versions: current.Versions, Of: now(k.store.API, g.Now)},
		From:    current.From,
		Counted: q,

		Erasures: current.Erasures,
	}, nil
}

// now is the day or the hour of a time, as the API counts; see dayOf.
func now(api auth.API, at time.Time) int32 {
	if api == auth.Libraries {
		return int32(libraries.HourOf(at))
	}
	return int32(calendar.Day(at))
}

// dayOf returns the day of a snapshot of an API.
func dayOf(api auth.API) func(snapshot.Snapshot) calendar.Date {
	return func(at snapshot.Snapshot) calendar.Date {
		if api == auth.Libraries {
			return libraries.Hour(at.Of).Day()
		}
		return calendar.Date(at.Of)
	}
}

// directoryKeys checks signatures against the secrets in the database and notes the use of keys.
type directoryKeys struct {
	store   *authdb.Store
	uses    *authdb.Uses
	secrets *Secrets
}

// Check implements directoryapi.Keys.
func (k *directoryKeys) Check(ctx context.Context, s auth.Signed) (directoryapi.Grant, error) {
	id, _, _, parsed := auth.ParseAuthorization(s.Authorization)
	soon, cancel := context.WithTimeout(ctx, keyTimeout)
	defer cancel()
	g, err := k.secret(soon, id)
	switch {
	case !parsed:
		err = s.VerifyHeader("", time.Now()) // says what is wrong with it
		return directoryapi.Grant{}, directoryapi.Refuse(err)
	case errors.Is(err, authdb.ErrKey):
		s.Refuse(time.Now()) // the work that a known key makes
		return directoryapi.Grant{}, directoryapi.Refuse(err)
	case errors.Is(err, auth.ErrSealed): // nothing can be said of the signature; the operator is told
		web.TraceOf(ctx).Error(err)
		return directoryapi.Grant{}, directoryapi.Refuse(auth.ErrSealed)
	case err != nil:
		return directoryapi.Grant{}, err
	}
	if err := s.VerifyHeader(g.Secret, g.Now); err != nil {
		return directoryapi.Grant{}, directoryapi.Refuse(err)
	}
	k.uses.Used(g.Key, g.Now)
	return directoryapi.Grant{Partner: directory.PartnerID(g.Key.Tenant), Budget: g.Key.RateBudget()}, nil
}

// secret returns the secret of a live directory key, or authdb.ErrKey. If there is no key to open secrets with, a live directory
// key is an error: another process has sealed it.
func (k *directoryKeys) secret(ctx context.Context, id string) (authdb.Grant, error) {
	box, missing := k.secrets.Box()
	if missing != nil && !errors.Is(missing, ErrNoSecretKey) {
		return authdb.Grant{}, missing
	}
	g, err := k.store.Secret(ctx, id, box)
	if errors.Is(err, auth.ErrBox) {
		err = fmt.Errorf("directory key %s: %w", id, missing)
	}
	return g, err
}
