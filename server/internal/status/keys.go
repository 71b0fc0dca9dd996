package status

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
)

// Key is what is told of a key; it has no secret. Nil is none.
type Key struct {
	ID       string     `json:"id"`
	API      auth.API   `json:"api"`
	Tenant   string     `json:"tenant"`  // its reference
	Network  *string    `json:"network"` // the reference of a schools key's network
	Created  time.Time  `json:"created"`
	Expires  *time.Time `json:"expires"`
	LastUsed *time.Time `json:"lastUsed"`
	State    string     `json:"state"` // live, expired or revoked
}

// Live is the state of a key that is good.
const Live = "live"

// LiveKey is what is told of a key beside its tenant.
type LiveKey struct {
	ID       string     `json:"id"`
	API      auth.API   `json:"api"`
	Network  *string    `json:"network"`
	LastUsed *time.Time `json:"lastUsed"`
}

// Keys returns all keys, or those of the given tenants, by tenant and number, as they are now.
func (r *Reader) Keys(ctx context.Context, of ...auth.Tenant) ([]Key, error) {
	keys, err := r.Store.List(ctx, of...)
	if err != nil {
		return nil, err
	}
	now, err := r.Store.Clock(ctx, r.Store.DB)
	if err != nil {
		return nil, err
	}
	named, err := r.references(ctx, of...)
	if err != nil {
		return nil, err
	}
	list := make([]Key, len(keys))
	for i, k := range keys {
		of := named[k.ID()]
		list[i] = Key{
			ID: k.ID(), API: k.API, Tenant: of.tenant, Network: of.network,
			Created: k.Created.Truncate(time.Second), Expires: second(k.Expires), LastUsed: second(k.LastUsed), State: stateOf(k, now),
		}
	}
	return list, nil
}

// holder is whom a key is of: references of the tenant, and of the network that a schools key has.
type holder struct {
	tenant  string
	network *string
}

// references returns the holders of all keys, or of those of the given tenants, by the keys' ids.
func (r *Reader) references(ctx context.Context, of ...auth.Tenant) (map[string]holder, error) {
	which := bun.SafeQuery("TRUE")
	if len(of) > 0 {
		which = bun.SafeQuery("k.tenant_id IN (?)", bun.List(of))
	}
	named := make(map[string]holder)
	rows, err := r.Store.DB.QueryContext(ctx, `
		SELECT k.tenant_id, k.number, t.reference, e.reference_id
		  FROM keys k
		  JOIN tenants t ON t.tenant_id = k.tenant_id
		  LEFT JOIN entities e ON e.tenant_id = k.tenant_id AND e.entity_id = k.network
		 WHERE ?`, which)
	return named, authdb.Visit(rows, err, "holders of keys", func(rows *sql.Rows) error {
		var k auth.Key
		var of holder
		err := rows.Scan(&k.Tenant, &k.Number, &of.tenant, &of.network)
		named[k.ID()] = of
		return err
	})
}

func stateOf(k auth.Key, now time.Time) string {
	switch {
	case !k.Revoked.IsZero():
		return "revoked"
	case !k.Live(now):
		return "expired"
	}
	return Live
}

// liveKeys returns the keys of a tenant that are live, the last used first.
func (r *Reader) liveKeys(ctx context.Context, t auth.Tenant) ([]LiveKey, error) {
	list, err := r.Keys(ctx, t)
	keys := []LiveKey{}
	for _, k := range list {
		if k.State == Live {
			keys = append(keys, LiveKey{k.ID, k.API, k.Network, k.LastUsed})
		}
	}
	slices.SortStableFunc(keys, func(a, b LiveKey) int { return cmp.Compare(used(b), used(a)) })
	return keys, err
}

// used is when a key was last used as a number, 0 for never.
func used(k LiveKey) int64 {
	if k.LastUsed == nil {
		return 0
	}
	return k.LastUsed.Unix()
}
