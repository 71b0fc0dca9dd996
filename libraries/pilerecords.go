package libraries

import (
	"encoding/binary"
	"time"

	"github.com/lectern-dev/lectern/reading/packed"
)

// The records of a Pile live as long as a load: their form has no version. A record's reader stands in front of it. All
// numbers are varints, signed where they may be None or before 1970.

// appendPiledInstant appends an instant of whole microseconds; 0 is the zero time.
func appendPiledInstant(b []byte, t time.Time) []byte {
	if t.IsZero() {
		return append(b, 0)
	}
	v := t.UnixMicro()
	return binary.AppendUvarint(b, (uint64(v)<<1^uint64(v>>63))+1)
}

// readPiledInstant reads an instant, in UTC.
func readPiledInstant(d *packed.Decoder) time.Time {
	v := d.Uvarint()
	if v == 0 {
		return time.Time{}
	}
	v--
	return time.UnixMicro(int64(v>>1) ^ -int64(v&1)).UTC()
}

func appendPiledReader(b []byte, r *Reader) []byte {
	for _, s := range [...]string{r.Name, r.Email, r.City, r.State, r.RA} {
		b = packed.AppendText(b, s)
	}
	b = binary.AppendVarint(b, r.Library)
	b = binary.AppendVarint(b, r.AgeGroup)
	b = append(b, byte(r.Gender), byte(r.Status))
	b = appendDate(b, r.Registered)
	b = appendDate(b, r.DeletedAt)
	b = appendPiledInstant(b, r.Updated)
	b = appendPiledInstant(b, r.Confirmed)
	return appendPiledInstant(b, r.LastLogin)
}

func readPiledReader(d *packed.Decoder, id int64) Reader {
	return Reader{
		ID: id, Name: d.Text(), Email: d.Text(), City: d.Text(), State: d.Text(), RA: d.Text(),
		Library: d.Varint(), AgeGroup: d.Varint(),
		Gender: Gender(d.Byte()), Status: ReaderStatus(d.Byte()),
		Registered: readDate(d), DeletedAt: readDate(d),
		Updated: readPiledInstant(d), Confirmed: readPiledInstant(d), LastLogin: readPiledInstant(d),
	}
}

// appendPiledEvent appends of an event that is no session only what such an event has.
func appendPiledEvent(b []byte, e *Event) []byte {
	b = append(b, byte(e.Kind))
	b = binary.LittleEndian.AppendUint64(b, uint64(e.ID))
	b = appendDate(b, e.Day)
	b = binary.AppendUvarint(b, uint64(e.Second))
	b = binary.AppendUvarint(b, uint64(e.Book))
	if e.Kind != SessionEvent {
		return b
	}
	b = binary.AppendUvarint(b, uint64(e.Seconds))
	b = binary.AppendUvarint(b, uint64(e.Progress))
	return append(b, byte(e.Mode), byte(e.Format))
}

func readPiledEvent(d *packed.Decoder, reader int64) Event {
	e := Event{Reader: reader, Kind: EventKind(d.Byte())}
	if id := d.Bytes(8); id != nil {
		e.ID = EventID(binary.LittleEndian.Uint64(id))
	}
	e.Day, e.Second, e.Book = readDate(d), readSecond(d), natural(d)
	if e.Kind == SessionEvent {
		e.Seconds, e.Progress = natural(d), Progress(natural(d))
		e.Mode, e.Format = Mode(d.Byte()), Format(d.Byte())
	}
	return e
}

func appendPiledLoanChange(b []byte, c *LoanChange) []byte {
	b = appendPiledLoan(b, &c.Loan)
	if c.Was == nil {
		return b
	}
	return appendPiledLoan(b, c.Was)
}

func readPiledLoanChange(d *packed.Decoder) LoanChange {
	c := LoanChange{Loan: readPiledLoan(d)}
	if d.Len() > 0 {
		was := readPiledLoan(d)
		c.Was = &was
	}
	return c
}

func appendPiledLoan(b []byte, l *Loan) []byte {
	b = binary.AppendUvarint(b, uint64(l.ID))
	b = binary.AppendUvarint(b, uint64(l.Reader))
	b = binary.AppendUvarint(b, uint64(l.Book))
	b = append(b, byte(l.Status))
	b = appendPiledInstant(b, l.Borrowed)
	b = appendPiledInstant(b, l.Returned)
	if l.Due == nil {
		return append(b, 0)
	}
	return appendDate(append(b, 1), *l.Due)
}

func readPiledLoan(d *packed.Decoder) Loan {
	l := Loan{ID: natural(d), Reader: natural(d), Book: natural(d), Status: LoanStatus(d.Byte())}
	l.Borrowed, l.Returned = readPiledInstant(d), readPiledInstant(d)
	if d.Byte() == 1 {
		due := readDate(d)
		l.Due = &due
	}
	return l
}

func appendPiledReservationChange(b []byte, c *ReservationChange) []byte {
	b = appendPiledReservation(b, &c.Reservation)
	if c.Was == nil {
		return b
	}
	return appendPiledReservation(b, c.Was)
}

func readPiledReservationChange(d *packed.Decoder) ReservationChange {
	c := ReservationChange{Reservation: readPiledReservation(d)}
	if d.Len() > 0 {
		was := readPiledReservation(d)
		c.Was = &was
	}
	return c
}

func appendPiledReservation(b []byte, r *Reservation) []byte {
	b = binary.AppendUvarint(b, uint64(r.ID))
	b = binary.AppendUvarint(b, uint64(r.Reader))
	b = binary.AppendUvarint(b, uint64(r.Book))
	b = append(b, byte(r.Status))
	b = appendPiledInstant(b, r.Reserved)
	b = appendPiledInstant(b, r.Resolved)
	return binary.AppendVarint(b, r.Position)
}

func readPiledReservation(d *packed.Decoder) Reservation {
	return Reservation{
		ID: natural(d), Reader: natural(d), Book: natural(d), Status: ReservationStatus(d.Byte()),
		Reserved: readPiledInstant(d), Resolved: readPiledInstant(d), Position: d.Varint(),
	}
}

func appendPiledRequest(b []byte, r *Request) []byte {
	b = binary.AppendUvarint(b, uint64(r.ID))
	for _, s := range [...]string{r.Title, r.Author, r.Publisher, r.SearchTerm} {
		b = packed.AppendText(b, s)
	}
	b = append(b, byte(r.Availability))
	return appendPiledInstant(b, r.Requested)
}

func readPiledRequest(d *packed.Decoder, reader int64) Request {
	return Request{
		ID: natural(d), Reader: reader,
		Title: d.Text(), Author: d.Text(), Publisher: d.Text(), SearchTerm: d.Text(),
		Availability: Availability(d.Byte()), Requested: readPiledInstant(d),
	}
}
