package librariesapi

import (
	"errors"
	"fmt"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/web"
)

// choice is one of the values that a parameter may have, and what it stands for.
type choice[E any] struct {
	name  string
	value E
}

// The values of the parameters, in the order of the specification. A parameter that is absent stands for the zero value:
// no filter, or the default order.
var (
	groupings           = named(libraries.ByLibrary, libraries.ByState, libraries.ByCity, libraries.ByAgeGroup)
	readerStatuses      = named(libraries.ReaderActive, libraries.ReaderDeactivated, libraries.ReaderDeleted)
	loanStatuses        = named(libraries.LoanActive, libraries.LoanReturned, libraries.LoanExpired)
	reservationStatuses = named(libraries.Waiting, libraries.Available, libraries.Converted, libraries.Cancelled, libraries.Lost)
	formats             = named(libraries.Ebook, libraries.Audiobook)
	channels            = named(libraries.WebMobile, libraries.WebDesktop, libraries.WebTablet, libraries.App)

	// The platform has no stock of its own.
	ownCollections = named(libraries.Additional, libraries.External, libraries.Manual)
	anyCollection  = append([]choice[libraries.Collection]{{"all", 0}, {libraries.Platform.String(), libraries.Platform}}, ownCollections...)

	bookOrders = []choice[libraries.BookOrder]{
		{"title", libraries.BooksByTitle}, {"loans", libraries.BooksByLoans}, {"returns", libraries.BooksByReturns},
		{"readings10", libraries.BooksByReadings10}, {"readings50", libraries.BooksByReadings50},
		{"readingSeconds", libraries.BooksByReadingSeconds}, {"renewals", libraries.BooksByRenewals},
		{"reservations", libraries.BooksByReservations}, {"activeReservations", libraries.BooksByActiveReservations},
		{"convertedReservations", libraries.BooksByConvertedReservations},
	}
	stockOrders = []choice[libraries.StockOrder]{
		{"title", libraries.StockByTitle}, {"activeLoans", libraries.StockByActiveLoans}, {"readings", libraries.StockByReadings},
		{"possibleReadings", libraries.StockByPossibleReadings}, {"percentage", libraries.StockByPercentage},
		{"activeReservations", libraries.StockByActiveReservations},
	}
	ascending = []choice[bool]{{"asc", true}, {"desc", false}}
)

// named returns the choices whose names are those that the values have themselves.
func named[E fmt.Stringer](values ...E) []choice[E] {
	choices := make([]choice[E], len(values))
	for i, v := range values {
		choices[i] = choice[E]{v.String(), v}
	}
	return choices
}

// choose reads a parameter that has one of the choices; the zero value is that of an absent or invalid one.
func choose[E any](q *web.Query, name string, choices []choice[E]) (value E) {
	names := make([]string, len(choices))
	for i, c := range choices {
		names[i] = c.name
	}
	chosen := q.Enum(name, names...)
	for _, c := range choices {
		if c.name == chosen {
			value = c.value
		}
	}
	return value
}

// band reads consumptionBand, by the rule of the bands themselves (L10).
func band(q *web.Query) *libraries.Band {
	names := make([]string, libraries.Bands)
	for i := range names {
		names[i] = libraries.Band(i).String()
	}
	return web.EnumOf(q, "consumptionBand", libraries.ParseBand, names...)
}

// text reads a text. One that folds to nothing would find everything, or nothing: it is invalid.
func text(q *web.Query, name string) *string {
	return q.Text(name, func(s string) bool { return libraries.Fold(s) == "" })
}

// asked reads two days that bound a period, each of which may be absent.
func asked(q *web.Query, start, end string) calendar.Asked {
	return calendar.Asked{Start: q.Date(start), End: q.Date(end)}
}

// firstDay is the first day that can be shown: a period has it for its start where the default would be an earlier one.
var firstDay = calendar.Of(0, 1, 1)

// period reads the period of a route on which both days are optional (L2).
func period(q *web.Query, today calendar.Date) calendar.Period {
	p := asked(q, "startDate", "endDate").Libraries(today)
	p.Start = max(p.Start, firstDay)
	return p
}

// window reads the period of a dataset that is bounded in days (L2). The rule about the period as a whole speaks only of
// well-formed days.
func window(q *web.Query, today calendar.Date) calendar.Period {
	p := period(q, today)
	if q.Valid("startDate", "endDate") {
		failWindow(q, libraries.CheckWindow(p))
	}
	return p
}

// requiredWindow reads the period of the engagements, where both days must be given and are never swapped (L2).
func requiredWindow(q *web.Query) calendar.Period {
	q.Require("startDate", "endDate")
	days := asked(q, "startDate", "endDate")
	if days.Start == nil || days.End == nil {
		return calendar.Period{}
	}
	p, err := libraries.Window(*days.Start, *days.End)
	failWindow(q, err)
	return p
}

// failWindow says what is wrong with a period, where startDate stands.
func failWindow(q *web.Query, err error) {
	switch {
	case errors.Is(err, calendar.ErrStartAfterEnd):
		q.Fail("startDate", "startDate must not be after endDate")
	case errors.Is(err, libraries.ErrWindow):
		q.Fail("startDate", fmt.Sprintf("the period must not exceed %d days", libraries.WindowDays))
	}
}
