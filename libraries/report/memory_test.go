package report_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// oneLoan is a feed of one reader, who borrowed a title, read some of it and gave it back.
func oneLoan() report.Feed {
	at := time.Date(2026, 8, 3, 12, 0, 0, 0, time.UTC)
	return report.Feed{
		Terms: map[libraries.Vocabulary][]libraries.Term{libraries.LibraryTerms: {{ID: 1, Name: "Centro"}}},
		Books: []libraries.Book{{ID: 1, Title: "Iracema", Publisher: libraries.None, Year: libraries.None}},
		Readers: []libraries.Reader{{
			ID: 1, Name: "Ana", Email: "ana@example.org", Library: 1, AgeGroup: libraries.None, Status: libraries.ReaderActive,
			Registered: calendar.MustParse("2026-08-01"), Updated: at,
		}},
		Loans:        []libraries.Loan{{ID: 1, Reader: 1, Book: 1, Borrowed: at, Status: libraries.LoanActive}},
		Reservations: []libraries.Reservation{{ID: 1, Reader: 1, Book: 1, Reserved: at, Status: libraries.Waiting, Position: 2}},
		Sessions: []report.Session{{
			ID: []byte("s1"), Reader: 1, Book: 1, Start: at.Add(time.Hour), Seconds: 90, Mode: []byte("online"), Format: []byte("ebook"), Progress: []byte("12.5"),
		}},
		Requests: []libraries.Request{{ID: 1, Reader: 1, Title: "Lucíola", Availability: libraries.NotFound, Requested: at}},
		Channels: []libraries.ChannelDay{{Day: calendar.MustParse("2026-08-03"), Channel: libraries.App, Sessions: 4}},
	}
}

// TestMemory: a Memory answers from each of its states, counts an event once, and keeps networks apart.
func TestMemory(t *testing.T) {
	m, began := &report.Memory{}, time.Date(2026, 8, 10, 15, 20, 0, 0, time.UTC)
	fold := func(f report.Feed, want int) report.Access {
		t.Helper()
		a, fresh, err := m.Fold(t.Context(), 7, f, began)
		if err != nil || fresh != want {
			t.Fatalf("Fold = %d new events, %v, want %d", fresh, err, want)
		}
		return a
	}
	first := fold(oneLoan(), 2) // a session and a request
	again := oneLoan()
	again.Loans[0].Status, again.Loans[0].Returned = libraries.LoanReturned, again.Loans[0].Borrowed.Add(48*time.Hour)
	second := fold(again, 0)

	reports, page := report.Reports{Store: m}, paging.Page{Number: 1, Size: 10}
	august := calendar.Period{Start: calendar.MustParse("2026-08-01"), End: calendar.MustParse("2026-08-31")}
	for a, want := range map[report.Access]libraries.LoanStatus{first: libraries.LoanActive, second: libraries.LoanReturned} {
		list, err := reports.Loans(t.Context(), a, report.LoanQuery{Period: august}, page)
		if err != nil || list.Total != 1 || list.Rows[0].Loan.Status != want || list.Rows[0].Seconds != 90 {
			t.Errorf("loans = %+v, %v, want one that is %s", list, err, want)
		}
		reservations, err := reports.Reservations(t.Context(), a, report.ReservationQuery{Period: august}, page)
		if err != nil || reservations.Total != 1 || reservations.Rows[0].Reservation.Position != 2 {
			t.Errorf("reservations = %+v, %v", reservations, err)
		}
		if days, err := reports.Engagements(t.Context(), a, report.DayQuery{Period: august}, page); err != nil || days.Total == 0 {
			t.Errorf("engagements = %+v, %v", days, err)
		}
		if requests, err := reports.Requests(t.Context(), a, report.RequestQuery{Period: august}, page); err != nil || requests.Total != 1 {
			t.Errorf("requests = %+v, %v", requests, err)
		}
		if channels, err := m.Channels(t.Context(), a, august); err != nil || len(channels) != 1 || !channels[0].Estimated {
			t.Errorf("channels = %+v, %v", channels, err)
		}
	}
	if round, err := reports.LoansSince(t.Context(), second, first.At, report.LoanQuery{Period: august}, page); err != nil || round.Total != 1 || round.Rows[0].Loan.Status != libraries.LoanReturned {
		t.Errorf("the round of loans = %+v, %v, want the one that was returned", round, err)
	}
	if round, err := reports.ReservationsSince(t.Context(), second, first.At, report.ReservationQuery{Period: august}, page); err != nil || round.Total != 0 {
		t.Errorf("the round of reservations = %+v, %v, want none", round, err)
	}
	if round, err := reports.UsersSince(t.Context(), second, first.At, report.UserQuery{}, page); err != nil {
		t.Errorf("the round of users = %+v, %v", round, err)
	}
	other := second
	other.Network = 8
	if list, err := reports.Users(t.Context(), other, report.UserQuery{}, page); err != nil || list.Total != 0 {
		t.Errorf("users of another network = %+v, %v", list, err)
	}
}

// TestMemoryForgets: who is deleted has no e-mail in any state (L18).
func TestMemoryForgets(t *testing.T) {
	m, began := &report.Memory{}, time.Date(2026, 8, 10, 15, 20, 0, 0, time.UTC)
	f := oneLoan()
	first, _, err := m.Fold(t.Context(), 7, f, began)
	if people, e := m.People(t.Context(), first, []int64{1}); err != nil || e != nil || people[0].Email != "ana@example.org" {
		t.Fatalf("people = %+v, %v, %v", people, err, e)
	}
	gone := &f.Readers[0]
	gone.Status, gone.DeletedAt, gone.Updated = libraries.ReaderDeleted, calendar.MustParse("2026-08-05"), gone.Updated.Add(time.Hour)
	second, _, err := m.Fold(t.Context(), 7, f, began)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []report.Access{first, second} {
		if people, err := m.People(t.Context(), a, []int64{1}); err != nil || people[0].Email != "" {
			t.Errorf("people = %+v, %v, want no e-mail", people, err)
		}
	}
}

// TestMemoryRefuses: a bad row is the error, which names it, and nothing of its feed is folded.
func TestMemoryRefuses(t *testing.T) {
	for want, spoil := range map[string]func(f *report.Feed){
		"loans, row 1: bookId does not exist":  func(f *report.Feed) { f.Loans[0].Book = 2 },
		"sessions, row 1: mode must be one of": func(f *report.Feed) { f.Sessions[0].Mode = []byte("paper") },
		"loans, row 2: userId must not change": func(f *report.Feed) {
			f.Readers = append(f.Readers, f.Readers[0])
			f.Readers[1].ID = 2
			f.Loans = append(f.Loans, f.Loans[0])
			f.Loans[1].Reader = 2
		},
		"readers, row 1: libraryId does not exist": func(f *report.Feed) { f.Readers[0].Library = 2 },
	} {
		m, f := &report.Memory{}, oneLoan()
		spoil(&f)
		_, _, err := m.Fold(t.Context(), 7, f, time.Date(2026, 8, 10, 15, 20, 0, 0, time.UTC))
		if _, ok := errors.AsType[*row.FaultError](err); !ok || !strings.Contains(err.Error(), want) || m.Now(7) != 0 {
			t.Errorf("Fold = %v, want %s, and nothing folded", err, want)
		}
	}
}
