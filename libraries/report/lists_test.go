package report_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

const testDays = 20

func asked(id *int64) string {
	if id == nil {
		return "any"
	}
	return fmt.Sprint(*id)
}

// TestAutomaticExpiryIsNoLogin tests L3: a reader whose loan expired has a row with 0 logins, and none in the list of logins.
func TestAutomaticExpiryIsNoLogin(t *testing.T) {
	s := newListStore(t, 2, 0)
	expiry := facts.BookDelta{Book: s.books[0].ID}
	expiry.Measures[metric.Returns] = 1
	presence := libraries.Presence{Events: 1, First: 5, Last: 5}
	s.deltas = []facts.DayDelta{{Day: history, Reader: s.people[0].ID, Books: []facts.BookDelta{expiry}}, {Day: history, Reader: s.people[1].ID, Presence: presence}}
	s.pack(t)
	r, q := report.Reports{Store: s}, report.DayQuery{Period: calendar.Period{Start: history, End: history}}
	engagements, err := r.Engagements(t.Context(), s.access(), q, paging.Page{Number: 1, Size: 10})
	if err != nil || engagements.Total != 2 || engagements.Rows[0].Measures != expiry.Measures {
		t.Errorf("engagements = %+v, %v, want a row with a return and no login, and another reader's", engagements, err)
	}
	logins, err := r.Logins(t.Context(), s.access(), q, paging.Page{Number: 1, Size: 10})
	if err != nil || !slices.Equal(logins.Rows, []report.LoginRow{{Day: history, Reader: s.people[1].ID, Presence: presence}}) {
		t.Errorf("logins = %+v, %v, want the other reader's", logins, err)
	}
}

// TestDayWithoutABlock tests that a missing day block is an error only for a list that the day has rows of.
func TestDayWithoutABlock(t *testing.T) {
	s := newListStore(t, 11, 0)
	expiry := facts.BookDelta{Book: s.books[0].ID}
	expiry.Measures[metric.Returns] = 1
	s.deltas = []facts.DayDelta{{Day: history, Reader: s.people[0].ID, Books: []facts.BookDelta{expiry}}}
	s.pack(t)
	s.forms[history] = facts.DayForms{}
	r, p := report.Reports{Store: s}, paging.Page{Number: 1, Size: 10}
	q := report.DayQuery{Period: calendar.Period{Start: history, End: history}, Reader: &s.people[0].ID}
	if l, err := r.Logins(t.Context(), s.access(), q, p); err != nil || l.Total != 0 {
		t.Errorf("logins = %+v, %v, want none", l, err)
	}
	if l, err := r.Engagements(t.Context(), s.access(), q, p); !errors.Is(err, packed.ErrCorrupt) {
		t.Errorf("engagements = %+v, %v, want ErrCorrupt", l, err)
	}
}

// TestHistoryIsASetting tests that lists ignore stored days before the configured first day of the history.
func TestHistoryIsASetting(t *testing.T) {
	s := newListStore(t, 3, testDays)
	all := calendar.Period{Start: history, End: history + testDays}
	later := calendar.Period{Start: history + 7, End: all.End}
	for _, name := range []string{"engagements", "logins", "loans", "reservations", "requests"} {
		want, err1 := listTotal(t.Context(), &report.Reports{Store: s}, s.access(), name, later)
		total, err2 := listTotal(t.Context(), &report.Reports{Store: s, History: later.Start}, s.access(), name, all)
		if err1 != nil || err2 != nil || total != want || want == 0 {
			t.Errorf("%s: total %d, %v, want %d, %v", name, total, err2, want, err1)
		}
	}
}

// listTotal returns the total of a list without filters.
func listTotal(ctx context.Context, r *report.Reports, a report.Access, list string, period calendar.Period) (int64, error) {
	p := paging.Page{Number: 1, Size: 10}
	switch list {
	case "engagements":
		l, err := r.Engagements(ctx, a, report.DayQuery{Period: period}, p)
		return l.Total, err
	case "logins":
		l, err := r.Logins(ctx, a, report.DayQuery{Period: period}, p)
		return l.Total, err
	case "loans":
		l, err := r.Loans(ctx, a, report.LoanQuery{Period: period}, p)
		return l.Total, err
	case "reservations":
		l, err := r.Reservations(ctx, a, report.ReservationQuery{Period: period}, p)
		return l.Total, err
	case "users":
		l, err := r.Users(ctx, a, report.UserQuery{}, p)
		return l.Total, err
	case "suggestions":
		l, err := r.Suggestions(ctx, a, report.SuggestionQuery{Period: period}, p)
		return l.Total, err
	case "requests":
		l, err := r.Requests(ctx, a, report.RequestQuery{Period: period}, p)
		return l.Total, err
	case "channels":
		l, err := r.ChannelDays(ctx, a, report.ChannelQuery{Period: period})
		return l.Total, err
	}
	return 0, fmt.Errorf("no list %q", list)
}

var allLists = []string{"engagements", "logins", "loans", "reservations", "users", "suggestions", "requests", "channels"}

// TestListsBeforeTheFirstLoad tests that all lists are empty before the first load, and that none fails.
func TestListsBeforeTheFirstLoad(t *testing.T) {
	s := &listStore{network: 1, terms: map[libraries.Vocabulary][]libraries.Term{}}
	s.pack(t)
	for _, name := range allLists {
		total, err := listTotal(t.Context(), &report.Reports{Store: s}, s.access(), name, calendar.Period{Start: history, End: history + 30})
		if total != 0 || err != nil {
			t.Errorf("%s of an empty network: total %d, %v, want 0", name, total, err)
		}
	}
}

// TestListsNameTheirSnapshot tests that every list reads the snapshot of its access, and uses no cache entry of another one.
func TestListsNameTheirSnapshot(t *testing.T) {
	s := newListStore(t, 4, testDays)
	old := s.access()
	old.At.Facts--
	for name, r := range map[string]*report.Reports{"cached": {Store: s, Cache: &keepAll{}}, "not cached": {Store: s}} {
		for _, list := range allLists {
			period := calendar.Period{Start: history, End: history + testDays}
			if _, err := listTotal(t.Context(), r, s.access(), list, period); err != nil {
				t.Fatal(err)
			}
			if got, err := listTotal(t.Context(), r, old, list, period); err == nil || !strings.Contains(err.Error(), fmt.Sprint(old.At)) {
				t.Errorf("%s, %s of another snapshot: total %d, %v, want the store's error", name, list, got, err)
			}
		}
		q := report.RequestQuery{Period: calendar.Period{Start: history, End: history + testDays}, Title: new("aria")}
		if l, err := r.Requests(t.Context(), old, q, paging.Page{Number: 1, Size: 10}); err == nil {
			t.Errorf("%s, requests with a title of another snapshot: %+v, want the store's error", name, l)
		}
	}
}

// TestNetworksDoNotMeetInTheCache tests that two networks with equal versions share a cache, and each gets its own rows.
func TestNetworksDoNotMeetInTheCache(t *testing.T) {
	one, other := newListStore(t, 5, testDays), newListStore(t, 6, testDays-8)
	other.network++
	cache := &keepAll{}
	period := calendar.Period{Start: history, End: history + testDays}
	for _, list := range allLists {
		for _, s := range []*listStore{one, other, one} {
			got, err := listTotal(t.Context(), &report.Reports{Store: s, Cache: cache}, s.access(), list, period)
			want, wantErr := listTotal(t.Context(), &report.Reports{Store: s}, s.access(), list, period)
			if got != want || err != nil || wantErr != nil {
				t.Errorf("%s of network %d: total %d, %v, want %d, %v", list, s.network, got, err, want, wantErr)
			}
		}
	}
}

// TestListsOfCorruptDayBlocks tests that a day block that is missing, corrupt, or of fewer readers than its totals is an
// error. A list of one reader cannot notice the last.
func TestListsOfCorruptDayBlocks(t *testing.T) {
	for name, spoil := range map[string]func(s *listStore, day calendar.Date){
		"missing": func(s *listStore, day calendar.Date) {
			s.forms[day] = facts.DayForms{}
		},
		"of an unknown version": func(s *listStore, day calendar.Date) {
			s.forms[day] = facts.DayForms{Readers: []byte{250, 1}}
		},
		"of fewer readers": func(s *listStore, _ calendar.Date) {
			for i := range s.days.Totals {
				s.days.Totals[i].Readers++
				s.days.Totals[i].Sums[metric.Logins]++
			}
		},
	} {
		s := newListStore(t, 7, testDays)
		first := slices.IndexFunc(s.deltas, func(d facts.DayDelta) bool { return d.Presence.Events > 0 })
		spoil(s, s.deltas[first].Day)
		for _, reader := range []*int64{nil, &s.people[0].ID} {
			if reader != nil && name == "of fewer readers" {
				continue
			}
			r, p := report.Reports{Store: s}, paging.Page{Number: 1, Size: 1000}
			q := report.DayQuery{Period: calendar.Period{Start: history, End: history + testDays}, Reader: reader}
			if _, err := r.Engagements(t.Context(), s.access(), q, p); !errors.Is(err, packed.ErrCorrupt) {
				t.Errorf("engagements of reader %s, a block %s: %v, want ErrCorrupt", asked(reader), name, err)
			}
			if _, err := r.Logins(t.Context(), s.access(), q, p); !errors.Is(err, packed.ErrCorrupt) {
				t.Errorf("logins of reader %s, a block %s: %v, want ErrCorrupt", asked(reader), name, err)
			}
		}
	}
}

// forgetful is a store that does not find the first of the requested rows.
type forgetful struct{ *listStore }

func (s forgetful) LoansIn(ctx context.Context, a report.Access, w report.ListWindow) ([]libraries.Loan, error) {
	list, err := s.listStore.LoansIn(ctx, a, w)
	return list[1:], err
}

func (s forgetful) ReservationsIn(ctx context.Context, a report.Access, w report.ListWindow) ([]libraries.Reservation, error) {
	list, err := s.listStore.ReservationsIn(ctx, a, w)
	return list[1:], err
}

func (s forgetful) LoansByID(ctx context.Context, a report.Access, ids []int64) (map[int64]libraries.Loan, error) {
	return s.listStore.LoansByID(ctx, a, ids[1:])
}

func (s forgetful) ReservationsByID(ctx context.Context, a report.Access, ids []int64) (map[int64]libraries.Reservation, error) {
	return s.listStore.ReservationsByID(ctx, a, ids[1:])
}

func (s forgetful) Named(ctx context.Context, a report.Access, ids []int64) ([]libraries.Reader, bool, error) {
	return s.listStore.Named(ctx, a, ids[1:])
}

// erased is a store that reports an erasure, and does not find the last readers of a page if some are missing.
type erased struct {
	*listStore
	missing int
}

func (s erased) Named(ctx context.Context, a report.Access, ids []int64) ([]libraries.Reader, bool, error) {
	people, _, err := s.listStore.Named(ctx, a, ids[:len(ids)-s.missing])
	return people, true, err
}

// TestUsersErased tests that a page of users reports erasures, and that an empty page reads nobody.
func TestUsersErased(t *testing.T) {
	s := newListStore(t, 10, 0)
	for _, status := range []libraries.ReaderStatus{0, libraries.ReaderActive} {
		q := report.UserQuery{Status: status}
		for number, want := range map[int]bool{1: true, 99: false} {
			reads := s.count("people")
			p := paging.Page{Number: number, Size: 10}
			l, err := (&report.Reports{Store: erased{s, 0}}).Users(t.Context(), s.access(), q, p)
			if asked := s.count("people") > reads; err != nil || l.Erased != want || asked != want || l.Total == 0 {
				t.Errorf("page %d of %s users: erased %t, people read %t, want both %t; total %d, %v", number, status, l.Erased, asked, want, l.Total, err)
			}
			if l, err := (&report.Reports{Store: s}).Users(t.Context(), s.access(), q, p); err != nil || l.Erased {
				t.Errorf("page %d of %s users: erased %t, %v, want false without an erasure", number, status, l.Erased, err)
			}
		}
		r := report.Reports{Store: erased{s, 1}}
		if _, err := r.Users(t.Context(), s.access(), q, paging.Page{Number: 1, Size: 10}); !errors.Is(err, packed.ErrCorrupt) {
			t.Errorf("%s users with the last one missing: %v, want ErrCorrupt", status, err)
		}
	}
}

// TestMissingRows tests that a row that is missing or differs from its position is an error.
func TestMissingRows(t *testing.T) {
	s := newListStore(t, 9, testDays)
	for _, list := range []string{"loans", "reservations", "users"} {
		r := report.Reports{Store: forgetful{s}}
		_, err := listTotal(t.Context(), &r, s.access(), list, calendar.Period{Start: history, End: history + testDays})
		if !errors.Is(err, packed.ErrCorrupt) {
			t.Errorf("%s with one missing: %v, want ErrCorrupt", list, err)
		}
	}
	q := report.LoanQuery{Period: calendar.Period{Start: history, End: history + testDays}, Reader: &s.loans[0].Reader}
	for what, store := range map[string]report.Store{
		"the first is missing": forgetful{s}, "the last is missing": mistaken{s, func(l []libraries.Loan) []libraries.Loan { return l[:len(l)-1] }},
		"one has another day":        mistaken{s, func(l []libraries.Loan) []libraries.Loan { l[0].Borrowed = l[0].Borrowed.AddDate(0, 0, 100); return l }},
		"one has another identifier": mistaken{s, func(l []libraries.Loan) []libraries.Loan { l[0].ID += 1000; return l }},
	} {
		r := report.Reports{Store: store}
		if _, err := r.Loans(t.Context(), s.access(), q, paging.Page{Number: 1, Size: 10}); !errors.Is(err, packed.ErrCorrupt) {
			t.Errorf("loans of a reader, %s: %v, want ErrCorrupt", what, err)
		}
	}
	r := report.Reports{Store: mistaken{s, func(l []libraries.Loan) []libraries.Loan { l[0].Borrowed = l[0].Borrowed.AddDate(0, 0, 100); return l }}}
	if _, err := r.Loans(t.Context(), s.access(), report.LoanQuery{Period: q.Period}, paging.Page{Number: 1, Size: 10}); !errors.Is(err, packed.ErrCorrupt) {
		t.Errorf("loans with one of another day: %v, want ErrCorrupt", err)
	}
}

// mistaken is a store that returns other loans than the requested ones.
type mistaken struct {
	*listStore
	mistake func([]libraries.Loan) []libraries.Loan
}

func (s mistaken) LoansIn(ctx context.Context, a report.Access, w report.ListWindow) ([]libraries.Loan, error) {
	list, err := s.listStore.LoansIn(ctx, a, w)
	return s.mistake(slices.Clone(list)), err
}

func (s mistaken) LoansByID(ctx context.Context, a report.Access, ids []int64) (map[int64]libraries.Loan, error) {
	found, err := s.listStore.LoansByID(ctx, a, ids)
	loans := map[int64]libraries.Loan{}
	for _, l := range s.mistake(slices.Collect(maps.Values(found))) {
		loans[l.ID] = l
	}
	return loans, err
}

// TestDailyPagesReadTheirDaysAlone tests that a page reads only the blocks of its days, and a repeated page none.
func TestDailyPagesReadTheirDaysAlone(t *testing.T) {
	s := newListStore(t, 8, 100)
	r := report.Reports{Store: s, Cache: &keepAll{}}
	q := report.DayQuery{Period: calendar.Period{Start: history, End: history + 99}}
	for range 2 {
		if _, err := r.Engagements(t.Context(), s.access(), q, paging.Page{Number: 300, Size: 2}); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.count(facts.DayOfReadersKind.Name); n < 1 || n > 2 {
		t.Errorf("a page of 2 rows of 100 days read %d spans of blocks, want 1 or 2", n)
	}
}

var _ report.Store = (*listStore)(nil)

var _ snapshot.Cache = (*keepAll)(nil)
