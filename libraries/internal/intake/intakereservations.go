package intake

import (
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/paging/row"
)

// Reservation checks a row of reservations by itself. A position that its status does not have is left out (L6). The error is
// a *FaultError.
func (in *Intake) Reservation(r libraries.Reservation) (libraries.Reservation, error) {
	if wrong := in.exists(r.Reader, r.Book); wrong != nil {
		return r, wrong
	}
	if !r.Status.Active() {
		r.Position = libraries.None
	}
	resolved := !r.Resolved.IsZero()
	switch {
	case in.late(r.Reserved):
		return r, row.Fault("reservedAt", isLate)
	case r.Status.Resolved() && !resolved:
		return r, row.Fault("resolvedAt", isRequired+" unless the reservation is waiting or available")
	case !r.Status.Resolved() && resolved:
		return r, row.Fault("resolvedAt", "must be empty while the reservation is waiting or available")
	case resolved && r.Resolved.Before(r.Reserved):
		return r, row.Fault("resolvedAt", "must not be before reservedAt")
	case resolved && in.late(r.Resolved):
		return r, row.Fault("resolvedAt", isLate)
	}
	return r, nil
}

// Reservations settles rows of reservations, each checked by itself before: all those of each identifier in them, in the
// order of their lines. had has what the store knows of these identifiers. It returns those that are new or changed. A
// reservation before the history does not exist, as of loans.
func (in *Intake) Reservations(rows []Lined[libraries.Reservation], had map[int64]libraries.Reservation, c *Counts, bad Rejected) ([]facts.ReservationChange, error) {
	var changes []facts.ReservationChange
	put := func(now libraries.Reservation, was *libraries.Reservation) {
		changes = append(changes, facts.ReservationChange{Reservation: now, Was: was})
	}
	err := kept[libraries.Reservation]{
		id:      func(r libraries.Reservation) int64 { return r.ID },
		lasting: func(r libraries.Reservation) lasting { return lasting{r.Reader, r.Book, r.Reserved} },
		start:   "reservedAt", same: func(a, b libraries.Reservation) bool { return reservationFields.Equal(&a, &b) }, history: in.History,
		had: had, put: put, counts: c, bad: bad,
	}.settle(rows)
	return changes, err
}
