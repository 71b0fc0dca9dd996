package libraries

import (
	"github.com/lectern-dev/lectern/paging/fold"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// ReaderStatus says whether a reader's account is in use. The zero ReaderStatus is none.
type ReaderStatus uint8

// The states of a reader.
const (
	ReaderActive      ReaderStatus = iota + 1 // in use
	ReaderDeactivated                         // blocked by the library
	ReaderDeleted                             // deleted by the reader
)

var readerStatuses = [...]string{ReaderActive: "active", ReaderDeactivated: "deactivated", ReaderDeleted: "deleted"}

// String returns the state's name in feeds and answers.
func (s ReaderStatus) String() string { return row.NameOf(readerStatuses[:], "reader status", s) }

// Inactive reports whether the account is deactivated or deleted. Only such a reader has a deletedAt (F3).
func (s ReaderStatus) Inactive() bool { return s == ReaderDeactivated || s == ReaderDeleted }

// CountsAsDeleted reports whether deletedUsers counts a reader: inactive since the first day of the history or later
// (L12).
func (s ReaderStatus) CountsAsDeleted(deletedAt, history calendar.Date) bool {
	return s.Inactive() && deletedAt >= history
}

// LoanStatus is the state of a loan. The zero LoanStatus is none.
type LoanStatus uint8

// The states of a loan. An active one may be just made or confirmed: see [Pair.Confirms].
const (
	LoanActive   LoanStatus = iota + 1 // in progress
	LoanReturned                       // ended by the reader
	LoanExpired                        // ended by its time
)

var loanStatuses = [...]string{LoanActive: "active", LoanReturned: "returned", LoanExpired: "expired"}

// String returns the state's name in feeds and answers.
func (s LoanStatus) String() string { return row.NameOf(loanStatuses[:], "loan status", s) }

// Ended reports whether the loan was returned or expired. Only such a loan has a returnedAt (F3), and counts as a return
// on that day (L6).
func (s LoanStatus) Ended() bool { return s == LoanReturned || s == LoanExpired }

// End returns the event that ended the loan, or false if it is active. A return is activity of the reader, an expiry is
// not (L3).
func (s LoanStatus) End() (EventKind, bool) {
	switch s {
	case LoanReturned:
		return ReturnEvent, true
	case LoanExpired:
		return ExpiryEvent, true
	}
	return 0, false
}

// ActiveLoans returns the active loans of a period: the loans made minus the loans ended, not below 0 (L6). A loan that
// ended in the period may have been made before it.
func ActiveLoans(loans, returns int64) int64 { return max(loans-returns, 0) }

// ReservationStatus is the state of a reservation. The zero ReservationStatus is none.
type ReservationStatus uint8

// The states of a reservation.
const (
	Waiting   ReservationStatus = iota + 1 // in the queue
	Available                              // a copy is released for the reader
	Converted                              // became a loan
	Cancelled                              // by the reader
	Lost                                   // expired without pickup
)

var reservationStatuses = [...]string{
	Waiting: "waiting", Available: "available", Converted: "converted", Cancelled: "cancelled", Lost: "lost",
}

// String returns the state's name in feeds and answers.
func (s ReservationStatus) String() string {
	return row.NameOf(reservationStatuses[:], "reservation status", s)
}

// Active reports whether the reservation is in the queue of its title: waiting or available. Only such a reservation
// shows its position (L6).
func (s ReservationStatus) Active() bool { return s == Waiting || s == Available }

// Resolved reports whether the reservation was converted, cancelled or lost. Only such a reservation has a resolvedAt,
// by which reservationsByStatus counts it (L6, F3).
func (s ReservationStatus) Resolved() bool { return s >= Converted && s <= Lost }

// Gender is a reader's gender: one of five canonical values (L18). The zero Gender is NotInformed.
type Gender uint8

// The canonical genders.
const (
	NotInformed Gender = iota
	Female
	Male
	NonBinary
	OtherGender
)

var genders = [...]string{
	NotInformed: "Não informado", Female: "Feminino", Male: "Masculino", NonBinary: "Não-binário", OtherGender: "Outro",
}

// Genders returns the canonical genders by folded name, as the dimensions list them (L16).
func Genders() []Gender { return []Gender{Female, Male, NotInformed, NonBinary, OtherGender} }

// String returns the gender as the reports show it: Feminino, Masculino, Não-binário, Outro, Não informado.
func (g Gender) String() string { return row.NameOf(genders[:], "gender", g) }

// ParseGender returns the gender whose name folds as the text does, such as FEMININO or nao informado. An empty text is
// NotInformed. It returns false for any other text.
func ParseGender(text string) (Gender, bool) {
	if text == "" {
		return NotInformed, true
	}
	text = fold.Text(text)
	for g, name := range genders {
		if fold.Text(name) == text {
			return Gender(g), true
		}
	}
	return 0, false
}
