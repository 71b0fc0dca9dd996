package intake

import (
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// The tables that loads write besides the blocks, by the fields of the feed (part F of the contract): all that reads or writes
// such rows goes by them. Of loans, reservations and requests the day stands in front, by which they are listed.
var (
	Terms    = state.NewRecords(state.RecordsOf[Term]{Name: "libraries_terms", Key: "vocabulary, term_id", Columns: columns})
	Books    = state.NewRecords(state.RecordsOf[libraries.Book]{Name: "libraries_books", Key: "book_id", Columns: columns})
	Lines    = state.NewRecords(state.RecordsOf[stock.BookLine]{Name: "libraries_lines", Key: "line_id", Columns: columns})
	Readers  = state.NewRecords(state.RecordsOf[libraries.Reader]{Name: "libraries_readers", Key: "user_id", Columns: columns})
	Channels = state.NewRecords(state.RecordsOf[libraries.ChannelDay]{Name: "libraries_channels", Key: "day, channel", Columns: columns})

	Loans        = state.NewRecords(dated("libraries_loans", "day, loan_id", libraries.Loan.Day))
	Reservations = state.NewRecords(dated("libraries_reservations", "day, reservation_id", libraries.Reservation.Day))
	Requests     = state.NewRecords(dated("libraries_requests", "day, requested, request_id, user_id", libraries.Request.Day))
)

// Tables returns all of them.
func Tables() []*state.Table {
	return []*state.Table{
		Terms.Table, Books.Table, Lines.Table, Readers.Table, Loans.Table, Reservations.Table, Requests.Table, Channels.Table,
	}
}

// dated is a table of records by their day.
func dated[T any](name, key string, day func(T) calendar.Date) state.RecordsOf[T] {
	return state.RecordsOf[T]{
		Name: name, Key: key, Columns: columns,
		Derived: []string{"day"}, Derive: func(v T) []any { return []any{int64(day(v))} },
	}
}

// columns are those that have another name than the field.
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
