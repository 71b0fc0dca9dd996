package librariesapi

import (
	"strconv"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/server/internal/web"
)

// writeSummary writes the blocks of a summary, the breakdown only where one was asked for (L21).
func writeSummary(j *web.JSON, s *libraries.Summary, grouped bool) {
	j.Object("general")
	writeGeneral(j, &s.General)
	j.End()
	writeConsumption(j, &s.Consumption)
	writeChannels(j, s.Channels)
	writeFormats(j, s.Formats)
	writeReservations(j, s.Reservations)
	writeStockTotals(j, &s.Stock)
	writeDeletedUsers(j, &s.Deleted)
	writeProfile(j, &s.Profile)
	writeMonthly(j, s.Monthly)
	if grouped {
		writeBreakdown(j, s.Breakdown)
	}
}

// writeGeneral writes the fields of data.general, which are those of a group's metrics too.
func writeGeneral(j *web.JSON, g *libraries.General) {
	j.Int("registeredUsers", g.RegisteredUsers)
	j.Int("logins", g.Sums[libraries.Logins])
	j.Int("usersWithLogin", g.UsersWithLogin)
	j.Int("loans", g.Sums[libraries.Loans])
	j.Int("returns", g.Sums[libraries.Returns])
	j.Int("activeLoans", g.ActiveLoans())
	j.Int("readings10", g.Sums[libraries.Readings10])
	j.Int("readings50", g.Sums[libraries.Readings50])
	j.Int("previews", g.Sums[libraries.Previews])
	j.Int("distinctBooks", g.DistinctBooks)
	j.Int("readingSeconds", g.Sums[libraries.ReadingSeconds])
	j.Int("renewals", g.Sums[libraries.Renewals])
	j.Int("reservations", g.Sums[libraries.Reservations])
	j.Int("activeReservations", g.ActiveReservations)
	j.Int("convertedReservations", g.Sums[libraries.ReservationsConverted])
}

func writeConsumption(j *web.JSON, c *libraries.DayCounts) {
	j.Object("consumption")
	j.Int("onlineSessions", c.OnlineSessions)
	j.Int("offlineSessions", c.OfflineSessions)
	j.Int("onlineSeconds", c.OnlineSeconds)
	j.Int("offlineSeconds", c.OfflineSeconds)
	j.End()
}

func writeChannels(j *web.JSON, c libraries.ChannelTotals) {
	j.Object("channels")
	j.Bool("available", c.Available)
	j.Bool("appEstimated", c.AppEstimated)
	j.Int("total", c.Total())
	j.Int("web", c.Web())
	j.Int("app", c.App)
	j.Int("webMobile", c.Mobile)
	j.Int("webDesktop", c.Desktop)
	j.Int("webTablet", c.Tablet)
	j.End()
}

func writeFormats(j *web.JSON, f libraries.Formats) {
	j.Object("formats")
	writeSplit(j, "catalog", f.Catalogue)
	writeSplit(j, "loans", f.Loans)
	j.Object("listening")
	j.Int("listeners", f.Listeners)
	j.Int("seconds", f.ListeningSeconds)
	j.End()
	j.End()
}

func writeSplit(j *web.JSON, name string, s libraries.Split) {
	j.Object(name)
	j.Int("ebookOnly", s.EbookOnly)
	j.Int("audiobookOnly", s.AudiobookOnly)
	j.Int("both", s.Both)
	j.End()
}

func writeReservations(j *web.JSON, r libraries.ReservationTotals) {
	j.Object("reservationsByStatus")
	j.Int("active", r.Active)
	j.Int("converted", r.Converted)
	j.Int("cancelled", r.Cancelled)
	j.Int("lost", r.Lost)
	j.End()
}

func writeStockTotals(j *web.JSON, s *libraries.StockTotals) {
	j.Object("stock")
	j.Int("activeLoans", s.ActiveLoans)
	j.Int("readings", s.Readings)
	j.Int("possibleReadings", s.Possible)
	j.Fraction("percentage", int64(s.Percentage))
	j.Int("activeReservations", s.ActiveReservations)
	j.Array("histogram")
	for b, n := range s.Histogram {
		j.Begin()
		j.Text("band", libraries.Band(b).String())
		j.Int("count", n)
		j.End()
	}
	j.EndArray()
	j.End()
}

func writeDeletedUsers(j *web.JSON, d *libraries.DeletedUsers) {
	j.Object("deletedUsers")
	j.Int("total", d.Total)
	j.Int("last30Days", d.Last30Days)
	j.Int("withLoans", d.WithLoans)
	j.Array("daily")
	for _, c := range d.Daily {
		j.Begin()
		j.Date("date", c.Day)
		j.Int("total", c.Total)
		j.End()
	}
	j.EndArray()
	j.Array("monthly")
	for _, c := range d.Monthly {
		j.Begin()
		j.Text("month", libraries.MonthOf(c.First))
		j.Int("total", c.Total)
		j.End()
	}
	j.EndArray()
	j.End()
}

func writeProfile(j *web.JSON, p *libraries.CatalogueProfile) {
	j.Object("catalogProfile")
	writeItems(j, "categories", p.Categories)
	writeItems(j, "subjects", p.Subjects)
	writeItems(j, "origins", p.Origins)
	j.Object("materials")
	writeMaterial(j, "ebook", &p.Ebook)
	writeMaterial(j, "audiobook", &p.Audiobook)
	writeMaterial(j, "video", p.Video)
	j.End()
	j.End()
}

func writeItems(j *web.JSON, name string, items []libraries.ProfileItem) {
	j.Array(name)
	for _, p := range items {
		j.Begin()
		j.Text("name", p.Name)
		j.Int("catalogTitles", p.Titles)
		j.Int("loans", p.Loans)
		j.End()
	}
	j.EndArray()
}

func writeMaterial(j *web.JSON, name string, p *libraries.ProfileItem) {
	if p == nil {
		j.Null(name)
		return
	}
	j.Object(name)
	j.Int("catalogTitles", p.Titles)
	j.Int("loans", p.Loans)
	j.End()
}

func writeMonthly(j *web.JSON, months []libraries.Month) {
	j.Array("monthly")
	for _, m := range months {
		j.Begin()
		j.Text("month", libraries.MonthOf(m.Period.Start))
		j.Int("loans", m.Sums[libraries.Loans])
		j.Int("readings10", m.Sums[libraries.Readings10])
		j.Int("readings50", m.Sums[libraries.Readings50])
		j.Int("renewals", m.Sums[libraries.Renewals])
		j.Int("readingSeconds", m.Sums[libraries.ReadingSeconds])
		j.End()
	}
	j.EndArray()
}

func writeBreakdown(j *web.JSON, groups []libraries.Group) {
	j.Array("breakdown")
	for i := range groups {
		g := &groups[i]
		j.Begin()
		j.Text("key", g.Key)
		j.Text("label", g.Label)
		j.Object("metrics")
		writeGeneral(j, &g.Metrics)
		j.End()
		j.End()
	}
	j.EndArray()
}

// writeDimensions writes the vocabulary of filters. Identifiers are strings here alone.
func writeDimensions(j *web.JSON, d *libraries.Dimensions) {
	for _, v := range libraries.Vocabularies() {
		j.Array(v.String())
		for _, t := range d.Terms[v] {
			j.Begin()
			j.Text("id", strconv.FormatInt(t.ID, 10))
			j.Text("name", t.Name)
			j.End()
		}
		j.EndArray()
	}
	writeTexts(j, "ras", d.RAs)
	writeTexts(j, "states", d.States)
	writeTexts(j, "cities", d.Cities)
	j.Array("genders")
	for _, g := range libraries.Genders() {
		j.Item(g.String())
	}
	j.EndArray()
	j.Array("publicationYears")
	for _, y := range d.PublicationYears {
		j.ItemInt(y)
	}
	j.EndArray()
}

func writeTexts(j *web.JSON, name string, texts []string) {
	j.Array(name)
	for _, s := range texts {
		j.Item(s)
	}
	j.EndArray()
}
