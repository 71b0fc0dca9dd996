package librariesdb

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/uptrace/bun"

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
	found := make(map[int64]T, len(ids))
	for part, near := range stretches(slices.Sorted(slices.Values(ids))) {
		which := bun.SafeQuery("? IN (?)", l.id, bun.List(part))
		if near {
			which = bun.SafeQuery("? BETWEEN ? AND ?", l.id, part[0], part[len(part)-1])
		}
		err := statedb.Read(ctx, s.DB, l.records, func(v T) {
			id := l.place(v).id
			if _, asked := slices.BinarySearch(part, id); asked {
				found[id] = v
			}
		}, `FROM ? WHERE ? AND ?`, l.table, rowsOf(a), which)
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

const (
	nearby = 4   // numbers stand close where they are no farther from one another
	many   = 128 // so many that stand close are read as a range: a list takes PostgreSQL longer to plan than a range to read
)

// stretches cuts ascending numbers into those that stand close, of which there are many, and what lies between: no more of these than
// one statement names.
func stretches(ids []int64) iter.Seq2[[]int64, bool] {
	return func(yield func([]int64, bool) bool) {
		for len(ids) > 0 {
			n := run(ids)
			near := n >= many
			for !near && n < len(ids) && n < chunk {
				next := run(ids[n:])
				if next >= many {
					break
				}
				n += next
			}
			if !near {
				n = min(n, chunk)
			}
			if !yield(ids[:n], near) {
				return
			}
			ids = ids[n:]
		}
	}
}

// run returns how many of ascending numbers, from the first on, stand close.
func run(ids []int64) int {
	n := 1
	for n < len(ids) && ids[n]-ids[n-1] <= nearby {
		n++
	}
	return n
}

// LoansIn implements report.Store.
func (s *Store) LoansIn(ctx context.Context, a report.Access, w report.Window) ([]libraries.Loan, error) {
	return loans.in(ctx, s, a, w)
}

// ReservationsIn implements report.Store.
func (s *Store) ReservationsIn(ctx context.Context, a report.Access, w report.Window) ([]libraries.Reservation, error) {
	return reservations.in(ctx, s, a, w)
}

// in reads a window: the rows of its days are passed over in the database up to its first.
func (l listed[T]) in(ctx context.Context, s *Store, a report.Access, w report.Window) ([]T, error) {
	status := bun.SafeQuery("TRUE")
	if w.Status != 0 {
		status = bun.SafeQuery("status = ?", w.Status)
	}
	list := make([]T, 0, w.Size)
	err := statedb.Read(ctx, s.DB, l.records, func(v T) { list = append(list, v) }, `
		  FROM ?0
		 WHERE ?2 AND day BETWEEN ?3 AND ?4 AND ?5
		 ORDER BY day, ?1
		 LIMIT ?6 OFFSET ?7`, l.table, l.id, rowsOf(a), int32(w.Period.Start), int32(w.Period.End), status, w.Size, w.Skip)
	return list, err
}

// readListed reads the records of positions, in their order.
func readListed[T any](ctx context.Context, s *Store, a report.Access, positions report.ListPositions, l listed[T]) ([]T, error) {
	list, missing := make([]T, len(positions)), make(map[place]int, len(positions))
	for i, m := range positions {
		missing[place{m.Day, m.ID}] = i
	}
	for part := range slices.Chunk(positions, chunk) {
		keys := make([]bun.TupleValues, len(part))
		for i, m := range part {
			keys[i] = bun.Tuple([]int64{int64(m.Day), m.ID})
		}
		err := statedb.Read(ctx, s.DB, l.records, func(v T) {
			at := l.place(v)
			if i, ok := missing[at]; ok {
				list[i] = v
				delete(missing, at)
			}
		}, `FROM ? WHERE ? AND (day, ?) IN (VALUES ?)`, l.table, rowsOf(a), l.id, bun.List(keys))
		if err != nil {
			return nil, err
		}
	}
	for at := range missing {
		return nil, fmt.Errorf("%s of network %d has no %d on %s", l.table, a.Network, at.id, at.day)
	}
	return list, nil
}
