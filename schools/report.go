package schools

import (
	"fmt"
	"time"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// Profile is what an account is in the reports: a reader is a student, a teacher a teacher (S1).
type Profile uint8

// The profiles, in the order of the specification. The zero Profile is none, and as a filter both.
const (
	Student Profile = iota + 1
	Teacher
)

// String returns the profile's name in the API.
func (p Profile) String() string {
	switch p {
	case Student:
		return "student"
	case Teacher:
		return "teacher"
	}
	return fmt.Sprintf("profile %d", uint8(p))
}

// profileOf returns the profile of an account's kind; administrators and internal accounts have none.
func profileOf(k directory.Kind) Profile {
	switch k {
	case directory.Reader:
		return Student
	case directory.Teacher:
		return Teacher
	}
	return 0
}

// HistoryStart is the first day that the reports know, unless the operator sets another (G6): 2026-01-01.
func HistoryStart() calendar.Date { return calendar.Of(2026, time.January, 1) }

// Access is what a schools key opens: one network of one partner, and the state of its data that the key check saw.
type Access struct {
	Partner directory.PartnerID
	Network directory.EntityID
	At      state.Versions
}

// Filter narrows a report by the accounts' present attributes (S7). Its zero value narrows nothing.
type Filter struct {
	UserID   *directory.UserID
	SchoolID *directory.EntityID
	Profile  Profile
}

// List is one page of a report and the number of rows of all its pages.
type List[T any] struct {
	Rows  []T
	Total int64
}

// Unit is a school or a class as a user row names it.
type Unit struct {
	ID   directory.EntityID
	Name string
}

// User is one row of the register. Empty texts, a zero Grade and nil units are null.
type User struct {
	ID            directory.UserID
	Name, Email   string
	Profile       Profile
	School, Class *Unit
	Grade         int
	Stage         string
	Active        bool
}

// Engagement is a day on which a user accessed the platform. Tenths are tenths of a minute of effective reading (S3).
type Engagement struct {
	Date   calendar.Date
	UserID directory.UserID
	Tenths int64
}

// Reading is what a user read of a book in a period. Percent is in hundredths of a percent (S4), Tenths in tenths of a
// minute; First and Last are the starts of the first and the last effective segment (S5).
type Reading struct {
	UserID      directory.UserID
	Book        *Book
	Percent     int64
	Tenths      int64
	First, Last time.Time
	Finished    bool
}

// Book is one book of a partner's register; its length is in the unit that its segments use. Empty texts are null.
type Book struct {
	ID                  int64
	Title, Author, ISBN string
	Length              int64
}

// Reports answers the three routes. It is the same for every Store.
type Reports struct {
	Store Store
	// Cache keeps what a state's answers are computed from. Nil keeps nothing: every report then reads everything.
	Cache state.Cache
}
