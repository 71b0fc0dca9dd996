package librariesdb_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/intake"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// put saves tables, and returns the stored tables afterwards.
func (l *loader) put(change func(in *intake.Intake)) intake.Stored {
	l.Helper()
	if _, err := l.try(l.Context(), feed{}, atOnce, change); err != nil {
		l.Fatal(err)
	}
	return l.snapshot(l.present())
}

// TestStoredIsWhatWasSaved tests that a load finds the tables as the one before saved them: new rows are added, and
// changed rows replace the earlier ones.
func TestStoredIsWhatWasSaved(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		l := loaders(t, db, "tables")[0]
		if st := l.snapshot(l.present()); st.At.Facts != 0 || len(st.Terms)+len(st.Books)+len(st.Lines)+len(st.Channels)+len(st.Readers) != 0 {
			t.Errorf("snapshot of a new network = %+v, want an empty one", st)
		}
		uses, copies, modality, day := int64(26), int64(3), "compra", calendar.MustParse("2026-08-01")
		// Terms of two vocabularies share an identifier, as do a title and a line. Two channels share a day.
		terms := []intake.Term{
			{Vocabulary: libraries.LibraryTerms, Term: libraries.Term{ID: 1, Name: "Central"}},
			{Vocabulary: libraries.LibraryTerms, Term: libraries.Term{ID: 2, Name: "Norte"}},
			{Vocabulary: libraries.PublisherTerms, Term: libraries.Term{ID: 1, Name: "Editora"}},
		}
		books := []libraries.Book{
			{ID: 1, Title: "Iracema", ISBN: "9788508040674", Author: "José", Publisher: 1, Categories: []int64{1, 5}, HasEbook: true, MaxUses: &uses, Year: 1865},
			{ID: 2, Title: "Ubirajara", Publisher: libraries.None, Subjects: []int64{7}, HasAudiobook: true, HasVideo: true, Year: libraries.None},
		}
		lines := []stock.BookLine{
			{Book: 2, Line: stock.Line{ID: 1, Collection: stock.Additional, Kind: stock.PurchaseLine, Number: 4, Modality: &modality, Copies: &copies,
				UnitPrice: 1050, TotalPrice: 3150, PurchasedAt: day, ExpiresAt: &day}},
			{Book: 1, Line: stock.Line{ID: 2, Collection: stock.Platform, Kind: stock.LegacyLine}},
		}
		channels := []libraries.ChannelDay{
			{Day: day, Channel: libraries.WebMobile, Sessions: 5}, {Day: day, Channel: libraries.App, Sessions: 6, Estimated: true},
			{Day: day + 1, Channel: libraries.WebMobile, Sessions: 7},
		}
		check := func(st intake.Stored) {
			t.Helper()
			for what, pair := range map[string][2]any{
				"terms": {st.Terms, terms}, "books": {st.Books, books}, "lines": {st.Lines, lines}, "channels": {st.Channels, channels},
			} {
				if !reflect.DeepEqual(pair[0], pair[1]) {
					t.Errorf("%s = %+v, want %+v", what, pair[0], pair[1])
				}
			}
		}
		check(l.put(func(in *intake.Intake) {
			in.Terms.Put, in.Books.Put, in.Lines.Put, in.Channels.Put = terms, books, lines, channels
		}))

		terms[0].Name = "Centro"
		terms = append(terms, intake.Term{Vocabulary: libraries.SubjectTerms, Term: libraries.Term{ID: 1, Name: "Romance"}})
		books[0].Title, books[0].MaxUses = "Iracema, lenda do Ceará", nil
		lines[0].Line.Copies = nil
		channels[0].Sessions = 8
		check(l.put(func(in *intake.Intake) {
			in.Terms.Put = []intake.Term{terms[0], terms[3]}
			in.Books.Put, in.Lines.Put, in.Channels.Put = books[:1], lines[:1], channels[:1]
		}))
	})
}

// TestLaterReaderRowWins tests that a reader's latest row counts, and at the same instant that of the feed (F1).
func TestLaterReaderRowWins(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		l := loaders(t, db, "readers")[0]
		noon := firstDay.Start().UTC().Add(12 * time.Hour)
		named := func(name string, updated time.Time) libraries.Reader {
			return libraries.Reader{ID: 5, Name: name, Library: libraries.None, AgeGroup: libraries.None, Status: libraries.ReaderActive, Updated: updated}
		}
		for _, c := range []struct {
			rule string
			rows []libraries.Reader
			want string
			n    row.Counts
		}{
			{"a new reader", []libraries.Reader{named("a", noon)}, "a", row.Counts{New: 1}},
			{"the same row", []libraries.Reader{named("a", noon)}, "a", row.Counts{Unchanged: 1}},
			{"another of the same instant", []libraries.Reader{named("b", noon)}, "b", row.Counts{Changed: 1}},
			{"an earlier one", []libraries.Reader{named("c", noon.Add(-time.Microsecond))}, "b", row.Counts{Superseded: 1}},
			{"a later one", []libraries.Reader{named("d", noon.Add(time.Microsecond))}, "d", row.Counts{Changed: 1}},
			{"several", []libraries.Reader{named("f", noon.Add(2*time.Hour)), named("e", noon.Add(time.Hour))}, "f", row.Counts{Changed: 1}},
			{"none", nil, "f", row.Counts{}},
		} {
			saved := l.load(feed{readers: c.rows}, atOnce)
			if saved.Readers != c.n {
				t.Errorf("%s: counted as %+v, want %+v", c.rule, saved.Readers, c.n)
			}
			people, err := l.People(t.Context(), l.present(), []int64{5})
			if err != nil || len(people) != 1 || people[0].Name != c.want {
				t.Errorf("%s: reader = %+v, %v, want %s", c.rule, people, err, c.want)
			}
		}
	})
}

// TestReadersInOrder tests that new readers are inserted into their blocks in order.
func TestReadersInOrder(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		l := loaders(t, db, "order")[0]
		for _, ids := range [][]int64{{1, 9, 2047, 2049}, {0, 4, 5, 1023, 1024, 2048, 3000}, {4, 2}} {
			f := feed{}
			for _, id := range ids {
				f.readers = append(f.readers, libraries.Reader{ID: id, Library: libraries.None, AgeGroup: libraries.None, Status: libraries.ReaderActive})
			}
			l.load(f, atOnce)
		}
		want := []int64{0, 1, 2, 4, 5, 9, 1023, 1024, 2047, 2048, 2049, 3000}
		readers, err := (&report.Reports{Store: l}).Readers(t.Context(), l.present())
		if err != nil || !slices.Equal(readers.IDs, want) {
			t.Errorf("Readers = %v, %v, want %v", readers.IDs, err, want)
		}
		if st := l.snapshot(l.present()); !slices.Equal(st.Readers, want) {
			t.Errorf("readers of the snapshot = %v, want %v", st.Readers, want)
		}
	})
}

// TestEventWithoutReader tests that a load fails if neither the feed nor the store has the reader of an event.
func TestEventWithoutReader(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		l := loaders(t, db, "nobody")[0]
		known := libraries.Reader{ID: 5, Library: libraries.None, AgeGroup: libraries.None, Status: libraries.ReaderActive}
		event := libraries.Event{Kind: libraries.ActivityEvent, ID: 1, Reader: 6, Day: firstDay}
		for _, readers := range [][]libraries.Reader{nil, {known}} { // nobody in the block, another reader in the block
			if saved, err := l.try(t.Context(), feed{readers: readers, events: []libraries.Event{event}}, atOnce, nil); err == nil {
				t.Errorf("Save = %+v, want an error", saved)
			}
		}
		l.load(feed{readers: []libraries.Reader{known}}, atOnce)
		event.Reader = known.ID
		if saved := l.load(feed{events: []libraries.Event{event}}, atOnce); saved.New != 1 {
			t.Errorf("Save of an event of a stored reader = %+v, want 1 new event", saved)
		}
	})
}

// TestCorrections tests that a correction of a loan or a reservation replaces the row and corrects the counts.
func TestCorrections(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		l := loaders(t, db, "corrections")[0]
		reader := libraries.Reader{ID: 5, Library: libraries.None, AgeGroup: libraries.None, Status: libraries.ReaderActive}
		at := firstDay.Start().UTC().Add(10 * time.Hour)
		loan := libraries.Loan{ID: 1, Reader: 5, Book: 2, Borrowed: at, Status: libraries.LoanActive}
		reservation := libraries.Reservation{ID: 1, Reader: 5, Book: 3, Reserved: at, Position: 4, Status: libraries.Waiting}
		check := func(returns map[calendar.Date]int64, active facts.CountsByTitle) {
			t.Helper()
			l.load(feed{readers: []libraries.Reader{reader}, loans: []libraries.Loan{loan}, reservations: []libraries.Reservation{reservation}}, atOnce)
			access := l.present()
			loans, err1 := l.LoansByID(t.Context(), access, []int64{1})
			reservations, err2 := l.ReservationsByID(t.Context(), access, []int64{1})
			if len(loans) != 1 || !reflect.DeepEqual(loans[1], loan) || len(reservations) != 1 || reservations[1] != reservation {
				t.Errorf("the store has %v, %v, %v, %v, want %v and %v", loans, err1, reservations, err2, loan, reservation)
			}
			counted, err := facts.ReadNetwork(t.Context(), l, auth.Tenant(access.Network), access.At.Facts)
			if err != nil {
				t.Fatal(err)
			}
			days := counted.Days
			got := map[calendar.Date]int64{}
			for i, day := range days.Dates {
				got[day] = days.Totals[i].Sums[metric.Returns]
			}
			if !reflect.DeepEqual(got, returns) {
				t.Errorf("returns = %v, want %v", got, returns)
			}
			if !slices.Equal(counted.Titles, active) {
				t.Errorf("counts of titles = %v, want %v", counted.Titles, active)
			}
		}
		check(map[calendar.Date]int64{firstDay: 0}, facts.CountsByTitle{{Book: 2, ActiveLoans: 1}, {Book: 3, ActiveReservations: 1}})
		loan.Status, loan.Returned = libraries.LoanReturned, at.Add(3*24*time.Hour)
		reservation.Status, reservation.Position = libraries.Available, 1
		check(map[calendar.Date]int64{firstDay: 0, firstDay + 3: 1}, facts.CountsByTitle{{Book: 3, ActiveReservations: 1}})
		loan.Status, loan.Returned = libraries.LoanExpired, at.Add(5*24*time.Hour) // nothing of the third day is left
		reservation.Status, reservation.Position, reservation.Resolved = libraries.Lost, libraries.None, at.Add(24*time.Hour)
		due := firstDay + 6
		loan.Due = &due
		days := map[calendar.Date]int64{firstDay: 0, firstDay + 1: 0, firstDay + 5: 1}
		check(days, facts.CountsByTitle{})
		loan.Status, loan.Returned = libraries.LoanActive, time.Time{}
		delete(days, firstDay+5)
		check(days, facts.CountsByTitle{{Book: 2, ActiveLoans: 1}})
	})
}

// TestSnapshotOfNoNetwork tests that a partner and an unknown number have no snapshot and take no load.
func TestSnapshotOfNoNetwork(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		l := loaders(t, db, "only")[0]
		partner, err := snapshotdb.CreateTenant(t.Context(), db, snapshotdb.Tenant{Kind: snapshotdb.Partner, Reference: "p", Name: "P"})
		if err != nil {
			t.Fatal(err)
		}
		for _, tenant := range []auth.Tenant{partner, partner + 1} {
			n := libraries.NetworkID(tenant)
			if a, err := l.Present(t.Context(), n); !errors.Is(err, librariesdb.ErrNotFound) {
				t.Errorf("Present(%d) = %+v, %v, want ErrNotFound", n, a, err)
			}
			if a, err := l.Last(t.Context(), n); !errors.Is(err, librariesdb.ErrNotFound) {
				t.Errorf("Last(%d) = %+v, %v, want ErrNotFound", n, a, err)
			}
			if _, err := l.Begin(t.Context(), n, nil); !errors.Is(err, librariesdb.ErrNotFound) {
				t.Errorf("Begin(%d) = %v, want ErrNotFound", n, err)
			}
			if _, err := l.Drop(t.Context(), n, nil); !errors.Is(err, librariesdb.ErrNotFound) {
				t.Errorf("Drop(%d) = %v, want ErrNotFound", n, err)
			}
		}
	})
}
