// Package status tells the operator what a database holds: of every tenant its states, its last load, its rows and its live
// keys, and the list of all keys. Its types are what the commands print as JSON; times are cut to seconds.
package status

import (
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
)

// Tenant is what is told of a tenant.
type Tenant struct {
	Tenant    auth.Tenant      `json:"tenant"`
	Kind      snapshotdb.Kind  `json:"kind"`
	Reference string           `json:"reference"`
	Name      string           `json:"name"`
	Removing  bool             `json:"removing,omitempty"` // its removal was begun and has not ended; nothing else is told then
	Versions  Versions         `json:"versions"`
	LastLoad  *Load            `json:"lastLoad"` // null before the first one
	Hour      *string          `json:"hour"`     // of a library network's snapshot, as meta.updatedAt has it (L1); else null
	States    States           `json:"states"`
	Next      *Next            `json:"next"` // null where nothing waits for its hour
	Rows      map[string]int64 `json:"rows"`
	Keys      []LiveKey        `json:"keys"` // by last use, the latest first, those never used last
}

// Versions are those that hold.
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

// States are those of a tenant that can be read.
type States struct {
	Kept       int64      `json:"kept"`       // the present one with them
	Oldest     *time.Time `json:"oldest"`     // when the oldest of them began; null where that is not known
	FormerRows int64      `json:"formerRows"` // that the present one has not: they are kept, or wait to be removed
}

// Next is what waits for its hour.
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
