package libraries

import (
	"math"
	"time"

	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// NetworkID is the number of a library network: its tenant.
type NetworkID int64

// None is an identifier or a year that is not given. All others are not negative.
const None = -1

// Mode is how a session reached its title. The zero Mode is none.
type Mode uint8

// The modes.
const (
	Online  Mode = iota + 1 // streamed
	Offline                 // downloaded
)

// Format is what a session was of. The zero Format is none.
type Format uint8

// The formats.
const (
	Ebook Format = iota + 1
	Audiobook
)

// Availability says where a library can get a suggested title. The zero Availability is none.
type Availability uint8

// The availabilities.
const (
	InCatalogue   Availability = iota + 1 // already in the collection
	InMarketplace                         // available to buy
	NotFound
)

// Channel is a way of access that an analytics tool measures. The zero Channel is none.
type Channel uint8

// The channels, in the order of the specification.
const (
	WebMobile Channel = iota + 1
	WebDesktop
	WebTablet
	App
)

var (
	modes          = [...]string{Online: "online", Offline: "offline"}
	formats        = [...]string{Ebook: "ebook", Audiobook: "audiobook"}
	availabilities = [...]string{InCatalogue: "catalog", InMarketplace: "marketplace", NotFound: "none"}
	channels       = [...]string{WebMobile: "web-mobile", WebDesktop: "web-desktop", WebTablet: "web-tablet", App: "app"}
)

// String returns the mode's name in feeds.
func (m Mode) String() string { return row.NameOf(modes[:], "mode", m) }

// ParseMode returns the mode of a name in feeds.
func ParseMode(name string) (Mode, bool) { return row.ValueOf[Mode](modes[:], name) }

// String returns the format's name in feeds and queries.
func (f Format) String() string { return row.NameOf(formats[:], "format", f) }

// ParseFormat returns the format of a name in feeds and queries.
func ParseFormat(name string) (Format, bool) { return row.ValueOf[Format](formats[:], name) }

// String returns the availability's name in feeds and answers.
func (a Availability) String() string { return row.NameOf(availabilities[:], "availability", a) }

// Estimated reports whether the sessions of the channel are an estimate: those of the app are (L13).
func (c Channel) Estimated() bool { return c == App }

// String returns the channel's name in feeds, queries and answers.
func (c Channel) String() string { return row.NameOf(channels[:], "channel", c) }

// ParseChannel returns the channel of a name in feeds and queries.
func ParseChannel(name string) (Channel, bool) { return row.ValueOf[Channel](channels[:], name) }

// Term is a named thing that others refer to: a library, an age group, a publisher, a category or a subject.
type Term struct {
	ID   int64
	Name string
}

// Vocabulary says which list a Term is of. The zero Vocabulary is none.
type Vocabulary uint8

// The vocabularies, in the order of the dimensions.
const (
	LibraryTerms Vocabulary = iota + 1
	AgeGroupTerms
	PublisherTerms
	CategoryTerms
	SubjectTerms
)

var vocabularies = [...]string{
	LibraryTerms: "libraries", AgeGroupTerms: "ageGroups", PublisherTerms: "publishers", CategoryTerms: "categories", SubjectTerms: "subjects",
}

// String returns the name of the vocabulary's file in a feed, which is also that of its list in the dimensions.
func (v Vocabulary) String() string { return row.NameOf(vocabularies[:], "vocabulary", v) }

// Vocabularies returns all vocabularies, in their order.
func Vocabularies() []Vocabulary {
	return []Vocabulary{LibraryTerms, AgeGroupTerms, PublisherTerms, CategoryTerms, SubjectTerms}
}

// Book is one title. Empty texts are null. Publisher and Year may be None.
type Book struct {
	ID                               int64
	Title, ISBN, Author              string
	Publisher                        int64
	Categories, Subjects             []int64 // ascending, each once
	HasEbook, HasAudiobook, HasVideo bool
	MaxUses                          *int64
	Year                             int64 // of publication
}

// Reader is one reader. Empty texts, zero times and a Library or AgeGroup of None are null. DeletedAt has a meaning only
// if the Status is Inactive. Instants are whole microseconds.
type Reader struct {
	ID                            int64
	Name, Email                   string
	Library, AgeGroup             int64
	City, State, RA               string
	Gender                        Gender
	Registered                    calendar.Date
	Status                        ReaderStatus
	DeletedAt                     calendar.Date
	Updated, Confirmed, LastLogin time.Time
}

// Forget erases what names and reaches the reader (P7).
func (r *Reader) Forget() { r.Name, r.Email = "", "" }

// Loan is one loan. A nil Due is null. Returned is zero unless the Status is Ended. Instants are whole microseconds.
type Loan struct {
	ID, Reader, Book   int64
	Borrowed, Returned time.Time
	Due                *calendar.Date
	Status             LoanStatus
}

// Day returns the Brasilia day on which the loan was made. Loans are listed and counted by it.
func (l Loan) Day() calendar.Date { return calendar.Day(l.Borrowed) }

// LoanOrReservation is a record that changes, except its Origin.
type LoanOrReservation interface{ Origin() Origin }

// Origin has the fields of a loan or a reservation that never change (F1).
type Origin struct {
	ID, Reader, Book int64
	Start            time.Time
}

// Day returns the Brasilia day of the start.
func (o Origin) Day() calendar.Date { return calendar.Day(o.Start) }

// Origin returns the fields of the loan that never change.
func (l Loan) Origin() Origin { return Origin{l.ID, l.Reader, l.Book, l.Borrowed} }

// Origin returns the fields of the reservation that never change.
func (r Reservation) Origin() Origin { return Origin{r.ID, r.Reader, r.Book, r.Reserved} }

// Unended is the last day of an active loan: later than any other day.
const Unended calendar.Date = math.MaxInt32

// Days returns the days of the loan, on which a session of its title confirms it (L7): from its first day to the day of
// its return or expiry, both included, or to [Unended].
func (l Loan) Days() calendar.Period {
	days := calendar.Period{Start: l.Day(), End: Unended}
	if l.Status.Ended() {
		days.End = calendar.Day(l.Returned)
	}
	return days
}

// Reservation is one reservation. Position is None unless the Status is Active and the feed gives one. Resolved is zero
// unless the Status is Resolved. Instants are whole microseconds.
type Reservation struct {
	ID, Reader, Book   int64
	Reserved, Resolved time.Time
	Position           int64
	Status             ReservationStatus
}

// Day returns the Brasilia day on which the reservation was made. Reservations are listed and counted by it.
func (r Reservation) Day() calendar.Date { return calendar.Day(r.Reserved) }

// Request is one request to buy a title. Empty texts are null.
type Request struct {
	ID, Reader                           int64
	Title, Author, Publisher, SearchTerm string
	Availability                         Availability
	Requested                            time.Time
}

// Day returns the Brasilia day of the request.
func (r Request) Day() calendar.Date { return calendar.Day(r.Requested) }

// ChannelDay is the number of sessions of one channel on one day.
type ChannelDay struct {
	Day       calendar.Date
	Channel   Channel
	Sessions  int64
	Estimated bool
}

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
	row.EnumBy(w, "gender", &r.Gender, genders[:], ParseGender)
	row.Day(w, "registeredAt", &r.Registered, row.Required)
	row.Enum(w, "status", &r.Status, readerStatuses[:])
	row.DayWhere(w, "deletedAt", &r.DeletedAt, r.Status.Inactive(), "the reader is active")
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

// Fields declares the fields of a channel's day. A load sets Estimated by the channel, whatever a feed says (L13).
func (d *ChannelDay) Fields(w *row.Walk) {
	row.Day(w, "date", &d.Day, row.Required)
	row.Enum(w, "channel", &d.Channel, channels[:])
	row.Int(w, "sessions", &d.Sessions, row.Required)
	row.Bool(w, "estimated", &d.Estimated)
}
