package report_test

import (
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/report"
)

// TestBooksOrderOfTies tests that orderDir reverses only the chosen column (L15).
func TestBooksOrderOfTies(t *testing.T) {
	n := &network{books: []libraries.Book{{ID: 1, Title: "B"}, {ID: 2, Title: "á"}, {ID: 3, Title: "b"}, {ID: 4, Title: "A"}}}
	reports := n.pack(t).reports()
	for _, test := range []struct {
		order report.BookOrder
		asc   bool
		want  []int64
	}{
		{report.BooksByLoans, false, []int64{2, 4, 1, 3}},
		{report.BooksByLoans, true, []int64{2, 4, 1, 3}},
		{report.BooksByTitle, true, []int64{2, 4, 1, 3}},
		{report.BooksByTitle, false, []int64{1, 3, 2, 4}},
	} {
		list, err := reports.Books(t.Context(), n.access(), report.BookQuery{Order: test.order, Asc: test.asc}, wholePage)
		if err != nil {
			t.Fatal(err)
		}
		var got []int64
		for _, row := range list.Rows {
			got = append(got, row.Title.Book.ID)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("order %d, ascending %t: %v, want %v", test.order, test.asc, got, test.want)
		}
	}
}
