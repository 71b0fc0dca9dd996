package schools

import (
	"time"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// Profile is what an account is in the reports: a reader is a student, a teacher a teacher (S1).
type Profile uint8

// The profiles, in the order of the specification. The zero Profile is none, and as a filter both.
const (
	Student Profile = iota + 1
	Teacher
)

var profiles = [...]string{Student: "student", Teacher: "teacher"}

// String returns the profile's name in the API.
func (p Profile) String() string { return row.NameOf(profiles[:], "profile", p) }

// ProfileOf returns the profile of an account's kind; administrators and internal accounts have none.
func ProfileOf(k directory.Kind) Profile {
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
