package intake

import (
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// Table is a table of which a load knows all rows: those that are stored, and those of the feed once they are validated.
type Table[V any] struct {
	// Put has the rows that are new or changed.
	Put []V

	records *snapshot.Records[V]
	key     func(V) rowKey
	known   map[rowKey]V
}

// rowKey is the key of a row; the second number is 0 if the first is enough.
type rowKey [2]int64

func newTable[V any](records *snapshot.Records[V], stored []V, key func(V) rowKey) *Table[V] {
	t := &Table[V]{records: records, key: key, known: make(map[rowKey]V, len(stored))}
	for _, v := range stored {
		t.known[key(v)] = v
	}
	return t
}

func (t *Table[V]) has(key rowKey) bool {
	_, ok := t.known[key]
	return ok
}

// Validate compares rows, each validated by itself, with one another and with the stored ones.
func (t *Table[V]) Validate(rows []row.Lined[V]) row.Counts {
	c := row.Counts{Rows: len(rows)}
	_ = row.Reconciler[V, V]{ // it cannot fail: the rows are good
		Order: func(a, b V) int {
			x, y := t.key(a), t.key(b)
			return slices.Compare(x[:], y[:])
		},
		Same:  t.records.Same,
		Check: func(v V) (V, error) { return v, nil },
		Was:   func(v V) (V, bool) { was, known := t.known[t.key(v)]; return was, known },
		Put: func(v V, _ *V) error {
			t.known[t.key(v)] = v
			t.Put = append(t.Put, v)
			return nil
		},
	}.Reconcile(rows, &c, nil)
	return c
}

// change returns the change that writes Put.
func (t *Table[V]) change() snapshot.Change { return t.records.Change(snapshot.Rows[V]{Again: t.Put}) }

// Book validates a row of books, whose lists may be in any order. The error is a *row.FaultError.
func (in *Intake) Book(b libraries.Book) (libraries.Book, error) {
	b.Categories, b.Subjects = ascending(b.Categories), ascending(b.Subjects)
	if b.Publisher != libraries.None && !in.has(libraries.PublisherTerms, b.Publisher) {
		return b, row.Fault("publisherId", isMissing)
	}
	if !in.has(libraries.CategoryTerms, b.Categories...) {
		return b, row.Fault("categoryIds", "each of the list must exist")
	}
	if !in.has(libraries.SubjectTerms, b.Subjects...) {
		return b, row.Fault("subjectIds", "each of the list must exist")
	}
	return b, nil
}

// has reports whether all of the terms exist.
func (in *Intake) has(v libraries.Vocabulary, ids ...int64) bool {
	for _, id := range ids {
		if !in.Terms.has(rowKey{int64(v), id}) {
			return false
		}
	}
	return true
}

// ascending returns a list in order, each identifier once. An empty list is nil.
func ascending(ids []int64) []int64 {
	if len(ids) == 0 {
		return nil
	}
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Line validates a row of lines. The error is a *row.FaultError.
func (in *Intake) Line(l stock.BookLine) (stock.BookLine, error) {
	if !in.Books.has(rowKey{l.Book}) {
		return l, row.Fault("bookId", isMissing)
	}
	return l, nil
}

// Channel completes a row of channels: its channel decides whether it is estimated (L13).
func (in *Intake) Channel(d libraries.ChannelDay) (libraries.ChannelDay, error) {
	d.Estimated = d.Channel.Estimated()
	return d, nil
}

// Reader validates a row of readers. It leaves out the e-mail of a deleted reader (L18), and the name and e-mail of an erased
// one (P7), so that they are stored nowhere. The error is a *row.FaultError.
func (in *Intake) Reader(r libraries.Reader) (libraries.Reader, error) {
	if r.Status == libraries.ReaderDeleted {
		r.Email = ""
	}
	if in.Forgotten[r.ID] {
		r.Forget()
	}
	if r.Library != libraries.None && !in.has(libraries.LibraryTerms, r.Library) {
		return r, row.Fault("libraryId", isMissing)
	}
	if r.AgeGroup != libraries.None && !in.has(libraries.AgeGroupTerms, r.AgeGroup) {
		return r, row.Fault("ageGroupId", isMissing)
	}
	return r, row.Late("updatedAt", r.Updated, in.Began)
}

// AddReader lets rows refer to a reader of the feed.
func (in *Intake) AddReader(id int64) { in.readers.add(id) }

// ids is a set of identifiers, with a bit for each of 64 neighbours. Most identifiers are consecutive, so those of a million
// readers take a quarter of a megabyte.
type ids map[int64]uint64

func (s ids) add(id int64) { s[id>>6] |= 1 << (id & 63) }

func (s ids) has(id int64) bool { return s[id>>6]&(1<<(id&63)) != 0 }

// The tables that loads write besides the blocks, with the fields of the feed (part F of the contract). The keys of loans,
// reservations and requests begin with the day, as their lists are ordered.
var (
	Terms    = snapshot.NewRecords(snapshot.RecordsOf[Term]{Name: "libraries_terms", Key: "vocabulary, term_id", Columns: columns})
	Books    = snapshot.NewRecords(snapshot.RecordsOf[libraries.Book]{Name: "libraries_books", Key: "book_id", Columns: columns})
	Lines    = snapshot.NewRecords(snapshot.RecordsOf[stock.BookLine]{Name: "libraries_lines", Key: "line_id", Columns: columns})
	Readers  = snapshot.NewRecords(snapshot.RecordsOf[libraries.Reader]{Name: "libraries_readers", Key: "user_id", Columns: columns})
	Channels = snapshot.NewRecords(snapshot.RecordsOf[libraries.ChannelDay]{Name: "libraries_channels", Key: "day, channel", Columns: columns})

	Loans        = snapshot.NewRecords(dated("libraries_loans", "day, loan_id", libraries.Loan.Day))
	Reservations = snapshot.NewRecords(dated("libraries_reservations", "day, reservation_id", libraries.Reservation.Day))
	Requests     = snapshot.NewRecords(dated("libraries_requests", "day, requested, request_id, user_id", libraries.Request.Day))
)

// Tables returns all of them.
func Tables() []*snapshot.Table {
	return []*snapshot.Table{
		Terms.Table, Books.Table, Lines.Table, Readers.Table, Loans.Table, Reservations.Table, Requests.Table, Channels.Table,
	}
}

// dated is a table of records by their day.
func dated[T any](name, key string, day func(T) calendar.Date) snapshot.RecordsOf[T] {
	return snapshot.RecordsOf[T]{
		Name: name, Key: key, Columns: columns,
		Derived: []string{"day"}, Derive: func(v T) []any { return []any{int64(day(v))} },
	}
}

// columns are the columns whose name differs from the field's.
var columns = map[string]string{
	"id": "term_id", "publicationYear": "year", "date": "day",
	"registeredAt": "registered", "updatedAt": "updated", "confirmedAt": "confirmed", "lastSignInAt": "last_login",
	"borrowedAt": "borrowed", "dueAt": "due", "returnedAt": "returned", "reservedAt": "reserved", "resolvedAt": "resolved",
	"requestedAt": "requested",
}

// Term is a term with its vocabulary.
type Term struct {
	Vocabulary libraries.Vocabulary
	libraries.Term
}

// Fields declares the fields of a term's row.
func (t *Term) Fields(w *row.Walk) {
	row.Enum(w, "vocabulary", &t.Vocabulary, nil)
	t.Term.Fields(w)
}
