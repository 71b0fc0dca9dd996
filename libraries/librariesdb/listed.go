package librariesdb

import (
	"context"
	"fmt"
	"slices"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/intake"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/paging/state/statedb"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// listed says how the records of a register are read, and the place of each.
type listed[T any] struct {
	register
	records *state.Records[T]
	place   func(T) place
}

// place is the key by which a register lists its records.
type place struct {
	day calendar.Date
	id  int64
}

var (
	loans = listed[libraries.Loan]{register{"libraries_loans", "loan_id"}, intake.Loans,
		func(l libraries.Loan) place { return place{l.Day(), l.ID} }}
	reservations = listed[libraries.Reservation]{register{"libraries_reservations", "reservation_id"}, intake.Reservations,
		func(r libraries.Reservation) place { return place{r.Day(), r.ID} }}
)

// Loans implements report.Store. A position without a loan is an error.
func (s *Store) Loans(ctx context.Context, a report.Access, positions report.ListPositions) ([]libraries.Loan, error) {
	return readListed(ctx, s, a, positions, loans)
}

// Reservations implements report.Store. A position without a reservation is an error.
func (s *Store) Reservations(ctx context.Context, a report.Access, positions report.ListPositions) ([]libraries.Reservation, error) {
	return readListed(ctx, s, a, positions, reservations)
}

// LoansByID returns those of the given loans that the state has. There may be any number of identifiers, in any order.
func (s *Store) LoansByID(ctx context.Context, a report.Access, ids []int64) (map[int64]libraries.Loan, error) {
	return loans.byID(ctx, s, a, ids)
}

// ReservationsByID returns those of the given reservations that the state has, as LoansByID does loans.
func (s *Store) ReservationsByID(ctx context.Context, a report.Access, ids []int64) (map[int64]libraries.Reservation, error) {
	return reservations.byID(ctx, s, a, ids)
}

func (l listed[T]) byID(ctx context.Context, s *Store, a report.Access, ids []int64) (map[int64]T, error) {
	found := map[int64]T{}
	for ids := range slices.Chunk(ids, chunk) {
		err := statedb.Read(ctx, s.DB, l.records, func(v T) { found[l.place(v).id] = v },
			`FROM ? WHERE ? AND ? IN (?)`, l.table, rowsOf(a), l.id, bun.List(ids))
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// readListed reads the records of positions, in their order. Those of a page mostly stand close together, and one range has
// them; what the range has not is read by name, which takes three times as long.
func readListed[T any](ctx context.Context, s *Store, a report.Access, positions report.ListPositions, l listed[T]) ([]T, error) {
	list, missing := make([]T, len(positions)), make(map[place]int, len(positions))
	for i, m := range positions {
		missing[place{m.Day, m.ID}] = i
	}
	read := func(from schema.QueryWithArgs) error {
		return statedb.Read(ctx, s.DB, l.records, func(v T) {
			at := l.place(v)
			if i, ok := missing[at]; ok {
				list[i] = v
				delete(missing, at)
			}
		}, `FROM ?`, from)
	}
	for part := range slices.Chunk(positions, chunk) {
		if err := read(l.near(a, part)); err != nil {
			return nil, err
		}
		rest := slices.DeleteFunc(slices.Clone(part), func(m report.ListPosition) bool { _, ok := missing[place{m.Day, m.ID}]; return !ok })
		if len(rest) == 0 {
			continue
		}
		if err := read(l.named(a, rest)); err != nil {
			return nil, err
		}
	}
	for at := range missing {
		return nil, fmt.Errorf("%s of network %d has no %d on %s", l.table, a.Network, at.id, at.day)
	}
	return list, nil
}

// nearMost bounds the rows of a range that are passed over for one that is taken, where a list has one status alone.
const nearMost = 4

// near names the rows from the first position on, as many as there are positions: all of them where the list is not filtered. Where
// all positions have one status it is filtered by that, as it seems, and the range is longer.
func (r register) near(a report.Access, positions report.ListPositions) schema.QueryWithArgs {
	first, last, limit := positions[0], positions[len(positions)-1], len(positions)
	statuses := make([]int64, 0, nearMost)
	for _, m := range positions {
		if s := int64(m.Status); !slices.Contains(statuses, s) {
			statuses = append(statuses, s)
		}
	}
	if len(statuses) == 1 {
		limit *= nearMost
	}
	return bun.SafeQuery(`(
		SELECT *
		  FROM ?0
		 WHERE ?2 AND (day, ?1) >= (?3, ?4) AND (day, ?1) <= (?5, ?6)
		 ORDER BY day, ?1
		 LIMIT ?7) AS near
		 WHERE status IN (?8)`, r.table, r.id, rowsOf(a), int32(first.Day), first.ID, int32(last.Day), last.ID, limit, bun.List(statuses))
}

// named names the rows of the positions, one by one.
func (r register) named(a report.Access, positions report.ListPositions) schema.QueryWithArgs {
	keys := make([]bun.TupleValues, len(positions))
	for i, m := range positions {
		keys[i] = bun.Tuple([]int64{int64(m.Day), m.ID})
	}
	return bun.SafeQuery(`? WHERE ? AND (day, ?) IN (VALUES ?)`, r.table, rowsOf(a), r.id, bun.List(keys))
}
