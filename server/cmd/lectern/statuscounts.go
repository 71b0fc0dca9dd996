package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/libraries"
	states "github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/schools"
)

// rowCount is the number of rows of one sort that a tenant has.
type rowCount struct {
	Name  string
	Count int64
}

// rowCounts are such numbers in their order, in JSON an object.
type rowCounts []rowCount

// MarshalJSON writes the numbers as one object.
func (rs rowCounts) MarshalJSON() ([]byte, error) {
	members := make([]string, len(rs))
	for i, r := range rs {
		members[i] = fmt.Sprintf("%q:%d", r.Name, r.Count) // names are plain letters
	}
	return []byte("{" + strings.Join(members, ",") + "}"), nil
}

// String writes the numbers as people read them: 381 entities, 10000 accounts.
func (rs rowCounts) String() string {
	texts := make([]string, len(rs))
	for i, r := range rs {
		texts[i] = fmt.Sprint(r.Count, " ", r.Name)
	}
	return strings.Join(texts, ", ")
}

// counted says what is counted of each kind of tenant, and how: of entities and accounts those that are in the directory.
var counted = map[authdb.Kind][]struct{ name, from string }{
	authdb.Partner: {
		{"entities", "entities WHERE NOT deleted AND"}, {"accounts", "accounts WHERE NOT deleted AND"},
		{"books", "schools_books WHERE " + open + " AND"}, {"records", ofKind(schools.RecordKind)}, {"days", ofKind(schools.PresenceKind)},
	},
	authdb.Library: {
		{"readers", "libraries_readers WHERE"}, {"titles", "libraries_books WHERE"}, {"loans", "libraries_loans WHERE"},
		{"reservations", "libraries_reservations WHERE"}, {"days", "libraries_days WHERE"},
	},
}

// open is the condition for what no load has replaced.
var open = fmt.Sprint("until = ", states.Open)

// ofKind are the blocks of a kind that no load has replaced.
func ofKind(k states.Kind) string {
	return fmt.Sprint("blocks WHERE kind = ", k.Number, " AND ", open, " AND")
}

// countRows counts the rows of a tenant.
func countRows(ctx context.Context, tx bun.Tx, t authdb.Tenant) (rowCounts, error) {
	var counts rowCounts
	for _, c := range counted[t.Kind] {
		var n int64
		if err := tx.NewRaw(`SELECT count(*) FROM `+c.from+` tenant_id = ?`, t.ID).Scan(ctx, &n); err != nil {
			return nil, fmt.Errorf("count %s: %w", c.name, err)
		}
		counts = append(counts, rowCount{c.name, n})
	}
	return counts, nil
}

// snapshotHour returns the hour at which a library network's data took effect, nil before the first load.
func snapshotHour(ctx context.Context, tx bun.Tx, t auth.Tenant) (*string, error) {
	var hour libraries.Hour
	err := tx.NewRaw(`SELECT hour FROM libraries_networks WHERE tenant_id = ?`, t).Scan(ctx, &hour)
	if errors.Is(err, sql.ErrNoRows) || err == nil && hour == 0 {
		return nil, nil
	}
	text := hour.String()
	return &text, err
}
