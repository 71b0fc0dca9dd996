package librariesdb

import (
	"context"
	"maps"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging/state"
)

// holdingChanges are changes of holdings summed by title: readers have many, titles are few.
type holdingChanges map[int64]libraries.Holding

func (hs holdingChanges) add(changes []libraries.Holding) {
	for _, c := range changes {
		h := hs[c.Book]
		hs[c.Book] = libraries.Holding{
			Book:               c.Book,
			Readings:           h.Readings + c.Readings,
			ActiveLoans:        h.ActiveLoans + c.ActiveLoans,
			ActiveReservations: h.ActiveReservations + c.ActiveReservations,
			Confirmed:          h.Confirmed + c.Confirmed,
		}
	}
}

// list returns the changes by title.
func (hs holdingChanges) list() []libraries.Holding {
	list := make([]libraries.Holding, 0, len(hs))
	for _, book := range slices.Sorted(maps.Keys(hs)) {
		list = append(list, hs[book])
	}
	return list
}

// writeHoldings writes what is counted now of every title.
func (l *load) writeHoldings(ctx context.Context) error {
	var had libraries.Holdings
	if !l.empty() {
		var err error
		if had, err = l.Holdings(ctx, l.base); err != nil {
			return err
		}
	}
	now, err := had.Add(l.changes.list())
	if err != nil {
		return err
	}
	var r replaced
	r.add(state.BlockKey{}, !l.empty(), now.AppendBinary(nil))
	return l.put(ctx, flushAt, l.to.RowsOf(r.of(libraries.HoldingsKind)))
}
