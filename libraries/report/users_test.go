package report_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// users returns the rows of all readers that are wanted.
func (s *listStore) users(wanted func(libraries.Reader) bool) []report.User {
	names := func(v libraries.Vocabulary, id int64) string {
		for _, term := range s.terms[v] {
			if term.ID == id {
				return term.Name
			}
		}
		return ""
	}
	var rows []report.User
	for i := range s.people {
		r := s.people[i]
		if !wanted(r) {
			continue
		}
		u := report.User{Reader: &r, LibraryName: names(libraries.LibraryTerms, r.Library), AgeGroup: names(libraries.AgeGroupTerms, r.AgeGroup)}
		for _, l := range s.loans {
			if l.Reader == r.ID {
				u.TotalLoans++
			}
		}
		rows = append(rows, u)
	}
	return rows
}

// someUserQuery draws filters, each absent more often than not.
func (s *listStore) someUserQuery(rng *rand.Rand) report.UserQuery {
	maybe := func() bool { return rng.IntN(3) == 0 }
	var q report.UserQuery
	if maybe() {
		q.Reader = s.readersToAsk()[rng.IntN(5)]
	}
	if maybe() {
		q.Status = libraries.ReaderStatus(1 + rng.IntN(3))
	}
	if maybe() {
		q.Library = new(pickOne[int64](rng, 1, 2, 3, 99, libraries.None))
	}
	if maybe() {
		q.Registered.Start = new(history - 6 + calendar.Date(rng.IntN(22)))
	}
	if maybe() {
		q.Registered.End = new(history - 6 + calendar.Date(rng.IntN(22)))
	}
	if maybe() {
		q.UpdatedSince = new(history - 1 + calendar.Date(rng.IntN(13)))
	}
	return q
}

// passesUsers is the filter of users in the words of the specification.
func passesUsers(q report.UserQuery, r libraries.Reader) bool {
	from, to := q.Registered.Start, q.Registered.End
	if from != nil && to != nil && *from > *to {
		from, to = to, from
	}
	return is(q.Reader, r.ID) &&
		(q.Status == 0 || q.Status == r.Status) &&
		(q.Library == nil || *q.Library != libraries.None && *q.Library == r.Library) &&
		(from == nil || r.Registered >= *from) && (to == nil || r.Registered <= *to) &&
		(q.UpdatedSince == nil || !r.Updated.Before(q.UpdatedSince.Start()))
}

// TestUserPages checks every page of the users, under random filters, against the whole list.
func TestUserPages(t *testing.T) {
	s := newListStore(t, 31, testDays)
	rng := rand.New(rand.NewPCG(31, 2))
	queries := []report.UserQuery{{}}
	for range 150 {
		queries = append(queries, s.someUserQuery(rng))
	}
	for name, r := range listReports(s) {
		found := 0
		for _, q := range queries {
			want := s.users(func(r libraries.Reader) bool { return passesUsers(q, r) })
			found += min(len(want), 1)
			what := fmt.Sprintf("users %s, reader %s, %s, library %s, registered %v, since %v",
				name, asked(q.Reader), q.Status, asked(q.Library), q.Registered, q.UpdatedSince)
			checkPages(t, what, want, func(p paging.Page) (paging.List[report.User], error) {
				return r.Users(t.Context(), s.access(), q, p)
			})
		}
		if found < len(queries)/3 {
			t.Errorf("%d of %d queries find anybody: they prove little", found, len(queries))
		}
	}
}

// TestUpdatedSince: the start of the day counts, an instant before it does not (L17).
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
		t.Errorf("users updated since the day = %+v, %v, want the second alone", l, err)
	}
}

// TestErasedIsNotKept: the rows of people are in no cache (L18). The store's change without a new state, which no load
// makes, shows it.
func TestErasedIsNotKept(t *testing.T) {
	s := newListStore(t, 33, testDays)
	r := report.Reports{Store: s, Cache: &mapCache{}}
	first := func() string {
		l, err := r.Users(t.Context(), s.access(), report.UserQuery{}, paging.Page{Number: 1, Size: 10})
		if err != nil {
			t.Fatal(err)
		}
		return l.Rows[0].Reader.Email
	}
	s.people[0].Email = "ana@example.org"
	if got := first(); got != "ana@example.org" {
		t.Fatalf("e-mail = %q", got)
	}
	s.people[0].Email = ""
	if got := first(); got != "" {
		t.Errorf("e-mail = %q after it was erased, want none", got)
	}
}
