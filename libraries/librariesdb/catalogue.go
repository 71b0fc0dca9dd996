package librariesdb

import (
	"context"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging/state"
)

// Catalogue implements report.Store.
func (s *Store) Catalogue(ctx context.Context, a report.Access) (*report.Catalogue, error) {
	terms, books, lines, err := s.catalogue(ctx, a)
	if err != nil {
		return nil, err
	}
	return report.NewCatalogue(terms, books, lines), nil
}

// catalogue reads the vocabularies, by term, the titles and the lines, both by identifier: at once, for none needs another.
func (s *Store) catalogue(ctx context.Context, a report.Access) (terms map[libraries.Vocabulary][]libraries.Term, books []libraries.Book,
	lines []stock.BookLine, err error) {
	err = state.Together(
		func() (err error) { terms, err = s.terms(ctx, a); return err },
		func() (err error) { books, err = s.books(ctx, a); return err },
		func() (err error) { lines, err = s.lines(ctx, a); return err },
	)
	return terms, books, lines, err
}

func (s *Store) terms(ctx context.Context, a report.Access) (map[libraries.Vocabulary][]libraries.Term, error) {
	terms := map[libraries.Vocabulary][]libraries.Term{}
	return terms, termsTable.Read(ctx, s.DB, func(t term) { terms[t.vocabulary] = append(terms[t.vocabulary], t.Term) },
		`FROM libraries_terms WHERE ? ORDER BY vocabulary, term_id`, rowsOf(a))
}

func (s *Store) books(ctx context.Context, a report.Access) (books []libraries.Book, err error) {
	return books, booksTable.Read(ctx, s.DB, func(b libraries.Book) { books = append(books, b) },
		`FROM libraries_books WHERE ? ORDER BY book_id`, rowsOf(a))
}

func (s *Store) lines(ctx context.Context, a report.Access) (lines []stock.BookLine, err error) {
	return lines, linesTable.Read(ctx, s.DB, func(l stock.BookLine) { lines = append(lines, l) },
		`FROM libraries_lines WHERE ? ORDER BY line_id`, rowsOf(a))
}
