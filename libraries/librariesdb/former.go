package librariesdb

import (
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/paging/state/statedb"
)

// Former are the tables in which the packed forms stood before there were states; see statedb.Store.Move. Each is left when its
// last row has moved.
func Former() []statedb.Former {
	data := func(k state.Kind) []statedb.Form { return []statedb.Form{{Column: "data", Kind: k}} }
	return []statedb.Former{
		{Table: "former_libraries_attributes", Before: "libraries_attributes", Key: []string{"block"}, Forms: data(libraries.AttributesKind)},
		{Table: "former_libraries_shelves", Before: "libraries_shelves", Key: []string{"user_id"}, Forms: data(libraries.ShelfKind)},
		{Table: "former_libraries_seen", Before: "libraries_seen", Key: []string{"readers", "block"}, Forms: data(libraries.SeenKind)},
		{Table: "former_libraries_holdings", Before: "libraries_holdings", Key: []string{"zero"}, Forms: data(libraries.HoldingsKind)},
		{Table: "former_libraries_days", Before: "libraries_days", Key: []string{"day"}, Forms: []statedb.Form{
			{Column: "totals", Kind: libraries.TotalsKind}, {Column: "readers", Kind: libraries.ReaderSheetKind},
			{Column: "titles", Kind: libraries.TitleSheetKind}, {Column: "logins", Kind: libraries.LoginSheetKind},
		}},
	}
}
