package librariesdb

import (
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging/state/statedb"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// A table's fields are what a record consists of, in the order in which its scan function reads them.
const (
	termFields        = "vocabulary, term_id, name"
	bookFields        = "book_id, title, isbn, author, publisher_id, category_ids, subject_ids, has_ebook, has_audiobook, has_video, max_uses, year"
	lineFields        = "book_id, line_id, collection, kind, number, modality, copies, unit_price, total_price, purchased_at, expires_at"
	readerFields      = "user_id, name, email, library_id, age_group_id, city, state, ra, gender, registered, status, deleted_at, updated, confirmed, last_login"
	loanFields        = "loan_id, user_id, book_id, borrowed, due, returned, status"
	reservationFields = "reservation_id, user_id, book_id, reserved, resolved, position, status"
	requestFields     = "request_id, user_id, requested, title, author, publisher, search_term, availability"
	channelFields     = "day, channel, sessions, estimated"
)

// The tables that loads write besides the blocks. A values function returns the key of a row, then its other columns.
var (
	termsTable        = table("libraries_terms", "vocabulary, term_id", termFields)
	booksTable        = table("libraries_books", "book_id", bookFields)
	linesTable        = table("libraries_lines", "line_id", lineFields)
	readersTable      = table("libraries_readers", "user_id", readerFields)
	loansTable        = table("libraries_loans", "day, loan_id", loanFields)
	reservationsTable = table("libraries_reservations", "day, reservation_id", reservationFields)
	requestsTable     = table("libraries_requests", "day, requested, request_id, user_id", requestFields)
	channelsTable     = table("libraries_channels", "day, channel", channelFields)
)

var tables = []*statedb.Table{
	termsTable, booksTable, linesTable, readersTable, loansTable, reservationsTable, requestsTable, channelsTable,
}

// table is a table of a key and of the fields that are not in it.
func table(name, key, fields string) *statedb.Table {
	t := &statedb.Table{Name: name, Key: strings.Split(key, ", ")}
	for _, f := range strings.Split(fields, ", ") {
		if !slices.Contains(t.Key, f) {
			t.Columns = append(t.Columns, f)
		}
	}
	return t
}

// replace is the change that puts a row for each thing of a list, in place of those of the keys gone, which it sorts.
func replace[T any](t *statedb.Table, gone [][]int64, list []T, values func(T) []any) statedb.RowChange {
	slices.SortFunc(gone, slices.Compare)
	if len(list) == 0 {
		return statedb.RowChange{Table: t, Gone: gone}
	}
	return statedb.RowChange{Table: t, Gone: gone, Put: func(yield func([]any) bool) {
		for _, v := range list {
			if !yield(values(v)) {
				return
			}
		}
	}}
}

// keys are those of the rows of a list.
func keys[T any](list []T, keyOf func(T) []int64) [][]int64 {
	keys := make([][]int64, len(list))
	for i, v := range list {
		keys[i] = keyOf(v)
	}
	return keys
}

// micros returns an instant as it is stored: microseconds since 1970, 0 for the zero time, which is null.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// instant returns a stored instant that may be null, in UTC. Of one that is never null 0 is the beginning of 1970, as for
// moment.
func instant(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return moment(n)
}

// moment returns a stored instant that is never null, in UTC.
func moment(n int64) time.Time { return time.UnixMicro(n).UTC() }

// value returns what a pointer points to as a value of a row: nil is null.
func value[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

// dayValue returns a day that may be null as a value of a row.
func dayValue(d *calendar.Date) any {
	if d == nil {
		return nil
	}
	return int64(*d)
}

// small scans an integer into a number of fewer bits. Package database/sql can do so, and writes it as text in between.
type small[T ~uint8 | ~int32] struct{ to *T }

func into[T ~uint8 | ~int32](to *T) small[T] { return small[T]{to} }

// Scan implements sql.Scanner.
func (s small[T]) Scan(value any) error {
	n, ok := value.(int64)
	if !ok || int64(T(n)) != n {
		return fmt.Errorf("%v is not a number of the type %T", value, *s.to)
	}
	*s.to = T(n)
	return nil
}

// nullableDay scans a day that may be null.
type nullableDay struct{ to **calendar.Date }

// Scan implements sql.Scanner.
func (d nullableDay) Scan(value any) error {
	if value == nil {
		*d.to = nil
		return nil
	}
	*d.to = new(calendar.Date)
	return into(*d.to).Scan(value)
}

// idList returns ascending identifiers as they are stored: 3;17;20.
func idList(ids []int64) string {
	var b []byte
	for i, id := range ids {
		if i > 0 {
			b = append(b, ';')
		}
		b = strconv.AppendInt(b, id, 10)
	}
	return string(b)
}

// parseIDs reads what idList wrote.
func parseIDs(list string) ([]int64, error) {
	if list == "" {
		return nil, nil
	}
	ids := make([]int64, 0, 1+strings.Count(list, ";"))
	for text := range strings.SplitSeq(list, ";") {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("identifiers %.40q: %w", list, err)
		}
		ids = append(ids, id)
	}
	return ids, nil
}

func termValues(v libraries.Vocabulary, t libraries.Term) []any {
	return []any{int64(v), t.ID, t.Name}
}

func scanTerm(rows *sql.Rows) (v libraries.Vocabulary, t libraries.Term, err error) {
	err = rows.Scan(into(&v), &t.ID, &t.Name)
	return v, t, err
}

func bookValues(b libraries.Book) []any {
	return []any{
		b.ID, b.Title, b.ISBN, b.Author, b.Publisher, idList(b.Categories), idList(b.Subjects),
		b.HasEbook, b.HasAudiobook, b.HasVideo, value(b.MaxUses), b.Year,
	}
}

func scanBook(rows *sql.Rows) (b libraries.Book, err error) {
	var categories, subjects string
	err = rows.Scan(&b.ID, &b.Title, &b.ISBN, &b.Author, &b.Publisher, &categories, &subjects,
		&b.HasEbook, &b.HasAudiobook, &b.HasVideo, &b.MaxUses, &b.Year)
	if err != nil {
		return b, err
	}
	if b.Categories, err = parseIDs(categories); err != nil {
		return b, fmt.Errorf("book %d: category %w", b.ID, err)
	}
	if b.Subjects, err = parseIDs(subjects); err != nil {
		return b, fmt.Errorf("book %d: subject %w", b.ID, err)
	}
	return b, nil
}

func lineValues(b libraries.BookLine) []any {
	l := b.Line
	return []any{
		l.ID, b.Book, int64(l.Collection), int64(l.Kind), l.Number, value(l.Modality), value(l.Copies),
		int64(l.UnitPrice), int64(l.TotalPrice), int64(l.PurchasedAt), dayValue(l.ExpiresAt),
	}
}

func scanLine(rows *sql.Rows) (b libraries.BookLine, err error) {
	l := &b.Line
	err = rows.Scan(&b.Book, &l.ID, into(&l.Collection), into(&l.Kind), &l.Number, &l.Modality, &l.Copies,
		(*int64)(&l.UnitPrice), (*int64)(&l.TotalPrice), into(&l.PurchasedAt), nullableDay{&l.ExpiresAt})
	return b, err
}

func readerValues(r libraries.Reader) []any {
	deleted := r.DeletedAt
	if !r.Status.Gone() {
		deleted = 0 // without meaning, and alike in every row
	}
	return []any{
		r.ID, r.Name, r.Email, r.Library, r.AgeGroup, r.City, r.State, r.RA, int64(r.Gender), int64(r.Registered),
		int64(r.Status), int64(deleted), micros(r.Updated), micros(r.Confirmed), micros(r.LastLogin),
	}
}

func scanReader(rows *sql.Rows) (r libraries.Reader, err error) {
	var updated, confirmed, login int64
	err = rows.Scan(&r.ID, &r.Name, &r.Email, &r.Library, &r.AgeGroup, &r.City, &r.State, &r.RA, into(&r.Gender), into(&r.Registered),
		into(&r.Status), into(&r.DeletedAt), &updated, &confirmed, &login)
	r.Updated, r.Confirmed, r.LastLogin = moment(updated), instant(confirmed), instant(login)
	return r, err
}

func loanValues(l libraries.Loan) []any {
	return []any{
		int64(l.Day()), l.ID, l.Reader, l.Book, micros(l.Borrowed), dayValue(l.Due), micros(l.Returned), int64(l.Status),
	}
}

func scanLoan(rows *sql.Rows) (l libraries.Loan, err error) {
	var borrowed, returned int64
	err = rows.Scan(&l.ID, &l.Reader, &l.Book, &borrowed, nullableDay{&l.Due}, &returned, into(&l.Status))
	l.Borrowed, l.Returned = moment(borrowed), instant(returned)
	return l, err
}

func reservationValues(r libraries.Reservation) []any {
	return []any{
		int64(r.Day()), r.ID, r.Reader, r.Book, micros(r.Reserved), micros(r.Resolved), r.Position, int64(r.Status),
	}
}

func scanReservation(rows *sql.Rows) (r libraries.Reservation, err error) {
	var reserved, resolved int64
	err = rows.Scan(&r.ID, &r.Reader, &r.Book, &reserved, &resolved, &r.Position, into(&r.Status))
	r.Reserved, r.Resolved = moment(reserved), instant(resolved)
	return r, err
}

func requestValues(r libraries.Request) []any {
	return []any{
		int64(r.Day()), micros(r.Requested), r.ID, r.Reader, r.Title, r.Author, r.Publisher, r.SearchTerm, int64(r.Availability),
	}
}

func scanRequest(rows *sql.Rows) (r libraries.Request, err error) {
	var requested int64
	err = rows.Scan(&r.ID, &r.Reader, &requested, &r.Title, &r.Author, &r.Publisher, &r.SearchTerm, into(&r.Availability))
	r.Requested = moment(requested)
	return r, err
}

func channelValues(c libraries.ChannelDay) []any {
	return []any{int64(c.Day), int64(c.Channel), c.Sessions, c.Estimated}
}

func scanChannel(rows *sql.Rows) (c libraries.ChannelDay, err error) {
	err = rows.Scan(into(&c.Day), into(&c.Channel), &c.Sessions, &c.Estimated)
	return c, err
}
