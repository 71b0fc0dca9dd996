package intake

import (
	"encoding/binary"
	"fmt"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/extsort"
	"github.com/lectern-dev/lectern/reading/packed"
)

// A Sorter sorts what a feed says of readers by reader, in bounded memory. The zero Sorter is empty and ready.
type Sorter struct {
	extsort.Sorter
	record []byte // the last one; its memory is used again
}

// The kinds of records, each in front of its record.
const (
	readerRecord byte = iota + 1
	eventRecord
	loanRecord
	reservationRecord
	requestRecord
)

// AddReader adds a row of readers.
func (s *Sorter) AddReader(r libraries.Reader) error {
	return s.add(r.ID, Readers.Append(s.begin(readerRecord), &r))
}

// AddEvent adds an event.
func (s *Sorter) AddEvent(e libraries.Event) error {
	return s.add(e.Reader, appendEvent(s.begin(eventRecord), &e))
}

// AddLoan adds a loan.
func (s *Sorter) AddLoan(c libraries.LoanChange) error {
	return s.add(c.Now.Reader, appendChanged(s.begin(loanRecord), Loans, &c))
}

// AddReservation adds a reservation.
func (s *Sorter) AddReservation(c libraries.ReservationChange) error {
	return s.add(c.Now.Reader, appendChanged(s.begin(reservationRecord), Reservations, &c))
}

// AddRequest adds a suggestion request.
func (s *Sorter) AddRequest(r libraries.Request) error {
	return s.add(r.Reader, Requests.Append(s.begin(requestRecord), &r))
}

// begin begins a record of a kind.
func (s *Sorter) begin(kind byte) []byte { return append(s.record[:0], kind) }

// add adds a record of a reader. The readers of a block of attributes are in one run.
func (s *Sorter) add(reader int64, record []byte) error {
	s.Hash, s.record = blockHash, record
	return s.Sorter.Add(reader, record)
}

func blockHash(reader int64) uint64 { return spread(facts.AttributesBlock(reader)) }

// spread hashes the number of a group of neighbours. Identifiers may have a stride, if several systems give them in turn.
func spread(neighbours int64) uint64 {
	const odd = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio, so that neighbours are far apart
	h := uint64(neighbours) * odd
	h = (h ^ h>>32) * odd // only the high bits of a product depend on all bits of its number
	return h >> 32
}

// ReaderFeeds returns what a run says of each reader. Readers ascend. Of several rows of readers the one with the latest Updated
// counts, and of those with the same Updated the last one (F1).
func ReaderFeeds(run *extsort.Run) (list []libraries.ReaderFeed, err error) {
	for reader, records := range run.ByKey() {
		f := libraries.ReaderFeed{Reader: reader}
		for _, record := range records.All() {
			if err := addRecord(&f, record); err != nil {
				return nil, fmt.Errorf("spilled record of reader %d: %w", reader, err)
			}
		}
		list = append(list, f)
	}
	return list, nil
}

// addRecord adds a record to the feed of its reader.
func addRecord(to *libraries.ReaderFeed, record []byte) error {
	d := packed.Bare(record)
	switch kind := d.Byte(); kind {
	case readerRecord:
		if r := read(&d, Readers); to.Row == nil || !r.Updated.Before(to.Row.Updated) {
			to.Row = &r
		}
	case eventRecord:
		to.Events = append(to.Events, readEvent(&d, to.Reader))
	case loanRecord:
		to.Loans = append(to.Loans, readChanged(&d, Loans))
	case reservationRecord:
		to.Reservations = append(to.Reservations, readChanged(&d, Reservations))
	case requestRecord:
		to.Requests = append(to.Requests, read(&d, Requests))
	default:
		d.Check(false)
	}
	return d.End()
}

// Records have the form of package row, except events, of which there are the most.

// appendChanged appends a record, and its stored version if there is one.
func appendChanged[T any](b []byte, of *snapshot.Records[T], c *libraries.Changed[T]) []byte {
	if b = of.Append(b, &c.Now); c.Was != nil {
		b = of.Append(b, c.Was)
	}
	return b
}

func readChanged[T any](d *packed.Decoder, of *snapshot.Records[T]) libraries.Changed[T] {
	c := libraries.Changed[T]{Now: read(d, of)}
	if d.Len() > 0 {
		c.Was = new(read(d, of))
	}
	return c
}

// read reads the next record of a table.
func read[T any](d *packed.Decoder, of *snapshot.Records[T]) T {
	v, err := of.Read(d)
	d.Check(err == nil)
	return v
}

// appendEvent appends an event. Only a session has the fields of sessions.
func appendEvent(b []byte, e *libraries.Event) []byte {
	b = append(b, byte(e.Kind))
	b = binary.LittleEndian.AppendUint64(b, uint64(e.ID))
	b = binary.AppendVarint(b, int64(e.Day))
	b = binary.AppendUvarint(b, uint64(e.Second))
	b = binary.AppendUvarint(b, uint64(e.Book))
	if e.Kind != libraries.SessionEvent {
		return b
	}
	b = binary.AppendUvarint(b, uint64(e.Seconds))
	b = binary.AppendUvarint(b, uint64(e.Progress))
	return append(b, byte(e.Mode), byte(e.Format))
}

func readEvent(d *packed.Decoder, reader int64) libraries.Event {
	e := libraries.Event{Reader: reader, Kind: libraries.EventKind(d.Byte())}
	if id := d.Bytes(8); id != nil {
		e.ID = libraries.EventID(binary.LittleEndian.Uint64(id))
	}
	e.Day, e.Second, e.Book = calendar.Date(d.Varint()), int32(d.Uvarint()), d.Natural()
	if e.Kind == libraries.SessionEvent {
		e.Seconds, e.Progress = d.Natural(), libraries.Progress(d.Natural())
		e.Mode, e.Format = libraries.Mode(d.Byte()), libraries.Format(d.Byte())
	}
	return e
}
