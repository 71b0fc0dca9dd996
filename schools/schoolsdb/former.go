package schoolsdb

import (
	"github.com/lectern-dev/lectern/paging/state/statedb"
	"github.com/lectern-dev/lectern/schools/internal/facts"
)

// Former are the tables in which the facts stood before there were states; see statedb.Store.Move. Each is left when its
// last row has moved.
func Former() []statedb.Former {
	return []statedb.Former{
		{Table: "former_schools_records", Before: "schools_records", Key: []string{"user_id", "book_id"}, Lo: "first_day", Hi: "last_day", Forms: []statedb.Form{{Column: "data", Kind: facts.RecordKind}}},
		{Table: "former_schools_ledgers", Before: "schools_ledgers", Key: []string{"block"}, Forms: []statedb.Form{{Column: "data", Kind: facts.LedgerKind}}},
		{Table: "former_schools_days", Before: "schools_days", Key: []string{"day"}, Forms: []statedb.Form{{Column: "presence", Kind: facts.PresenceKind}, {Column: "minutes", Kind: facts.MinutesKind}}},
		{Table: "former_schools_seen", Before: "schools_seen", Key: []string{"user_id", "block"}, Forms: []statedb.Form{{Column: "data", Kind: facts.SeenKind}}},
	}
}
