package librariesdb

import (
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/paging/state/statedb"
)

// Former are the tables in which the packed forms stood before there were states; see statedb.Store.Move. Each is left when its
// last row has moved.
func Former() []statedb.Former {
	data := func(k state.Kind) []statedb.Form { return []statedb.Form{{Column: "data", Kind: k}} }
	return []statedb.Former{
		{Table: "former_libraries_attributes", Before: "libraries_attributes", Key: []string{"block"}, Forms: data(facts.AttributesKind)},
		{Table: "former_libraries_shelves", Before: "libraries_shelves", Key: []string{"user_id"}, Forms: data(facts.ReaderTitlesKind)},
		{Table: "former_libraries_seen", Before: "libraries_seen", Key: []string{"readers", "block"}, Forms: data(facts.EventSetKind)},
		{Table: "former_libraries_holdings", Before: "libraries_holdings", Key: []string{"zero"}, Forms: data(facts.TitleCountsKind)},
		{Table: "former_libraries_days", Before: "libraries_days", Key: []string{"day"}, Forms: []statedb.Form{
			{Column: "totals", Kind: facts.TotalsKind}, {Column: "readers", Kind: facts.ReaderSheetKind},
			{Column: "titles", Kind: facts.TitleSheetKind}, {Column: "logins", Kind: facts.LoginSheetKind},
		}},
	}
}
