package report

import (
	"context"
	"fmt"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/packed"
)

// Reservations answers one page of the reservations, by their day, then identifier. The rows are shared and must not be
// changed.
func (r *Reports) Reservations(
	ctx context.Context, a Access, q ReservationQuery, p paging.Page,
) (List[ReservationRow], error) {
	asked := positionQuery{ReservationRegister, q.Period, q.Reader, q.Book, uint8(q.Status)}
	return listPositioned(ctx, r, a, asked, p, r.reservationRows)
}

// reservationRows reads the reservations of the positions, their titles, and the titles' queues.
func (r *Reports) reservationRows(ctx context.Context, a Access, positions ListPositions) ([]ReservationRow, error) {
	var titles *Catalogue
	var now facts.CountsByTitle
	var reservations []libraries.Reservation
	err := state.Together(
		func() (err error) { titles, err = r.catalogue(ctx, a); return err },
		func() (err error) { now, err = r.titleCounts(ctx, a); return err },
		func() (err error) { reservations, err = r.Store.Reservations(ctx, a, positions); return err },
	)
	if err == nil {
		err = checkPositioned("reservation", positions, reservations, func(v *libraries.Reservation) int64 { return v.ID })
	}
	if err != nil {
		return nil, err
	}
	rows := make([]ReservationRow, len(positions))
	for i := range rows {
		v := reservations[i]
		rows[i] = ReservationRow{v, titles.Title(v.Book), now.Of(v.Book).ActiveReservations}
		if rows[i].Title == nil {
			return nil, fmt.Errorf("title %d of reservation %d is missing: %w", v.Book, v.ID, packed.ErrCorrupt)
		}
	}
	return rows, nil
}
