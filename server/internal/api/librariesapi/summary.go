package librariesapi

import (
	"strconv"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/server/internal/api/web"
	"github.com/lectern-dev/lectern/server/internal/api/wire"
)

// writeSummary writes a summary. It has a breakdown only with groupBy (L21).
func writeSummary(w *wire.Writer, s *report.Summary, grouped bool) {
	w.Object("general", "General", "", func() { writeGeneral(w, &s.General) })
	w.Object("consumption", "", "", func() {
		w.Int("onlineSessions", s.Consumption.OnlineSessions, "")
		w.Int("offlineSessions", s.Consumption.OfflineSessions, "")
		w.Int("onlineSeconds", s.Consumption.OnlineSeconds, "")
		w.Int("offlineSeconds", s.Consumption.OfflineSeconds, "")
	})
	w.Object("channels", "", "", func() { writeChannels(w, &s.Channels) })
	w.Object("formats", "", "", func() {
		w.Object("catalog", "", "", func() { writeSplit(w, &s.Formats.Catalogue) })
		w.Object("loans", "", "", func() { writeSplit(w, &s.Formats.Loans) })
		w.Object("listening", "", "", func() {
			w.Int("listeners", s.Formats.Listeners, "")
			w.Int("seconds", s.Formats.ListeningSeconds, "")
		})
	})
	w.Object("reservationsByStatus", "", "", func() {
		w.Int("active", s.Reservations.Active, "")
		w.Int("converted", s.Reservations.Converted, "")
		w.Int("cancelled", s.Reservations.Cancelled, "")
		w.Int("lost", s.Reservations.Lost, "")
	})
	w.Object("stock", "", "", func() { writeStockTotals(w, &s.Stock) })
	w.Object("deletedUsers", "", "", func() { writeDeletedUsers(w, &s.Deleted) })
	w.Object("catalogProfile", "", "", func() { writeProfile(w, &s.Profile) })
	wire.List(w, "monthly", "", s.Monthly, writeMonth, "")
	if w.Optional(grouped) {
		wire.List(w, "breakdown", "", s.Breakdown, writeGroup, "Only with groupBy.")
	}
}

// writeGeneral writes data.general, or the metrics of a group.
func writeGeneral(w *wire.Writer, g *report.General) {
	w.Int("registeredUsers", g.RegisteredUsers, "All registrations, also those outside the period.")
	w.Int("logins", g.Sums[metric.Logins], "Days with activity, summed over readers.")
	w.Int("usersWithLogin", g.UsersWithLogin, "Readers with activity in the period.")
	w.Int("loans", g.Sums[metric.Loans], "")
	w.Int("returns", g.Sums[metric.Returns], "")
	w.Int("activeLoans", g.ActiveLoans(), "Loans minus returns of the period, at least 0.")
	w.Int("readings10", g.Sums[metric.Readings10], "")
	w.Int("readings50", g.Sums[metric.Readings50], "")
	w.Int("previews", g.Sums[metric.Previews], "")
	w.Int("distinctBooks", g.DistinctBooks, "Titles read.")
	w.Int("readingSeconds", g.Sums[metric.ReadingSeconds], "")
	w.Int("renewals", g.Sums[metric.Renewals], "")
	w.Int("reservations", g.Sums[metric.Reservations], "")
	w.Int("activeReservations", g.ActiveReservations, "Waiting or available now.")
	w.Int("convertedReservations", g.Sums[metric.ReservationsConverted], "Of the reservations made in the period.")
}

func writeChannels(w *wire.Writer, c *report.ChannelTotals) {
	w.Bool("available", c.Available, "False if the source does not answer; the counts are then zero.")
	w.Bool("appEstimated", c.AppEstimated, "")
	w.Int("total", c.Total(), "")
	w.Int("web", c.Web(), "")
	w.Int("app", c.App, "")
	w.Int("webMobile", c.Mobile, "")
	w.Int("webDesktop", c.Desktop, "")
	w.Int("webTablet", c.Tablet, "")
}

func writeSplit(w *wire.Writer, s *report.Split) {
	w.Int("ebookOnly", s.EbookOnly, "")
	w.Int("audiobookOnly", s.AudiobookOnly, "")
	w.Int("both", s.Both, "")
}

func writeStockTotals(w *wire.Writer, s *report.StockTotals) {
	w.Int("activeLoans", s.ActiveLoans, "")
	w.Int("readings", s.Readings, "")
	w.Int("possibleReadings", s.Possible, "")
	w.Fraction("percentage", int64(s.Percentage), "Consumed by possible, four decimals.")
	w.Int("activeReservations", s.ActiveReservations, "")
	band := stock.Band(0)
	wire.List(w, "histogram", "", s.Histogram[:], func(w *wire.Writer, n *int64) {
		w.TextOf("band", band.String(), bandName, "")
		w.Int("count", *n, "")
		band++
	}, "")
}

func writeDeletedUsers(w *wire.Writer, d *report.DeletedUsers) {
	w.Int("total", d.Total, "")
	w.Int("last30Days", d.Last30Days, "")
	w.Int("withLoans", d.WithLoans, "")
	wire.List(w, "daily", "", d.Daily, func(w *wire.Writer, c *report.DayCount) {
		w.Date("date", c.Day, "")
		w.Int("total", c.Total, "")
	}, "")
	wire.List(w, "monthly", "", d.Monthly, func(w *wire.Writer, c *report.DayCount) {
		w.TextOf("month", libraries.MonthOf(c.Day), monthName, "")
		w.Int("total", c.Total, "")
	}, "")
}

func writeProfile(w *wire.Writer, p *report.CatalogueProfile) {
	named := func(w *wire.Writer, p *report.ProfileItem) {
		w.Text("name", p.Name, "")
		writeMaterial(w, p)
	}
	wire.List(w, "categories", "", p.Categories, named, "")
	wire.List(w, "subjects", "", p.Subjects, named, "")
	wire.List(w, "origins", "", p.Origins, named, "")
	w.Object("materials", "", "", func() {
		w.Object("ebook", "TitlesAndLoans", "", func() { writeMaterial(w, &p.Ebook) })
		w.Object("audiobook", "TitlesAndLoans", "", func() { writeMaterial(w, &p.Audiobook) })
		wire.Maybe(w, "video", "TitlesAndLoans", p.Video, writeMaterial, "")
	})
}

func writeMaterial(w *wire.Writer, p *report.ProfileItem) {
	w.Int("catalogTitles", p.Titles, "")
	w.Int("loans", p.Loans, "")
}

func writeMonth(w *wire.Writer, m *report.Month) {
	w.TextOf("month", libraries.MonthOf(m.Period.Start), monthName, "")
	w.Int("loans", m.Sums[metric.Loans], "")
	w.Int("readings10", m.Sums[metric.Readings10], "")
	w.Int("readings50", m.Sums[metric.Readings50], "")
	w.Int("renewals", m.Sums[metric.Renewals], "")
	w.Int("readingSeconds", m.Sums[metric.ReadingSeconds], "")
}

func writeGroup(w *wire.Writer, g *report.Group) {
	w.Text("key", g.Key, "Identifier of a library or age group; a state or city itself; empty for readers without the value.")
	w.Text("label", g.Label, "")
	w.Object("metrics", "General", "", func() { writeGeneral(w, &g.Metrics) })
}

// writeDimensions writes the values of the filters. Only here identifiers are strings.
func writeDimensions(w *wire.Writer, d *report.Dimensions) {
	for _, v := range libraries.Vocabularies() {
		wire.List(w, v.String(), "", d.Terms[v], func(w *wire.Writer, t *libraries.Term) {
			w.Text("id", strconv.FormatInt(t.ID, 10), "")
			w.Text("name", t.Name, "")
		}, "")
	}
	w.Texts("ras", d.RAs, wire.Text, "Administrative regions; no parameter filters by them.")
	w.Texts("states", d.States, wire.Text, "")
	w.Texts("cities", d.Cities, wire.Text, "")
	w.Texts("genders", web.Names(web.Named(libraries.Genders()...)), genderName, "")
	w.Ints("publicationYears", d.PublicationYears, "")
}
