package report_test

import (
	"reflect"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/report"
)

func TestDimensions(t *testing.T) {
	zona, agua := libraries.Term{ID: 1, Name: "Zona"}, libraries.Term{ID: 2, Name: "agua"}
	accented, b := libraries.Term{ID: 3, Name: "Água"}, libraries.Term{ID: 4, Name: "B"}
	subjects := []libraries.Term{{ID: 8, Name: "Mar"}}
	n := &network{
		hour: 495_000,
		terms: map[libraries.Vocabulary][]libraries.Term{
			libraries.LibraryTerms:  {zona, agua, accented, b},
			libraries.SubjectTerms:  subjects,
			libraries.CategoryTerms: nil,
		},
		books: []libraries.Book{
			{ID: 1, Year: 2020}, {ID: 2, Year: libraries.None}, {ID: 3, Year: 0}, {ID: 4, Year: 1899}, {ID: 5, Year: 2020},
		},
		readers: []facts.Attributes{
			{ID: 1, State: "SP", City: "Óbidos", RA: "Gama"}, {ID: 5000, State: "MG", City: "Zé Doca"},
			{ID: 5001, City: "obidos", RA: "Águas Claras"}, {ID: 9000, State: "SP", City: "Assis"},
		},
	}
	got, err := n.pack(t).reports().Dimensions(t.Context(), n.access())
	if err != nil {
		t.Fatal(err)
	}
	want := &report.Dimensions{
		Terms: map[libraries.Vocabulary][]libraries.Term{
			libraries.LibraryTerms:  {agua, accented, b, zona},
			libraries.SubjectTerms:  subjects,
			libraries.CategoryTerms: nil,
		},
		RAs: []string{"Águas Claras", "Gama"}, States: []string{"MG", "SP"},
		Cities:           []string{"Assis", "obidos", "Óbidos", "Zé Doca"},
		PublicationYears: []int64{0, 1899, 2020},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("dimensions\n%+v, want\n%+v", got, want)
	}
}
