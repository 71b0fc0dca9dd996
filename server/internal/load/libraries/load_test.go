package libraries_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/feed"
	"github.com/lectern-dev/lectern/server/internal/load"
)

// totals returns the totals of the good feed. one has the counts of each row of a table.
func totals(one row.Counts, fresh, repeated int) *feed.Totals {
	t := &feed.Totals{New: fresh, Repeated: repeated, Hour: "2026-08-10 12:00:00"}
	for _, name := range strings.Fields("libraries ageGroups publishers categories subjects books lines readers loans renewals reservations sessions previews activity channels suggestions") {
		c := row.Counts{Rows: 1, New: one.New, Unchanged: one.Unchanged}
		switch name {
		case "categories":
			c.Add(c)
		case "renewals", "sessions", "previews", "activity", "suggestions":
			c = row.Counts{Rows: 1}
		}
		t.Files = append(t.Files, feed.FileTotals{Name: name, Counts: c})
	}
	return t
}

// counted formats the counts of totals.
func counted(t *feed.Totals) string {
	text := fmt.Sprint(t.New, t.Repeated, t.Hour)
	for _, f := range t.Files {
		text += fmt.Sprint("; ", f.Name, f.Counts)
	}
	return text
}

// TestLoad tests that the good feed is all new in the first load, and that nothing is new in the second.
func TestLoad(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		first := f.must(good)
		if got, want := counted(first), counted(totals(row.Counts{New: 1}, 5, 0)); got != want || first.RowsPerSecond < 1 || first.Version != f.version() {
			t.Errorf("the first load = %s, want %s", got, want)
		}
		f.stored()
		again := f.must(good)
		if got, want := counted(again), counted(totals(row.Counts{Unchanged: 1}, 0, 5)); got != want || again.Version != f.version() {
			t.Errorf("the second load = %s, want %s", got, want)
		}
		f.stored()
	})
}

// version returns the current version in the form that totals have.
func (f *fixture) version() string {
	f.t.Helper()
	at := f.access().At
	return fmt.Sprintf("%d.%d", at.Registers, at.Facts)
}

// stored checks that the store has the data of the good feed.
func (f *fixture) stored() {
	f.t.Helper()
	st, err := f.store.State(f.t.Context(), f.access())
	if err != nil {
		f.t.Fatal(err)
	}
	if len(st.Books) != 1 || st.Books[0].Title != "Iracema" || *st.Books[0].MaxUses != 5 || st.Books[0].Year != 1865 || !st.Books[0].HasEbook {
		f.t.Errorf("books = %+v", st.Books)
	}
	if len(st.Lines) != 1 || st.Lines[0].Line.UnitPrice != 1250 || st.Lines[0].Line.Label() != "Compra 7" {
		f.t.Errorf("lines = %+v", st.Lines)
	}
	if len(st.Channels) != 1 || st.Channels[0].Sessions != 9 || len(st.Vocabularies()[libraries.CategoryTerms]) != 2 {
		f.t.Errorf("channels = %+v, terms = %+v", st.Channels, st.Terms)
	}
	if r := f.reader(1); r == nil || r.Email != "ana@example.org" || r.Gender != libraries.Female || r.City != "Santos" || !r.Confirmed.IsZero() {
		f.t.Errorf("reader 1 = %+v", r)
	}
	if l := f.loans()[1]; l.Status != libraries.LoanActive || l.Due.String() != "2026-08-15" || !l.Returned.IsZero() {
		f.t.Errorf("loan 1 = %+v", l)
	}
	for m, want := range map[metric.Metric]int64{
		metric.Logins: 3, metric.Loans: 1, metric.Renewals: 1, metric.Reservations: 1, metric.Previews: 1,
		metric.ReadingSeconds: 600, metric.Readings10: 1, metric.Readings50: 0,
	} {
		if got := f.sum(m); got != want {
			f.t.Errorf("metric %d = %d, want %d", m, got, want)
		}
	}
}

// TestTotalsJSON tests the line of JSON that the command prints.
func TestTotalsJSON(t *testing.T) {
	f := newFixture(t, dbtest.SQLite(t))
	none := f.must(map[string]string{"loans.ndjson": ""})
	*none.File("loans") = row.Counts{Rows: 3, New: 1, BeforeHistory: 2}
	none.Version = ""
	data, err := json.Marshal(none)
	for _, want := range []string{
		`"ageGroups":{"rows":0,"new":0,"changed":0,"unchanged":0,"superseded":0,"beforeHistory":0,"bad":0}`,
		`"loans":{"rows":3,"new":1,"changed":0,"unchanged":0,"superseded":0,"beforeHistory":2,"bad":0}`,
		`"sessions":{"rows":0,"beforeHistory":0,"bad":0}`, `"newEvents":0,"repeatedEvents":0,"hour":"2026-08-10 12:00:00","version":""`,
	} {
		if err != nil || !strings.Contains(string(data), want) {
			t.Errorf("totals = %s, %v, want %s in it", data, err, want)
		}
	}
}

// TestLists tests that semicolons separate the items of a list in CSV, and that rows can refer to the feed's terms.
func TestLists(t *testing.T) {
	f := newFixture(t, dbtest.SQLite(t))
	f.must(with("books.csv", "bookId,title,categoryIds,subjectIds,hasAudiobook\n1,Iracema,2;1;2,1,true\n2,Til,,,\n"))
	st, err := f.store.State(t.Context(), f.access())
	if err != nil || len(st.Books) != 2 {
		t.Fatalf("books = %+v, %v, want two", st.Books, err)
	}
	if b := st.Books[0]; len(b.Categories) != 2 || b.Categories[0] != 1 || len(b.Subjects) != 1 || !b.HasAudiobook || b.HasEbook || b.Publisher != libraries.None {
		t.Errorf("book 1 = %+v, want the categories 1 and 2, no publisher, and only an audiobook", b)
	}
	if b := st.Books[1]; len(b.Categories) != 0 || b.Year != libraries.None || b.MaxUses != nil {
		t.Errorf("book 2 = %+v, want nulls", b)
	}
}

// TestLaterReaderWins tests that the reader with the later updatedAt wins, in the file and in the store, whatever the
// order of lines. If the times are equal, the later line wins (F1).
func TestLaterReaderWins(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		at := func(name, updated string) string {
			return rowOf("readers.ndjson", "Ana", name, "2026-08-01T12", updated)
		}
		totals := f.must(with("readers.ndjson", strings.Join([]string{
			at("first", "2026-08-01T12"), at("latest", "2026-08-03T12"), at("between", "2026-08-02T12"), at("last", "2026-08-03T12"), at("old", "2026-08-01T12"),
		}, "\n")))
		if want := (row.Counts{Rows: 5, New: 1, Superseded: 4}); *totals.File("readers") != want {
			t.Errorf("readers = %+v, want %+v", *totals.File("readers"), want)
		}
		if r := f.reader(1); r.Name != "last" {
			t.Errorf("name = %q, want that of the last of the latest rows", r.Name)
		}
		for _, tt := range []struct {
			name, updated, stored string
			want                  row.Counts
		}{
			{"older", "2026-08-02T12", "last", row.Counts{Rows: 1, Superseded: 1}},
			{"same", "2026-08-03T12", "same", row.Counts{Rows: 1, Changed: 1}},
			{"newer", "2026-08-04T12", "newer", row.Counts{Rows: 1, Changed: 1}},
			{"newer", "2026-08-04T12", "newer", row.Counts{Rows: 1, Unchanged: 1}},
		} {
			totals := f.must(with("readers.ndjson", at(tt.name, tt.updated)))
			if r := f.reader(1); *totals.File("readers") != tt.want || r.Name != tt.stored {
				t.Errorf("%s of %s: readers = %+v, name = %q, want %+v and %q", tt.name, tt.updated, *totals.File("readers"), r.Name, tt.want, tt.stored)
			}
		}
	})
}

// TestDeletedReader tests that a deleted reader's e-mail is erased, and that loans can still refer to the reader (L18).
func TestDeletedReader(t *testing.T) {
	f := newFixture(t, dbtest.SQLite(t))
	f.must(good)
	f.must(with("readers.ndjson", rowOf("readers.ndjson", `"active"`, `"deleted","deletedAt":"2026-08-09"`, "2026-08-01T12", "2026-08-09T12")))
	if r := f.reader(1); r.Email != "" || r.Status != libraries.ReaderDeleted || r.Name != "Ana" {
		t.Errorf("reader 1 = %+v, want a deleted one without an e-mail", r)
	}
	if n := f.sum(metric.Loans); n != 1 {
		t.Errorf("loans = %d, want the one of the deleted reader", n)
	}
}

// TestEarlyLoans tests that a load skips rows from before the history (G6): a loan with its return, also if it is
// loaded again. The day of a renewal decides, whether its loan exists or not.
func TestEarlyLoans(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		early := rowOf("loans.ndjson", `"loanId":1`, `"loanId":2`, "2026-08-01T14:00:00-03:00", "2026-07-20T23:59:59-03:00",
			`"active"`, `"returned","returnedAt":"2026-08-02T10:00:00-03:00"`)
		renewal := func(id, loan, at string) string {
			return rowOf("renewals.ndjson", "r1", id, `"loanId":1`, `"loanId":`+loan, "2026-08-10T11:00:00", at)
		}
		files := joined(and("loans.ndjson", early), map[string]string{
			"renewals.ndjson": strings.Join([]string{
				good["renewals.ndjson"], renewal("r2", "2", "2026-07-21T00:00:00"), renewal("r3", "9", "2026-08-10T11:00:00"),
				renewal("r4", "1", "2026-07-20T23:59:59"),
			}, "\n"),
			"sessions.ndjson": good["sessions.ndjson"] + "\n" + rowOf("sessions.ndjson", "s1", "s2", "2026-08-01", "2026-07-20"),
			"reservations.ndjson": good["reservations.ndjson"] + "\n" +
				rowOf("reservations.ndjson", `"reservationId":1`, `"reservationId":2`, "2026-08-02", "2026-07-20"),
		})
		totals := f.must(files)
		if want := (row.Counts{Rows: 2, New: 1, BeforeHistory: 1}); *totals.File("loans") != want || *totals.File("reservations") != want {
			t.Errorf("loans = %+v, reservations = %+v, want %+v", *totals.File("loans"), *totals.File("reservations"), want)
		}
		if want := (row.Counts{Rows: 4, BeforeHistory: 1}); *totals.File("renewals") != want {
			t.Errorf("renewals = %+v, want %+v", *totals.File("renewals"), want)
		}
		if want := (row.Counts{Rows: 2, BeforeHistory: 1}); *totals.File("sessions") != want {
			t.Errorf("sessions = %+v, want %+v", *totals.File("sessions"), want)
		}
		if len(f.loans()) != 1 || f.sum(metric.Returns) != 0 || f.sum(metric.Renewals) != 3 {
			t.Errorf("%d loans, %d returns, %d renewals, want 1, 0, 3", len(f.loans()), f.sum(metric.Returns), f.sum(metric.Renewals))
		}
		if later := f.must(map[string]string{"loans.ndjson": early}); *later.File("loans") != (row.Counts{Rows: 1, BeforeHistory: 1}) {
			t.Errorf("the early loan again = %+v", *later.File("loans"))
		}
	})
}

// TestLongerHistory tests a loan from before the history that is loaded again after the operator has moved the
// history's start to before it. It is then a loan like others.
func TestLongerHistory(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		early := map[string]string{"loans.ndjson": rowOf("loans.ndjson", "2026-08-01T14:00:00-03:00", "2026-07-20T23:59:59-03:00")}
		f.must(joined(good, early))
		history := calendar.MustParse("2026-07-20")
		from := func(o *load.Options) { o.Immediately, o.History = true, &history }
		for _, want := range []row.Counts{{Rows: 1, New: 1}, {Rows: 1, Unchanged: 1}} {
			if totals, err := f.load(early, from); err != nil || *totals.File("loans") != want || f.sum(metric.Loans) != 1 {
				t.Errorf("the loan in a longer history = %+v, %v, want %+v", *totals.File("loans"), err, want)
			}
		}
	})
}

// TestFirstLineWins tests that the first of two events with the same identifier, reader and day counts (F1), in
// memory and from spill files. If a later load has them again, neither counts.
func TestFirstLineWins(t *testing.T) {
	for _, limit := range []int{0, 1} {
		dbtest.Each(t, func(t *testing.T, db *database.DB) {
			f := newFixture(t, db)
			files := map[string]string{
				"books.ndjson": good["books.ndjson"] + "\n" + `{"bookId":2}`,
				"renewals.ndjson": strings.Join([]string{
					rowOf("renewals.ndjson", `"bookId":1`, `"bookId":2`, `"loanId":1`, `"loanId":200`), good["renewals.ndjson"],
				}, "\n"),
				"sessions.ndjson": strings.Join([]string{rowOf("sessions.ndjson", "600", "60"), good["sessions.ndjson"]}, "\n"),
			}
			totals, err := f.load(joined(good, files), func(o *load.Options) { o.Immediately, o.MemoryLimit = true, limit })
			if err != nil || totals.Repeated != 2 {
				t.Fatalf("limit %d: load = %d repeated, %v, want 2", limit, totals.Repeated, err)
			}
			if n := f.titleSum(2, metric.Renewals); n != 1 || f.sum(metric.Renewals) != 1 {
				t.Errorf("limit %d: %d renewals of title 2, want only the first line's", limit, n)
			}
			if n := f.sum(metric.ReadingSeconds); n != 60 {
				t.Errorf("limit %d: %d seconds, want the first line's 60", limit, n)
			}
			f.must(good)
			if f.sum(metric.ReadingSeconds) != 60 || f.titleSum(1, metric.Renewals) != 0 {
				t.Errorf("limit %d: a line that lost to the first one is counted when it is loaded again", limit)
			}
		})
	}
}

// TestCorrections tests that a later feed can return a loan, convert a reservation, and renew a loan.
func TestCorrections(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		f.must(good)
		totals := f.must(map[string]string{
			"loans.ndjson":        rowOf("loans.ndjson", `"active"`, `"returned","returnedAt":"2026-08-09T10:00:00-03:00"`),
			"reservations.ndjson": rowOf("reservations.ndjson", `"waiting","position":1`, `"converted","resolvedAt":"2026-08-09T10:00:00-03:00"`),
			"renewals.ndjson":     rowOf("renewals.ndjson", "r1", "r2"),
		})
		changed := row.Counts{Rows: 1, Changed: 1}
		if *totals.File("loans") != changed || *totals.File("reservations") != changed || totals.New != 1 {
			t.Errorf("totals = %+v, want a changed loan, a changed reservation and a new renewal", totals)
		}
		for m, want := range map[metric.Metric]int64{metric.Loans: 1, metric.Returns: 1, metric.Renewals: 2, metric.ReservationsConverted: 1} {
			if got := f.sum(m); got != want {
				t.Errorf("metric %d = %d, want %d", m, got, want)
			}
		}
		if l := f.loans()[1]; l.Status != libraries.LoanReturned || !l.Returned.Equal(noon().Add(-26*60*60*1e9-20*60*1e9)) {
			t.Errorf("loan 1 = %+v, want it returned on the ninth at ten", l)
		}
		f.must(good)
		if got := f.sum(metric.Returns) + f.sum(metric.ReservationsConverted); got != 0 {
			t.Errorf("%d returns and conversions after the first feed is loaded again, want none", got)
		}
	})
}

// TestInPieces tests that several loads, each after those that it refers to, store the same as one load.
func TestInPieces(t *testing.T) {
	f := newFixture(t, dbtest.SQLite(t))
	for _, names := range [][]string{
		{"libraries.ndjson", "ageGroups.ndjson", "publishers.ndjson", "categories.csv", "subjects.ndjson"}, {"books.ndjson"},
		{"readers.ndjson", "lines.ndjson"}, {"sessions.ndjson", "channels.ndjson"}, {"loans.ndjson"}, {"renewals.ndjson"},
		{"suggestions.ndjson"}, {"previews.ndjson", "activity.ndjson"}, {"reservations.ndjson"},
	} {
		files := map[string]string{}
		for _, name := range names {
			files[name] = good[name]
		}
		f.must(files)
	}
	f.stored()
}

// TestLeavesNoFiles tests that a load removes its spill files from the temporary folder, also if it fails.
func TestLeavesNoFiles(t *testing.T) {
	f := newFixture(t, dbtest.SQLite(t))
	for _, files := range []map[string]string{good, and("sessions.ndjson", "nonsense")} {
		temp := t.TempDir()
		_, err := f.load(files, func(o *load.Options) { o.TempDir, o.MemoryLimit = temp, 1 })
		left, rerr := os.ReadDir(temp)
		if rerr != nil || len(left) != 0 {
			t.Errorf("after a load (%v): %v left in the temporary folder (%v)", err, left, rerr)
		}
	}
	f.stored()
}

// TestReportInsideTheFeed tests that a load refuses a report that the next load would take for part of the feed.
func TestReportInsideTheFeed(t *testing.T) {
	f := newFixture(t, dbtest.SQLite(t))
	dir := folder(t, good)
	_, err := load.Libraries(t.Context(), f.store, f.network, os.DirFS(dir), load.Options{SkipBad: filepath.Join(dir, "books.rejected")})
	if err == nil || !strings.Contains(err.Error(), "lies in the feed's own folder") {
		t.Errorf("load = %v, want the report's path to be refused", err)
	}
}
