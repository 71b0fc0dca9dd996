package intake

import (
	"encoding/binary"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/reading/spill"
)

// NewLoanPile returns a pile on which rows of loans wait until all are there, parted by the loan, in bounded memory: which of
// them stands is known from all rows of a loan and from what the store has of it. A row that names another reader than the first
// one is told only there, so that the loans are parted by their identifier first, and by their reader afterwards. room says where.
func NewLoanPile(room spill.Pile) *spill.Of[Lined[libraries.Loan]] {
	return linedPile(room, func(l *libraries.Loan) int64 { return l.ID }, appendPiledLoan, readPiledLoan)
}

// NewReservationPile returns a pile for rows of reservations, as NewLoanPile does for those of loans.
func NewReservationPile(room spill.Pile) *spill.Of[Lined[libraries.Reservation]] {
	return linedPile(room, func(r *libraries.Reservation) int64 { return r.ID }, appendPiledReservation, readPiledReservation)
}

// linedPile is a pile of rows by their identifier. A record is the row's line and the row.
func linedPile[T any](room spill.Pile, id func(*T) int64, form func([]byte, *T) []byte, read func(*packed.Decoder) T) *spill.Of[Lined[T]] {
	return &spill.Of[Lined[T]]{
		Pile: room,
		In:   func(l Lined[T]) int { return int(id(&l.Row) % spill.Parts) },
		Append: func(b []byte, l Lined[T]) []byte {
			return form(binary.AppendUvarint(b, uint64(l.Line)), &l.Row)
		},
		Read: func(d *packed.Decoder) Lined[T] { return Lined[T]{Line: int(facts.Natural(d)), Row: read(d)} },
	}
}
