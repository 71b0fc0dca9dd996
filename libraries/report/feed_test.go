package report_test

import (
	"errors"
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

// newDB is a database for library networks.
func newDB(t *testing.T) *database.DB {
	t.Helper()
	db := dbtest.SQLite(t)
	_, err := server.Migrate(t.Context(), db)
	noError(t, err)
	return db
}

// feed is what a network's feed says: rows of some of its files.
type feed struct {
	terms        map[libraries.Vocabulary][]libraries.Term
	books        []libraries.Book
	readers      []libraries.Reader
	loans        []libraries.Loan
	reservations []libraries.Reservation
	sessions     []intake.SessionRow
}

// load loads a feed into a network, at once, and returns the access to the snapshot that it makes.
func (f *feed) load(t *testing.T, s *librariesdb.Store, n libraries.NetworkID, began time.Time) report.Access {
	t.Helper()
	l, err := s.Begin(t.Context(), n, nil)
	noError(t, err)
	st, err := s.State(t.Context(), l.Base)
	noError(t, err)
	to := s.Feed(intake.NewIntake(st, began, libraries.HistoryStart), l.Base, "", 0)
	var c row.Counts
	var events row.Counts
	for v, terms := range f.terms {
		take(t, terms, to.TermFile(v, &c))
	}
	take(t, f.books, to.BookFile(&c))
	take(t, f.readers, to.ReaderFile(&c))
	take(t, f.loans, to.LoanFile(&c))
	take(t, f.reservations, to.ReservationFile(&c))
	take(t, f.sessions, to.SessionFile(&events))
	_, err = l.Save(t.Context(), to.Intake, to.Sorter, librariesdb.SaveOptions{Immediately: true})
	noError(t, errors.Join(err, to.Close(), l.Close(t.Context())))
	a, err := s.Present(t.Context(), n)
	noError(t, err)
	return a
}

// take takes the rows of a file, all of which are good.
func take[R, V any](t *testing.T, rows []R, f row.File[R, V]) {
	t.Helper()
	for i, r := range rows {
		v, err := f.Check(r)
		if err == nil {
			err = f.Take(v, i+1)
		}
		noError(t, err)
	}
	if f.End != nil {
		noError(t, f.End(t.Context(), func(line int, field, reason string) error {
			t.Errorf("%s, row %d: %s %s", f.Name, line, field, reason)
			return nil
		}))
	}
}
