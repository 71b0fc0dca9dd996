package librariesload

import (
	"context"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/server/feed"
)

var reservationFields = []feed.Field{
	{Name: "reservationId", Required: true}, {Name: "userId", Required: true}, {Name: "bookId", Required: true}, {Name: "status", Required: true},
	{Name: "position"}, {Name: "reservedAt", Required: true}, {Name: "resolvedAt"},
}

func (l *load) reservation(r *feed.Row, to *libraries.Reservation) {
	reservation := libraries.Reservation{
		ID: r.Int(0), Reader: r.Int(1), Book: r.Int(2), Position: intOrNone(r, 4), Reserved: r.Time(5), Resolved: r.Time(6),
	}
	status := r.Bytes(3)
	if r.Bad() {
		return
	}
	var err error
	*to, err = l.intake.Reservation(reservation, string(status))
	fail(r, err, reservationFields)
}

// settleReservations reads reservations and settles them part by part against what the store has.
func (l *load) settleReservations(ctx context.Context) error {
	n := &l.totals.Reservations
	err := rows(ctx, l, "reservations", reservationFields, l.reservation, func(r *libraries.Reservation, at feed.Pos) error {
		return l.reservations.Add(at.Line, *r)
	}, &n.Rows, &n.Bad)
	if err != nil {
		return err
	}
	return l.parts(func(i int) error {
		part, err := l.reservations.Part(i)
		if err != nil {
			return err
		}
		return l.settleReservationPart(ctx, part)
	})
}

func (l *load) settleReservationPart(ctx context.Context, part []libraries.Lined[libraries.Reservation]) error {
	had, err := known(ctx, l, part, func(r libraries.Reservation) int64 { return r.ID }, l.store.ReservationsByID)
	if err != nil {
		return err
	}
	changes, err := l.intake.Reservations(part, had, &l.totals.Reservations, l.rejected(ctx, "reservations", reservationFields))
	if err != nil {
		return err
	}
	for _, c := range changes {
		if err := l.pile.AddReservation(c); err != nil {
			return err
		}
	}
	return nil
}
