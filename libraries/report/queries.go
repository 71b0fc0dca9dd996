package report

import (
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// ReaderFilter narrows a report by the readers' present attributes. Its zero value narrows nothing. A reader without the
// attribute matches no value; a gender that is not canonical, none either.
type ReaderFilter struct {
	Library, AgeGroup   *int64
	State, City, Gender *string
}

// GroupBy says by which attribute a summary's breakdown groups. The zero GroupBy makes none.
type GroupBy uint8

// The groupings, in the order of the specification.
const (
	ByLibrary GroupBy = iota + 1
	ByState
	ByCity
	ByAgeGroup
)

var groupings = [...]string{ByLibrary: "library", ByState: "state", ByCity: "city", ByAgeGroup: "ageGroup"}

// String returns the grouping's name in queries.
func (g GroupBy) String() string { return row.NameOf(groupings[:], "grouping", g) }

// SummaryQuery is what a summary is asked. Filter and NewUsers cut general and breakdown alone.
type SummaryQuery struct {
	Period   calendar.Period
	Filter   ReaderFilter
	NewUsers bool // only readers registered in the period
	GroupBy  GroupBy
	// Today stands for the snapshot's day before the first load.
	Today calendar.Date
}

// UserQuery is what the users are asked. The zero Status is every one.
type UserQuery struct {
	Reader       *int64
	Status       libraries.ReaderStatus
	Library      *int64
	Registered   calendar.Asked // open where an end is absent, see Between
	UpdatedSince *calendar.Date
}

// TitleFilter narrows books and stock. Its zero value narrows nothing.
type TitleFilter struct {
	Search                       *string
	Publisher, Category, Subject *int64
	Collection                   stock.Collection
	Book                         *int64
	Year                         *int64
}

// BookQuery is what the dataset books is asked.
type BookQuery struct {
	Period calendar.Period
	Filter TitleFilter
	Author *string
	Format libraries.Format
	Order  BookOrder
	Asc    bool
}

// BookOrder is the column that books are ordered by. The zero BookOrder is by loans.
type BookOrder uint8

// The orders of books.
const (
	BooksByLoans BookOrder = iota
	BooksByTitle
	BooksByReturns
	BooksByReadings10
	BooksByReadings50
	BooksByReadingSeconds
	BooksByRenewals
	BooksByReservations
	BooksByActiveReservations
	BooksByConvertedReservations
)

// StockQuery is what the dataset stock is asked. A title passes Purchased and the filter's Collection when one line meets
// both (L9).
type StockQuery struct {
	Filter    TitleFilter
	Purchased calendar.Asked // open where an end is absent
	Band      *stock.Band
	Order     StockOrder
	Asc       bool
}

// StockOrder is the column that stock is ordered by. The zero StockOrder is by percentage.
type StockOrder uint8

// The orders of stock.
const (
	StockByPercentage StockOrder = iota
	StockByTitle
	StockByActiveLoans
	StockByReadings
	StockByPossibleReadings
	StockByActiveReservations
)

// LoanQuery is what the dataset loans is asked. The zero Status is every one.
type LoanQuery struct {
	Period       calendar.Period // of the day of the loan
	Reader, Book *int64
	Status       libraries.LoanStatus
}

// ReservationQuery is what the dataset reservations is asked. The zero Status is every one.
type ReservationQuery struct {
	Period       calendar.Period // of the day of the reservation
	Reader, Book *int64
	Status       libraries.ReservationStatus
}

// DayQuery is what engagements and logins are asked.
type DayQuery struct {
	Period calendar.Period
	Reader *int64
}

// ChannelQuery is what the dataset channels is asked. The zero Channel is every one.
type ChannelQuery struct {
	Period  calendar.Period
	Channel libraries.Channel
}

// SuggestionQuery is what the dataset suggestions is asked.
type SuggestionQuery struct {
	Period calendar.Period
	Search *string
}

// RequestQuery is what the dataset suggestion-requests is asked. Title and Author compare by Exact.
type RequestQuery struct {
	Period        calendar.Period
	Title, Author *string
	Reader        *int64
}
