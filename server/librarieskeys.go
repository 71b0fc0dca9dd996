package server

import (
	"context"
	"errors"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/server/internal/librariesapi"
	"github.com/lectern-dev/lectern/server/internal/web"
)

// librariesKeys checks libraries keys in the database and notes their use.
type librariesKeys struct {
	store *authdb.Store
	uses  *authdb.Uses
}

// Check implements librariesapi.Keys.
func (k *librariesKeys) Check(ctx context.Context, text string) (librariesapi.Grant, error) {
	g, err := k.store.Check(ctx, text, auth.Libraries)
	if errors.Is(err, authdb.ErrKey) {
		return librariesapi.Grant{}, web.RefuseKey(err)
	}
	if err != nil {
		return librariesapi.Grant{}, err
	}
	k.uses.Used(g.Key, g.Now)
	caller := callerOf(g, int32(libraries.HourOf(g.Now)))
	caller.Budget = 0 // all keys of a network share one
	return librariesapi.Grant{
		Access: librariesdb.AccessOf(libraries.NetworkID(g.Key.Tenant), g.Held),
		Budget: g.Key.RateBudget(),
		Caller: caller,
	}, nil
}
