package librariesapi

import (
	"errors"
	"fmt"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/api/web"
)

// The values of the parameters, in the order of the specification. An absent parameter has the zero value: no filter, or
// the default order.
var (
	groupings           = web.Named(report.ByLibrary, report.ByState, report.ByCity, report.ByAgeGroup)
	readerStatuses      = web.Named(libraries.ReaderActive, libraries.ReaderDeactivated, libraries.ReaderDeleted)
	loanStatuses        = web.Named(libraries.LoanActive, libraries.LoanReturned, libraries.LoanExpired)
	reservationStatuses = web.Named(libraries.Waiting, libraries.Available, libraries.Converted, libraries.Cancelled, libraries.Lost)
	formats             = web.Named(libraries.Ebook, libraries.Audiobook)
	channelNames        = web.Named(libraries.WebMobile, libraries.WebDesktop, libraries.WebTablet, libraries.App)
	bands               = append(web.Named[stock.Band](0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10), overBand)
	overBand            = web.Choice[stock.Band]{Name: stock.BandOver.String(), Value: stock.BandOver, Also: "101 "} // as an unescaped plus comes (L10)

	// The platform has no stock of its own.
	ownCollections = web.Named(stock.Additional, stock.External, stock.Manual)
	anyCollection  = append([]web.Choice[stock.Collection]{web.Means("all", stock.Collection(0)), web.Means(stock.Platform.String(), stock.Platform)}, ownCollections...)

	bookOrders = []web.Choice[report.BookOrder]{
		web.Means("title", report.BooksByTitle), web.Means("loans", report.BooksByLoans), web.Means("returns", report.BooksByReturns),
		web.Means("readings10", report.BooksByReadings10), web.Means("readings50", report.BooksByReadings50),
		web.Means("readingSeconds", report.BooksByReadingSeconds), web.Means("renewals", report.BooksByRenewals),
		web.Means("reservations", report.BooksByReservations), web.Means("activeReservations", report.BooksByActiveReservations),
		web.Means("convertedReservations", report.BooksByConvertedReservations),
	}
	stockOrders = []web.Choice[report.StockOrder]{
		web.Means("title", report.StockByTitle), web.Means("activeLoans", report.StockByActiveLoans), web.Means("readings", report.StockByReadings),
		web.Means("possibleReadings", report.StockByPossibleReadings), web.Means("percentage", report.StockByPercentage),
		web.Means("activeReservations", report.StockByActiveReservations),
	}
	ascending = []web.Choice[bool]{web.Means("asc", true), web.Means("desc", false)}
)

// reader and title read the parameters that most lists have.
func reader(q *web.Query) *int64 { return q.Int("userId", "One reader.") }
func title(q *web.Query) *int64  { return q.Int("bookId", "One title.") }

// leftOut describes the default of a period's start.
const leftOut = ". Left out: 30 days before the end."

// firstDay is the first day that answers can show. No period starts before it by default.
var firstDay = calendar.Of(0, 1, 1)

// period reads the period of a route on which both days are optional (L2).
func period(q *web.Query, today calendar.Date, aboutStart string) calendar.Period {
	p := calendar.Asked{Start: q.Date("startDate", aboutStart), End: q.Date("endDate", "Last day. Left out: today.")}.Libraries(today)
	p.Start = max(p.Start, firstDay)
	return p
}

// window reads a period of at most 31 days (L2). If a day is malformed, only that is reported.
func window(q *web.Query, today calendar.Date) calendar.Period {
	p := period(q, today, "First day of at most 31"+leftOut)
	if q.Valid("startDate", "endDate") {
		failWindow(q, libraries.CheckWindow(p))
	}
	return p
}

// requiredWindow reads the period of the engagements: both days are required and are never swapped (L2).
func requiredWindow(q *web.Query) calendar.Period {
	start, end := q.RequiredDate("startDate", "First day."), q.RequiredDate("endDate", "Last day; at most 31 days in all.")
	if start == nil || end == nil {
		return calendar.Period{}
	}
	p, err := libraries.Window(*start, *end)
	failWindow(q, err)
	return p
}

// failWindow reports an error of a period at startDate.
func failWindow(q *web.Query, err error) {
	switch {
	case errors.Is(err, calendar.ErrStartAfterEnd):
		q.Fail("startDate", "startDate must not be after endDate")
	case errors.Is(err, libraries.ErrWindow):
		q.Fail("startDate", fmt.Sprintf("the period must not exceed %d days", libraries.WindowDays))
	}
}
