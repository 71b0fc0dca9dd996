package librariesdb

import (
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/paging/state/statedb"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// The tables that loads write besides the blocks. Their rows are the records of package libraries; of loans, reservations and
// requests the day stands in front, by which they are listed.
var (
	termsTable    = statedb.NewRecords(statedb.RecordsOf[term]{Name: "libraries_terms", Key: "vocabulary, term_id", Columns: columns})
	booksTable    = statedb.NewRecords(statedb.RecordsOf[libraries.Book]{Name: "libraries_books", Key: "book_id", Columns: columns})
	linesTable    = statedb.NewRecords(statedb.RecordsOf[stock.BookLine]{Name: "libraries_lines", Key: "line_id", Columns: columns})
	readersTable  = statedb.NewRecords(statedb.RecordsOf[libraries.Reader]{Name: "libraries_readers", Key: "user_id", Columns: columns})
	channelsTable = statedb.NewRecords(statedb.RecordsOf[libraries.ChannelDay]{Name: "libraries_channels", Key: "day, channel", Columns: columns})

	loansTable        = statedb.NewRecords(dated("libraries_loans", "day, loan_id", libraries.Loan.Day))
	reservationsTable = statedb.NewRecords(dated("libraries_reservations", "day, reservation_id", libraries.Reservation.Day))
	requestsTable     = statedb.NewRecords(dated("libraries_requests", "day, requested, request_id, user_id", libraries.Request.Day))
)

// dated is a table of records by their day.
func dated[T any](name, key string, day func(T) calendar.Date) statedb.RecordsOf[T] {
	return statedb.RecordsOf[T]{
		Name: name, Key: key, Columns: columns,
		Derived: []string{"day"}, Derive: func(v T) []any { return []any{int64(day(v))} },
	}
}

var tables = []*statedb.Table{
	termsTable.Table, booksTable.Table, linesTable.Table, readersTable.Table, loansTable.Table, reservationsTable.Table,
	requestsTable.Table, channelsTable.Table,
}

// columns are those that have another name than the field.
var columns = map[string]string{
	"id": "term_id", "publicationYear": "year", "date": "day",
	"registeredAt": "registered", "updatedAt": "updated", "confirmedAt": "confirmed", "lastSignInAt": "last_login",
	"borrowedAt": "borrowed", "dueAt": "due", "returnedAt": "returned", "reservedAt": "reserved", "resolvedAt": "resolved",
	"requestedAt": "requested",
}

// term is a term with its vocabulary.
type term struct {
	vocabulary libraries.Vocabulary
	libraries.Term
}

// Fields declares the fields of a term's row.
func (t *term) Fields(w *row.Walk) {
	row.Enum(w, "vocabulary", &t.vocabulary, nil)
	t.Term.Fields(w)
}
