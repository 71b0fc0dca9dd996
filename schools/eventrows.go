package schools

import (
	"errors"
	"strings"
	"time"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/reading"
)

// ErrBeforeHistory is returned for an event before the history: it is skipped and counted, not bad (G6).
var ErrBeforeHistory = errors.New("before the history")

// ErrDeleted is returned for a faulty event of an account that the feed puts below something deleted, so that nobody has it: it
// is skipped and counted with that account (F4).
var ErrDeleted = errors.New("of a deleted account")

// FaultError is what is wrong with an event's row.
type FaultError struct{ Field, Reason string }

func (e *FaultError) Error() string { return e.Field + " " + e.Reason }

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
	return 0, &FaultError{"account", directory.MsgMissing}
}

// Segment makes an event of a segment's row. The error is ErrBeforeHistory, ErrDeleted or a *FaultError. The account may be
// one that Moves tells to drop.
func (in *Intake) Segment(id, account []byte, book int64, s reading.Segment) (Event, error) {
	user, err := in.user(account, s.Start)
	if err != nil {
		return Event{}, err
	}
	e, err := in.segment(id, user, book, s)
	return e, deletedFirst(user, err)
}

// deletedFirst is the error of an event: whose account is skipped is skipped with it, whatever else is wrong.
func deletedFirst(user directory.UserID, err error) error {
	if err != nil && user >= nobody {
		return ErrDeleted
	}
	return err
}

// segment checks a segment.
func (in *Intake) segment(id []byte, user directory.UserID, book int64, s reading.Segment) (Event, error) {
	switch {
	case in.State.Books.Book(book) == nil:
		return Event{}, &FaultError{"bookId", directory.MsgMissing}
	case s.DurationMS > maxDurationMS:
		return Event{}, &FaultError{"durationMs", "must not be above one day"}
	case s.From > s.To:
		return Event{}, &FaultError{"from", "must not be above to"}
	}
	return in.dated(NewSegment(NewEventID('s', id), user, book, s), s.Start, "startedAt")
}

// Access makes an event of an access record's row, as Segment does.
func (in *Intake) Access(id, account []byte, at time.Time, kind []byte) (Event, error) {
	user, err := in.user(account, at)
	if err != nil {
		return Event{}, err
	}
	e, err := in.access(id, user, at, kind)
	return e, deletedFirst(user, err)
}

// access checks an access record.
func (in *Intake) access(id []byte, user directory.UserID, at time.Time, kind []byte) (Event, error) {
	k, ok := ParseAccessKind(kind)
	if !ok {
		return Event{}, &FaultError{"kind", "must be one of " + strings.Join(accessKinds[1:], ", ")}
	}
	return in.dated(NewAccess(NewEventID('a', id), user, at, k), at, "at")
}

// dated checks the time of an event, which a field of the row gives.
func (in *Intake) dated(e Event, at time.Time, field string) (Event, error) {
	if at.Sub(in.Began) > Ahead {
		return Event{}, &FaultError{field, "must not be more than 5 minutes after the load began"}
	}
	if e.Day < in.History {
		return Event{}, ErrBeforeHistory
	}
	return e, nil
}
