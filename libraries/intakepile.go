package libraries

import (
	"encoding/binary"

	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/reading/spill"
)

// A LoanPile sets rows of loans aside until all are there, parted by the loan, in bounded memory: which of them stands is
// known from all rows of a loan and from what the store has of it. It is not for use by several goroutines at once.
//
// A record is the row's line and the loan as a Pile has it.
type LoanPile struct {
	Spill spill.Pile

	record []byte // the last one: its room is used again
}

// Add puts a row of loans on the pile.
func (p *LoanPile) Add(line int, l Loan) error {
	p.record = appendPiledLoan(binary.AppendUvarint(p.record[:0], uint64(line)), &l)
	return p.Spill.Add(settledPart(l.ID), p.record)
}

// Part returns a part and forgets it; there are spill.Parts parts, and all rows of a loan are in one.
func (p *LoanPile) Part(i int) ([]Lined[Loan], error) { return settledRows(&p.Spill, i, readPiledLoan) }

// Close removes the temporary files.
func (p *LoanPile) Close() error { return p.Spill.Close() }

// A ReservationPile sets rows of reservations aside as a LoanPile does those of loans. A record is the row's line and the
// reservation as a Pile has it.
type ReservationPile struct {
	Spill spill.Pile

	record []byte
}

// Add puts a row of reservations on the pile.
func (p *ReservationPile) Add(line int, r Reservation) error {
	p.record = appendPiledReservation(binary.AppendUvarint(p.record[:0], uint64(line)), &r)
	return p.Spill.Add(settledPart(r.ID), p.record)
}

// Part returns a part and forgets it; there are spill.Parts parts, and all rows of a reservation are in one.
func (p *ReservationPile) Part(i int) ([]Lined[Reservation], error) {
	return settledRows(&p.Spill, i, readPiledReservation)
}

// Close removes the temporary files.
func (p *ReservationPile) Close() error { return p.Spill.Close() }

// settledPart returns the part that a loan or a reservation is settled in.
func settledPart(id int64) int { return int(id % spill.Parts) }

// settledRows reads the records of a part, each a line and what read reads.
func settledRows[T any](from *spill.Pile, part int, read func(*packed.Decoder) T) (rows []Lined[T], err error) {
	data, err := from.Part(part)
	if err != nil {
		return nil, err
	}
	d := packed.Bare(data)
	for d.Len() > 0 && !d.Bad() {
		rows = append(rows, Lined[T]{Line: int(natural(&d)), Row: read(&d)})
	}
	return rows, d.End()
}
