package facts_test

import (
	"bytes"
	"reflect"
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// someTitles returns four titles: one read and lent, one only read, one only opened, and one only lent.
func someTitles() *facts.ReaderTitles {
	day := libraries.HistoryStart
	return &facts.ReaderTitles{Books: []facts.ReaderTitle{
		{
			Book:  3,
			Pair:  libraries.Pair{Seconds: 300, Highest: 50_000, Days: []calendar.Date{day - 1, day + 2, day + 9}, Day10: day + 2, Day50: day + 9},
			Loans: []facts.LoanDays{{Start: day + 1, Days: 1}, {Start: day + 1, Days: 15}, {Start: day + 10}},
		},
		{Book: 5, Pair: libraries.Pair{Highest: 50_000, Days: []calendar.Date{day + 3}, Day10: day + 3, Day50: day + 3}},
		{Book: 6, Pair: libraries.Pair{Highest: 9_999, Days: []calendar.Date{day}}},
		{Book: 1000, Loans: []facts.LoanDays{{Start: day}}},
	}}
}

func TestReaderTitlesForm(t *testing.T) {
	form := slices.Concat(
		[]byte{1, 4, 6, 2, 1, 226, 7},                // version, number, titles: 3, signed, then how many more
		[]byte{172, 2, 0, 0, 0},                      // seconds
		[]byte{208, 134, 3, 208, 134, 3, 143, 78, 0}, // highest shares
		[]byte{3, 1, 1, 0, 1, 3, 7, 6, 0},            // days with sessions: how many, then -1, signed, 3 and 7 more; 3; 0
		[]byte{3, 0, 0, 1, 2, 0, 9, 0, 1, 15, 0, 0},  // loans: how many, their first days, how many days each took
		[]byte{2, 0, 1, 2, 0, 2},                     // the places of the days of the shares, where they are not 0
	)
	if got := packed.Append(nil, someTitles()); !bytes.Equal(got, form) {
		t.Errorf("written as %v, want %v", got, form)
	}
	var got facts.ReaderTitles
	if err := packed.Open(form, &got); err != nil || !reflect.DeepEqual(&got, someTitles()) {
		t.Errorf("read as %+v, %v, want %+v", got, err, someTitles())
	}
}

// TestConfirmed tests that a session confirms a loan from the loan's day to the day of its return (L7).
func TestConfirmed(t *testing.T) {
	loans := []facts.LoanDays{{Start: 10, Days: 1}, {Start: 10, Days: 3}, {Start: 12}}
	for _, test := range []struct {
		days []calendar.Date
		want int64
	}{
		{nil, 0}, {[]calendar.Date{9}, 0}, {[]calendar.Date{10}, 2}, {[]calendar.Date{11}, 1}, {[]calendar.Date{12}, 2}, {[]calendar.Date{13}, 1},
		{[]calendar.Date{9, 13}, 1}, {[]calendar.Date{9, 11, 13}, 2}, {[]calendar.Date{10, 40}, 3}, {[]calendar.Date{10, 11, 12}, 3},
	} {
		b := facts.ReaderTitle{Pair: libraries.Pair{Days: test.days}, Loans: loans}
		if got := b.Confirmed(); got != test.want {
			t.Errorf("Confirmed with sessions on the days %v = %d, want %d", test.days, got, test.want)
		}
	}
}
