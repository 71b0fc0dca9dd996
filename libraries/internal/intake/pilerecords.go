package intake

import (
	"encoding/binary"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading/packed"
)

// The records of a Pile live as long as a load: their form has no version. A record's reader stands in front of it. But for
// events, of which there are the most, they have the form of package row.

// readRow reads a row.
func readRow[T any, R interface {
	*T
	row.Row
}](d *packed.Decoder, s row.Schema) (v T) {
	d.Check(s.Read(d, R(&v)) == nil)
	return v
}

func appendPiledReader(b []byte, r *libraries.Reader) []byte { return readerFields.Append(b, r) }

func readPiledReader(d *packed.Decoder, _ int64) libraries.Reader {
	return readRow[libraries.Reader](d, readerFields)
}

func appendPiledRequest(b []byte, r *libraries.Request) []byte { return requestFields.Append(b, r) }

func readPiledRequest(d *packed.Decoder, _ int64) libraries.Request {
	return readRow[libraries.Request](d, requestFields)
}

func appendPiledLoan(b []byte, l *libraries.Loan) []byte { return loanFields.Append(b, l) }

func readPiledLoan(d *packed.Decoder) libraries.Loan { return readRow[libraries.Loan](d, loanFields) }

func appendPiledReservation(b []byte, r *libraries.Reservation) []byte {
	return reservationFields.Append(b, r)
}

func readPiledReservation(d *packed.Decoder) libraries.Reservation {
	return readRow[libraries.Reservation](d, reservationFields)
}

// A change is what a row is now, and what it was before where it was anything.

func appendPiledLoanChange(b []byte, c *facts.LoanChange) []byte {
	b = appendPiledLoan(b, &c.Loan)
	if c.Was == nil {
		return b
	}
	return appendPiledLoan(b, c.Was)
}

func readPiledLoanChange(d *packed.Decoder) facts.LoanChange {
	c := facts.LoanChange{Loan: readPiledLoan(d)}
	if d.Len() > 0 {
		c.Was = new(readPiledLoan(d))
	}
	return c
}

func appendPiledReservationChange(b []byte, c *facts.ReservationChange) []byte {
	b = appendPiledReservation(b, &c.Reservation)
	if c.Was == nil {
		return b
	}
	return appendPiledReservation(b, c.Was)
}

func readPiledReservationChange(d *packed.Decoder) facts.ReservationChange {
	c := facts.ReservationChange{Reservation: readPiledReservation(d)}
	if d.Len() > 0 {
		c.Was = new(readPiledReservation(d))
	}
	return c
}

// appendPiledEvent appends of an event that is no session only what such an event has.
func appendPiledEvent(b []byte, e *facts.Event) []byte {
	b = append(b, byte(e.Kind))
	b = binary.LittleEndian.AppendUint64(b, uint64(e.ID))
	b = facts.AppendDate(b, e.Day)
	b = binary.AppendUvarint(b, uint64(e.Second))
	b = binary.AppendUvarint(b, uint64(e.Book))
	if e.Kind != libraries.SessionEvent {
		return b
	}
	b = binary.AppendUvarint(b, uint64(e.Seconds))
	b = binary.AppendUvarint(b, uint64(e.Progress))
	return append(b, byte(e.Mode), byte(e.Format))
}

func readPiledEvent(d *packed.Decoder, reader int64) facts.Event {
	e := facts.Event{Reader: reader, Kind: libraries.EventKind(d.Byte())}
	if id := d.Bytes(8); id != nil {
		e.ID = facts.EventID(binary.LittleEndian.Uint64(id))
	}
	e.Day, e.Second, e.Book = facts.ReadDate(d), facts.ReadSecond(d), facts.Natural(d)
	if e.Kind == libraries.SessionEvent {
		e.Seconds, e.Progress = facts.Natural(d), libraries.Progress(facts.Natural(d))
		e.Mode, e.Format = libraries.Mode(d.Byte()), libraries.Format(d.Byte())
	}
	return e
}
