package librariesdb

import (
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading/packed"
)

// The forms in which rows wait for their day are those of package row; behind those of loans and reservations stands whether a
// row of the store is replaced.
var (
	loanForm        = row.Of(&libraries.Loan{})
	reservationForm = row.Of(&libraries.Reservation{})
	requestForm     = row.Of(&libraries.Request{})
)

func appendLoan(b []byte, c libraries.LoanChange) []byte {
	return appendOld(loanForm.Append(b, &c.Loan), c.Was != nil)
}

func readLoan(d *packed.Decoder) (l libraries.Loan, old bool) {
	d.Check(loanForm.Read(d, &l) == nil)
	return l, d.Byte() != 0
}

func appendReservation(b []byte, c libraries.ReservationChange) []byte {
	return appendOld(reservationForm.Append(b, &c.Reservation), c.Was != nil)
}

func readReservation(d *packed.Decoder) (r libraries.Reservation, old bool) {
	d.Check(reservationForm.Read(d, &r) == nil)
	return r, d.Byte() != 0
}

func appendOld(b []byte, old bool) []byte {
	if old {
		return append(b, 1)
	}
	return append(b, 0)
}

func appendRequest(b []byte, r libraries.Request) []byte { return requestForm.Append(b, &r) }

func readRequest(d *packed.Decoder) (r libraries.Request) {
	d.Check(requestForm.Read(d, &r) == nil)
	return r
}
