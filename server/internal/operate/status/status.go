// Package status reads what an operator wants to know of a database: the snapshots, the last load, the rows and the live keys of
// every tenant, and the list of all keys. The commands print its types as JSON; times are cut to seconds.
//
//	r := &status.Reader{DB: db, Store: keys, Superseded: server.Remover(db, nil)}
//	all, err := r.Tenants(ctx, tenants)
//	err = status.WriteTenants(os.Stdout, all)
//
// If a node of a cluster does not answer, its tenants are left out, and the error names the node. The package changes nothing,
// and knows no rules.
package status

import (
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
)

// Tenant describes a tenant.
type Tenant struct {
	Tenant    auth.Tenant      `json:"tenant"`
	Kind      snapshotdb.Kind  `json:"kind"`
	Reference string           `json:"reference"`
	Name      string           `json:"name"`
	Removing  bool             `json:"removing,omitempty"` // its removal was begun and has not ended; nothing else is told then
	Versions  Versions         `json:"versions"`
	LastLoad  *Load            `json:"lastLoad"` // null before the first one
	Hour      *string          `json:"hour"`     // of a library network's snapshot, as meta.updatedAt has it (L1); else null
	Snapshots Snapshots        `json:"snapshots"`
	Next      *Next            `json:"next"` // null if there is none
	Rows      map[string]int64 `json:"rows"`
	Keys      []LiveKey        `json:"keys"` // by last use, the latest first, those never used last
}

// Versions are those of the current snapshot.
type Versions struct {
	Registers int64 `json:"registers"`
	Facts     int64 `json:"facts"`
}

// Load is the last load of a feed.
type Load struct {
	Ended   time.Time `json:"ended"`
	Seconds float64   `json:"seconds"`
	Rows    int64     `json:"rows"`
}

// Snapshots counts the snapshots of a tenant that can be read.
type Snapshots struct {
	Kept           int64      `json:"kept"`           // with the current one
	Oldest         *time.Time `json:"oldest"`         // when the oldest of them began; null if that is not known
	SupersededRows int64      `json:"supersededRows"` // rows that are not in the current one: retained, or not yet removed
}

// Next is a load that is not yet in effect.
type Next struct {
	Facts int64     `json:"facts"`
	From  time.Time `json:"from"`
}

// second returns a time cut to seconds, nil for the zero time.
func second(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return new(t.Truncate(time.Second))
}
