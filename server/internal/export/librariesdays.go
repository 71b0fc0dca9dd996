package export

import (
	"context"
	"fmt"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/librariesapi"
	"github.com/lectern-dev/lectern/server/internal/wire"
)

// dayTables are the files that are written day by day.
type dayTables struct {
	*librariesExport
	days         Table[totalsRow]
	engagements  Table[readerDay]
	logins       Table[report.LoginRow]
	titles       Table[titleDay]
	loans        positioned[libraries.Loan]
	reservations positioned[libraries.Reservation]
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
	titleDay struct {
		day calendar.Date
		librariesdb.TitleDay
	}
)

// writeDays writes what has a day, one day after the other: the rows that are folded and those of the registers.
func (l *librariesExport) writeDays(ctx context.Context) error {
	days, err := report.Folded{Blocks: l.Store}.Days(ctx, l.access)
	if err != nil {
		return err
	}
	d := dayTables{l,
		NewTable(l.folder, "days", writeTotals), NewTable(l.folder, "engagements", writeReaderDay),
		NewTable(l.folder, "logins", librariesapi.WriteLogin), NewTable(l.folder, "titles", writeTitle),
		positioned[libraries.Loan]{newRecords[libraries.Loan](l.folder, "loans"), l.Store.LoansIn},
		positioned[libraries.Reservation]{newRecords[libraries.Reservation](l.folder, "reservations"), l.Store.ReservationsIn},
	}
	for i, day := range days.Dates {
		if err := l.progress(ctx, "days", i, len(days.Dates)); err != nil {
			return err
		}
		d.days.Write(totalsRow{day, days.Totals[i]})
		if err := d.write(ctx, day); err != nil {
			return fmt.Errorf("day %s: %w", day, err)
		}
	}
	return nil
}

// write writes the sheets of a day, and the loans and the reservations that were made on it, by identifier.
func (d *dayTables) write(ctx context.Context, day calendar.Date) error {
	for kind, write := range map[report.SheetKind]func(day calendar.Date, sheet []byte) error{
		report.ReaderSheets: d.writeReaders, report.LoginSheets: d.writeLogins, report.TitleSheets: d.writeTitles,
	} {
		sheets, err := report.Folded{Blocks: d.Store}.Sheets(ctx, d.access, kind, calendar.Period{Start: day, End: day})
		if err != nil {
			return err
		}
		if sheet := sheets[day]; len(sheet) > 0 {
			if err := write(day, sheet); err != nil {
				return err
			}
		}
	}
	if err := d.loans.write(ctx, d.librariesExport, day); err != nil {
		return err
	}
	return d.reservations.write(ctx, d.librariesExport, day)
}

// positioned is a register whose rows stand by their day.
type positioned[T any] struct {
	Table[T]
	read func(context.Context, report.Access, report.Window) ([]T, error)
}

func (p positioned[T]) write(ctx context.Context, l *librariesExport, day calendar.Date) error {
	for w := (report.Window{Period: calendar.Period{Start: day, End: day}, Size: readersAtOnce}); ; w.Skip += w.Size {
		rows, err := p.read(ctx, l.access, w)
		p.Write(rows...)
		if err != nil || len(rows) < w.Size {
			return err
		}
	}
}

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
	d.engagements.Write(rows...)
	return nil
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
		d.logins.Write(report.LoginRow{Reader: l.Reader, Day: day, Presence: l.Presence})
	}
	return nil
}

// writeTitles writes a day's sheet of titles.
func (d *dayTables) writeTitles(day calendar.Date, data []byte) error {
	return librariesdb.VisitTitles(data, func(t librariesdb.TitleDay) { d.titles.Write(titleDay{day, t}) })
}
