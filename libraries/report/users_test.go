package report_test

import (
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging"
)

// TestUpdatedSince tests that an update at the start of the day passes the filter, and an earlier one does not (L17).
func TestUpdatedSince(t *testing.T) {
	s := newListStore(t, 32, 0)
	since := history + 5
	s.people = s.people[:2]
	s.people[0].Updated = since.Start().Add(-time.Microsecond)
	s.people[1].Updated = since.Start()
	s.pack(t)
	r, q := report.Reports{Store: s}, report.UserQuery{UpdatedSince: &since}
	l, err := r.Users(t.Context(), s.access(), q, paging.Page{Number: 1, Size: 10})
	if err != nil || l.Total != 1 || l.Rows[0].Reader.ID != s.people[1].ID {
		t.Errorf("users updated since the day = %+v, %v, want only the second", l, err)
	}
}

// TestErasedIsNotKept tests that the rows of people are not cached (L18). The test changes the store without a new
// snapshot, which no load does.
func TestErasedIsNotKept(t *testing.T) {
	s := newListStore(t, 33, testDays)
	r := report.Reports{Store: s, Cache: &keepAll{}}
	first := func() string {
		l, err := r.Users(t.Context(), s.access(), report.UserQuery{}, paging.Page{Number: 1, Size: 10})
		if err != nil {
			t.Fatal(err)
		}
		return l.Rows[0].Reader.Email
	}
	s.people[0].Email = "ana@example.org"
	if got := first(); got != "ana@example.org" {
		t.Fatalf("e-mail = %q, want ana@example.org", got)
	}
	s.people[0].Email = ""
	if got := first(); got != "" {
		t.Errorf("e-mail = %q after it was erased, want none", got)
	}
}
