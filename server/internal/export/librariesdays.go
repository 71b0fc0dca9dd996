package export

import (
	"cmp"
	"slices"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/wire"
)

// dayTables are the files that are written day by day.
type dayTables struct {
	days         Table[totalsRow]
	engagements  Table[readerDay]
	logins       Table[loginDay]
	titles       Table[titleDay]
	loans        Table[libraries.Loan]
	reservations Table[libraries.Reservation]
}

func newDayTables(f *Folder) (*dayTables, error) {
	var d dayTables
	var errs [6]error
	d.days, errs[0] = NewTable(f, "days", writeTotals)
	d.engagements, errs[1] = NewTable(f, "engagements", writeReaderDay)
	d.logins, errs[2] = NewTable(f, "logins", writeLogin)
	d.titles, errs[3] = NewTable(f, "titles", writeTitle)
	d.loans, errs[4] = newRecords[libraries.Loan](f, "loans")
	d.reservations, errs[5] = newRecords[libraries.Reservation](f, "reservations")
	return &d, cmp.Or(errs[:]...)
}

// The rows that have a day.
type (
	totalsRow struct {
		day    calendar.Date
		totals librariesdb.DayTotals
	}
	readerDay struct {
		day      calendar.Date
		reader   int64
		measures metric.Measures
		books    []int64 // read on the day
	}
	loginDay struct {
		day calendar.Date
		librariesdb.LoginDay
	}
	titleDay struct {
		day calendar.Date
		librariesdb.TitleDay
	}
)

// metricNames are the names of the metrics in the specification, or such as it could have.
var metricNames = [metric.Metrics]string{
	metric.Logins: "logins", metric.Loans: "loans", metric.Returns: "returns", metric.Readings10: "readings10",
	metric.Readings50: "readings50", metric.Previews: "previews", metric.DistinctBooks: "distinctBooks",
	metric.ReadingSeconds: "readingSeconds", metric.Renewals: "renewals", metric.Reservations: "reservations",
	metric.ReservationsConverted: "reservationsConverted", metric.ListeningSeconds: "listeningSeconds",
	metric.ListeningSessions: "listeningSessions", metric.ConvertedThatDay: "convertedReservations",
}

// The metrics that a reader's day, a title's day, and a day as a whole have, in the order of the metrics.
var (
	readerMetrics = metrics(metric.ConvertedThatDay)
	titleMetrics  = metrics(metric.Logins, metric.DistinctBooks, metric.Previews, metric.ListeningSessions)
	totalMetrics  = metrics(metric.DistinctBooks) // which does not sum
)

// metrics returns all metrics but some.
func metrics(but ...metric.Metric) (list []metric.Metric) {
	for m := range metric.Metrics {
		if !slices.Contains(but, m) {
			list = append(list, m)
		}
	}
	return list
}

// writeMeasures writes some of the metrics.
func writeMeasures(w *wire.Writer, metrics []metric.Metric, values *metric.Measures) {
	for _, m := range metrics {
		w.Int(metricNames[m], values[m], "")
	}
}

// writeTotals writes what is kept of a day as a whole.
func writeTotals(w *wire.Writer, r *totalsRow) {
	c := &r.totals.Counts
	w.Date("date", r.day, "")
	w.Int("users", r.totals.Readers, "")
	w.Int("onlineSessions", c.OnlineSessions, "")
	w.Int("offlineSessions", c.OfflineSessions, "")
	w.Int("onlineSeconds", c.OnlineSeconds, "")
	w.Int("offlineSeconds", c.OfflineSeconds, "")
	w.Int("reservationsCancelled", c.Cancelled, "")
	w.Int("reservationsLost", c.Lost, "")
	writeMeasures(w, totalMetrics, &r.totals.Sums)
}

func writeReaderDay(w *wire.Writer, r *readerDay) {
	w.Date("date", r.day, "")
	w.Int("userId", r.reader, "")
	writeMeasures(w, readerMetrics, &r.measures)
	w.Ints("bookIds", r.books, "")
}

func writeLogin(w *wire.Writer, l *loginDay) {
	w.Int("userId", l.Reader, "")
	w.Date("date", l.day, "")
	w.Datetime("firstSeenAt", second(l.day, l.Presence.First), "")
	w.Datetime("lastSeenAt", second(l.day, l.Presence.Last), "")
	w.Int("events", int64(l.Presence.Events), "")
}

func writeTitle(w *wire.Writer, t *titleDay) {
	w.Date("date", t.day, "")
	w.Int("bookId", t.Book, "")
	writeMeasures(w, titleMetrics, &t.Sums)
}

// writeReaders writes a day's sheet of readers: the engagements, each with the titles that were read.
func (d *dayTables) writeReaders(day calendar.Date, data []byte) error {
	sheet, err := librariesdb.OpenReaderSheet(data)
	if err != nil {
		return err
	}
	ids, err := sheet.AppendReaders(nil)
	if err != nil {
		return err
	}
	rows := make([]readerDay, len(ids))
	for _, m := range readerMetrics {
		if err := sheet.Column(m, func(place int, value int64) { rows[place].measures[m] = value }); err != nil {
			return err
		}
	}
	books, err := booksRead(sheet)
	if err != nil {
		return err
	}
	for i, id := range ids {
		rows[i].day, rows[i].reader, rows[i].books = day, id, books[i]
	}
	return d.engagements.WriteAll(rows)
}

// booksRead returns the titles that each reader of a sheet read, by the reader's place.
func booksRead(sheet *librariesdb.ReaderSheet) ([][]int64, error) {
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
	logins, err := librariesdb.ParseLogins(data)
	if err != nil {
		return err
	}
	for l := range logins {
		if err := d.logins.Write(&loginDay{day, l}); err != nil {
			return err
		}
	}
	return nil
}

// writeTitles writes a day's sheet of titles.
func (d *dayTables) writeTitles(day calendar.Date, data []byte) (failed error) {
	err := librariesdb.VisitTitles(data, func(t librariesdb.TitleDay) {
		if failed == nil {
			failed = d.titles.Write(&titleDay{day, t})
		}
	})
	return cmp.Or(failed, err)
}

// second returns the instant of a second of a Brasilia day.
func second(day calendar.Date, n int32) time.Time {
	return day.Start().Add(time.Duration(n) * time.Second)
}
