package report

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// Loans answers one page of the loans, by the day of the loan, then identifier. The rows are shared and must not be changed.
func (r *Reports) Loans(ctx context.Context, a Access, q LoanQuery, p paging.Page) (List[LoanRow], error) {
	return listPositioned(ctx, r, a, positionQuery{LoanRegister, q.Period, q.Reader, q.Book, uint8(q.Status)}, p, r.loans())
}

// loans is how loans are read.
func (r *Reports) loans() positioned[libraries.Loan, LoanRow] {
	return positioned[libraries.Loan, LoanRow]{
		in: r.Store.LoansIn, at: r.Store.Loans, rows: r.loanRows,
		key: func(l *libraries.Loan) (calendar.Date, int64) { return l.Day(), l.ID },
	}
}

// loanRows reads loans, their titles, and what their readers read of these.
func (r *Reports) loanRows(ctx context.Context, a Access, read func() ([]libraries.Loan, error)) ([]LoanRow, error) {
	var titles *Catalogue
	var rows []LoanRow
	err := state.Together(
		func() (err error) { titles, err = r.catalogue(ctx, a); return err },
		func() error {
			loans, err := read()
			if err != nil {
				return err
			}
			rows = make([]LoanRow, len(loans))
			for i := range rows {
				rows[i].Loan = loans[i]
			}
			return r.addProgress(ctx, a, rows)
		},
	)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		l := &rows[i]
		if l.Title = titles.Title(l.Loan.Book); l.Title == nil {
			return nil, fmt.Errorf("title %d of loan %d is missing: %w", l.Loan.Book, l.Loan.ID, packed.ErrCorrupt)
		}
	}
	return rows, nil
}

// addProgress sets the seconds and the progress of the rows: those of the reader and the title, from what was read of the loans of
// their days.
func (r *Reports) addProgress(ctx context.Context, a Access, rows []LoanRow) error {
	byDay := map[calendar.Date][]*LoanRow{}
	for i := range rows {
		day := rows[i].Loan.Day()
		byDay[day] = append(byDay[day], &rows[i])
	}
	err := Folded{r.Store}.loanReadings(ctx, a, slices.Sorted(maps.Keys(byDay)), func(day calendar.Date, data []byte) error {
		rows := byDay[day]
		delete(byDay, day)
		slices.SortFunc(rows, func(x, y *LoanRow) int {
			return cmp.Or(cmp.Compare(x.Loan.Reader, y.Loan.Reader), cmp.Compare(x.Loan.Book, y.Loan.Book))
		})
		return facts.VisitLoanReadings(data, func(read facts.LoanReading) {
			for len(rows) > 0 && rows[0].before(read) {
				rows = rows[1:]
			}
			for ; len(rows) > 0 && rows[0].Loan.Reader == read.Reader && rows[0].Loan.Book == read.Book; rows = rows[1:] {
				rows[0].Seconds, rows[0].Highest = read.Seconds, read.Highest
			}
		})
	})
	for day := range byDay {
		if err == nil {
			err = fmt.Errorf("readings of loans of %s are missing: %w", day, packed.ErrCorrupt)
		}
	}
	return err
}

// before reports whether the row stands, by reader, then title, before a reading.
func (l *LoanRow) before(read facts.LoanReading) bool {
	return cmp.Or(cmp.Compare(l.Loan.Reader, read.Reader), cmp.Compare(l.Loan.Book, read.Book)) < 0
}

// Reservations answers one page of the reservations, by their day, then identifier. The rows are shared and must not be
// changed.
func (r *Reports) Reservations(
	ctx context.Context, a Access, q ReservationQuery, p paging.Page,
) (List[ReservationRow], error) {
	asked := positionQuery{ReservationRegister, q.Period, q.Reader, q.Book, uint8(q.Status)}
	return listPositioned(ctx, r, a, asked, p, r.reservations())
}

// reservations is how reservations are read.
func (r *Reports) reservations() positioned[libraries.Reservation, ReservationRow] {
	return positioned[libraries.Reservation, ReservationRow]{
		in: r.Store.ReservationsIn, at: r.Store.Reservations, rows: r.reservationRows,
		key: func(v *libraries.Reservation) (calendar.Date, int64) { return v.Day(), v.ID },
	}
}

// reservationRows reads reservations, their titles, and the titles' queues.
func (r *Reports) reservationRows(ctx context.Context, a Access, read func() ([]libraries.Reservation, error)) ([]ReservationRow, error) {
	var titles *Catalogue
	var now facts.CountsByTitle
	var reservations []libraries.Reservation
	err := state.Together(
		func() (err error) { titles, err = r.catalogue(ctx, a); return err },
		func() (err error) { now, err = r.titleCounts(ctx, a); return err },
		func() (err error) { reservations, err = read(); return err },
	)
	if err != nil {
		return nil, err
	}
	rows := make([]ReservationRow, len(reservations))
	for i := range rows {
		v := reservations[i]
		rows[i] = ReservationRow{v, titles.Title(v.Book), now.Of(v.Book).ActiveReservations}
		if rows[i].Title == nil {
			return nil, fmt.Errorf("title %d of reservation %d is missing: %w", v.Book, v.ID, packed.ErrCorrupt)
		}
	}
	return rows, nil
}
