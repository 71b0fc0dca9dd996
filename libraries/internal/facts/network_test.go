package facts_test

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

var someCounts = facts.CountsByTitle{{Book: 0, Readings: 1}, {Book: 7, ActiveLoans: 2, ActiveReservations: 300}, {Book: 8, Confirmed: 4}}

func TestNetworkAddTitles(t *testing.T) {
	before := slices.Clone(someCounts)
	for _, test := range []struct {
		rule    string
		changes []facts.TitleCounts
		want    facts.CountsByTitle // nil: an error
	}{
		{"no changes", nil, someCounts},
		{"a title more than once, in any order", []facts.TitleCounts{{Book: 9, Readings: -1}, {Book: 1, Confirmed: 1}, {Book: 9, Readings: 2}},
			facts.CountsByTitle{someCounts[0], {Book: 1, Confirmed: 1}, someCounts[1], someCounts[2], {Book: 9, Readings: 1}}},
		{"a title whose counts become 0", []facts.TitleCounts{{Book: 7, ActiveLoans: -2, ActiveReservations: -300}}, facts.CountsByTitle{someCounts[0], someCounts[2]}},
		{"readings below 0", []facts.TitleCounts{{Book: 0, Readings: -2}}, nil},
		{"active loans below 0", []facts.TitleCounts{{Book: 0, ActiveLoans: -1}}, nil},
		{"active reservations below 0", []facts.TitleCounts{{Book: 7, ActiveReservations: -301}}, nil},
		{"confirmed loans below 0", []facts.TitleCounts{{Book: 5, Confirmed: -1}}, nil},
	} {
		got, err := added(someCounts, test.changes)
		if !reflect.DeepEqual(got, test.want) || (test.want == nil) != errors.Is(err, facts.ErrBelowZero) {
			t.Errorf("%s: Add(%v) = %v, %v, want %v", test.rule, test.changes, got, err, test.want)
		}
	}
	if !slices.Equal(someCounts, before) {
		t.Errorf("Add changed its receiver to %v", someCounts)
	}
}

func TestCountsOf(t *testing.T) {
	for _, want := range []facts.TitleCounts{someCounts[0], someCounts[2], {Book: 3}, {Book: 9}} {
		if got := someCounts.Of(want.Book); got != want {
			t.Errorf("Of(%d) = %+v, want %+v", want.Book, got, want)
		}
	}
}

func added(to facts.CountsByTitle, changes []facts.TitleCounts) (facts.CountsByTitle, error) {
	n, err := (&facts.Network{Titles: to}).Add(changes, map[calendar.Date]facts.DayTotals{})
	if err != nil {
		return nil, err
	}
	return n.Titles, nil
}

// someTotals returns totals with a different number in each field, except in DistinctBooks.
func someTotals() facts.DayTotals {
	t := facts.DayTotals{Readers: 1_000}
	for m := range t.Sums {
		if metric.Metric(m) != metric.DistinctBooks {
			t.Sums[m] = int64(100 + m)
		}
	}
	c := &t.Counts
	c.OnlineSessions, c.OfflineSessions, c.OnlineSeconds, c.OfflineSeconds, c.Cancelled, c.Lost = 1, 2, 3, 4, 5, 6
	for s := libraries.LoanActive; s <= libraries.LoanExpired; s++ {
		c.LoansByStatus[s] = 10 + int64(s)
	}
	for s := libraries.Waiting; s <= libraries.Lost; s++ {
		c.ReservationsByStatus[s] = 20 + int64(s)
	}
	return t
}

// TestNetworkAddDays changes, adds and empties a day, and leaves one. Add adds the counts of a day and replaces the rest.
func TestNetworkAddDays(t *testing.T) {
	day := func(readers, cancelled int64) facts.DayTotals {
		return facts.DayTotals{Readers: readers, Counts: metric.DayCounts{Cancelled: cancelled}}
	}
	n := &facts.Network{Days: facts.Days{Dates: []calendar.Date{3, 5, 6}, Totals: []facts.DayTotals{day(1, 2), day(1, 1), day(4, 0)}}}
	got, err := n.Add(nil, map[calendar.Date]facts.DayTotals{3: day(7, -1), 4: day(1, 1), 6: day(0, 0)})
	want := facts.Days{Dates: []calendar.Date{3, 4, 5}, Totals: []facts.DayTotals{day(7, 1), day(1, 1), day(1, 1)}}
	if err != nil || !reflect.DeepEqual(got.Days, want) {
		t.Errorf("Add = %+v, %v, want %+v", got, err, want)
	}
	if got, err := n.Add(nil, map[calendar.Date]facts.DayTotals{5: day(1, -2)}); !errors.Is(err, facts.ErrBelowZero) {
		t.Errorf("Add of more cancellations than stored = %+v, %v, want ErrBelowZero", got, err)
	}
}

func TestNetworkForm(t *testing.T) {
	n := &facts.Network{
		Titles: facts.CountsByTitle{{Book: 7, Readings: 1, ActiveLoans: 2}, {Book: 8, ActiveReservations: 300, Confirmed: 4}},
		Days:   facts.Days{Dates: []calendar.Date{libraries.HistoryStart, libraries.HistoryStart + 2}, Totals: []facts.DayTotals{someTotals(), {Readers: 1}}},
	}
	data := packed.Append(nil, n)
	front := []byte{1, 2, 14, 1, 1, 0, 2, 0, 0, 172, 2, 0, 4, 2, 0, 2, 232, 7, 1, 100, 0, 101, 0}
	if !bytes.HasPrefix(data, front) {
		t.Errorf("written as %v, want it to begin with %v", data, front)
	}
	var got facts.Network
	if err := packed.Open(data, &got); err != nil || !reflect.DeepEqual(&got, n) {
		t.Errorf("read as %+v, %v, want %+v", got, err, n)
	}
}

func TestDaysIn(t *testing.T) {
	days := facts.Days{Dates: []calendar.Date{3, 4, 7}, Totals: []facts.DayTotals{{Readers: 3}, {Readers: 4}, {Readers: 7}}}
	for _, test := range []struct {
		period calendar.Period
		want   []calendar.Date
	}{
		{calendar.Period{Start: 3, End: 7}, []calendar.Date{3, 4, 7}},
		{calendar.Period{Start: 0, End: 100}, []calendar.Date{3, 4, 7}},
		{calendar.Period{Start: 4, End: 6}, []calendar.Date{4}},
		{calendar.Period{Start: 5, End: 6}, nil},
		{calendar.Period{Start: 8, End: 9}, nil},
		{calendar.Period{Start: 7, End: 3}, nil},
	} {
		got := days.In(test.period)
		if !slices.Equal(got.Dates, test.want) || len(got.Totals) != len(test.want) {
			t.Errorf("In(%v) = %v, want %v", test.period, got, test.want)
		}
		for i, day := range got.Dates {
			if got.Totals[i].Readers != int64(day) {
				t.Errorf("In(%v) has the totals of day %d for day %d", test.period, got.Totals[i].Readers, day)
			}
		}
	}
}
