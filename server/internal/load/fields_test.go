package load_test

import (
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	librariesintake "github.com/lectern-dev/lectern/libraries/intake"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/schools"
	schoolsintake "github.com/lectern-dev/lectern/schools/intake"
)

// TestFields checks the fields of the feeds' files (part F of the contract). Required fields have a !.
func TestFields(t *testing.T) {
	for _, test := range []struct {
		file string
		row  row.Row
		want string
	}{
		{"entities", &schoolsintake.EntityRow{}, "referenceId! entityType! name! degree! inep state city parentReferenceId"},
		{"accounts", &schoolsintake.AccountRow{}, "referenceId! kind! name email phone entityReferenceId active"},
		{"books", &schools.Book{}, "bookId! title author isbn length!"},
		{"segments", &schoolsintake.SegmentRow{}, "segmentId! account! bookId! startedAt! durationMs! from to wpm"},
		{"accesses", &schoolsintake.AccessRow{}, "accessId! account! at! kind!"},
		{"evaluations", &schoolsintake.EvaluationRow{}, "evaluationId! entityReferenceId! title appliedAt"},

		{"libraries", &libraries.Term{}, "id! name!"},
		{"books", &libraries.Book{}, "bookId! title isbn author publisherId categoryIds subjectIds hasEbook hasAudiobook hasVideo maxUses publicationYear"},
		{"lines", &stock.BookLine{}, "lineId! bookId! collection! kind! number! modality copies unitPrice totalPrice purchasedAt! expiresAt"},
		{"readers", &libraries.Reader{}, "userId! name email libraryId ageGroupId city state ra gender registeredAt! status! deletedAt updatedAt! confirmedAt lastSignInAt"},
		{"loans", &libraries.Loan{}, "loanId! userId! bookId! borrowedAt! dueAt returnedAt status!"},
		{"renewals", &librariesintake.RenewalRow{}, "renewalId! loanId! userId! bookId! renewedAt!"},
		{"reservations", &libraries.Reservation{}, "reservationId! userId! bookId! status! position reservedAt! resolvedAt"},
		{"sessions", &librariesintake.SessionRow{}, "sessionId! userId! bookId! startedAt! seconds! mode! format! progress!"},
		{"previews", &librariesintake.PreviewRow{}, "previewId! userId! bookId! viewedAt!"},
		{"activity", &librariesintake.ActivityRow{}, "activityId! userId! at!"},
		{"channels", &libraries.ChannelDay{}, "date! channel! sessions! estimated"},
		{"suggestions", &libraries.Request{}, "requestId! userId! title author publisher searchTerm availability! requestedAt!"},
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
