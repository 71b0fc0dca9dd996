package schools

import "github.com/lectern-dev/lectern/paging/row"

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
