package report

import (
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/packed"
)

// TestBytes tests that Bytes of a cached value grows by at least the size of what the value has more.
func TestBytes(t *testing.T) {
	const many = 1000
	text, texts := string(make([]byte, many)), []string{string(make([]byte, many))}
	terms := []libraries.Term{{Name: text}}
	for name, v := range map[string]struct{ none, some snapshot.Value }{
		"blocks":                  {dayBlocks{}, dayBlocks{0: make([]byte, many)}},
		"the terms of catalogues": {&Catalogue{}, &Catalogue{Terms: map[libraries.Vocabulary][]libraries.Term{libraries.SubjectTerms: terms}}},
		"titles":                  {&Catalogue{}, &Catalogue{Titles: []Title{{Book: libraries.Book{Title: text}}}}},
		"the subjects of titles":  {&Catalogue{Titles: make([]Title, 1)}, &Catalogue{Titles: []Title{{Book: libraries.Book{Subjects: make([]int64, many)}}}}},
		"readers":                 {&Readers{}, &Readers{IDs: make([]int64, many)}},
		"ranks":                   {&Readers{}, &Readers{ranks: make([]int32, many)}},
		"loans":                   {&Readers{}, &Readers{loans: make([]int64, many)}},
		"codes":                   {&Readers{}, &Readers{cities: packed.Coded[string]{At: make([]uint32, many)}}},
		"values":                  {&Readers{}, &Readers{libraries: packed.Coded[int64]{Values: make([]int64, many)}}},
		"cities":                  {&Readers{}, &Readers{cities: packed.Coded[string]{Values: texts}}},
		"groups":                  {readerSummary{}, readerSummary{groups: []Group{{Label: text}}}},
		"stock": {
			stockRows{{}}, stockRows{{Purchases: make([]Purchase, many)}},
		},
		"suggestions": {suggestions{}, suggestions{{folded: suggestionKey{title: text}}}},
		"requests":    {requests{}, requests{{Title: text}}},
		"profiles":    {&Summary{}, &Summary{Profile: CatalogueProfile{Subjects: make([]ProfileItem, many)}}},
		"days":        {&Summary{}, &Summary{Deleted: DeletedUsers{Daily: make([]DayCount, many)}}},
	} {
		if none, some := v.none.Bytes(), v.some.Bytes(); some < none+many {
			t.Errorf("Bytes without %s = %d, and with %d bytes of them %d", name, none, many, some)
		}
	}
}
