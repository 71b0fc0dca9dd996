package librariesdb_test

import (
	"slices"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// TestErasedInEverySnapshot tests that a load erases the e-mail of a deleted reader in every snapshot at once, also in the
// current one (L18). Otherwise only the version of the tables changes, by which incremental pulls find the reader.
func TestErasedInEverySnapshot(t *testing.T) {
	dbtest.Everywhere(t, func(t *testing.T, db *database.DB) {
		ls := loaders(t, db, "erased", "other")
		reader := func(id int64, status libraries.ReaderStatus, hour int) libraries.Reader {
			r := libraries.Reader{
				ID: id, Name: "Ana", Email: "ana@example.org", Library: libraries.None, AgeGroup: libraries.None, Status: status,
				Updated: firstDay.Start().UTC().Add(time.Duration(hour) * time.Hour),
			}
			if status == libraries.ReaderDeleted {
				r.Email, r.DeletedAt = "", firstDay
			}
			return r
		}
		both := func(a, b libraries.ReaderStatus, hour int) feed {
			return feed{readers: []libraries.Reader{reader(5, a, hour), reader(6, b, hour)}}
		}
		for _, l := range ls {
			l.load(both(libraries.ReaderActive, libraries.ReaderActive, 1), atOnce)
		}
		l := ls[0]
		first := l.present()
		l.load(both(libraries.ReaderActive, libraries.ReaderDeactivated, 2), atOnce)
		second := l.present()
		l.load(both(libraries.ReaderDeleted, libraries.ReaderDeactivated, 3), librariesdb.SaveOptions{})
		now := l.present()
		ids, err := l.ReplacedRows(t.Context(), now, snapshot.LoadsAfter(second.At.Registers, now.At.Registers), report.ErasedReaders)
		if err != nil || !slices.Equal(ids, []int64{5}) {
			t.Errorf("ReplacedRows = %v, %v, want only reader 5", ids, err)
		}
		if second.At.Registers = now.At.Registers; now != second {
			t.Fatalf("Present = %+v, want %+v until the hour", now, second)
		}
		for _, a := range []report.Access{first, second} {
			people, err := l.People(t.Context(), a, []int64{5, 6})
			if err != nil || len(people) != 2 || people[0].Email != "" || people[1].Email != "ana@example.org" || people[0].Status != libraries.ReaderActive {
				t.Errorf("readers in %+v = %+v, %v, want the first without an e-mail", a, people, err)
			}
		}
		if people, err := ls[1].People(t.Context(), ls[1].present(), []int64{5}); err != nil || len(people) != 1 || people[0].Email == "" {
			t.Errorf("reader of another network = %+v, %v, want the e-mail kept", people, err)
		}
	})
}
