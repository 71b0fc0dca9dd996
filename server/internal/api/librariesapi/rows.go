package librariesapi

import (
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/api/web"
	"github.com/lectern-dev/lectern/server/internal/api/wire"
)

// The lists, with functions that write a row member by member in the order of the specification's tables.
var (
	engagementRows  = wire.Table[report.Engagement]{Schema: "Engagement", Write: writeEngagement, Key: writeEngagementKey}
	userRows        = wire.Table[report.User]{Schema: "Reader", Write: writeUser, Key: writeUserKey, Sample: report.User{Reader: new(libraries.Reader)}}
	bookRows        = wire.Table[report.BookRow]{Schema: "Book", Write: writeBook, Sample: report.BookRow{Title: noTitle}}
	stockRows       = wire.Table[report.StockRow]{Schema: "StockTitle", Write: writeStock, Sample: report.StockRow{Title: noTitle}, Entries: &stockPurchases}
	loanRows        = wire.Table[report.LoanRow]{Schema: "Loan", Write: writeLoan, Key: writeLoanKey, Sample: report.LoanRow{Title: noTitle}}
	reservationRows = wire.Table[report.ReservationRow]{Schema: "Reservation", Write: writeReservation, Key: writeReservationKey, Sample: report.ReservationRow{Title: noTitle}}
	loginRows       = wire.Table[report.LoginRow]{Schema: "Login", Write: WriteLogin}
	channelRows     = wire.Table[libraries.ChannelDay]{Schema: "ChannelDay", Write: writeChannel}
	suggestionRows  = wire.Table[report.SuggestionRow]{Schema: "Suggestion", Write: writeSuggestion}
	requestRows     = wire.Table[libraries.Request]{Schema: "Request", Write: writeRequest}
)

var noTitle = new(report.Title)

// The types of texts with few values, or a pattern.
var (
	readerStatus      = wire.Enum(web.Names(readerStatuses)...)
	loanStatus        = wire.Enum(web.Names(loanStatuses)...)
	reservationStatus = wire.Enum(web.Names(reservationStatuses)...)
	channelName       = wire.Enum(web.Names(channelNames)...)
	collectionName    = wire.Enum(web.Names(anyCollection[1:])...)
	bandName          = wire.Enum(web.Names(bands)...)
	genderName        = wire.Enum(web.Names(web.Named(libraries.Female, libraries.Male, libraries.NonBinary, libraries.OtherGender, libraries.NotInformed))...)
	availability      = wire.Enum(web.Names(web.Named(libraries.InCatalogue, libraries.InMarketplace, libraries.NotFound))...)
	purchaseLabel     = wire.Pattern(`^(Compra|Legado) \d+$`)
	monthName         = wire.Pattern(`^\d{4}-\d\d$`)
)

func writeEngagementKey(w *wire.Writer, e *report.Engagement) {
	w.Date("date", e.Day, "")
	w.Int("userId", e.Reader, "")
}

func writeEngagement(w *wire.Writer, e *report.Engagement) {
	m := &e.Measures
	writeEngagementKey(w, e)
	w.Int("logins", m[metric.Logins], "1 if the reader had activity that day.", 0, 1)
	w.Int("loans", m[metric.Loans], "")
	w.Int("returns", m[metric.Returns], "Returns on that day, also those by expiry.")
	w.Int("readings10", m[metric.Readings10], "Titles whose progress reached 10 percent on that day.")
	w.Int("readings50", m[metric.Readings50], "Titles whose progress reached 50 percent on that day.")
	w.Int("previews", m[metric.Previews], "")
	w.Int("distinctBooks", m[metric.DistinctBooks], "")
	w.Int("readingSeconds", m[metric.ReadingSeconds], "")
	w.Int("renewals", m[metric.Renewals], "")
	w.Int("reservations", m[metric.Reservations], "")
	w.Int("reservationsConverted", m[metric.ReservationsConverted], "Reservations made on that day that later became loans.")
}

func writeUserKey(w *wire.Writer, u *report.User) { w.Int("userId", u.Reader.ID, "") }

func writeUser(w *wire.Writer, u *report.User) {
	r := u.Reader
	writeUserKey(w, u)
	w.Text("name", r.Name, "")
	w.Text("email", r.Email, "Empty if there is none, or if the reader deleted the account.")
	w.TextOrNull("library", u.LibraryName, "")
	w.TextOrNull("ageGroup", u.AgeGroup, "")
	w.TextOrNull("city", r.City, "")
	w.TextOrNull("state", r.State, "")
	w.TextOf("gender", r.Gender.String(), genderName, "")
	w.Date("registeredAt", r.Registered, "")
	w.TextOf("status", r.Status.String(), readerStatus, "")
	w.DateIf("deletedAt", r.DeletedAt, r.Status.Inactive(), "")
	w.Time("updatedAt", r.Updated, "Last change, UTC.")
	w.DatetimeOrNull("confirmedAt", r.Confirmed, "")
	w.DatetimeOrNull("lastSignInAt", r.LastLogin, "")
	w.Int("totalLoans", u.TotalLoans, "Loans of all time.")
}

func writeBook(w *wire.Writer, b *report.BookRow) {
	writeTitle(w, &b.Title.Book)
	w.TextOrNull("author", b.Title.Book.Author, "")
	w.TextOrNull("publisher", b.Publisher, "")
	collection := ""
	if b.Collection != 0 {
		collection = b.Collection.String()
	}
	w.TextOfOrNull("collection", collection, collectionName, "")
	w.Bool("hasEbook", b.Title.Book.HasEbook, "")
	w.Bool("hasAudiobook", b.Title.Book.HasAudiobook, "")
	w.IntIf("model", b.Model, b.Own, "Loans a copy gives.")
	w.IntIf("copies", b.Copies, b.Own, "Capacity in loans.")
	w.IntIf("consumedCopies", b.Consumed, b.Own, "Loans whose reader has a session of the title between the days of the loan and of its return.")
	w.IntIf("availableCopies", b.Available, b.Own, "")
	w.Int("loans", b.Sums[metric.Loans], "")
	w.Int("returns", b.Sums[metric.Returns], "")
	w.Int("readings10", b.Sums[metric.Readings10], "")
	w.Int("readings50", b.Sums[metric.Readings50], "")
	w.Int("renewals", b.Sums[metric.Renewals], "")
	w.Int("readingSeconds", b.Sums[metric.ReadingSeconds], "")
	w.Int("reservations", b.Sums[metric.Reservations], "")
	w.Int("convertedReservations", b.Sums[metric.ConvertedThatDay], "")
	w.Int("activeReservations", b.ActiveReservations, "")
}

// writeTitle writes the members of a title that most rows have.
func writeTitle(w *wire.Writer, b *libraries.Book) {
	w.Int("bookId", b.ID, "")
	w.Text("title", b.Title, "")
	w.TextOrNull("isbn", b.ISBN, "")
}

func writeStock(w *wire.Writer, s *report.StockRow) {
	w.Int("bookId", s.Title.Book.ID, "")
	w.Text("title", s.Title.Book.Title, "")
	w.Int("activeLoans", s.ActiveLoans, "")
	w.Int("readings", s.Readings, "Confirmed readings by readers with a loan.")
	w.Int("possibleReadings", s.Possible, "")
	w.Ratio("percentage", int64(s.Percentage), "Readings by possible readings, four decimals; may exceed 1.")
	w.Int("activeReservations", s.ActiveReservations, "")
	wire.List(w, "purchases", "Purchase", s.Purchases, writePurchase, "The lines, in the order in which they are consumed.")
}

// stockPurchases writes the purchases of titles, which are a sheet of their own in a workbook.
var stockPurchases = wire.Entries[report.StockRow]{
	Sheet: "purchases",
	Count: func(s *report.StockRow) int { return len(s.Purchases) },
	Write: func(w *wire.Writer, s *report.StockRow, i int) {
		w.Int("bookId", s.Title.Book.ID, "")
		w.Text("title", s.Title.Book.Title, "")
		if i < 0 {
			writePurchase(w, new(report.Purchase))
		} else {
			writePurchase(w, &s.Purchases[i])
		}
	},
}

func writePurchase(w *wire.Writer, p *report.Purchase) {
	w.TextOf("purchaseId", p.Label, purchaseLabel, "")
	w.OptionalText("modality", p.Line.Modality, "")
	w.Int("model", stock.Model(p.Line.MaxUses), "")
	w.OptionalInt("copies", p.Line.Copies, "")
	w.Int("possibleReadings", p.Possible, "")
	w.Int("consumed", p.Consumed, "")
	w.Fraction("percentage", int64(p.Percentage), "")
	w.Date("purchasedAt", p.Line.PurchasedAt, "")
	w.Amount("unitPrice", p.Line.UnitPrice.String(), "")
	w.Amount("totalPrice", p.Line.TotalPrice.String(), "")
	w.OptionalDate("expiresAt", p.Line.ExpiresAt, "")
}

func writeLoanKey(w *wire.Writer, l *report.LoanRow) { w.Int("loanId", l.Loan.ID, "") }

func writeLoan(w *wire.Writer, l *report.LoanRow) {
	writeLoanKey(w, l)
	w.Int("userId", l.Loan.Reader, "")
	writeTitle(w, &l.Title.Book)
	w.TextOrNull("author", l.Title.Book.Author, "")
	w.DateIf("borrowedAt", l.Loan.Day(), true, "")
	w.OptionalDate("dueAt", l.Loan.Due, "")
	w.DateIf("returnedAt", calendar.Day(l.Loan.Returned), !l.Loan.Returned.IsZero(), "")
	w.TextOf("status", l.Loan.Status.String(), loanStatus, "")
	w.Int("readingSeconds", l.Seconds, "Of the reader and the title, over all of the reader's loans of it.")
	w.Percent("progress", reading.Percent(l.Highest.Hundredths()), "Highest share of the title that the reader reached.")
}

func writeReservationKey(w *wire.Writer, r *report.ReservationRow) {
	w.Int("reservationId", r.Reservation.ID, "")
}

func writeReservation(w *wire.Writer, r *report.ReservationRow) {
	writeReservationKey(w, r)
	w.Int("userId", r.Reservation.Reader, "")
	writeTitle(w, &r.Title.Book)
	w.TextOf("status", r.Reservation.Status.String(), reservationStatus, "")
	w.IntIf("position", r.Reservation.Position, r.Reservation.Position != libraries.None, "")
	w.Int("titleQueue", r.Queue, "")
	w.Date("reservedAt", r.Reservation.Day(), "")
	w.DateIf("resolvedAt", calendar.Day(r.Reservation.Resolved), !r.Reservation.Resolved.IsZero(), "")
}

// WriteLogin writes a row of the dataset logins.
func WriteLogin(w *wire.Writer, l *report.LoginRow) {
	w.Int("userId", l.Reader, "")
	w.Date("date", l.Day, "")
	w.Datetime("firstSeenAt", l.Day.At(l.Presence.First), "")
	w.Datetime("lastSeenAt", l.Day.At(l.Presence.Last), "")
	w.Int("events", int64(l.Presence.Events), "")
}

func writeChannel(w *wire.Writer, c *libraries.ChannelDay) {
	w.Date("date", c.Day, "")
	w.TextOf("channel", c.Channel.String(), channelName, "")
	w.Int("sessions", c.Sessions, "")
	w.Bool("estimated", c.Estimated, "")
}

func writeSuggestion(w *wire.Writer, s *report.SuggestionRow) {
	w.TextOrNull("title", s.Title, "")
	w.TextOrNull("author", s.Author, "")
	w.TextOrNull("publisher", s.Publisher, "")
	w.TextOrNull("searchTerm", s.SearchTerm, "")
	w.Int("requestsCount", s.Requests, "")
	w.Int("uniqueUsers", s.Readers, "")
	w.TextOf("availability", s.Availability.String(), availability, "")
	w.Date("lastRequestedAt", calendar.Day(s.Last), "")
}

func writeRequest(w *wire.Writer, r *libraries.Request) {
	w.Int("userId", r.Reader, "")
	w.TextOrNull("title", r.Title, "")
	w.TextOrNull("author", r.Author, "")
	w.TextOrNull("searchTerm", r.SearchTerm, "")
	w.Date("requestedAt", r.Day(), "")
}
