package status

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/handle"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
)

// Key describes a key without its secret. Nil is none.
type Key struct {
	ID       string     `json:"id"`
	API      auth.API   `json:"api"`
	Tenant   string     `json:"tenant"`  // its reference
	Network  *string    `json:"network"` // the reference of a schools key's network
	Created  time.Time  `json:"created"`
	Expires  *time.Time `json:"expires"`
	LastUsed *time.Time `json:"lastUsed"`
	State    string     `json:"state"` // live, expired or revoked

	tenant auth.Tenant
}

// Live is the State of a valid key.
const Live = "live"

// LiveKey describes a key within its tenant.
type LiveKey struct {
	ID       string     `json:"id"`
	API      auth.API   `json:"api"`
	Network  *string    `json:"network"`
	LastUsed *time.Time `json:"lastUsed"`
}

// Keys returns all keys, by tenant and number, as they are now. If a node does not answer, its keys are left out, and the error
// is that of database.DB.EachNode.
func (r *Reader) Keys(ctx context.Context) (list []Key, err error) {
	tenants, err := snapshotdb.Tenants(ctx, r.DB)
	if err != nil {
		return nil, err
	}
	numbers, named := snapshotdb.ByNumber(tenants)
	err = r.DB.EachNode(ctx, numbers, func(of []auth.Tenant) error {
		keys, err := r.keys(ctx, named, of)
		list = append(list, keys...)
		return err
	})
	slices.SortStableFunc(list, func(a, b Key) int { return cmp.Compare(a.tenant, b.tenant) })
	return list, err
}

// keys returns the keys of tenants on one node, by tenant and number.
func (r *Reader) keys(ctx context.Context, named map[auth.Tenant]snapshotdb.Tenant, of []auth.Tenant) ([]Key, error) {
	keys, err := r.Store.List(ctx, of...)
	if err != nil {
		return nil, err
	}
	now, err := handle.Clock(ctx, r.DB, r.Store.Now)
	if err != nil {
		return nil, err
	}
	networks, err := r.networks(ctx, of)
	list := make([]Key, len(keys))
	for i, k := range keys {
		list[i] = Key{
			ID: k.ID(), API: k.API, Tenant: named[k.Tenant].Reference, Network: networks[k.ID()], tenant: k.Tenant,
			Created: k.Created.Truncate(time.Second), Expires: second(k.Expires), LastUsed: second(k.LastUsed), State: stateOf(k, now),
		}
	}
	return list, err
}

// networks returns the references of the networks of schools keys, by the ids of the keys.
func (r *Reader) networks(ctx context.Context, of []auth.Tenant) (map[string]*string, error) {
	networks := make(map[string]*string)
	rows, err := r.DB.QueryContext(ctx, `
		SELECT k.tenant_id, k.number, e.reference_id
		  FROM keys k
		  JOIN entities e ON e.tenant_id = k.tenant_id AND e.entity_id = k.network
		 WHERE k.tenant_id IN (?0) AND e.tenant_id IN (?0)`, bun.List(of))
	err = snapshotdb.Visit(rows, err, "networks of keys", func(rows *sql.Rows) error {
		var k auth.Key
		var reference string
		err := rows.Scan(&k.Tenant, &k.Number, &reference)
		networks[k.ID()] = &reference
		return err
	})
	return networks, err
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

// live returns the live keys, the last used first.
func live(keys []Key) []LiveKey {
	list := []LiveKey{}
	for _, k := range keys {
		if k.State == Live {
			list = append(list, LiveKey{k.ID, k.API, k.Network, k.LastUsed})
		}
	}
	slices.SortStableFunc(list, func(a, b LiveKey) int { return cmp.Compare(used(b), used(a)) })
	return list
}

// used returns when a key was last used, as a number; 0 is never.
func used(k LiveKey) int64 {
	if k.LastUsed == nil {
		return 0
	}
	return k.LastUsed.Unix()
}
