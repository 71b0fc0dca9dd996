package export

import (
	"slices"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// dayTables are the files that are written day by day.
type dayTables struct {
	days, engagements, logins, titles, loans, reservations *Table
}

func newDayTables(f *Folder) (d *dayTables, err error) {
	d = &dayTables{}
	for _, file := range []struct {
		to     **Table
		name   string
		fields []string
	}{
		{&d.days, "days", append([]string{"date", "users", "onlineSessions", "offlineSessions", "onlineSeconds", "offlineSeconds",
			"reservationsCancelled", "reservationsLost"}, names(totalMetrics)...)},
		{&d.engagements, "engagements", append(append([]string{"date", "userId"}, names(readerMetrics)...), "bookIds")},
		{&d.logins, "logins", []string{"userId", "date", "firstSeenAt", "lastSeenAt", "events"}},
		{&d.titles, "titles", append([]string{"date", "bookId"}, names(titleMetrics)...)},
		{&d.loans, "loans", []string{"loanId", "userId", "bookId", "borrowedAt", "dueAt", "returnedAt", "status"}},
		{&d.reservations, "reservations", []string{"reservationId", "userId", "bookId", "status", "position", "reservedAt", "resolvedAt"}},
	} {
		if *file.to, err = f.Table(file.name, file.fields...); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// metricNames are the names of the metrics in the specification, or such as it could have.
var metricNames = [libraries.Metrics]string{
	libraries.Logins: "logins", libraries.Loans: "loans", libraries.Returns: "returns", libraries.Readings10: "readings10",
	libraries.Readings50: "readings50", libraries.Previews: "previews", libraries.DistinctBooks: "distinctBooks",
	libraries.ReadingSeconds: "readingSeconds", libraries.Renewals: "renewals", libraries.Reservations: "reservations",
	libraries.ReservationsConverted: "reservationsConverted", libraries.ListeningSeconds: "listeningSeconds",
	libraries.ListeningSessions: "listeningSessions", libraries.ConvertedThatDay: "convertedReservations",
}

// The metrics that a reader's day, a title's day, and a day as a whole have, in the order of the metrics.
var (
	readerMetrics = metrics(libraries.ConvertedThatDay)
	titleMetrics  = metrics(libraries.Logins, libraries.DistinctBooks, libraries.Previews, libraries.ListeningSessions)
	totalMetrics  = metrics(libraries.DistinctBooks) // which does not sum
)

// metrics returns all metrics but some.
func metrics(but ...libraries.Metric) (list []libraries.Metric) {
	for m := range libraries.Metrics {
		if !slices.Contains(but, m) {
			list = append(list, m)
		}
	}
	return list
}

func names(metrics []libraries.Metric) []string {
	list := make([]string, len(metrics))
	for i, m := range metrics {
		list[i] = metricNames[m]
	}
	return list
}

func (t *Table) measures(metrics []libraries.Metric, values *libraries.Measures) {
	for _, m := range metrics {
		t.Int(values[m])
	}
}

// writeTotals writes what is kept of a day as a whole.
func writeTotals(t *Table, day calendar.Date, totals *libraries.DayTotals) error {
	t.Date(day)
	t.Int(totals.Readers)
	c := &totals.Counts
	for _, n := range []int64{c.OnlineSessions, c.OfflineSessions, c.OnlineSeconds, c.OfflineSeconds, c.Cancelled, c.Lost} {
		t.Int(n)
	}
	t.measures(totalMetrics, &totals.Sums)
	return t.End()
}

// writeReaders writes a day's sheet of readers: the engagements, each with the titles that were read.
func (d *dayTables) writeReaders(day calendar.Date, data []byte) error {
	sheet, err := libraries.OpenReaderSheet(data)
	if err != nil {
		return err
	}
	ids, err := sheet.AppendReaders(nil)
	if err != nil {
		return err
	}
	rows := make([]libraries.Measures, len(ids))
	for _, m := range readerMetrics {
		if err := sheet.Column(m, func(place int, value int64) { rows[place][m] = value }); err != nil {
			return err
		}
	}
	books, err := booksRead(sheet)
	if err != nil {
		return err
	}
	for i, id := range ids {
		t := d.engagements
		t.Date(day)
		t.Int(id)
		t.measures(readerMetrics, &rows[i])
		t.Ints(books[i])
		if err := t.End(); err != nil {
			return err
		}
	}
	return nil
}

// booksRead returns the titles that each reader of a sheet read, by the reader's place.
func booksRead(sheet *libraries.ReaderSheet) ([][]int64, error) {
	titles, err := sheet.Titles()
	if err != nil {
		return nil, err
	}
	books := make([][]int64, sheet.Len())
	return books, sheet.Books(func(place int, indexes []int32) {
		for _, i := range indexes {
			books[place] = append(books[place], titles[i])
		}
	})
}

// writeLogins writes a day's sheet of logins.
func (d *dayTables) writeLogins(day calendar.Date, data []byte) error {
	logins, err := libraries.ParseLogins(data)
	if err != nil {
		return err
	}
	t := d.logins
	for l := range logins {
		t.Int(l.Reader)
		t.Date(day)
		t.plain(libraries.FormatTime(second(day, l.Presence.First)))
		t.plain(libraries.FormatTime(second(day, l.Presence.Last)))
		t.Int(int64(l.Presence.Events))
		if err := t.End(); err != nil {
			return err
		}
	}
	return nil
}

// writeTitles writes a day's sheet of titles.
func (d *dayTables) writeTitles(day calendar.Date, data []byte) (failed error) {
	t := d.titles
	err := libraries.VisitTitles(data, func(title libraries.TitleDay) {
		t.Date(day)
		t.Int(title.Book)
		t.measures(titleMetrics, &title.Sums)
		if err := t.End(); failed == nil {
			failed = err
		}
	})
	if failed == nil {
		failed = err
	}
	return failed
}

// second returns the instant of a second of a Brasilia day.
func second(day calendar.Date, n int32) time.Time {
	return day.Start().Add(time.Duration(n) * time.Second)
}
