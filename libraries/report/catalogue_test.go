package report_test

import (
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/libraries/stock"
)

func TestCatalogue(t *testing.T) {
	uses := int64(7)
	c := report.NewCatalogue(
		map[libraries.Vocabulary][]libraries.Term{libraries.PublisherTerms: {{ID: 9, Name: "Sol"}, {ID: 2, Name: "Lua"}}},
		[]libraries.Book{{ID: 30, Title: "C"}, {ID: 10, Title: "A", MaxUses: &uses}, {ID: 20, Title: "B"}},
		[]stock.BookLine{
			{Book: 10, Line: stock.Line{ID: 3}}, {Book: 25, Line: stock.Line{ID: 1}}, {Book: 10, Line: stock.Line{ID: 2}},
			{Book: 30, Line: stock.Line{ID: 4}},
		},
	)
	for _, test := range []struct {
		id    int64
		title string
		lines []int64
	}{{5, "", nil}, {10, "A", []int64{2, 3}}, {15, "", nil}, {20, "B", nil}, {25, "", nil}, {30, "C", []int64{4}}, {31, "", nil}} {
		title := c.Title(test.id)
		if (title == nil) != (test.title == "") {
			t.Errorf("Title(%d) = %+v, want %q", test.id, title, test.title)
			continue
		}
		if title == nil {
			continue
		}
		if title.Book.Title != test.title || len(title.Lines) != len(test.lines) {
			t.Errorf("Title(%d) = %+v, want %q with lines %v", test.id, title, test.title, test.lines)
			continue
		}
		for i, id := range test.lines {
			if l := title.Lines[i]; l.ID != id || l.MaxUses != title.Book.MaxUses {
				t.Errorf("line %d of %d is %+v, want %d with the title's maxUses", i, test.id, l, id)
			}
		}
	}
	for id, want := range map[int64]string{2: "Lua", 9: "Sol", 3: "", libraries.None: ""} {
		if got := c.Term(libraries.PublisherTerms, id); got != want {
			t.Errorf("Term(%d) = %q, want %q", id, got, want)
		}
	}
	if got := c.Term(libraries.SubjectTerms, 2); got != "" {
		t.Errorf("Term of a vocabulary without terms = %q", got)
	}
}
