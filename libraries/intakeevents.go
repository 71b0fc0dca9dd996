package libraries

import (
	"time"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// maxSeconds is the longest that a session may last: one day (F3).
const maxSeconds = 24 * 60 * 60

// SessionRow is a row of sessions as the feed has it.
type SessionRow struct {
	ID           []byte
	Reader, Book int64
	Start        time.Time
	Seconds      int64
	Mode, Format []byte
	Progress     []byte
}

// Session makes an event of a session's row. The error is ErrBeforeHistory or a *FaultError.
func (in *Intake) Session(row SessionRow) (Event, error) {
	if wrong := in.exists(row.Reader, row.Book); wrong != nil {
		return Event{}, wrong
	}
	if row.Seconds > maxSeconds {
		return Event{}, &FaultError{"seconds", "must not be above one day, 86400"}
	}
	mode, ok := ParseMode(string(row.Mode))
	if !ok {
		return Event{}, oneOf("mode", modes[1:])
	}
	format, ok := ParseFormat(string(row.Format))
	if !ok {
		return Event{}, oneOf("format", formats[1:])
	}
	progress, err := ParseProgress(row.Progress)
	if err != nil {
		return Event{}, &FaultError{"progress", ErrProgress.Error()}
	}
	e, err := in.event(SessionEvent, row.Reader, row.Start, "startedAt")
	if err != nil {
		return Event{}, err
	}
	e.ID = NewEventID(SessionResource, row.ID, e.Reader, e.Day)
	e.Book, e.Seconds, e.Progress, e.Mode, e.Format = row.Book, row.Seconds, progress, mode, format
	return e, nil
}

// Preview makes an event of a preview's row. The error is ErrBeforeHistory or a *FaultError.
func (in *Intake) Preview(id []byte, reader, book int64, at time.Time) (Event, error) {
	return in.bookEvent(bookEvents{PreviewEvent, PreviewResource, "viewedAt"}, id, reader, book, at)
}

// Renewal makes an event of a renewal's row. It is judged by its own day: whether its loan exists is not looked at (G6). The
// error is ErrBeforeHistory or a *FaultError.
func (in *Intake) Renewal(id []byte, reader, book int64, at time.Time) (Event, error) {
	return in.bookEvent(bookEvents{RenewalEvent, RenewalResource, "renewedAt"}, id, reader, book, at)
}

// bookEvents are the events of a file that have a title and nothing more.
type bookEvents struct {
	kind     EventKind
	resource byte
	time     string // the field that has the time
}

func (in *Intake) bookEvent(of bookEvents, id []byte, reader, book int64, at time.Time) (Event, error) {
	if wrong := in.exists(reader, book); wrong != nil {
		return Event{}, wrong
	}
	e, err := in.event(of.kind, reader, at, of.time)
	if err != nil {
		return Event{}, err
	}
	e.ID, e.Book = NewEventID(of.resource, id, reader, e.Day), book
	return e, nil
}

// Activity makes an event of an activity record's row. The error is ErrBeforeHistory or a *FaultError.
func (in *Intake) Activity(id []byte, reader int64, at time.Time) (Event, error) {
	if _, ok := in.readers[reader]; !ok {
		return Event{}, &FaultError{"userId", isMissing}
	}
	e, err := in.event(ActivityEvent, reader, at, "at")
	if err != nil {
		return Event{}, err
	}
	e.ID = NewEventID(ActivityResource, id, reader, e.Day)
	return e, nil
}

// Request checks a suggestion's row, of which all but the availability is given in r. The error is ErrBeforeHistory or a
// *FaultError.
func (in *Intake) Request(r Request, availability string) (Request, error) {
	if _, ok := in.readers[r.Reader]; !ok {
		return r, &FaultError{"userId", isMissing}
	}
	var ok bool
	if r.Availability, ok = ParseAvailability(availability); !ok {
		return r, oneOf("availability", availabilities[1:])
	}
	r.Requested = instant(r.Requested)
	_, err := in.day(r.Requested, "requestedAt")
	return r, err
}

// event begins an event of a kind at a time, which a field of the row gives.
func (in *Intake) event(kind EventKind, reader int64, at time.Time, field string) (Event, error) {
	day, err := in.day(at, field)
	return Event{Kind: kind, Reader: reader, Day: day, Second: Second(at)}, err
}

// day returns the day of a time, which a field of the row gives.
func (in *Intake) day(at time.Time, field string) (calendar.Date, error) {
	day := calendar.Day(at)
	if in.late(at) {
		return day, &FaultError{field, isLate}
	}
	if day < in.History {
		return day, ErrBeforeHistory
	}
	return day, nil
}
