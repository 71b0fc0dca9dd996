package libraries_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// TestFields has the fields of the feed's files, as part F of the contract lists them; those with a ! are required.
func TestFields(t *testing.T) {
	for _, test := range []struct {
		file string
		row  row.Row
		want string
	}{
		{"libraries", &libraries.Term{}, "id! name!"},
		{"books", &libraries.Book{}, "bookId! title isbn author publisherId categoryIds subjectIds hasEbook hasAudiobook hasVideo maxUses publicationYear"},
		{"lines", &libraries.BookLine{}, "lineId! bookId! collection! kind! number! modality copies unitPrice totalPrice purchasedAt! expiresAt"},
		{"readers", &libraries.Reader{}, "userId! name email libraryId ageGroupId city state ra gender registeredAt! status! deletedAt updatedAt! confirmedAt lastSignInAt"},
		{"loans", &libraries.Loan{}, "loanId! userId! bookId! borrowedAt! dueAt returnedAt status!"},
		{"renewals", &libraries.RenewalRow{}, "renewalId! loanId! userId! bookId! renewedAt!"},
		{"reservations", &libraries.Reservation{}, "reservationId! userId! bookId! status! position reservedAt! resolvedAt"},
		{"sessions", &libraries.SessionRow{}, "sessionId! userId! bookId! startedAt! seconds! mode! format! progress!"},
		{"previews", &libraries.PreviewRow{}, "previewId! userId! bookId! viewedAt!"},
		{"activity", &libraries.ActivityRow{}, "activityId! userId! at!"},
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

// TestFieldWords has the names that fields take, and what is said of others.
func TestFieldWords(t *testing.T) {
	names := func(r row.Row, field string) string { return row.OneOf(row.Of(r).Field(field).Names).Error() }
	for want, got := range map[string]string{
		"must be one of platform, additional, external, manual":                 names(&libraries.BookLine{}, "collection"),
		"must be one of purchase, legacy":                                       names(&libraries.BookLine{}, "kind"),
		"must be one of active, deactivated, deleted":                           names(&libraries.Reader{}, "status"),
		"must be one of Não informado, Feminino, Masculino, Não-binário, Outro": names(&libraries.Reader{}, "gender"),
		"must be one of active, returned, expired":                              names(&libraries.Loan{}, "status"),
		"must be one of waiting, available, converted, cancelled, lost":         names(&libraries.Reservation{}, "status"),
		"must be one of catalog, marketplace, none":                             names(&libraries.Request{}, "availability"),
		"must be one of web-mobile, web-desktop, web-tablet, app":               names(&libraries.ChannelDay{}, "channel"),
	} {
		if got != want {
			t.Errorf("it is said %q, want %q", got, want)
		}
	}
	gender := row.Of(&libraries.Reader{}).Field("gender")
	if n, err := gender.Parse([]byte("NAO-BINARIO")); libraries.Gender(n) != libraries.NonBinary || err != nil {
		t.Errorf("the gender NAO-BINARIO is %d, %v", n, err)
	}
	if _, err := gender.Parse([]byte("F")); err == nil || !slices.Contains([]string{"must be one of Não informado, Feminino, Masculino, Não-binário, Outro"}, err.Error()) {
		t.Errorf("the gender F: %v", err)
	}
	price := row.Of(&libraries.BookLine{}).Field("unitPrice")
	for text, want := range map[string]string{"12.5": "12.50", "0.004": "0", "0.005": "0.01", "0": "0"} {
		if n, err := price.Parse([]byte(text)); err != nil || price.Format(n) != want {
			t.Errorf("the price %s is %s, %v, want %s", text, price.Format(n), err, want)
		}
	}
	if _, err := price.Parse([]byte("-0.01")); err != libraries.ErrMoney {
		t.Errorf("a price below 0: %v", err)
	}
}

// TestReaderFields: instants are of whole microseconds, and the deletedAt of an active reader, which has no meaning, makes no
// other reader.
func TestReaderFields(t *testing.T) {
	at := time.Date(2026, 8, 1, 0, 0, 0, 1999, time.FixedZone("", -3*3600))
	r := libraries.Reader{ID: 1, Status: libraries.ReaderActive, Updated: at, Confirmed: at}
	s := row.Of(&r)
	if err := s.Fill(row.Nothing{}).Over(&r); err != nil {
		t.Error(err)
	}
	if want := time.Date(2026, 8, 1, 3, 0, 0, 1000, time.UTC); r.Updated != want || r.Confirmed != want || !r.LastLogin.IsZero() {
		t.Errorf("instants = %v, %v, %v, want %v and no last login", r.Updated, r.Confirmed, r.LastLogin, want)
	}
	with := r
	with.DeletedAt = calendar.MustParse("2026-08-01")
	if !s.Equal(&r, &with) {
		t.Error("an active reader with deletedAt is another one than without")
	}
	r.Status, with.Status = libraries.ReaderDeactivated, libraries.ReaderDeactivated
	if s.Equal(&r, &with) {
		t.Error("a deactivated reader of another deletedAt is the same")
	}
}
