package server

import (
	"context"
	"errors"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
	schoolsreport "github.com/lectern-dev/lectern/schools/report"

	"github.com/lectern-dev/lectern/server/internal/librariesapi"
	"github.com/lectern-dev/lectern/server/internal/schoolsapi"
	"github.com/lectern-dev/lectern/server/internal/web"
)

// keys checks the keys of the reading APIs in the database and notes their use.
type keys struct {
	store *authdb.Store
	uses  *authdb.Uses
}

// grant judges the text of a key that came with a request to an API.
func (k *keys) grant(ctx context.Context, text string, api auth.API) (authdb.Grant, error) {
	g, err := k.store.Check(ctx, text, api)
	if errors.Is(err, authdb.ErrKey) {
		return g, web.RefuseKey(err)
	}
	if err == nil {
		k.uses.Used(g.Key, g.Now)
	}
	return g, err
}

// schoolsKeys are the keys of the schools.
type schoolsKeys struct{ *keys }

// Check implements schoolsapi.Keys.
func (k schoolsKeys) Check(ctx context.Context, text string) (schoolsapi.Grant, error) {
	g, err := k.grant(ctx, text, auth.Schools)
	if err != nil {
		return schoolsapi.Grant{}, err
	}
	return schoolsapi.Grant{
		Access: schoolsreport.Access{
			Partner: directory.PartnerID(g.Key.Tenant),
			Network: directory.EntityID(g.Key.Network),
			At:      state.Versions(g.Held.Versions),
		},
		Budget: g.Key.RateBudget(),
		Caller: callerOf(g, int32(calendar.Day(g.Now))),
	}, nil
}

// librariesKeys are the keys of the libraries.
type librariesKeys struct{ *keys }

// Check implements librariesapi.Keys.
func (k librariesKeys) Check(ctx context.Context, text string) (librariesapi.Grant, error) {
	g, err := k.grant(ctx, text, auth.Libraries)
	if err != nil {
		return librariesapi.Grant{}, err
	}
	caller := callerOf(g, int32(libraries.HourOf(g.Now)))
	caller.Budget = 0 // all keys of a network share one
	return librariesapi.Grant{
		Access: librariesdb.AccessOf(libraries.NetworkID(g.Key.Tenant), g.Held),
		Budget: g.Key.RateBudget(),
		Caller: caller,
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
