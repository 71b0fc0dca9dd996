package libraries

import (
	"encoding/binary"

	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/reading/spill"
)

// A LoanPile sets rows of loans and renewals aside until all are there, parted by the loan, in bounded memory: which of
// them stand is known from all rows of a loan and from what the store has of it. It is not for use by several goroutines at
// once.
//
// A record is a kind, the row's line, and the loan as a Pile has it; or the renewal's loan, time, and identifier with its
// length in front.
type LoanPile struct {
	Spill spill.Pile

	record []byte // the last one: its room is used again
}

// The kinds of records of a LoanPile.
const (
	loanRow byte = iota + 1
	renewalRow
)

// AddLoan puts a row of loans on the pile.
func (p *LoanPile) AddLoan(line int, l Loan) error {
	p.record = binary.AppendUvarint(append(p.record[:0], loanRow), uint64(line))
	p.record = appendPiledLoan(p.record, &l)
	return p.Spill.Add(settledPart(l.ID), p.record)
}

// AddRenewal puts a row of renewals on the pile.
func (p *LoanPile) AddRenewal(line int, r Renewal) error {
	b := binary.AppendUvarint(append(p.record[:0], renewalRow), uint64(line))
	b = binary.AppendUvarint(b, uint64(r.Loan))
	b = appendPiledInstant(b, r.At)
	b = binary.AppendUvarint(b, uint64(len(r.ID)))
	p.record = append(b, r.ID...)
	return p.Spill.Add(settledPart(r.Loan), p.record)
}

// Part returns a part and forgets it; there are spill.Parts parts, and all rows of a loan are in one.
func (p *LoanPile) Part(i int) (part LoanPart, err error) {
	data, err := p.Spill.Part(i)
	if err != nil {
		return part, err
	}
	d := packed.Bare(data)
	for d.Len() > 0 && !d.Bad() {
		kind, line := d.Byte(), int(natural(&d))
		switch kind {
		case loanRow:
			part.Loans = append(part.Loans, Lined[Loan]{line, readPiledLoan(&d)})
		case renewalRow:
			r := Renewal{Loan: natural(&d), At: readPiledInstant(&d)}
			r.ID = d.Bytes(d.Count(1))
			part.Renewals = append(part.Renewals, Lined[Renewal]{line, r})
		default:
			d.Check(false)
		}
	}
	return part, d.End()
}

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
func (p *ReservationPile) Part(i int) (rows []Lined[Reservation], err error) {
	data, err := p.Spill.Part(i)
	if err != nil {
		return nil, err
	}
	d := packed.Bare(data)
	for d.Len() > 0 && !d.Bad() {
		rows = append(rows, Lined[Reservation]{int(natural(&d)), readPiledReservation(&d)})
	}
	return rows, d.End()
}

// Close removes the temporary files.
func (p *ReservationPile) Close() error { return p.Spill.Close() }

// settledPart returns the part that a loan or a reservation is settled in.
func settledPart(id int64) int { return int(id % spill.Parts) }
