package intake

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/extsort"
	"github.com/lectern-dev/lectern/reading/packed"
)

// lasting are loans, or reservations, by the day on which they began.
type recordTable[T libraries.LoanOrReservation] struct {
	table *snapshot.Records[T]
	start string // the name of the field
}

var (
	loans        = recordTable[libraries.Loan]{Loans, "borrowedAt"}
	reservations = recordTable[libraries.Reservation]{Reservations, "reservedAt"}
)

// Loan checks a row of loans by itself. The error is a *FaultError.
func (in *Intake) Loan(l libraries.Loan) (libraries.Loan, error) {
	if wrong := in.exists(l.Reader, l.Book); wrong != nil {
		return l, wrong
	}
	return l, in.ends(l.Borrowed, l.Returned, l.Status.Ended(), end{"borrowedAt", "returnedAt", "the loan is active"})
}

// Reservation checks a row of reservations by itself. A position that its status does not have is left out (L6). The error is
// a *FaultError.
func (in *Intake) Reservation(r libraries.Reservation) (libraries.Reservation, error) {
	if wrong := in.exists(r.Reader, r.Book); wrong != nil {
		return r, wrong
	}
	if !r.Status.Active() {
		r.Position = libraries.None
	}
	return r, in.ends(r.Reserved, r.Resolved, r.Status.Resolved(), end{"reservedAt", "resolvedAt", "the reservation is waiting or available"})
}

// end has the names of the fields of a beginning and an end, and says in words when there is none.
type end struct{ start, end, unless string }

// ends checks the end of what began: it is given where, and only where, it has ended.
func (in *Intake) ends(start, at time.Time, ended bool, of end) error {
	given := !at.IsZero()
	if err := row.Late(of.start, start, in.Began); err != nil {
		return err
	}
	switch {
	case ended && !given:
		return row.Fault(of.end, isRequired+" unless "+of.unless)
	case !ended && given:
		return row.Fault(of.end, "must be empty while "+of.unless)
	case given && at.Before(start):
		return row.Fault(of.end, "must not be before "+of.start)
	case given:
		return row.Late(of.end, at, in.Began)
	}
	return nil
}

// settle settles rows, each checked by itself before: all those of each identifier in them, in the order of their lines. had has what
// the store knows of these identifiers. It returns the records that are new or changed. One that began before the history does not
// exist (G6): its rows are counted, and nothing of them is kept.
func (k recordTable[T]) reconcile(rows []row.Lined[T], had map[int64]T, history calendar.Date, c *row.Counts, bad row.Rejected) (changes []libraries.Changed[T], err error) {
	err = row.Reconciler[T, T]{
		Order: func(a, b T) int { return cmp.Compare(a.Origin().ID, b.Origin().ID) },
		Check: k.checker(had, history), Same: k.table.Same,
		Was: func(v T) (T, bool) { was, known := had[v.Origin().ID]; return was, known },
		Put: func(v T, was *T) error {
			changes = append(changes, libraries.Changed[T]{Now: v, Was: was})
			return nil
		},
	}.Reconcile(rows, c, bad)
	return changes, err
}

// checker returns what checks rows, identifier by identifier, against what must not change.
func (k recordTable[T]) checker(had map[int64]T, history calendar.Date) func(T) (T, error) {
	var first libraries.Origin // what is known of the identifier
	known := false
	return func(v T) (T, error) {
		now := v.Origin()
		if !known || first.ID != now.ID {
			was, stored := had[now.ID]
			first, known = was.Origin(), stored
		}
		if field := k.changed(first, now); known && field != "" {
			return v, row.Fault(field, "must not change")
		}
		if now.Day() < history { // nor does it say what must not change
			return v, row.ErrBeforeHistory
		}
		first, known = now, true
		return v, nil
	}
}

// changed returns the field in which what is now differs from what was known first, or nothing.
func (k recordTable[T]) changed(first, now libraries.Origin) string {
	switch {
	case first.Reader != now.Reader:
		return "userId"
	case first.Book != now.Book:
		return "bookId"
	case !first.Start.Equal(now.Start):
		return k.start
	}
	return ""
}

// neighbours is the number of identifiers that follow one another and are in one partition: what the store knows of them is then read
// in runs, and not a row from every page of the table.
const neighbours = 256

// add adds a row to those that are sorted by identifier: which of several stands is known from all rows of a record and from what the
// store has of it. A row that names another reader than the first one is found only there, so that rows are sorted by identifier first,
// and by reader afterwards. A record is the row's line and the row.
func (k recordTable[T]) add(s *extsort.Sorter, v T, line int) error {
	s.Hash = neighboursHash
	return s.Add(v.Origin().ID, k.table.Append(binary.AppendUvarint(nil, uint64(line)), &v))
}

func neighboursHash(id int64) uint64 { return spread(id / neighbours) }

// rows returns the rows of a run, and their identifiers, which ascend.
func (k recordTable[T]) rows(run *extsort.Run) (rows []row.Lined[T], ids []int64, err error) {
	rows = make([]row.Lined[T], 0, run.Len())
	for id, record := range run.All() {
		d := packed.Bare(record)
		rows = append(rows, row.Lined[T]{Line: int(d.Natural()), Row: read(&d, k.table)})
		if err := d.End(); err != nil {
			return nil, nil, fmt.Errorf("what was set aside of %d: %w", id, err)
		}
		if len(ids) == 0 || ids[len(ids)-1] != id {
			ids = append(ids, id)
		}
	}
	return rows, ids, nil
}

// order is that of the table: by day, then identifier.
func (k recordTable[T]) order(a, b *T) int {
	x, y := (*a).Origin(), (*b).Origin()
	return cmp.Or(cmp.Compare(x.Day(), y.Day()), cmp.Compare(x.ID, y.ID))
}

// A Sorter sorts what a feed says of readers by reader, in bounded memory. The zero Sorter is empty and ready.
type Sorter struct {
	extsort.Sorter
	record []byte // the last one: its room is used again
}

// The kinds of records, each in front of its record.
const (
	readerRecord byte = iota + 1
	eventRecord
	loanRecord
	reservationRecord
	requestRecord
)

// AddReader adds a row of the readers' register.
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

// add adds a record of a reader. The readers of a block are in one run.
func (s *Sorter) add(reader int64, record []byte) error {
	s.Hash, s.record = blockHash, record
	return s.Sorter.Add(reader, record)
}

func blockHash(reader int64) uint64 { return spread(facts.AttributesBlock(reader)) }

// spread hashes a number of neighbours, for identifiers may have a stride, such as those that several systems hand out in turn.
func spread(neighbours int64) uint64 {
	const odd = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio: neighbours come far apart
	h := uint64(neighbours) * odd
	h = (h ^ h>>32) * odd // only the high bits of a product depend on all bits of its number
	return h >> 32
}

// Deliveries returns what a run says of each reader, readers ascending. Of several register rows of a reader the one with the latest
// Updated stands, of those with one Updated the last.
func ReaderFeeds(run *extsort.Run) (list []libraries.ReaderFeed, err error) {
	for reader, record := range run.All() {
		if n := len(list); n == 0 || list[n-1].Reader != reader {
			list = append(list, libraries.ReaderFeed{Reader: reader})
		}
		if err := addRecord(&list[len(list)-1], record); err != nil {
			return nil, fmt.Errorf("what was set aside of reader %d: %w", reader, err)
		}
	}
	return list, nil
}

// deliver puts a record into its delivery.
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

// The records have the form of package row, but for events, of which there are the most.

// appendChanged appends what a record is now, and what it was before where it was anything.
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

// appendEvent appends of an event that is no session only what such an event has.
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
