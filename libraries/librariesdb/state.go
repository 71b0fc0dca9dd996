package librariesdb

import (
	"context"
	"database/sql"
	"math"
	"slices"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/intake"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// State reads what a load must know of a network, as of the state that the access names.
func (s *Store) State(ctx context.Context, a report.Access) (st intake.State, err error) {
	st.At = a.At
	if st.Terms, st.Books, st.Lines, err = s.catalogue(ctx, a); err != nil {
		return st, err
	}
	if st.Channels, err = s.Channels(ctx, a, calendar.Period{Start: math.MinInt32, End: math.MaxInt32}); err != nil {
		return st, err
	}
	if st.Readers, err = s.readerIDs(ctx, a); err != nil {
		return st, err
	}
	st.Forgotten, err = forgotten(ctx, s.DB, a.Network)
	return st, err
}

// readerIDs reads the identifiers of all readers, ascending.
func (s *Store) readerIDs(ctx context.Context, a report.Access) (ids []int64, err error) {
	rows, err := s.DB.QueryContext(ctx, `SELECT user_id FROM libraries_readers WHERE ? ORDER BY user_id`, rowsOf(a))
	var id int64
	return ids, authdb.Visit(rows, err, "readers", func(rows *sql.Rows) error {
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	})
}

// LoansByID returns those of the given loans that the state has. There may be any number of identifiers, in any order.
func (s *Store) LoansByID(ctx context.Context, a report.Access, ids []int64) (map[int64]libraries.Loan, error) {
	loans := map[int64]libraries.Loan{}
	for ids := range slices.Chunk(ids, chunk) {
		err := loansTable.Read(ctx, s.DB, func(l libraries.Loan) { loans[l.ID] = l },
			`FROM libraries_loans WHERE ? AND loan_id IN (?)`, rowsOf(a), bun.List(ids))
		if err != nil {
			return nil, err
		}
	}
	return loans, nil
}

// ReservationsByID returns those of the given reservations that the state has. There may be any number of identifiers, in
// any order.
func (s *Store) ReservationsByID(ctx context.Context, a report.Access, ids []int64) (map[int64]libraries.Reservation, error) {
	reservations := map[int64]libraries.Reservation{}
	for ids := range slices.Chunk(ids, chunk) {
		err := reservationsTable.Read(ctx, s.DB, func(r libraries.Reservation) { reservations[r.ID] = r },
			`FROM libraries_reservations WHERE ? AND reservation_id IN (?)`, rowsOf(a), bun.List(ids))
		if err != nil {
			return nil, err
		}
	}
	return reservations, nil
}
