package intake_test

import (
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/intake"
)

// TestFields has the fields of the feed's files, as part F of the contract lists them; those with a ! are required.
func TestFields(t *testing.T) {
	for _, test := range []struct {
		file string
		row  row.Row
		want string
	}{
		{"entities", &intake.EntityRow{}, "referenceId! entityType! name! degree! inep state city parentReferenceId"},
		{"accounts", &intake.AccountRow{}, "referenceId! kind! name email phone entityReferenceId active"},
		{"books", &schools.Book{}, "bookId! title author isbn length!"},
		{"segments", &intake.SegmentRow{}, "segmentId! account! bookId! startedAt! durationMs! from to wpm"},
		{"accesses", &intake.AccessRow{}, "accessId! account! at! kind!"},
		{"evaluations", &intake.EvaluationRow{}, "evaluationId! entityReferenceId! title appliedAt"},
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
