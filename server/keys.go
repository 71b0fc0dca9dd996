package server

import (
	"context"
	"errors"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/server/internal/schoolsapi"
	"github.com/lectern-dev/lectern/server/internal/web"
)

// schoolsKeys checks schools keys in the database and notes their use.
type schoolsKeys struct {
	store *authdb.Store
	uses  *authdb.Uses
}

// Check implements schoolsapi.Keys.
func (k *schoolsKeys) Check(ctx context.Context, text string) (schoolsapi.Grant, error) {
	g, err := k.store.Check(ctx, text, auth.Schools)
	if errors.Is(err, authdb.ErrKey) {
		return schoolsapi.Grant{}, web.RefuseKey(err)
	}
	if err != nil {
		return schoolsapi.Grant{}, err
	}
	k.uses.Used(g.Key, g.Now)
	return schoolsapi.Grant{
		Access: schools.Access{
			Partner: directory.PartnerID(g.Key.Tenant),
			Network: directory.EntityID(g.Key.Network),
			At:      state.Versions(g.Held.Versions),
		},
		Budget: g.Key.RateBudget(),
		Caller: callerOf(g, int32(calendar.Day(g.Now))),
	}, nil
}

// callerOf is who asks with a key that was granted; of is the day or the hour of the key check, as the API counts.
func callerOf(g authdb.Grant, of int32) web.Caller {
	return web.Caller{
		Tenant: state.Tenant(g.Key.Tenant),
		Budget: int64(g.Key.Budget),
		Secret: g.Secret,
		Time:   g.Now,
		Now:    state.Snapshot{Versions: state.Versions(g.Held.Versions), Of: of},
		From:   g.Held.From,
	}
}
