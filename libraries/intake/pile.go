package intake

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/reading/spill"
)

// A Pile gathers what a feed says of readers, parted by blocks of readers, in bounded memory. The zero Pile is empty and ready. It is not for use by several goroutines at once.
type Pile struct {
	Spill spill.Pile

	record, frame []byte // of the last one: their room is used again
}

// The kinds of records on a pile.
const (
	pileReader byte = iota + 1
	pileEvent
	pileLoan
	pileReservation
	pileRequest
)

// AddReader puts a row of the readers' register on the pile.
func (p *Pile) AddReader(r libraries.Reader) error {
	p.record = Readers.Append(p.record[:0], &r)
	return p.add(pileReader, r.ID)
}

// AddEvent puts an event on the pile.
func (p *Pile) AddEvent(e facts.Event) error {
	p.record = appendPiledEvent(p.record[:0], &e)
	return p.add(pileEvent, e.Reader)
}

// AddLoan puts a loan on the pile.
func (p *Pile) AddLoan(c facts.LoanChange) error {
	return addChanged(p, pileLoan, loans, &c)
}

// AddReservation puts a reservation on the pile.
func (p *Pile) AddReservation(c facts.ReservationChange) error {
	return addChanged(p, pileReservation, reservations, &c)
}

// addChanged puts on the pile what a record is now, and what it was before where it was anything.
func addChanged[T any](p *Pile, kind byte, k lasting[T], c *facts.Changed[T]) error {
	p.record = k.table.Append(p.record[:0], &c.Now)
	if c.Was != nil {
		p.record = k.table.Append(p.record, c.Was)
	}
	return p.add(kind, k.of(c.Now).reader)
}

// AddRequest puts a suggestion request on the pile.
func (p *Pile) AddRequest(r libraries.Request) error {
	p.record = Requests.Append(p.record[:0], &r)
	return p.add(pileRequest, r.Reader)
}

// add puts the last record on the pile, behind its kind, its reader and its length.
func (p *Pile) add(kind byte, reader int64) error {
	p.frame = append(p.frame[:0], kind)
	p.frame = binary.AppendUvarint(p.frame, uint64(reader))
	p.frame = binary.AppendUvarint(p.frame, uint64(len(p.record)))
	p.frame = append(p.frame, p.record...)
	return p.Spill.Add(pilePart(reader), p.frame)
}

// pilePart returns the part that a reader's records are in: all those of a block are in one.
func pilePart(reader int64) int { return spread(facts.Block(reader)) }

// spread returns the part that neighbours of a number are in, which is spread, for identifiers may have a stride, such as those
// that several systems hand out in turn, and a part must fit into memory.
func spread(neighbours int64) int {
	const odd = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio: neighbours come far apart
	h := uint64(neighbours) * odd
	h = (h ^ h>>32) * odd // the low bits of the product depend on the low bits of the number alone, the high ones on all
	return int(h >> 32 % spill.Parts)
}

// Part returns the deliveries of a part, readers ascending, and forgets them; there are spill.Parts parts. Of several
// register rows of a reader the one with the latest Updated stands, of those with one Updated the last.
func (p *Pile) Part(i int) ([]facts.Delivery, error) {
	data, err := p.Spill.Part(i)
	if err != nil {
		return nil, err
	}
	of := map[int64]*facts.Delivery{}
	err = visitRecords(data, func(kind byte, reader int64, record *packed.Decoder) {
		d := of[reader]
		if d == nil {
			d = &facts.Delivery{Reader: reader}
			of[reader] = d
		}
		deliver(d, kind, record)
	})
	deliveries := make([]facts.Delivery, 0, len(of))
	for _, reader := range slices.Sorted(maps.Keys(of)) {
		deliveries = append(deliveries, *of[reader])
	}
	return deliveries, err
}

// Close removes the temporary files.
func (p *Pile) Close() error { return p.Spill.Close() }

// visitRecords calls visit with each record of a part: its kind, its reader, and the record itself.
func visitRecords(data []byte, visit func(kind byte, reader int64, record *packed.Decoder)) error {
	d := packed.Bare(data)
	var record packed.Decoder
	for d.Len() > 0 && !d.Bad() {
		kind, reader := d.Byte(), d.Natural()
		record = packed.Bare(d.Bytes(d.Count(1)))
		d.Check(kind >= pileReader && kind <= pileRequest)
		if d.Bad() {
			break
		}
		visit(kind, reader, &record)
		d.Check(record.End() == nil)
	}
	return d.End()
}

// deliver puts a record into its delivery.
func deliver(d *facts.Delivery, kind byte, record *packed.Decoder) {
	switch kind {
	case pileReader:
		if r := read(record, Readers); d.Register == nil || !r.Updated.Before(d.Register.Updated) {
			d.Register = &r
		}
	case pileEvent:
		d.Events = append(d.Events, readPiledEvent(record, d.Reader))
	case pileLoan:
		d.Loans = append(d.Loans, readChanged(record, Loans))
	case pileReservation:
		d.Reservations = append(d.Reservations, readChanged(record, Reservations))
	case pileRequest:
		d.Requests = append(d.Requests, read(record, Requests))
	}
}

// The records of a Pile live as long as a load: their form has no version. A record's reader stands in front of it. But for
// events, of which there are the most, they have the form of package row.

// read reads the next record of a table.
func read[T any](d *packed.Decoder, of *state.Records[T]) T {
	v, err := of.Read(d)
	d.Check(err == nil)
	return v
}

func readChanged[T any](d *packed.Decoder, of *state.Records[T]) facts.Changed[T] {
	c := facts.Changed[T]{Now: read(d, of)}
	if d.Len() > 0 {
		c.Was = new(read(d, of))
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
	e.Day, e.Second, e.Book = facts.ReadDate(d), facts.ReadSecond(d), d.Natural()
	if e.Kind == libraries.SessionEvent {
		e.Seconds, e.Progress = d.Natural(), libraries.Progress(d.Natural())
		e.Mode, e.Format = libraries.Mode(d.Byte()), libraries.Format(d.Byte())
	}
	return e
}
