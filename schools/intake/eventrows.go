package intake

import (
	"errors"
	"time"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/schools"
)

// ErrBeforeHistory is returned for an event before the history: it is skipped and counted, not bad (G6).
var ErrBeforeHistory = errors.New("before the history")

// ErrDeleted is returned for a row that names something deleted, and for a faulty event of an account that the feed puts below
// something deleted, so that nobody has it: it is skipped and counted (F4).
var ErrDeleted = errors.New("of a deleted account")

// maxDurationMS is the longest that a segment may last: one day (F3).
const maxDurationMS = 24 * 60 * 60 * 1000

// user returns the account that a reference means in an event of a time (F4), which may be one that is skipped.
func (in *Intake) user(ref []byte, at time.Time) (directory.UserID, error) {
	if user := in.carrier(ref, at); user != 0 {
		return user, nil
	}
	if user := in.placed[string(ref)]; user >= nobody {
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

// Segment makes an event of a segment's row. The error is ErrBeforeHistory, ErrDeleted or a *FaultError. The account may be
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
	if err != nil && user >= nobody {
		return ErrDeleted
	}
	return err
}

// segment checks a segment.
func (in *Intake) segment(user directory.UserID, book int64, s reading.Segment) (schools.Event, error) {
	switch {
	case in.State.Books.Book(book) == nil:
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
	if at.Sub(in.Began) > Ahead {
		return schools.Event{}, row.Fault(field, "must not be more than 5 minutes after the load began")
	}
	if e.Day < in.History {
		return schools.Event{}, ErrBeforeHistory
	}
	return e, nil
}
