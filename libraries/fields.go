package libraries

import "github.com/lectern-dev/lectern/paging/row"

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
	row.EnumBy(w, "gender", &r.Gender, row.Names[Gender]{List: genders[:], Parse: ParseGender})
	row.Day(w, "registeredAt", &r.Registered, row.Required)
	row.Enum(w, "status", &r.Status, readerStatuses[:])
	row.DayWhere(w, "deletedAt", &r.DeletedAt, row.Where{Given: r.Status.Gone(), Unless: "the reader is active"})
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
	row.Enum(w, "status", &l.Status, loanStatuses[:])
}

// Fields declares the fields of a reservation.
func (r *Reservation) Fields(w *row.Walk) {
	row.Int(w, "reservationId", &r.ID, row.Required)
	row.Int(w, "userId", &r.Reader, row.Required)
	row.Int(w, "bookId", &r.Book, row.Required)
	row.Enum(w, "status", &r.Status, reservationStatuses[:])
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
	row.Enum(w, "availability", &r.Availability, availabilities[:])
	row.Instant(w, "requestedAt", &r.Requested, row.Required)
}

// Fields declares the fields of a channel's day. That it is estimated follows from its channel, whatever a feed says (L13).
func (d *ChannelDay) Fields(w *row.Walk) {
	row.Day(w, "date", &d.Day, row.Required)
	row.Enum(w, "channel", &d.Channel, channels[:])
	row.Int(w, "sessions", &d.Sessions, row.Required)
	row.Bool(w, "estimated", &d.Estimated)
}
