package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
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
		{"books", "schools_books WHERE " + present + " AND"}, {"records", ofKind(schools.RecordKind)}, {"days", ofKind(schools.PresenceKind)},
	},
	authdb.Library: {
		{"readers", "libraries_readers WHERE " + present + " AND"}, {"titles", "libraries_books WHERE " + present + " AND"},
		{"loans", "libraries_loans WHERE " + present + " AND"}, {"reservations", "libraries_reservations WHERE " + present + " AND"},
		{"days", ofKind(libraries.TotalsKind)},
	},
}

// present is the condition for rows of the facts that hold.
const present = "since <= ?1 AND until > ?1"

// ofKind are the blocks of a kind of the facts that hold.
func ofKind(k states.Kind) string {
	return fmt.Sprint("blocks WHERE kind = ", k.Number, " AND ", present, " AND")
}

// countRows counts the rows of a tenant in its present state.
func countRows(ctx context.Context, tx bun.Tx, t authdb.Tenant, h authdb.Held) (rowCounts, error) {
	var counts rowCounts
	for _, c := range counted[t.Kind] {
		var n int64
		if err := tx.NewRaw(`SELECT count(*) FROM `+c.from+` tenant_id = ?0`, t.ID, h.Facts).Scan(ctx, &n); err != nil {
			return nil, fmt.Errorf("count %s: %w", c.name, err)
		}
		counts = append(counts, rowCount{c.name, n})
	}
	return counts, nil
}

// snapshotHour returns the hour from which a library network's data hold, nil before the first load.
func snapshotHour(t authdb.Tenant, h authdb.Held) *string {
	hour := librariesdb.AccessOf(libraries.NetworkID(t.ID), h).Hour
	if hour == 0 {
		return nil
	}
	text := hour.String()
	return &text
}
