// Package schools has the rules and records of what a school network pulls: what a segment and an access make of a day, and who
// counts as a student or a teacher.
//
// [NewSegment] makes an [Event] of a segment of reading: it belongs to the day on which it starts (S2), makes it a day with
// access (S6), and, where it is effective, counts in time and coverage. [NewAccess] does so of an access record: a login makes
// a day with access, a recommendation that was received does not.
//
//	segment of 20:00, 5,000 words in 20 minutes   250 words a minute: a day with access, 20.0 minutes, 5,000 units
//	segment of 21:00, 5,000 words in 2 minutes    2,500 words a minute: a day with access, nothing more
//
// The effective-reading rule itself is that of package reading. An [EventID] stands for an event's identifier: loading one
// twice changes nothing (F1).
//
// # Rooms
//
// The rules know nothing of how data are kept, loaded or shown. Around them are, each on those before it alone:
//
//   - schools/internal/facts: the packed forms into which events are folded when they are loaded. This module's own.
//   - [github.com/lectern-dev/lectern/schools/intake]: how a feed's rows become settled changes, and a load: what takes a feed.
//   - [github.com/lectern-dev/lectern/schools/report]: the reports, from any store, of which package schoolsdb has one.
//
// The package knows no HTTP and no database.
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

// Fields declares the fields of a book.
func (b *Book) Fields(w *row.Walk) {
	row.Int(w, "bookId", &b.ID, row.Required)
	row.Text(w, "title", &b.Title)
	row.Text(w, "author", &b.Author)
	row.Text(w, "isbn", &b.ISBN)
	row.Int(w, "length", &b.Length, row.Required)
}

// Books are a partner's books by identifier.
type Books struct {
	byID  map[int64]*Book
	bytes int
}

// NewBooks returns an empty register of books with room for n.
func NewBooks(n int) *Books { return &Books{byID: make(map[int64]*Book, n)} }

// Add puts a book in.
func (b *Books) Add(book Book) {
	b.byID[book.ID] = &book
	b.bytes += 120 + len(book.Title) + len(book.Author) + len(book.ISBN)
}

// Book returns the book of an identifier, or nil.
func (b *Books) Book(id int64) *Book { return b.byID[id] }

// Bytes returns about the memory that the books hold.
func (b *Books) Bytes() int { return b.bytes }

// Book is one book of a partner's register; its length is in the unit that its segments use. Empty texts are null.
type Book struct {
	ID                  int64
	Title, Author, ISBN string
	Length              int64
}
