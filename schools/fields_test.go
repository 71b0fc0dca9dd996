package schools_test

import (
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/schools"
)

// TestFields has the fields of the feed's files, as part F of the contract lists them; those with a ! are required.
func TestFields(t *testing.T) {
	for _, test := range []struct {
		file string
		row  row.Row
		want string
	}{
		{"entities", &schools.EntityRow{}, "referenceId! entityType! name! degree! inep state city parentReferenceId"},
		{"accounts", &schools.AccountRow{}, "referenceId! kind! name email phone entityReferenceId active"},
		{"books", &schools.Book{}, "bookId! title author isbn length!"},
		{"segments", &schools.SegmentRow{}, "segmentId! account! bookId! startedAt! durationMs! from to wpm"},
		{"accesses", &schools.AccessRow{}, "accessId! account! at! kind!"},
		{"evaluations", &schools.EvaluationRow{}, "evaluationId! entityReferenceId! title appliedAt"},
	} {
		var got []string
		for _, f := range row.Of(test.row) {
			if f.Required {
				f.Name += "!"
			}
			got = append(got, f.Name)
		}
		if got := strings.Join(got, " "); got != test.want {
			t.Errorf("%s has the fields\n%s, want\n%s", test.file, got, test.want)
		}
	}
}
