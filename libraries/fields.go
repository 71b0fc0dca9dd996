package libraries

import (
	"time"

	"github.com/lectern-dev/lectern/paging/row"
)

// The fields of the rows of a feed (part F of the contract), in its order. All that reads or writes such rows goes by them.

var (
	bookFields        = row.Of(&Book{})
	lineFields        = row.Of(&BookLine{})
	readerFields      = row.Of(&Reader{})
	loanFields        = row.Of(&Loan{})
	reservationFields = row.Of(&Reservation{})
	requestFields     = row.Of(&Request{})
)

// Fields declares the fields of a term.
func (t *Term) Fields(w *row.Walk) {
	row.Int(w, "id", &t.ID, row.Required)
	row.Text(w, "name", &t.Name, row.Required)
}

// Fields declares the fields of a book.
func (b *Book) Fields(w *row.Walk) {
	row.Int(w, "bookId", &b.ID, row.Required)
	row.Text(w, "title", &b.Title)
	row.Text(w, "isbn", &b.ISBN)
	row.Text(w, "author", &b.Author)
	row.IntOrNone(w, "publisherId", &b.Publisher)
	row.Ints(w, "categoryIds", &b.Categories)
	row.Ints(w, "subjectIds", &b.Subjects)
	row.Bool(w, "hasEbook", &b.HasEbook)
	row.Bool(w, "hasAudiobook", &b.HasAudiobook)
	row.Bool(w, "hasVideo", &b.HasVideo)
	row.OptionalInt(w, "maxUses", &b.MaxUses)
	row.IntOrNone(w, "publicationYear", &b.Year)
}

// Fields declares the fields of a line of stock.
func (b *BookLine) Fields(w *row.Walk) {
	l := &b.Line
	row.Int(w, "lineId", &l.ID, row.Required)
	row.Int(w, "bookId", &b.Book, row.Required)
	row.Enum(w, "collection", &l.Collection, collections[:], row.Required)
	row.Enum(w, "kind", &l.Kind, kinds[:], row.Required)
	row.Int(w, "number", &l.Number, row.Required)
	row.OptionalText(w, "modality", &l.Modality)
	row.OptionalInt(w, "copies", &l.Copies)
	row.Decimal(w, "unitPrice", &l.UnitPrice, price, Money.String)
	row.Decimal(w, "totalPrice", &l.TotalPrice, price, Money.String)
	row.Day(w, "purchasedAt", &l.PurchasedAt, row.Required)
	row.OptionalDay(w, "expiresAt", &l.ExpiresAt)
}

// price is ParseMoney with the error that a feed shows beside the value.
func price(text []byte) (Money, error) {
	m, err := ParseMoney(text)
	if err != nil {
		return 0, ErrMoney
	}
	return m, nil
}

// Fields declares the fields of a reader.
func (r *Reader) Fields(w *row.Walk) {
	row.Int(w, "userId", &r.ID, row.Required)
	row.Text(w, "name", &r.Name)
	row.Text(w, "email", &r.Email)
	row.IntOrNone(w, "libraryId", &r.Library)
	row.IntOrNone(w, "ageGroupId", &r.AgeGroup)
	row.Text(w, "city", &r.City)
	row.Text(w, "state", &r.State)
	row.Text(w, "ra", &r.RA)
	row.EnumBy(w, "gender", &r.Gender, genders[:], ParseGender)
	row.Day(w, "registeredAt", &r.Registered, row.Required)
	row.Enum(w, "status", &r.Status, readerStatuses[:], row.Required)
	row.DayWhere(w, "deletedAt", &r.DeletedAt, r.Status.Gone(), "the reader is active")
	row.Instant(w, "updatedAt", &r.Updated, row.Required)
	row.Instant(w, "confirmedAt", &r.Confirmed)
	row.Instant(w, "lastSignInAt", &r.LastLogin)
}

// Fields declares the fields of a loan.
func (l *Loan) Fields(w *row.Walk) {
	row.Int(w, "loanId", &l.ID, row.Required)
	row.Int(w, "userId", &l.Reader, row.Required)
	row.Int(w, "bookId", &l.Book, row.Required)
	row.Instant(w, "borrowedAt", &l.Borrowed, row.Required)
	row.OptionalDay(w, "dueAt", &l.Due)
	row.Instant(w, "returnedAt", &l.Returned)
	row.Enum(w, "status", &l.Status, loanStatuses[:], row.Required)
}

// Fields declares the fields of a reservation.
func (r *Reservation) Fields(w *row.Walk) {
	row.Int(w, "reservationId", &r.ID, row.Required)
	row.Int(w, "userId", &r.Reader, row.Required)
	row.Int(w, "bookId", &r.Book, row.Required)
	row.Enum(w, "status", &r.Status, reservationStatuses[:], row.Required)
	row.IntOrNone(w, "position", &r.Position)
	row.Instant(w, "reservedAt", &r.Reserved, row.Required)
	row.Instant(w, "resolvedAt", &r.Resolved)
}

// Fields declares the fields of a suggestion request.
func (r *Request) Fields(w *row.Walk) {
	row.Int(w, "requestId", &r.ID, row.Required)
	row.Int(w, "userId", &r.Reader, row.Required)
	row.Text(w, "title", &r.Title)
	row.Text(w, "author", &r.Author)
	row.Text(w, "publisher", &r.Publisher)
	row.Text(w, "searchTerm", &r.SearchTerm)
	row.Enum(w, "availability", &r.Availability, availabilities[:], row.Required)
	row.Instant(w, "requestedAt", &r.Requested, row.Required)
}

// Fields declares the fields of a channel's day. That it is estimated follows from its channel, whatever a feed says (L13).
func (d *ChannelDay) Fields(w *row.Walk) {
	row.Day(w, "date", &d.Day, row.Required)
	row.Enum(w, "channel", &d.Channel, channels[:], row.Required)
	row.Int(w, "sessions", &d.Sessions, row.Required)
	row.Bool(w, "estimated", &d.Estimated)
}

// SessionRow is a row of sessions as a feed has it. Its texts are not copied.
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

// RenewalRow is a row of renewals as a feed has it. The loan is read for its form alone: a renewal is judged without it (G6).
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
