package librariesdb

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/intake"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging/handle"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
)

// listed describes how the records of a table are read.
type listed[T libraries.LoanOrReservation] struct {
	register
	records *snapshot.Records[T]
}

var (
	loans        = listed[libraries.Loan]{register{"libraries_loans", "loan_id"}, intake.Loans}
	reservations = listed[libraries.Reservation]{register{"libraries_reservations", "reservation_id"}, intake.Reservations}
)

// LoansByID implements report.Store. There may be any number of identifiers, in any order.
func (s *Store) LoansByID(ctx context.Context, a report.Access, ids []int64) (map[int64]libraries.Loan, error) {
	return loans.byID(ctx, s, a, ids)
}

// ReservationsByID implements report.Store.
func (s *Store) ReservationsByID(ctx context.Context, a report.Access, ids []int64) (map[int64]libraries.Reservation, error) {
	return reservations.byID(ctx, s, a, ids)
}

func (l listed[T]) byID(ctx context.Context, s *Store, a report.Access, ids []int64) (map[int64]T, error) {
	found := make(map[int64]T, len(ids))
	for part := range slices.Chunk(slices.Sorted(slices.Values(ids)), chunk) {
		from, among := handle.AmongOf(s.DB, string(l.table), bun.SafeQuery("tenant_id = ?", a.Network), string(l.id), part)
		err := snapshotdb.Read(ctx, s.DB, l.records, func(v T) {
			id := v.Origin().ID
			if _, asked := slices.BinarySearch(part, id); asked {
				found[id] = v
			}
		}, `FROM ? WHERE ? AND ?`, from, rowsOf(a), among)
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// LoansIn implements report.Store.
func (s *Store) LoansIn(ctx context.Context, a report.Access, w report.ListWindow) ([]libraries.Loan, error) {
	return loans.in(ctx, s, a, w)
}

// ReservationsIn implements report.Store.
func (s *Store) ReservationsIn(ctx context.Context, a report.Access, w report.ListWindow) ([]libraries.Reservation, error) {
	return reservations.in(ctx, s, a, w)
}

// in reads a window. The database skips the rows before it.
func (l listed[T]) in(ctx context.Context, s *Store, a report.Access, w report.ListWindow) ([]T, error) {
	status := bun.SafeQuery("TRUE")
	if w.Status != 0 {
		status = bun.SafeQuery("status = ?", w.Status)
	}
	return read(ctx, s, l.records, `
		  FROM ?0
		 WHERE ?2 AND day BETWEEN ?3 AND ?4 AND ?5
		 ORDER BY day, ?1
		 LIMIT ?6 OFFSET ?7`, l.table, l.id, rowsOf(a), int32(w.Period.Start), int32(w.Period.End), status, w.Size, w.Skip)
}
