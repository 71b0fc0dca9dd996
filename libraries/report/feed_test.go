package report_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/intake"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// newDB returns a database with the tables of all products.
func newDB(t *testing.T) *database.DB {
	t.Helper()
	db := dbtest.SQLite(t)
	_, err := server.Migrate(t.Context(), db)
	noError(t, err)
	return db
}

// feed has the rows of some files of a network's feed.
type feed struct {
	terms        map[libraries.Vocabulary][]libraries.Term
	books        []libraries.Book
	readers      []libraries.Reader
	loans        []libraries.Loan
	reservations []libraries.Reservation
	sessions     []intake.SessionRow
}

// load loads a feed, publishes it at once, and returns the access to its snapshot.
func (f *feed) load(t *testing.T, s *librariesdb.Store, n libraries.NetworkID, began time.Time) report.Access {
	t.Helper()
	l, err := s.Begin(t.Context(), n, nil)
	noError(t, err)
	st, err := s.State(t.Context(), l.Base)
	noError(t, err)
	in, sorter := intake.NewIntake(st, began, libraries.HistoryStart), &intake.Sorter{}
	loans, reservations := s.RecordSorters(in, sorter, l.Base)
	for v, terms := range f.terms {
		in.Terms.Validate(take(t, terms, func(t libraries.Term) (intake.Term, error) { return intake.Term{Vocabulary: v, Term: t}, nil }))
	}
	in.Books.Validate(take(t, f.books, in.Book))
	for _, r := range take(t, f.readers, in.Reader) {
		in.AddReader(r.Row.ID)
		noError(t, sorter.AddReader(r.Row))
	}
	for _, r := range take(t, f.loans, in.Loan) {
		noError(t, loans.Add(r.Row, r.Line))
	}
	for _, r := range take(t, f.reservations, in.Reservation) {
		noError(t, reservations.Add(r.Row, r.Line))
	}
	for _, r := range take(t, f.sessions, in.Session) {
		noError(t, sorter.AddEvent(r.Row))
	}
	bad := func(line int, field, reason string) error { return fmt.Errorf("row %d: %s %s", line, field, reason) }
	noError(t, errors.Join(loans.Reconcile(t.Context(), &row.Counts{}, bad), reservations.Reconcile(t.Context(), &row.Counts{}, bad)))
	_, err = l.Save(t.Context(), in, sorter, librariesdb.SaveOptions{Immediately: true})
	noError(t, errors.Join(err, sorter.Close(), l.Close(t.Context())))
	a, err := s.Present(t.Context(), n)
	noError(t, err)
	return a
}

// take checks rows, all of which must be good.
func take[R, V any](t *testing.T, rows []R, check func(R) (V, error)) (good []row.Lined[V]) {
	t.Helper()
	for i, r := range rows {
		v, err := check(r)
		noError(t, err)
		good = append(good, row.Lined[V]{Line: i + 1, Row: v})
	}
	return good
}
