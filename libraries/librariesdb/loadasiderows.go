package librariesdb

import (
	"encoding/binary"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// The forms in which rows wait for their day are those of their columns: numbers as varints, texts with their lengths.

// appendLoan packs a loan, and whether it replaces a row.
func appendLoan(b []byte, c libraries.LoanChange) []byte {
	l := c.Loan
	b = appendOld(b, c.Was != nil)
	b = binary.AppendVarint(b, l.ID)
	b = binary.AppendVarint(b, l.Reader)
	b = binary.AppendVarint(b, l.Book)
	b = binary.AppendVarint(b, micros(l.Borrowed))
	b = binary.AppendVarint(b, micros(l.Returned))
	b = append(b, byte(l.Status))
	if l.Due == nil {
		return append(b, 0)
	}
	return binary.AppendVarint(append(b, 1), int64(*l.Due))
}

func readLoan(d *packed.Decoder) (l libraries.Loan, old bool) {
	old = d.Byte() != 0
	l.ID, l.Reader, l.Book = d.Varint(), d.Varint(), d.Varint()
	l.Borrowed, l.Returned = moment(d.Varint()), instant(d.Varint())
	l.Status = libraries.LoanStatus(d.Byte())
	if d.Byte() != 0 {
		due := calendar.Date(d.Varint())
		l.Due = &due
	}
	return l, old
}

// appendReservation packs a reservation, and whether it replaces a row.
func appendReservation(b []byte, c libraries.ReservationChange) []byte {
	r := c.Reservation
	b = appendOld(b, c.Was != nil)
	b = binary.AppendVarint(b, r.ID)
	b = binary.AppendVarint(b, r.Reader)
	b = binary.AppendVarint(b, r.Book)
	b = binary.AppendVarint(b, micros(r.Reserved))
	b = binary.AppendVarint(b, micros(r.Resolved))
	b = binary.AppendVarint(b, r.Position)
	return append(b, byte(r.Status))
}

func readReservation(d *packed.Decoder) (r libraries.Reservation, old bool) {
	old = d.Byte() != 0
	r.ID, r.Reader, r.Book = d.Varint(), d.Varint(), d.Varint()
	r.Reserved, r.Resolved = moment(d.Varint()), instant(d.Varint())
	r.Position = d.Varint()
	r.Status = libraries.ReservationStatus(d.Byte())
	return r, old
}

func appendOld(b []byte, old bool) []byte {
	if old {
		return append(b, 1)
	}
	return append(b, 0)
}

// appendRequest packs a suggestion request.
func appendRequest(b []byte, r libraries.Request) []byte {
	b = binary.AppendVarint(b, r.ID)
	b = binary.AppendVarint(b, r.Reader)
	b = binary.AppendVarint(b, micros(r.Requested))
	for _, text := range []string{r.Title, r.Author, r.Publisher, r.SearchTerm} {
		b = packed.AppendText(b, text)
	}
	return append(b, byte(r.Availability))
}

func readRequest(d *packed.Decoder) (r libraries.Request) {
	r.ID, r.Reader = d.Varint(), d.Varint()
	r.Requested = moment(d.Varint())
	for _, text := range []*string{&r.Title, &r.Author, &r.Publisher, &r.SearchTerm} {
		*text = d.Text()
	}
	r.Availability = libraries.Availability(d.Byte())
	return r
}
