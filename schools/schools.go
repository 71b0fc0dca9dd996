package schools

import (
	"time"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// Profile is the role of an account in the reports: readers are students, teachers are teachers (S1).
type Profile uint8

// The profiles, in the order of the specification. The zero Profile is none; as a filter it means both.
const (
	Student Profile = iota + 1
	Teacher
)

var profiles = [...]string{Student: "student", Teacher: "teacher"}

// String returns the profile's name in the API.
func (p Profile) String() string { return row.NameOf(profiles[:], "profile", p) }

// ProfileOf returns the profile of a kind of account. Administrators and internal accounts have none.
func ProfileOf(k directory.Kind) Profile {
	switch k {
	case directory.Reader:
		return Student
	case directory.Teacher:
		return Teacher
	}
	return 0
}

// HistoryStart returns the first day of the history if the operator sets no other (G6): 2026-01-01.
func HistoryStart() calendar.Date { return calendar.Of(2026, time.January, 1) }

// Fields declares the fields of a book.
func (b *Book) Fields(w *row.Walk) {
	row.Int(w, "bookId", &b.ID, row.Required)
	row.Text(w, "title", &b.Title)
	row.Text(w, "author", &b.Author)
	row.Text(w, "isbn", &b.ISBN)
	row.Int(w, "length", &b.Length, row.Required)
}

// Books are a partner's books by identifier. Any number of goroutines may read them, but not while one calls Add.
type Books struct {
	byID  map[int64]*Book
	bytes int
}

// NewBooks returns an empty Books with room for n books.
func NewBooks(n int) *Books { return &Books{byID: make(map[int64]*Book, n)} }

// Add adds a book, or replaces the one with its identifier.
func (b *Books) Add(book Book) {
	b.byID[book.ID] = &book
	b.bytes += 120 + len(book.Title) + len(book.Author) + len(book.ISBN)
}

// Book returns the book of an identifier, or nil. It must not be changed.
func (b *Books) Book(id int64) *Book { return b.byID[id] }

// Bytes returns the approximate size in memory, for caches.
func (b *Books) Bytes() int { return b.bytes }

// Book is one book of a partner. Length is in the unit of its segments, such as words or pages. Empty texts
// are null.
type Book struct {
	ID                  int64
	Title, Author, ISBN string
	Length              int64
}
