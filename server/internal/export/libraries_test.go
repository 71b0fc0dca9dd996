package export_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/export"
)

// registers are the files that are a feed's.
var registers = []string{
	"libraries", "ageGroups", "publishers", "categories", "subjects", "books", "lines", "channels", "readers", "loans", "reservations", "suggestions",
}

// TestLibraries: the registers of an export, loaded as a feed into another network, make the same registers; and what was folded
// shows the rows of the API.
func TestLibraries(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		migrate(t, db)
		store, a := newNetwork(t, db, "first", librariesFeed(t))
		formats(t, func(t *testing.T, format export.Format) {
			dir := filepath.Join(t.TempDir(), "out")
			sum, err := export.Libraries(t.Context(), export.LibrariesOf{Store: store, Network: a.Network}, dir, export.Options{Format: format})
			must(t, err)
			if sum.Versions != a.At {
				t.Errorf("versions = %v, want %v", sum.Versions, a.At)
			}
			for _, f := range sum.Files {
				if n := len(rows(t, dir, f.Name, format)); int64(n) != f.Rows || n == 0 {
					t.Errorf("%s has %d rows, the summary says %d, want some", f.Name, n, f.Rows)
				}
			}
			_, again := newNetwork(t, db, "again-"+string(format), copyRegisters(t, dir, format))
			got, want := readRegisters(t, store, again), readRegisters(t, store, a)
			for name := range want {
				if !reflect.DeepEqual(got[name], want[name]) {
					t.Errorf("%s loaded again = %.300v, want %.300v", name, fmt.Sprint(got[name]), fmt.Sprint(want[name]))
				}
			}
			c := librariesCheck{t, &report.Reports{Store: store}, a, dir, format}
			c.engagements()
			c.logins()
			c.titles()
			c.days()
			c.shelves()
		})
	})
}

// copyRegisters copies the files that are a feed's into a folder of their own.
func copyRegisters(t *testing.T, dir string, format export.Format) string {
	t.Helper()
	feed := t.TempDir()
	for _, name := range registers {
		name += "." + string(format)
		data, err := os.ReadFile(filepath.Join(dir, name))
		must(t, err)
		must(t, os.WriteFile(filepath.Join(feed, name), data, 0o600))
	}
	return feed
}

// readRegisters reads the registers of a network from the store.
func readRegisters(t *testing.T, store *librariesdb.Store, a report.Access) map[string]any {
	t.Helper()
	st, err := store.State(t.Context(), a)
	must(t, err)
	readers, err := store.People(t.Context(), a, st.Readers)
	must(t, err)
	requests, err := store.Requests(t.Context(), a, always)
	must(t, err)
	var loans []libraries.Loan
	var reservations []libraries.Reservation
	for day := libraries.HistoryStart; day < libraries.HistoryStart+60; day++ {
		w := report.Window{Period: calendar.Period{Start: day, End: day}, Size: 1 << 20}
		some, err := store.LoansIn(t.Context(), a, w)
		must(t, err)
		loans = append(loans, some...)
		others, err := store.ReservationsIn(t.Context(), a, w)
		must(t, err)
		reservations = append(reservations, others...)
	}
	return map[string]any{
		"terms": st.Terms, "books": st.Books, "lines": st.Lines, "channels": st.Channels,
		"readers": readers, "requests": requests, "loans": loans, "reservations": reservations,
	}
}

type librariesCheck struct {
	*testing.T
	reports *report.Reports
	access  report.Access
	dir     string
	format  export.Format
}

func (c librariesCheck) rows(name string) []row { return rows(c.T, c.dir, name, c.format) }

// metrics are the columns of an engagement row of the API.
var metrics = []string{
	"logins", "loans", "returns", "readings10", "readings50", "previews", "distinctBooks", "readingSeconds", "renewals", "reservations", "reservationsConverted",
}

func (c librariesCheck) engagements() {
	list, err := c.reports.Engagements(c.Context(), c.access, report.DayQuery{Period: always}, all)
	must(c.T, err)
	got := c.rows("engagements")
	if len(got) != len(list.Rows) {
		c.Fatalf("%d engagements, want %d", len(got), len(list.Rows))
	}
	for i, e := range list.Rows {
		if got[i]["date"] != e.Day.String() || got[i]["userId"] != fmt.Sprint(e.Reader) {
			c.Fatalf("engagement %d = %v, want %v", i, got[i], e)
		}
		for m, name := range metrics {
			if got[i][name] != fmt.Sprint(e.Measures[m]) {
				c.Errorf("engagement %d: %s = %s, want %d", i, name, got[i][name], e.Measures[m])
			}
		}
		books := 0
		if got[i]["bookIds"] != "" {
			books = 1 + strings.Count(got[i]["bookIds"], ";")
		}
		if int64(books) != e.Measures[metric.DistinctBooks] {
			c.Errorf("engagement %d: bookIds = %s, want %d", i, got[i]["bookIds"], e.Measures[metric.DistinctBooks])
		}
	}
}

func (c librariesCheck) logins() {
	list, err := c.reports.Logins(c.Context(), c.access, report.DayQuery{Period: always}, all)
	must(c.T, err)
	got := c.rows("logins")
	if len(got) != len(list.Rows) {
		c.Fatalf("%d logins, want %d", len(got), len(list.Rows))
	}
	clock := func(n int32) string { return fmt.Sprintf("%02d:%02d:%02d", n/3600, n/60%60, n%60) }
	for i, l := range list.Rows {
		want := row{
			"date": l.Day.String(), "userId": fmt.Sprint(l.Reader), "events": fmt.Sprint(l.Presence.Events),
			"firstSeenAt": l.Day.String() + " " + clock(l.Presence.First), "lastSeenAt": l.Day.String() + " " + clock(l.Presence.Last),
		}
		if !maps.Equal(got[i], want) {
			c.Errorf("login %d = %v, want %v", i, got[i], want)
		}
	}
}

// sum sums a column of rows up, by another.
func (c librariesCheck) sum(list []row, by, column string) map[string]int64 {
	sums := map[string]int64{}
	for _, r := range list {
		n, err := strconv.ParseInt(r[column], 10, 64)
		must(c.T, err)
		sums[r[by]] += n
	}
	maps.DeleteFunc(sums, func(_ string, n int64) bool { return n == 0 })
	return sums
}

// titles compares the sums of each title with the dataset books.
func (c librariesCheck) titles() {
	list, err := c.reports.Books(c.Context(), c.access, report.BookQuery{Period: always}, all)
	must(c.T, err)
	got := c.rows("titles")
	for column, m := range map[string]metric.Metric{
		"loans": metric.Loans, "returns": metric.Returns, "readings10": metric.Readings10, "readings50": metric.Readings50,
		"renewals": metric.Renewals, "readingSeconds": metric.ReadingSeconds, "reservations": metric.Reservations,
		"convertedReservations": metric.ConvertedThatDay,
	} {
		want := map[string]int64{}
		for _, b := range list.Rows {
			if b.Sums[m] != 0 {
				want[fmt.Sprint(b.Title.Book.ID)] = b.Sums[m]
			}
		}
		if sums := c.sum(got, "bookId", column); !maps.Equal(sums, want) || len(want) == 0 {
			c.Errorf("%s of titles = %v, want %v", column, sums, want)
		}
	}
}

// days compares the sums of the days with those of the engagements and the titles.
func (c librariesCheck) days() {
	days, engagements := c.rows("days"), c.rows("engagements")
	for _, column := range slices.DeleteFunc(slices.Clone(metrics), func(m string) bool { return m == "distinctBooks" }) {
		if got, want := c.sum(days, "date", column), c.sum(engagements, "date", column); !maps.Equal(got, want) {
			c.Errorf("%s of days = %v, want %v", column, got, want)
		}
	}
	online, offline := c.sum(days, "date", "onlineSeconds"), c.sum(days, "date", "offlineSeconds")
	for day, seconds := range c.sum(days, "date", "readingSeconds") {
		if online[day]+offline[day] != seconds {
			c.Errorf("%s has %d seconds online and %d offline, want %d together", day, online[day], offline[day], seconds)
		}
	}
}

// shelves compares what each reader did with each title with what the loans show of it, and counts the days of crossing.
func (c librariesCheck) shelves() {
	got := c.rows("shelves")
	byPair := map[string]row{}
	crossed := map[string]map[string]int64{"readings10": {}, "readings50": {}}
	for _, r := range got {
		byPair[r["userId"]+" "+r["bookId"]] = r
		for column, days := range crossed {
			if day := r[column+"At"]; day != "" {
				days[day]++
			}
		}
	}
	for column, days := range crossed {
		if want := c.sum(c.rows("days"), "date", column); !maps.Equal(days, want) || len(want) == 0 {
			c.Errorf("%s by day of crossing = %v, want %v", column, days, want)
		}
	}
	if got, want := c.sum(got, "userId", "readingSeconds"), c.sum(c.rows("engagements"), "userId", "readingSeconds"); !maps.Equal(got, want) {
		c.Errorf("readingSeconds of shelves = %v, want %v", got, want)
	}
	list, err := c.reports.Loans(c.Context(), c.access, report.LoanQuery{Period: always}, all)
	must(c.T, err)
	for _, l := range list.Rows {
		r := byPair[fmt.Sprint(l.Loan.Reader, " ", l.Loan.Book)]
		if want := fmt.Sprintf("%d.%03d", l.Highest/1000, l.Highest%1000); r["progress"] != want || r["readingSeconds"] != fmt.Sprint(l.Seconds) ||
			!slices.Contains(strings.Split(r["loans"], ";"), l.Loan.Day().String()) {
			c.Errorf("shelf of loan %d = %v, want %s percent in %d seconds", l.Loan.ID, r, want, l.Seconds)
		}
	}
}
