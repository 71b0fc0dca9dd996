package librariesdb

import (
	"reflect"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/intake"
	"github.com/lectern-dev/lectern/libraries/stock"
)

func TestCatalogue(t *testing.T) {
	eachEngine(t, func(t *testing.T, f *fixture) {
		want := map[libraries.Vocabulary][]libraries.Term{}
		for _, v := range libraries.Vocabularies() {
			want[v] = []libraries.Term{{ID: 2, Name: "dois " + v.String()}, {ID: 10, Name: "dez"}}
			for _, of := range want[v] {
				f.put(f.a.Network, intake.Terms.Table, intake.Terms.Values(intake.Term{Vocabulary: v, Term: of}))
				f.put(f.other, intake.Terms.Table, intake.Terms.Values(intake.Term{Vocabulary: v, Term: libraries.Term{ID: of.ID, Name: "other"}}))
			}
		}
		books := []libraries.Book{
			{ID: 2, Title: "Iracema", Publisher: 2, Categories: []int64{2, 10}, Year: 1865, MaxUses: ptr[int64](5)},
			{ID: 10, Title: "Senhora", Publisher: libraries.None, Year: libraries.None},
		}
		putAll(f, intake.Books, books)
		f.put(f.other, intake.Books.Table, intake.Books.Values(libraries.Book{ID: 5}))
		line := stock.Line{ID: 4, Collection: stock.Manual, Kind: stock.PurchaseLine, Copies: ptr[int64](3), PurchasedAt: firstDay}
		f.put(f.a.Network, intake.Lines.Table, intake.Lines.Values(stock.BookLine{Book: 2, Line: line}))
		f.put(f.other, intake.Lines.Table, intake.Lines.Values(stock.BookLine{Book: 10, Line: line}))

		c, err := f.Catalogue(t.Context(), f.a)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(c.Terms, want) {
			t.Errorf("Terms = %v, want %v", c.Terms, want)
		}
		if len(c.Titles) != 2 || !reflect.DeepEqual(c.Titles[0].Book, books[0]) || !reflect.DeepEqual(c.Titles[1].Book, books[1]) {
			t.Fatalf("Titles = %+v, want %+v", c.Titles, books)
		}
		line.MaxUses = books[0].MaxUses
		if lines := c.Titles[0].Lines; !reflect.DeepEqual(lines, []stock.Line{line}) || len(c.Titles[1].Lines) != 0 {
			t.Errorf("Lines = %+v and %+v, want %+v and none", lines, c.Titles[1].Lines, line)
		}
	})
}

// TestCorruptCatalogue tests that corrupt categories or subjects in the database are an error.
func TestCorruptCatalogue(t *testing.T) {
	eachEngine(t, func(t *testing.T, f *fixture) {
		putAll(f, intake.Books, []libraries.Book{{ID: 2}})
		for _, column := range []string{"category_ids", "subject_ids"} {
			f.exec(`UPDATE libraries_books SET category_ids = '', subject_ids = ''`)
			if _, err := f.Catalogue(t.Context(), f.a); err != nil {
				t.Fatal(err)
			}
			f.exec(`UPDATE libraries_books SET ` + column + ` = '1;x'`)
			if c, err := f.Catalogue(t.Context(), f.a); err == nil {
				t.Errorf("Catalogue with a corrupt %s = %+v, want an error", column, c)
			}
		}
	})
}
