package server

import (
	"context"
	"errors"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/api/web"
	"github.com/lectern-dev/lectern/server/internal/pages/explore"
)

// keys checks the keys of a reading API in the database and notes their use.
type keys struct {
	store *authdb.Checker
	uses  *authdb.Uses
	limit int // of the rate, where it is counted in the database; 0 elsewhere
}

// Check implements web.Keys.
func (k *keys) Check(ctx context.Context, text string, count bool) (web.Caller, error) {
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

// now is the day or the hour of a time, as an API counts; see dayOf.
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

// network returns the network that the text of a key of a reading API is for, and the zero Network for any other text.
func (s *Server) network(ctx context.Context, text string) (explore.Network, error) {
	soon, cancel := context.WithTimeout(ctx, keyTimeout)
	defer cancel()
	db := s.config.DB.DB
	for api, name := range map[auth.API]string{
		auth.Schools:   `SELECT name FROM entities WHERE tenant_id = ?0 AND entity_id = ?1`,
		auth.Libraries: `SELECT name FROM tenants WHERE tenant_id = ?0`,
	} {
		g, err := (&authdb.Store{DB: db, Now: s.config.Now}).Check(soon, text, api)
		if errors.Is(err, authdb.ErrKey) {
			continue
		}
		n := explore.Network{Report: string(api), Today: calendar.Day(g.Now)}
		if err == nil {
			err = db.QueryRowContext(soon, name, g.Key.Tenant, g.Key.Network).Scan(&n.Name)
		}
		return n, err
	}
	return explore.Network{}, nil
}
