package libraries

import (
	"time"

	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// maxSeconds is the longest that a session may last: one day (F3).
const maxSeconds = 24 * 60 * 60

// Session makes an event of a session's row. The error is ErrBeforeHistory or a *FaultError.
func (in *Intake) Session(r SessionRow) (Event, error) {
	if wrong := in.exists(r.Reader, r.Book); wrong != nil {
		return Event{}, wrong
	}
	if r.Seconds > maxSeconds {
		return Event{}, row.Fault("seconds", "must not be above one day, 86400")
	}
	mode, ok := ParseMode(string(r.Mode))
	if !ok {
		return Event{}, row.Fault("mode", row.OneOf(modes[:]).Error())
	}
	format, ok := ParseFormat(string(r.Format))
	if !ok {
		return Event{}, row.Fault("format", row.OneOf(formats[:]).Error())
	}
	progress, err := ParseProgress(r.Progress)
	if err != nil {
		return Event{}, row.Fault("progress", ErrProgress.Error())
	}
	e, err := in.event(SessionEvent, r.Reader, r.Start, "startedAt")
	if err != nil {
		return Event{}, err
	}
	e.ID = NewEventID(SessionResource, r.ID, e.Reader, e.Day)
	e.Book, e.Seconds, e.Progress, e.Mode, e.Format = r.Book, r.Seconds, progress, mode, format
	return e, nil
}

// Preview makes an event of a preview's row. The error is ErrBeforeHistory or a *FaultError.
func (in *Intake) Preview(r PreviewRow) (Event, error) {
	return in.bookEvent(bookEvents{PreviewEvent, PreviewResource, "viewedAt"}, r.ID, r.Reader, r.Book, r.Viewed)
}

// Renewal makes an event of a renewal's row. It is judged by its own day: whether its loan exists is not looked at (G6). The
// error is ErrBeforeHistory or a *FaultError.
func (in *Intake) Renewal(r RenewalRow) (Event, error) {
	return in.bookEvent(bookEvents{RenewalEvent, RenewalResource, "renewedAt"}, r.ID, r.Reader, r.Book, r.Renewed)
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
func (in *Intake) Activity(r ActivityRow) (Event, error) {
	if _, ok := in.readers[r.Reader]; !ok {
		return Event{}, row.Fault("userId", isMissing)
	}
	e, err := in.event(ActivityEvent, r.Reader, r.At, "at")
	if err != nil {
		return Event{}, err
	}
	e.ID = NewEventID(ActivityResource, r.ID, r.Reader, e.Day)
	return e, nil
}

// Request checks a suggestion's row. The error is ErrBeforeHistory or a *FaultError.
func (in *Intake) Request(r Request) (Request, error) {
	if _, ok := in.readers[r.Reader]; !ok {
		return r, row.Fault("userId", isMissing)
	}
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
		return day, row.Fault(field, isLate)
	}
	if day < in.History {
		return day, ErrBeforeHistory
	}
	return day, nil
}
