package librariesapi

import (
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/web"
)

// The rows of the lists, field by field in the order of the specification's tables.

func writeEngagement(j *web.JSON, e *libraries.Engagement) {
	m := &e.Measures
	j.Date("date", e.Day)
	j.Int("userId", e.Reader)
	j.Int("logins", m[libraries.Logins])
	j.Int("loans", m[libraries.Loans])
	j.Int("returns", m[libraries.Returns])
	j.Int("readings10", m[libraries.Readings10])
	j.Int("readings50", m[libraries.Readings50])
	j.Int("previews", m[libraries.Previews])
	j.Int("distinctBooks", m[libraries.DistinctBooks])
	j.Int("readingSeconds", m[libraries.ReadingSeconds])
	j.Int("renewals", m[libraries.Renewals])
	j.Int("reservations", m[libraries.Reservations])
	j.Int("reservationsConverted", m[libraries.ReservationsConverted])
}

func writeUser(j *web.JSON, u *libraries.User) {
	r := u.Reader
	j.Int("userId", r.ID)
	j.Text("name", r.Name)
	j.Text("email", r.Email)
	j.TextOrNull("library", u.LibraryName)
	j.TextOrNull("ageGroup", u.AgeGroup)
	j.TextOrNull("city", r.City)
	j.TextOrNull("state", r.State)
	j.Text("gender", r.Gender.String())
	j.Date("registeredAt", r.Registered)
	j.Text("status", r.Status.String())
	if r.Status.Gone() {
		j.Date("deletedAt", r.DeletedAt)
	} else {
		j.Null("deletedAt")
	}
	j.Time("updatedAt", r.Updated)
	j.DatetimeOrNull("confirmedAt", r.Confirmed)
	j.DatetimeOrNull("lastSignInAt", r.LastLogin)
	j.Int("totalLoans", u.TotalLoans)
}

func writeBook(j *web.JSON, b *libraries.BookRow) {
	writeTitle(j, &b.Title.Book)
	j.TextOrNull("author", b.Title.Book.Author)
	j.TextOrNull("publisher", b.Publisher)
	if b.Collection == 0 {
		j.Null("collection")
	} else {
		j.Text("collection", b.Collection.String())
	}
	j.Bool("hasEbook", b.Title.Book.HasEbook)
	j.Bool("hasAudiobook", b.Title.Book.HasAudiobook)
	intIf(j, "model", b.Model, b.Own)
	intIf(j, "copies", b.Copies, b.Own)
	intIf(j, "consumedCopies", b.Consumed, b.Own)
	intIf(j, "availableCopies", b.Available, b.Own)
	j.Int("loans", b.Sums[libraries.Loans])
	j.Int("returns", b.Sums[libraries.Returns])
	j.Int("readings10", b.Sums[libraries.Readings10])
	j.Int("readings50", b.Sums[libraries.Readings50])
	j.Int("renewals", b.Sums[libraries.Renewals])
	j.Int("readingSeconds", b.Sums[libraries.ReadingSeconds])
	j.Int("reservations", b.Sums[libraries.Reservations])
	j.Int("convertedReservations", b.Sums[libraries.ConvertedThatDay])
	j.Int("activeReservations", b.ActiveReservations)
}

// writeTitle writes what most rows show of a title.
func writeTitle(j *web.JSON, b *libraries.Book) {
	j.Int("bookId", b.ID)
	j.Text("title", b.Title)
	j.TextOrNull("isbn", b.ISBN)
}

// intIf writes a number where it is known, else null.
func intIf(j *web.JSON, name string, n int64, known bool) {
	if !known {
		j.Null(name)
		return
	}
	j.Int(name, n)
}

func writeStock(j *web.JSON, s *libraries.StockRow) {
	j.Int("bookId", s.Title.Book.ID)
	j.Text("title", s.Title.Book.Title)
	j.Int("activeLoans", s.ActiveLoans)
	j.Int("readings", s.Readings)
	j.Int("possibleReadings", s.Possible)
	j.Fraction("percentage", int64(s.Percentage))
	j.Int("activeReservations", s.ActiveReservations)
	j.Array("purchases")
	for i := range s.Purchases {
		j.Begin()
		writePurchase(j, &s.Purchases[i])
		j.End()
	}
	j.EndArray()
}

func writePurchase(j *web.JSON, p *libraries.Purchase) {
	j.Text("purchaseId", p.Label)
	j.OptionalText("modality", p.Modality)
	j.Int("model", p.Model)
	j.OptionalInt("copies", p.Copies)
	j.Int("possibleReadings", p.Possible)
	j.Int("consumed", p.Consumed)
	j.Fraction("percentage", int64(p.Percentage))
	j.Date("purchasedAt", p.PurchasedAt)
	j.Amount("unitPrice", p.Unit.String())
	j.Amount("totalPrice", p.Total.String())
	j.OptionalDate("expiresAt", p.ExpiresAt)
}

func writeLoan(j *web.JSON, l *libraries.LoanRow) {
	j.Int("loanId", l.Loan.ID)
	j.Int("userId", l.Loan.Reader)
	writeTitle(j, &l.Title.Book)
	j.TextOrNull("author", l.Title.Book.Author)
	j.Date("borrowedAt", l.Loan.Day())
	j.OptionalDate("dueAt", l.Loan.Due)
	dayOrNull(j, "returnedAt", l.Loan.Returned)
	j.Text("status", l.Loan.Status.String())
	j.Int("readingSeconds", l.Seconds)
	j.Percent("progress", l.Highest.Hundredths())
}

// dayOrNull writes the Brasilia day of an instant, null for the zero one.
func dayOrNull(j *web.JSON, name string, t time.Time) {
	if t.IsZero() {
		j.Null(name)
		return
	}
	j.Date(name, calendar.Day(t))
}

func writeReservation(j *web.JSON, r *libraries.ReservationRow) {
	j.Int("reservationId", r.Reservation.ID)
	j.Int("userId", r.Reservation.Reader)
	writeTitle(j, &r.Title.Book)
	j.Text("status", r.Reservation.Status.String())
	intIf(j, "position", r.Reservation.Position, r.Reservation.Position != libraries.None)
	j.Int("titleQueue", r.Queue)
	j.Date("reservedAt", r.Reservation.Day())
	dayOrNull(j, "resolvedAt", r.Reservation.Resolved)
}

func writeLogin(j *web.JSON, l *libraries.LoginRow) {
	second := func(n int32) time.Time { return l.Day.Start().Add(time.Duration(n) * time.Second) }
	j.Int("userId", l.Reader)
	j.Date("date", l.Day)
	j.Datetime("firstSeenAt", second(l.Presence.First))
	j.Datetime("lastSeenAt", second(l.Presence.Last))
	j.Int("events", int64(l.Presence.Events))
}

func writeChannel(j *web.JSON, c *libraries.ChannelDay) {
	j.Date("date", c.Day)
	j.Text("channel", c.Channel.String())
	j.Int("sessions", c.Sessions)
	j.Bool("estimated", c.Estimated)
}

func writeSuggestion(j *web.JSON, s *libraries.SuggestionRow) {
	j.TextOrNull("title", s.Title)
	j.TextOrNull("author", s.Author)
	j.TextOrNull("publisher", s.Publisher)
	j.TextOrNull("searchTerm", s.SearchTerm)
	j.Int("requestsCount", s.Requests)
	j.Int("uniqueUsers", s.Readers)
	j.Text("availability", s.Availability.String())
	j.Date("lastRequestedAt", calendar.Day(s.Last))
}

func writeRequest(j *web.JSON, r *libraries.Request) {
	j.Int("userId", r.Reader)
	j.TextOrNull("title", r.Title)
	j.TextOrNull("author", r.Author)
	j.TextOrNull("searchTerm", r.SearchTerm)
	j.Date("requestedAt", r.Day())
}
