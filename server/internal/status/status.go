// Package status tells the operator what a database holds: of every tenant its states, its last load, its rows and its live
// keys, and the list of all keys. Its types are what the commands print as JSON; times are cut to seconds.
package status

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/paging/state/statedb"
	"github.com/lectern-dev/lectern/schools/schoolsdb"
)

// Tenant is what is told of a tenant.
type Tenant struct {
	Tenant    auth.Tenant `json:"tenant"`
	Kind      authdb.Kind `json:"kind"`
	Reference string      `json:"reference"`
	Name      string      `json:"name"`
	Versions  Versions    `json:"versions"`
	LastLoad  *Load       `json:"lastLoad"` // null before the first one
	Hour      *string     `json:"hour"`     // of a library network's snapshot, as meta.updatedAt has it (L1); else null
	States    States      `json:"states"`
	Next      *Next       `json:"next"` // null where nothing waits for its hour
	Rows      Counts      `json:"rows"`
	Keys      []LiveKey   `json:"keys"` // by last use, the latest first, those never used last
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

// Count is the number of rows of one sort.
type Count struct {
	Name string
	Rows int64
}

// Counts are numbers of rows in their order, in JSON an object.
type Counts []Count

// MarshalJSON writes the numbers as one object.
func (cs Counts) MarshalJSON() ([]byte, error) {
	members := make([]string, len(cs))
	for i, c := range cs {
		members[i] = fmt.Sprintf("%q:%d", c.Name, c.Rows) // names are plain letters
	}
	return []byte("{" + strings.Join(members, ",") + "}"), nil
}

// String writes the numbers as people read them: 381 entities, 10000 accounts.
func (cs Counts) String() string {
	texts := make([]string, len(cs))
	for i, c := range cs {
		texts[i] = fmt.Sprint(c.Rows, " ", c.Name)
	}
	return strings.Join(texts, ", ")
}

// Reader reads what is told.
type Reader struct {
	Store  *authdb.Store
	Former *statedb.Remover // counts the rows of former states
}

// Each calls f with every tenant, by number, as soon as its rows are counted, which takes a while where there are many. A tenant
// that cannot be read, as where a node of a cluster does not answer, keeps it from no other; the error names the first.
func (r *Reader) Each(ctx context.Context, f func(Tenant) error) error {
	tenants, err := r.Store.Tenants(ctx)
	unread := 0
	for _, t := range tenants {
		st, e := r.tenant(ctx, t)
		switch {
		case e == nil:
			if e := f(st); e != nil {
				return e
			}
		case ctx.Err() != nil:
			return e
		default:
			unread++
			err = cmp.Or(err, fmt.Errorf("status of %s %q: %w", t.Kind, t.Reference, e))
		}
	}
	if unread > 1 {
		err = fmt.Errorf("%d tenants cannot be read: %w", unread, err)
	}
	return err
}

// tenant reads what is told of a tenant, all from one state of it, but for its keys.
func (r *Reader) tenant(ctx context.Context, t authdb.Tenant) (Tenant, error) {
	st := Tenant{Tenant: t.ID, Kind: t.Kind, Reference: t.Reference, Name: t.Name}
	var err error
	if st.Keys, err = r.liveKeys(ctx, t.ID); err != nil {
		return st, err
	}
	options := &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
	err = r.Store.DB.RunInTx(ctx, options, func(ctx context.Context, tx bun.Tx) error {
		h, err := authdb.ReadHeld(ctx, tx, t.ID)
		if err != nil {
			return err
		}
		st.Versions = Versions{h.Registers, h.Facts}
		if h.Next != 0 {
			st.Next = &Next{h.Next, h.NextFrom}
		}
		if access := librariesdb.AccessOf(libraries.NetworkID(t.ID), h); t.Kind == authdb.Library && access.Hour != 0 {
			st.Hour = new(access.Hour.String())
		}
		loads, err := authdb.Loads(ctx, tx, t.ID)
		if err != nil {
			return err
		}
		for _, l := range loads { // a tenant has one API that is loaded
			st.LastLoad = &Load{l.Ended.Truncate(time.Second), l.Took.Seconds(), l.Rows}
		}
		if err := r.states(ctx, tx, &st, h); err != nil {
			return err
		}
		return count(ctx, tx, &st, h)
	})
	return st, err
}

// states reads what is told of a tenant's states.
func (r *Reader) states(ctx context.Context, tx bun.Tx, st *Tenant, h authdb.Held) (err error) {
	var began int64
	err = tx.NewRaw(`SELECT count(*), coalesce(min(began), 0) FROM states WHERE tenant_id = ? AND registers >= ? AND facts >= ?`,
		st.Tenant, h.Oldest.Registers, h.Oldest.Facts).Scan(ctx, &st.States.Kept, &began)
	if err != nil {
		return fmt.Errorf("count states: %w", err)
	}
	if began > 0 {
		st.States.Oldest = second(time.UnixMicro(began).UTC())
	}
	st.States.FormerRows, err = r.Former.FormerRows(ctx, tx, state.Tenant(st.Tenant))
	return err
}

// counted says what is counted of each kind of tenant, and of what: of entities and accounts those that are in the directory.
var counted = map[authdb.Kind][]struct{ name, from string }{
	authdb.Partner: {
		{"entities", "entities WHERE NOT deleted AND"}, {"accounts", "accounts WHERE NOT deleted AND"},
		{"books", "schools_books WHERE " + present}, {"records", blocks(schoolsdb.RecordKind)}, {"days", blocks(schoolsdb.PresenceKind)},
	},
	authdb.Library: {
		{"readers", "libraries_readers WHERE " + present}, {"titles", "libraries_books WHERE " + present},
		{"loans", "libraries_loans WHERE " + present}, {"reservations", "libraries_reservations WHERE " + present},
		{"days", blocks(librariesdb.TotalsKind)},
	},
}

// present is the condition for rows of the facts that hold.
const present = "since <= ?1 AND until > ?1 AND"

// blocks are the blocks of a kind of the facts that hold.
func blocks(k state.Kind) string {
	return fmt.Sprint("blocks WHERE kind = ", k.Number, " AND ", present)
}

// count counts the rows of a tenant in its present state.
func count(ctx context.Context, tx bun.Tx, st *Tenant, h authdb.Held) error {
	for _, c := range counted[st.Kind] {
		var n int64
		if err := tx.NewRaw(`SELECT count(*) FROM `+c.from+` tenant_id = ?0`, st.Tenant, h.Facts).Scan(ctx, &n); err != nil {
			return fmt.Errorf("count %s: %w", c.name, err)
		}
		st.Rows = append(st.Rows, Count{c.name, n})
	}
	return nil
}

// second returns a time cut to seconds, nil for the zero time.
func second(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return new(t.Truncate(time.Second))
}
