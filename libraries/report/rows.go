package report

import (
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// Engagement is one row of the engagements. Its measures are those up to ReservationsConverted.
type Engagement struct {
	Day      calendar.Date
	Reader   int64
	Measures metric.Measures
}

// User is one row of the users: the register's row, but for its RA, with the names of its terms, empty where null, and the number of loans.
type User struct {
	Reader                *libraries.Reader
	LibraryName, AgeGroup string
	TotalLoans            int64
}

// BookRow is one row of the dataset books. Own is false where model, copies, consumedCopies and availableCopies are null.
type BookRow struct {
	Title                              *Title
	Publisher                          string           // its name, empty where null
	Collection                         stock.Collection // 0 where null
	Own                                bool
	Model, Copies, Consumed, Available int64
	Sums                               metric.Measures // of the period; convertedReservations is ConvertedThatDay
	ActiveReservations                 int64
}

// StockRow is one row of the dataset stock.
type StockRow struct {
	Title              *Title
	ActiveLoans        int64
	Readings           int64
	Possible           int64
	Percentage         stock.Fraction
	ActiveReservations int64
	Purchases          []Purchase
}

// Purchase is one line of a StockRow, as it is shown.
type Purchase struct {
	Label              string
	Modality           *string
	Model              int64
	Copies             *int64
	Possible, Consumed int64
	Percentage         stock.Fraction
	PurchasedAt        calendar.Date
	Unit, Total        stock.Money
	ExpiresAt          *calendar.Date
}

// LoanRow is one row of the dataset loans.
type LoanRow struct {
	Loan    libraries.Loan
	Title   *Title
	Seconds int64 // of the reader and the title, over all loans
	Highest libraries.Progress
}

// ReservationRow is one row of the dataset reservations.
type ReservationRow struct {
	Reservation libraries.Reservation
	Title       *Title
	Queue       int64 // waiting and available reservations of the title
}

// LoginRow is one row of the dataset logins. First and Last are seconds of the Brasilia day.
type LoginRow struct {
	Day      calendar.Date
	Reader   int64
	Presence libraries.Presence
}

// SuggestionRow is one row of the dataset suggestions. Empty texts are null.
type SuggestionRow struct {
	Title, Author, Publisher, SearchTerm string
	Requests, Readers                    int64
	Availability                         libraries.Availability
	Last                                 time.Time
}

// Dimensions are the vocabulary of filters. Terms are by folded name.
type Dimensions struct {
	Hour             libraries.Hour
	Terms            map[libraries.Vocabulary][]libraries.Term
	RAs              []string
	States, Cities   []string
	PublicationYears []int64
}
