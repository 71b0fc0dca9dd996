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

// maxDurationMS is the longest that a segment may last: one day (F3).
const maxDurationMS = 24 * 60 * 60 * 1000

// user returns the account that a reference means in an event of a time (F4), which may be one that is skipped.
func (in *Intake) user(ref []byte, at time.Time) (directory.UserID, error) {
	if user := in.owner(ref, at); user != 0 {
		return user, nil
	}
	if user := in.eventUsers[string(ref)]; user >= firstSkipped {
		return user, nil
	}
	return 0, row.Fault("account", directory.MsgMissing)
}

// SegmentRow is a row of segments as the feed has it. Its texts are not copied.
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

// Segment makes an event of a segment's row. The error is row.ErrBeforeHistory, a *row.FaultError,
// or row.ErrDeleted, also for a faulty event of an account that the feed puts below something deleted, so that nobody has it. The account may be
// one that Moves tells to drop.
func (in *Intake) Segment(r SegmentRow) (schools.Event, error) {
	s := reading.Segment{Start: r.Start, DurationMS: r.DurationMS, From: max(r.From, 0), To: max(r.To, 0)}
	if r.WPM != nil {
		speed, err := reading.ParseSpeed(r.WPM)
		if err != nil {
			return schools.Event{}, row.Fault("wpm", err.Error())
		}
		s.Speed = speed
	}
	// One of the two alone, taken for 0, would count what nobody read (S2).
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

// deletedFirst is the error of an event that has one: whose account is skipped is skipped with it, whatever else is wrong.
func deletedFirst(user directory.UserID, err error) error {
	if err != nil && user >= firstSkipped {
		return row.ErrDeleted
	}
	return err
}

// segment checks a segment.
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

// AccessRow is a row of accesses as the feed has it. Its texts are not copied.
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

// Access makes an event of an access record's row, as Segment does.
func (in *Intake) Access(r AccessRow) (schools.Event, error) {
	user, err := in.user(r.Account, r.At)
	if err != nil {
		return schools.Event{}, err
	}
	e, err := in.access(user, r.At, r.Kind)
	e.ID = schools.NewEventID('a', r.ID)
	return e, deletedFirst(user, err)
}

// access checks an access record.
func (in *Intake) access(user directory.UserID, at time.Time, kind []byte) (schools.Event, error) {
	k, ok := schools.ParseAccessKind(kind)
	if !ok {
		return schools.Event{}, row.Fault("kind", row.OneOf(schools.AccessKinds()).Error())
	}
	return in.dated(schools.NewAccess(schools.EventID{}, user, at, k), at, "at")
}

// dated checks the time of an event, which a field of the row gives.
func (in *Intake) dated(e schools.Event, at time.Time, field string) (schools.Event, error) {
	if err := row.Late(field, at, in.Began); err != nil {
		return schools.Event{}, err
	}
	if e.Day < in.History {
		return schools.Event{}, row.ErrBeforeHistory
	}
	return e, nil
}

// A Sorter sorts the events of a load by user, in bounded memory.
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

// ledgerBlock keeps users together whose ledgers are stored together, so that what is written of a partition has runs. Their blocks go
// round the partitions: the users of one network, or of one load, are mostly neighbours, and spread evenly.
func indexBlock(user int64) uint64 { return uint64(facts.IndexBlock(directory.UserID(user))) }

// moved returns a sorter that has the events of m under the accounts that they belong to, and none that are nobody's.
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

// batches yields the events of a run, of whole users and of about n or more at a time, users ascending, each user's in the order in
// which they were added, without those whom moves drop. A batch is gone when the next is asked for.
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

// appendEvent packs an event but for its user: the series of the identifier, and its number, or its hash; the day, the effect, and
// what effective reading has.
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

// readEvent unpacks an event of a user.
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

// word reads 8 bytes.
func word(d *packed.Decoder) uint64 {
	if b := d.Bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}
