package libraries_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/feed"
	"github.com/lectern-dev/lectern/server/internal/load"
)

// good is a feed with one or two rows in each file. The tests add others.
var good = map[string]string{
	"libraries.ndjson":    `{"id":1,"name":"Central"}`,
	"ageGroups.ndjson":    `{"id":1,"name":"Adulto"}`,
	"publishers.ndjson":   `{"id":1,"name":"Editora"}`,
	"categories.csv":      "id,name\n1,Romance\n2,Conto\n",
	"subjects.ndjson":     `{"id":1,"name":"Brasil"}`,
	"books.ndjson":        `{"bookId":1,"title":"Iracema","publisherId":1,"categoryIds":[1],"subjectIds":[1],"hasEbook":true,"maxUses":5,"publicationYear":1865}`,
	"lines.ndjson":        `{"lineId":1,"bookId":1,"collection":"manual","kind":"purchase","number":7,"copies":2,"unitPrice":12.5,"totalPrice":25,"purchasedAt":"2026-07-30"}`,
	"readers.ndjson":      `{"userId":1,"name":"Ana","email":"ana@example.org","libraryId":1,"ageGroupId":1,"city":"Santos","state":"SP","gender":"feminino","registeredAt":"2025-01-01","status":"active","updatedAt":"2026-08-01T12:00:00Z"}`,
	"loans.ndjson":        `{"loanId":1,"userId":1,"bookId":1,"borrowedAt":"2026-08-01T14:00:00-03:00","dueAt":"2026-08-15","status":"active"}`,
	"renewals.ndjson":     `{"renewalId":"r1","loanId":1,"userId":1,"bookId":1,"renewedAt":"2026-08-10T11:00:00-03:00"}`,
	"reservations.ndjson": `{"reservationId":1,"userId":1,"bookId":1,"status":"waiting","position":1,"reservedAt":"2026-08-02T14:00:00-03:00"}`,
	"sessions.ndjson":     `{"sessionId":"s1","userId":1,"bookId":1,"startedAt":"2026-08-01T15:00:00-03:00","seconds":600,"mode":"online","format":"ebook","progress":12.5}`,
	"previews.ndjson":     `{"previewId":1,"userId":1,"bookId":1,"viewedAt":"2026-08-01T13:00:00-03:00"}`,
	"activity.ndjson":     `{"activityId":1,"userId":1,"at":"2026-08-01T12:00:00-03:00"}`,
	"channels.ndjson":     `{"date":"2026-08-01","channel":"app","sessions":9,"estimated":true}`,
	"suggestions.ndjson":  `{"requestId":1,"userId":1,"title":"Senhora","availability":"none","requestedAt":"2026-08-03T14:00:00-03:00"}`,
}

// with returns the good feed with one resource's file replaced.
func with(name, text string) map[string]string {
	files := map[string]string{}
	resource, _, _ := strings.Cut(name, ".")
	for n, t := range good {
		if r, _, _ := strings.Cut(n, "."); r != resource {
			files[n] = t
		}
	}
	files[name] = text
	return files
}

// withoutLoans returns the good feed without its loan and renewal.
func withoutLoans() map[string]string {
	files := maps.Clone(good)
	delete(files, "loans.ndjson")
	delete(files, "renewals.ndjson")
	return files
}

// and returns the good feed with a line added to a file.
func and(name, line string) map[string]string { return with(name, good[name]+"\n"+line) }

// rowOf returns the good row of a file with some of its text replaced: old, new, old, new…
func rowOf(name string, changes ...string) string {
	text := good[name]
	for i := 0; i < len(changes); i += 2 {
		if !strings.Contains(text, changes[i]) {
			panic(name + " has no " + changes[i])
		}
		text = strings.Replace(text, changes[i], changes[i+1], 1)
	}
	return text
}

// fixture is an empty library network, with a clock that the test sets.
type fixture struct {
	t       *testing.T
	db      *database.DB
	store   *librariesdb.Store
	network libraries.NetworkID
	now     time.Time
}

// noon returns 12:20 in Brasilia on 10 August 2026.
func noon() time.Time { return time.Date(2026, 8, 10, 15, 20, 0, 0, time.UTC) }

func newFixture(t *testing.T, db *database.DB) *fixture {
	t.Helper()
	id, err := librariesdb.CreateNetwork(t.Context(), db, "rede", "Rede")
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{t: t, db: db, store: &librariesdb.Store{DB: db.DB, Copy: db.Copy}, network: id, now: noon()}
	f.store.Now = func() time.Time { return f.now }
	return f
}

// load writes the files and loads them.
func (f *fixture) load(files map[string]string, change func(*load.Options)) (*feed.Totals, error) {
	f.t.Helper()
	o := load.Options{TempDir: f.t.TempDir(), Now: func() time.Time { return f.now }}
	if change != nil {
		change(&o)
	}
	return load.Libraries(f.t.Context(), f.store, f.network, os.DirFS(folder(f.t, files)), o)
}

// must loads the files with immediate effect. An error ends the test.
func (f *fixture) must(files map[string]string) *feed.Totals {
	f.t.Helper()
	totals, err := f.load(files, func(o *load.Options) { o.Immediately = true })
	if err != nil {
		f.t.Fatal(err)
	}
	return totals
}

// folder writes a feed to a new folder and returns its path.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// joined returns a feed with files added or replaced.
func joined(files, more map[string]string) map[string]string {
	files = maps.Clone(files)
	maps.Copy(files, more)
	return files
}

// access returns the access to the network's current snapshot.
func (f *fixture) access() report.Access {
	f.t.Helper()
	a, err := f.store.Present(f.t.Context(), f.network)
	if err != nil {
		f.t.Fatal(err)
	}
	return a
}

// hour returns the hour of the current snapshot.
func (f *fixture) hour() string {
	f.t.Helper()
	return f.access().Hour.String()
}

// reader returns a reader of the store, or nil.
func (f *fixture) reader(id int64) *libraries.Reader {
	f.t.Helper()
	people, err := f.store.People(f.t.Context(), f.access(), []int64{id})
	if err != nil {
		f.t.Fatal(err)
	}
	if len(people) == 0 {
		return nil
	}
	return &people[0]
}

// loans returns the store's loans 1 to 5, by number.
func (f *fixture) loans() map[int64]libraries.Loan {
	f.t.Helper()
	loans, err := f.store.LoansByID(f.t.Context(), f.access(), []int64{1, 2, 3, 4, 5})
	if err != nil {
		f.t.Fatal(err)
	}
	return loans
}

// sum returns the sum of a metric over all days.
func (f *fixture) sum(m metric.Metric) (n int64) {
	f.t.Helper()
	q := report.SummaryQuery{Period: calendar.Period{Start: 1, End: calendar.Day(f.now)}, Today: calendar.Day(f.now)}
	summary, err := (&report.Reports{Store: f.store, History: 1}).Summary(f.t.Context(), f.access(), q, paging.Page{Number: 1, Size: 1})
	if err != nil {
		f.t.Fatal(err)
	}
	for _, month := range summary.Monthly {
		n += month.Sums[m]
	}
	return n
}

// titleSum returns the sum of a metric of a title over all days.
func (f *fixture) titleSum(book int64, m metric.Metric) int64 {
	f.t.Helper()
	q := report.BookQuery{
		Period: calendar.Period{Start: libraries.HistoryStart, End: calendar.Day(f.now)}, Filter: report.TitleFilter{Book: &book},
	}
	list, err := (&report.Reports{Store: f.store}).Books(f.t.Context(), f.access(), q, paging.Page{Number: 1, Size: 1})
	if err != nil || len(list.Rows) != 1 {
		f.t.Fatalf("title %d: %d rows, %v", book, len(list.Rows), err)
	}
	return list.Rows[0].Sums[m]
}

// empty checks that the network has no rows and no version.
func (f *fixture) empty(name string) {
	f.t.Helper()
	st, err := f.store.State(f.t.Context(), f.access())
	if err != nil {
		f.t.Fatal(err)
	}
	n := len(st.Terms) + len(st.Books) + len(st.Lines) + len(st.Channels) + len(st.Readers) + len(f.loans())
	if n != 0 || st.At != (snapshot.Versions{}) {
		f.t.Errorf("%s: the store has %d rows of %v at %v, want nothing", name, n, st.At, f.hour())
	}
}
