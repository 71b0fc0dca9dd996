package intake_test

import (
	"errors"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/intake"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// brasilia returns the instant of a Brasilia time such as "2026-08-01 14:00:00".
func brasilia(text string) time.Time {
	t, err := time.ParseInLocation(time.DateTime, text, calendar.Brasilia())
	if err != nil {
		panic(err)
	}
	return t
}

// The first and the last instants that the intake of newIntake accepts for events, their neighbours, and two in between.
var (
	firstSecond  = brasilia("2026-07-21 00:00:00")
	beforeFirst  = brasilia("2026-07-20 23:59:59")
	lastInstant  = brasilia("2026-09-01 14:05:00") // five minutes after the load began
	afterLast    = lastInstant.Add(time.Microsecond)
	someInstant  = brasilia("2026-08-01 14:00:00")
	laterInstant = brasilia("2026-08-10 14:00:00")
)

// TestSessionRows tests both sides of each bound of F3.
func TestSessionRows(t *testing.T) {
	tests := []struct {
		name   string
		change func(*intake.SessionRow)
		want   string
	}{
		{"valid", func(*intake.SessionRow) {}, ""},
		{"unknown reader", func(s *intake.SessionRow) { s.Reader = 3 }, "userId does not exist"},
		{"unknown title", func(s *intake.SessionRow) { s.Book = 3 }, "bookId does not exist"},
		{"a whole day", func(s *intake.SessionRow) { s.Seconds = 86_400 }, ""},
		{"a day and a second", func(s *intake.SessionRow) { s.Seconds = 86_401 }, "seconds must not be above one day, 86400"},
		{"no seconds", func(s *intake.SessionRow) { s.Seconds = 0 }, ""},
		{"unknown mode", func(s *intake.SessionRow) { s.Mode = []byte("Online") }, "mode must be one of online, offline"},
		{"unknown format", func(s *intake.SessionRow) { s.Format = []byte("video") }, "format must be one of ebook, audiobook"},
		{"no progress", func(s *intake.SessionRow) { s.Progress = []byte("0") }, ""},
		{"negative progress", func(s *intake.SessionRow) { s.Progress = []byte("-0.0001") }, "progress must be a number from 0 to 100"},
		{"full progress", func(s *intake.SessionRow) { s.Progress = []byte("100") }, ""},
		{"above full progress", func(s *intake.SessionRow) { s.Progress = []byte("100.0001") }, "progress must be a number from 0 to 100"},
		{"five minutes after the load began", func(s *intake.SessionRow) { s.Start = lastInstant }, ""},
		{"later", func(s *intake.SessionRow) { s.Start = afterLast }, "startedAt must not be more than 5 minutes after the load began"},
		{"the first second of the history", func(s *intake.SessionRow) { s.Start = firstSecond }, ""},
		{"the second before", func(s *intake.SessionRow) { s.Start = beforeFirst }, row.ErrBeforeHistory.Error()},
		{"bad, and before the history", func(s *intake.SessionRow) { s.Start, s.Reader = beforeFirst, 3 }, "userId does not exist"},
	}
	for _, tt := range tests {
		r := intake.SessionRow{
			ID: []byte("s1"), Reader: 1, Book: 2, Start: someInstant, Seconds: 60, Mode: []byte("offline"), Format: []byte("audiobook"), Progress: []byte("12.5"),
		}
		tt.change(&r)
		_, err := newIntake().Session(r)
		if got := reasonOf(err); got != tt.want {
			t.Errorf("%s: Session = %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestEventsMade tests the events that rows become.
func TestEventsMade(t *testing.T) {
	in := newIntake()
	day := calendar.MustParse("2026-08-01")
	session, err := in.Session(intake.SessionRow{
		ID: []byte("x"), Reader: 1, Book: 2, Start: someInstant, Seconds: 60, Mode: []byte("offline"), Format: []byte("audiobook"), Progress: []byte("12.5"),
	})
	if want := (libraries.Event{
		Kind: libraries.SessionEvent, ID: libraries.NewEventID('s', []byte("x"), 1, day), Reader: 1, Book: 2, Day: day, Second: 14 * 3600,
		Seconds: 60, Progress: 12_500, Mode: libraries.Offline, Format: libraries.Audiobook,
	}); err != nil || session != want {
		t.Errorf("Session = %+v, %v, want %+v", session, err, want)
	}
	preview, err := in.Preview(intake.PreviewRow{ID: []byte("x"), Reader: 1, Book: 2, Viewed: someInstant})
	if want := (libraries.Event{
		Kind: libraries.PreviewEvent, ID: libraries.NewEventID('p', []byte("x"), 1, day), Reader: 1, Book: 2, Day: day, Second: 14 * 3600,
	}); err != nil || preview != want {
		t.Errorf("Preview = %+v, %v, want %+v", preview, err, want)
	}
	renewal, err := in.Renewal(intake.RenewalRow{ID: []byte("x"), Loan: 9, Reader: 1, Book: 2, Renewed: someInstant})
	if want := (libraries.Event{
		Kind: libraries.RenewalEvent, ID: libraries.NewEventID('r', []byte("x"), 1, day), Reader: 1, Book: 2, Day: day, Second: 14 * 3600,
	}); err != nil || renewal != want {
		t.Errorf("Renewal = %+v, %v, want %+v", renewal, err, want)
	}
	activity, err := in.Activity(intake.ActivityRow{ID: []byte("x"), Reader: 1, At: someInstant})
	if want := (libraries.Event{
		Kind: libraries.ActivityEvent, ID: libraries.NewEventID('a', []byte("x"), 1, day), Reader: 1, Day: day, Second: 14 * 3600,
	}); err != nil || activity != want {
		t.Errorf("Activity = %+v, %v, want %+v", activity, err, want)
	}
	want := libraries.Request{ID: 7, Reader: 1, Availability: libraries.InMarketplace, Requested: someInstant}
	if request, err := in.Request(want); err != nil || request != want {
		t.Errorf("Request = %+v, %v, want %+v", request, err, want)
	}
}

// TestOtherEvents tests the dates and references of events other than sessions.
func TestOtherEvents(t *testing.T) {
	in := newIntake()
	kinds := map[string]struct {
		field string
		make  func(reader, book int64, at time.Time) error
	}{
		"preview": {"viewedAt", func(reader, book int64, at time.Time) error {
			_, err := in.Preview(intake.PreviewRow{ID: []byte("x"), Reader: reader, Book: book, Viewed: at})
			return err
		}},
		"renewal": {"renewedAt", func(reader, book int64, at time.Time) error {
			_, err := in.Renewal(intake.RenewalRow{ID: []byte("x"), Reader: reader, Book: book, Renewed: at})
			return err
		}},
		"activity": {"at", func(reader, _ int64, at time.Time) error {
			_, err := in.Activity(intake.ActivityRow{ID: []byte("x"), Reader: reader, At: at})
			return err
		}},
		"suggestion": {"requestedAt", func(reader, _ int64, at time.Time) error {
			_, err := in.Request(libraries.Request{Reader: reader, Requested: at})
			return err
		}},
	}
	for name, k := range kinds {
		for at, want := range map[time.Time]string{
			firstSecond: "", lastInstant: "", beforeFirst: row.ErrBeforeHistory.Error(), afterLast: k.field + " must not be more than 5 minutes after the load began",
		} {
			if got := reasonOf(k.make(1, 1, at)); got != want {
				t.Errorf("%s at %v = %q, want %q", name, at, got, want)
			}
		}
		if got := reasonOf(k.make(3, 1, someInstant)); got != "userId does not exist" {
			t.Errorf("%s of an unknown reader = %q, want an error for userId", name, got)
		}
	}
	for _, name := range []string{"preview", "renewal"} {
		if got := reasonOf(kinds[name].make(1, 3, someInstant)); got != "bookId does not exist" {
			t.Errorf("%s of an unknown title = %q, want an error for bookId", name, got)
		}
	}
}

// TestReadersOfTheFeed tests that events may refer to a reader of the same feed.
func TestReadersOfTheFeed(t *testing.T) {
	in := newIntake()
	if _, err := in.Activity(intake.ActivityRow{ID: []byte("x"), Reader: 3, At: someInstant}); err == nil {
		t.Error("Activity of an unknown reader succeeds, want an error")
	}
	in.AddReader(3)
	if _, err := in.Activity(intake.ActivityRow{ID: []byte("x"), Reader: 3, At: someInstant}); err != nil {
		t.Errorf("Activity of a reader of the feed = %v, want nil", err)
	}
}

// TestSessionAllocates tests that the most frequent row takes at most one allocation, for the progress.
func TestSessionAllocates(t *testing.T) {
	in := newIntake()
	r := intake.SessionRow{
		ID: []byte("s1"), Reader: 1, Book: 2, Start: someInstant, Seconds: 60, Mode: []byte("online"), Format: []byte("ebook"), Progress: []byte("12.5"),
	}
	n := testing.AllocsPerRun(100, func() {
		if _, err := in.Session(r); err != nil && !errors.Is(err, row.ErrBeforeHistory) {
			t.Fatal(err)
		}
	})
	if n > 1 {
		t.Errorf("a session takes %v allocations, want at most 1", n)
	}
}
