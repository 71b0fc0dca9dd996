package authdb

import (
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/uptrace/bun"
)

type keyRow struct {
	bun.BaseModel `bun:"table:keys"`

	TenantID auth.Tenant `bun:",pk"`
	Number   int         `bun:",pk"`
	API      auth.API
	Network  int64
	Budget   int
	Hash     []byte // empty for a directory key
	Secret   []byte `bun:",nullzero"` // sealed; only for a directory key
	Created  time.Time
	Expires  time.Time `bun:",nullzero"`
	Revoked  time.Time `bun:",nullzero"`
	LastUsed time.Time `bun:",nullzero"`
}

// rowOfKey returns the row of a key, without hash and secret.
func rowOfKey(k auth.Key) *keyRow {
	return &keyRow{
		TenantID: k.Tenant, Number: k.Number, API: k.API, Network: k.Network, Budget: k.Budget, Hash: []byte{},
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
