package authdb

import (
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/uptrace/bun"
)

type tenantRow struct {
	bun.BaseModel `bun:"table:tenants"`

	TenantID  auth.Tenant `bun:",pk"`
	Kind      Kind
	Reference string
	Name      string
	Created   time.Time
}

func (r tenantRow) tenant() Tenant {
	return Tenant{ID: r.TenantID, Kind: r.Kind, Reference: r.Reference, Name: r.Name, Created: r.Created.UTC()}
}

type versionsRow struct {
	bun.BaseModel `bun:"table:versions"`

	TenantID  auth.Tenant `bun:",pk"`
	Registers int64
	Facts     int64
	Secret    []byte
}

type keyRow struct {
	bun.BaseModel `bun:"table:keys"`

	TenantID auth.Tenant `bun:",pk"`
	Number   int         `bun:",pk"`
	API      auth.API
	Network  int64
	Budget   int
	Hash     []byte // empty on a directory key
	Secret   []byte `bun:",nullzero"` // sealed, on a directory key alone
	Created  time.Time
	Expires  time.Time `bun:",nullzero"`
	Revoked  time.Time `bun:",nullzero"`
	LastUsed time.Time `bun:",nullzero"`
}

// rowOfKey is the row of a key; sealed is the secret of a directory key, nil on
// the others.
func rowOfKey(k auth.Key, sealed []byte) *keyRow {
	hash := k.Hash[:]
	if sealed != nil {
		hash = []byte{} // nothing more than the sealed secret is kept of it
	}
	return &keyRow{
		TenantID: k.Tenant, Number: k.Number, API: k.API, Network: k.Network, Budget: k.Budget, Hash: hash, Secret: sealed,
		Created: k.Created, Expires: k.Expires, Revoked: k.Revoked, LastUsed: k.LastUsed,
	}
}

func (r *keyRow) key() auth.Key {
	k := auth.Key{
		Tenant: r.TenantID, Number: r.Number, API: r.API, Network: r.Network, Budget: r.Budget,
		Created: r.Created.UTC(), Expires: r.Expires.UTC(), Revoked: r.Revoked.UTC(), LastUsed: r.LastUsed.UTC(),
	}
	copy(k.Hash[:], r.Hash)
	return k
}
