package intake

import (
	"encoding/binary"
	"iter"
	"math"
	"time"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/extsort"
	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/internal/facts"
)

// maxDurationMS is the longest duration of a segment, one day (F3).
const maxDurationMS = 24 * 60 * 60 * 1000

// user returns the account that a reference means in an event at a time (F4). It may be a number from
// firstSkipped on, for an account that is skipped.
func (in *Intake) user(ref []byte, at time.Time) (directory.UserID, error) {
	if user := in.owner(ref, at); user != 0 {
		return user, nil
	}
	if user := in.skipped[string(ref)]; user != 0 {
		return user, nil
	}
	return 0, row.Fault("account", directory.MsgMissing)
}

// SegmentRow is a row of segments as the feed has it. Its byte slices are valid until the next row is read.
type SegmentRow struct {
	ID, Account []byte
	Book        int64
	Start       time.Time
	DurationMS  int64
	From, To    int64 // row.None where they are null
	WPM         []byte
}

// Fields declares the fields of a segment's row.
func (s *SegmentRow) Fields(w *row.Walk) {
	row.ID(w, "segmentId", &s.ID, row.Required)
	row.Bytes(w, "account", &s.Account, row.Required)
	row.Int(w, "bookId", &s.Book, row.Required)
	row.Instant(w, "startedAt", &s.Start, row.Required)
	row.Int(w, "durationMs", &s.DurationMS, row.Required)
	row.IntOrNone(w, "from", &s.From)
	row.IntOrNone(w, "to", &s.To)
	row.Number(w, "wpm", &s.WPM)
}

// Segment turns a row of segments into an event. The error is row.ErrBeforeHistory, row.ErrDeleted or a
// *row.FaultError.
//
// The account of the event may be one that is skipped: see [Intake.Moves]. If such an event is also faulty,
// the error is row.ErrDeleted, as the event belongs to nobody.
func (in *Intake) Segment(r SegmentRow) (schools.Event, error) {
	s := reading.Segment{Start: r.Start, DurationMS: r.DurationMS, From: max(r.From, 0), To: max(r.To, 0)}
	if r.WPM != nil {
		speed, err := reading.ParseSpeed(r.WPM)
		if err != nil {
			return schools.Event{}, row.Fault("wpm", err.Error())
		}
		s.Speed = speed
	}
	// If the missing end were taken for 0, the segment would count text that nobody read (S2).
	switch {
	case r.From == row.None && r.To != row.None:
		return schools.Event{}, row.Fault("from", "must come together with to, or neither of them")
	case r.To == row.None && r.From != row.None:
		return schools.Event{}, row.Fault("to", "must come together with from, or neither of them")
	}
	user, err := in.user(r.Account, s.Start)
	if err != nil {
		return schools.Event{}, err
	}
	e, err := in.segment(user, r.Book, s)
	e.ID = schools.NewEventID('s', r.ID)
	return e, deletedFirst(user, err)
}

// deletedFirst replaces the error of an event by row.ErrDeleted if its account is skipped: the event is then
// skipped, whatever else is wrong with it.
func deletedFirst(user directory.UserID, err error) error {
	if err != nil && user >= firstSkipped {
		return row.ErrDeleted
	}
	return err
}

// segment validates a segment against the books and the limits.
func (in *Intake) segment(user directory.UserID, book int64, s reading.Segment) (schools.Event, error) {
	switch {
	case in.Stored.Books.Book(book) == nil:
		return schools.Event{}, row.Fault("bookId", directory.MsgMissing)
	case s.DurationMS > maxDurationMS:
		return schools.Event{}, row.Fault("durationMs", "must not be above one day")
	case s.From > s.To:
		return schools.Event{}, row.Fault("from", "must not be above to")
	}
	return in.dated(schools.NewSegment(schools.EventID{}, user, book, s), s.Start, "startedAt")
}

// AccessRow is a row of accesses as the feed has it. Its byte slices are valid until the next row is read.
type AccessRow struct {
	ID, Account []byte
	At          time.Time
	Kind        []byte
}

// Fields declares the fields of an access record's row.
func (a *AccessRow) Fields(w *row.Walk) {
	row.ID(w, "accessId", &a.ID, row.Required)
	row.Bytes(w, "account", &a.Account, row.Required)
	row.Instant(w, "at", &a.At, row.Required)
	row.Bytes(w, "kind", &a.Kind, row.Required)
}

// Access turns a row of accesses into an event. Its errors are those of [Intake.Segment].
func (in *Intake) Access(r AccessRow) (schools.Event, error) {
	user, err := in.user(r.Account, r.At)
	if err != nil {
		return schools.Event{}, err
	}
	e, err := in.access(user, r.At, r.Kind)
	e.ID = schools.NewEventID('a', r.ID)
	return e, deletedFirst(user, err)
}

// access validates the kind and the time of an access record.
func (in *Intake) access(user directory.UserID, at time.Time, kind []byte) (schools.Event, error) {
	k, ok := schools.ParseAccessKind(kind)
	if !ok {
		return schools.Event{}, row.Fault("kind", row.OneOf(schools.AccessKinds()).Error())
	}
	return in.dated(schools.NewAccess(schools.EventID{}, user, at, k), at, "at")
}

// dated validates the time of an event, which is in the given field of the row.
func (in *Intake) dated(e schools.Event, at time.Time, field string) (schools.Event, error) {
	if err := row.Late(field, at, in.Began); err != nil {
		return schools.Event{}, err
	}
	if e.Day < in.History {
		return schools.Event{}, row.ErrBeforeHistory
	}
	return e, nil
}

// A Sorter sorts the events of a load by user in bounded memory. The zero Sorter is ready. The caller closes
// it.
type Sorter struct {
	extsort.Sorter
	record []byte
}

// Add adds an event. After an error every Add fails.
func (s *Sorter) Add(e schools.Event) error {
	s.Hash = indexBlock
	s.record = appendEvent(s.record[:0], &e)
	return s.Sorter.Add(int64(e.User), s.record)
}

// indexBlock is the hash of the sorter. It keeps users together whose indexes are stored together, so that a
// partition writes whole blocks. Neighbouring blocks are in different partitions: the users of one network
// mostly have neighbouring numbers, and are spread evenly.
func indexBlock(user int64) uint64 { return uint64(facts.IndexBlock(directory.UserID(user))) }

// moved returns a sorter with the same events under the accounts of m. Events that belong to nobody are left
// out.
func (s *Sorter) moved(m Moves) (*extsort.Sorter, error) {
	to := &extsort.Sorter{Dir: s.Dir, Limit: s.Limit, Hash: s.Hash}
	return to, s.Rekey(to, func(user int64) (int64, bool) {
		now, moved := m[directory.UserID(user)]
		if !moved {
			return user, true
		}
		return int64(now), now != 0
	})
}

// batches yields the events of a run in batches of whole users, of about n events or more. Users ascend, and
// the events of each are in the order in which they were added. Events of users that m drops are left out. A
// batch is valid until the next one.
func batches(run *extsort.Run, m Moves, n int) iter.Seq[[]schools.Event] {
	return func(yield func([]schools.Event) bool) {
		var room []schools.Event
		for key, record := range run.All() {
			user := directory.UserID(key)
			if to, moved := m[user]; moved && to == 0 {
				continue
			}
			if len(room) >= n && user != room[len(room)-1].User {
				if !yield(room) {
					return
				}
				room = room[:0]
			}
			room = append(room, readEvent(user, record))
		}
		if len(room) > 0 {
			yield(room)
		}
	}
}

// appendEvent appends the spilled form of an event without its user. It has the series, then the number of
// the series or the hash, then the day, the effect, and for effective reading the rest.
func appendEvent(b []byte, e *schools.Event) []byte {
	b = binary.LittleEndian.AppendUint64(b, e.ID.Series)
	if e.ID.Series == 0 {
		b = binary.LittleEndian.AppendUint64(b, e.ID.Hash)
	} else {
		b = binary.AppendUvarint(b, uint64(e.ID.Number))
	}
	b = binary.AppendVarint(b, int64(e.Day))
	b = binary.AppendUvarint(b, uint64(e.Effect))
	if e.Effect == schools.EffectiveReading {
		b = binary.AppendUvarint(b, uint64(e.At))
		b = binary.AppendUvarint(b, uint64(e.MS))
		b = binary.AppendUvarint(b, uint64(e.Book))
		b = binary.AppendUvarint(b, uint64(e.Extent.From))
		b = binary.AppendUvarint(b, uint64(e.Extent.To-e.Extent.From))
	}
	return b
}

// readEvent reads the spilled form of an event of a user.
func readEvent(user directory.UserID, record []byte) schools.Event {
	d, e := packed.Bare(record), schools.Event{User: user}
	if e.ID.Series = word(&d); e.ID.Series == 0 {
		e.ID.Hash = word(&d)
	} else {
		e.ID.Number = int64(d.Uvarint())
	}
	e.Day, e.Effect = calendar.Date(d.Varint()), schools.Effect(d.Uvarint())
	if e.Effect == schools.EffectiveReading {
		e.At = int32(d.Uvarint() & math.MaxInt32)
		e.MS = int64(d.Uvarint())
		e.Book = int64(d.Uvarint())
		e.Extent.From = int64(d.Uvarint())
		e.Extent.To = e.Extent.From + int64(d.Uvarint())
	}
	return e
}

// word reads 8 bytes as a little-endian number.
func word(d *packed.Decoder) uint64 {
	if b := d.Bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}
