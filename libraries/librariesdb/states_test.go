package librariesdb_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// The e-mail of a reader whom a load positions deleted is erased when the load is committed, in every state, also in the one that is
// served until the hour (L18). Nothing else of the state changes but the version of its registers, by which rounds find the reader.
func TestErasedInEveryState(t *testing.T) {
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
			t.Errorf("of %v something was erased, %v, want of 5", ids, err)
		}
		if second.At.Registers = now.At.Registers; now != second {
			t.Fatalf("%+v holds, want %+v until the hour", now, second)
		}
		for _, a := range []report.Access{first, second} {
			people, err := l.People(t.Context(), a, []int64{5, 6})
			if err != nil || len(people) != 2 || people[0].Email != "" || people[1].Email != "ana@example.org" || people[0].Status != libraries.ReaderActive {
				t.Errorf("in %+v the readers are %+v, %v, want the first without an e-mail", a, people, err)
			}
		}
		if people, err := ls[1].People(t.Context(), ls[1].present(), []int64{5}); err != nil || len(people) != 1 || people[0].Email == "" {
			t.Errorf("another network's reader is %+v, %v, want the e-mail there", people, err)
		}
	})
}

// Reads of a state go on while loads replace it and hold.
func TestReadsBesideLoads(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		l := loaders(t, db, "beside")[0]
		feeds := pieces(0)
		l.load(feeds[0], atOnce)
		a := l.present()
		want, err := facts.ReadNetwork(t.Context(), l, auth.Tenant(a.Network), a.At.Facts)
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() {
			for range 20 {
				got, err := facts.ReadNetwork(context.WithoutCancel(t.Context()), l, auth.Tenant(a.Network), a.At.Facts)
				if err == nil && !slices.Equal(got.Days.Totals, want.Days.Totals) {
					err = fmt.Errorf("%d days, want %d as before", len(got.Days.Dates), len(want.Days.Dates))
				}
				if err == nil {
					_, err = l.Requests(context.WithoutCancel(t.Context()), a, calendar.Period{Start: firstDay, End: lastDay})
				}
				if err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
		for _, f := range feeds[1:] {
			l.load(f, atOnce)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
