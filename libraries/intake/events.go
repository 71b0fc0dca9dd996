package intake

import (
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// maxSeconds is the longest that a session may last: one day (F3).
const maxSeconds = 24 * 60 * 60

// Session makes an event of a session's row. The error is row.ErrBeforeHistory or a *row.FaultError.
func (in *Intake) Session(r SessionRow) (libraries.Event, error) {
	if err := in.refers(r.Reader, r.Book); err != nil {
		return libraries.Event{}, err
	}
	if r.Seconds > maxSeconds {
		return libraries.Event{}, row.Fault("seconds", "must not be above one day, 86400")
	}
	mode, ok := libraries.ParseMode(string(r.Mode))
	if !ok {
		return libraries.Event{}, row.Fault("mode", row.OneOf([]string{libraries.Online.String(), libraries.Offline.String()}).Error())
	}
	format, ok := libraries.ParseFormat(string(r.Format))
	if !ok {
		return libraries.Event{}, row.Fault("format", row.OneOf([]string{libraries.Ebook.String(), libraries.Audiobook.String()}).Error())
	}
	progress, err := libraries.ParseProgress(r.Progress)
	if err != nil {
		return libraries.Event{}, row.Fault("progress", libraries.ErrProgress.Error())
	}
	e, err := in.event(libraries.SessionEvent, r.Reader, r.Start, "startedAt")
	if err != nil {
		return libraries.Event{}, err
	}
	e.ID = libraries.NewEventID(libraries.SessionResource, r.ID, e.Reader, e.Day)
	e.Book, e.Seconds, e.Progress, e.Mode, e.Format = r.Book, r.Seconds, progress, mode, format
	return e, nil
}

// Preview makes an event of a preview's row. The error is row.ErrBeforeHistory or a *row.FaultError.
func (in *Intake) Preview(r PreviewRow) (libraries.Event, error) {
	return in.bookEvent(bookEvents{libraries.PreviewEvent, libraries.PreviewResource, "viewedAt"}, r.ID, r.Reader, r.Book, r.Viewed)
}

// Renewal makes an event of a renewal's row. Its loan need not exist (G6). The
// error is row.ErrBeforeHistory or a *row.FaultError.
func (in *Intake) Renewal(r RenewalRow) (libraries.Event, error) {
	return in.bookEvent(bookEvents{libraries.RenewalEvent, libraries.RenewalResource, "renewedAt"}, r.ID, r.Reader, r.Book, r.Renewed)
}

// bookEvents describes events that have a title and nothing more.
type bookEvents struct {
	kind     libraries.EventKind
	resource byte
	time     string // the field that has the time
}

func (in *Intake) bookEvent(of bookEvents, id []byte, reader, book int64, at time.Time) (libraries.Event, error) {
	if err := in.refers(reader, book); err != nil {
		return libraries.Event{}, err
	}
	e, err := in.event(of.kind, reader, at, of.time)
	if err != nil {
		return libraries.Event{}, err
	}
	e.ID, e.Book = libraries.NewEventID(of.resource, id, reader, e.Day), book
	return e, nil
}

// Activity makes an event of an activity record's row. The error is row.ErrBeforeHistory or a *row.FaultError.
func (in *Intake) Activity(r ActivityRow) (libraries.Event, error) {
	if !in.readers.has(r.Reader) {
		return libraries.Event{}, row.Fault("userId", isMissing)
	}
	e, err := in.event(libraries.ActivityEvent, r.Reader, r.At, "at")
	if err != nil {
		return libraries.Event{}, err
	}
	e.ID = libraries.NewEventID(libraries.ActivityResource, r.ID, r.Reader, e.Day)
	return e, nil
}

// Request checks a suggestion's row. The error is row.ErrBeforeHistory or a *row.FaultError.
func (in *Intake) Request(r libraries.Request) (libraries.Request, error) {
	if !in.readers.has(r.Reader) {
		return r, row.Fault("userId", isMissing)
	}
	_, err := in.day(r.Requested, "requestedAt")
	return r, err
}

// event begins an event of a kind at a time, which a field of the row gives.
func (in *Intake) event(kind libraries.EventKind, reader int64, at time.Time, field string) (libraries.Event, error) {
	day, err := in.day(at, field)
	return libraries.Event{Kind: kind, Reader: reader, Day: day, Second: libraries.Second(at)}, err
}

// day returns the day of a time, which a field of the row gives.
func (in *Intake) day(at time.Time, field string) (calendar.Date, error) {
	day := calendar.Day(at)
	if err := row.Late(field, at, in.Began); err != nil {
		return day, err
	}
	if day < in.History {
		return day, row.ErrBeforeHistory
	}
	return day, nil
}

// SessionRow is a row of sessions as a feed has it. Its byte slices are valid until the next row is read.
type SessionRow struct {
	ID           []byte
	Reader, Book int64
	Start        time.Time
	Seconds      int64
	Mode, Format []byte
	Progress     []byte
}

// Fields declares the fields of a session's row.
func (r *SessionRow) Fields(w *row.Walk) {
	row.ID(w, "sessionId", &r.ID, row.Required)
	row.Int(w, "userId", &r.Reader, row.Required)
	row.Int(w, "bookId", &r.Book, row.Required)
	row.Instant(w, "startedAt", &r.Start, row.Required)
	row.Int(w, "seconds", &r.Seconds, row.Required)
	row.Bytes(w, "mode", &r.Mode, row.Required)
	row.Bytes(w, "format", &r.Format, row.Required)
	row.Number(w, "progress", &r.Progress, row.Required)
}

// PreviewRow is a row of previews as a feed has it.
type PreviewRow struct {
	ID           []byte
	Reader, Book int64
	Viewed       time.Time
}

// Fields declares the fields of a preview's row.
func (r *PreviewRow) Fields(w *row.Walk) {
	row.ID(w, "previewId", &r.ID, row.Required)
	row.Int(w, "userId", &r.Reader, row.Required)
	row.Int(w, "bookId", &r.Book, row.Required)
	row.Instant(w, "viewedAt", &r.Viewed, row.Required)
}

// RenewalRow is a row of renewals as a feed has it. The loan is only parsed (G6).
type RenewalRow struct {
	ID                 []byte
	Loan, Reader, Book int64
	Renewed            time.Time
}

// Fields declares the fields of a renewal's row.
func (r *RenewalRow) Fields(w *row.Walk) {
	row.ID(w, "renewalId", &r.ID, row.Required)
	row.Int(w, "loanId", &r.Loan, row.Required)
	row.Int(w, "userId", &r.Reader, row.Required)
	row.Int(w, "bookId", &r.Book, row.Required)
	row.Instant(w, "renewedAt", &r.Renewed, row.Required)
}

// ActivityRow is a row of activity as a feed has it.
type ActivityRow struct {
	ID     []byte
	Reader int64
	At     time.Time
}

// Fields declares the fields of an activity record's row.
func (r *ActivityRow) Fields(w *row.Walk) {
	row.ID(w, "activityId", &r.ID, row.Required)
	row.Int(w, "userId", &r.Reader, row.Required)
	row.Instant(w, "at", &r.At, row.Required)
}
