package facts_test

import (
	"bytes"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/packed"
)

var someReadings = facts.LoanReadings{{0, 0, 1, 0}, {0, 300, 0, 50_000}, {7, 2, 300, 9_999}, {math.MaxInt64, math.MaxInt64, math.MaxInt64, libraries.MaxProgress}}

func TestLoanReadingsWith(t *testing.T) {
	before := slices.Clone(someReadings)
	for rule, test := range map[string]struct{ later, want []facts.LoanReading }{
		"none":                                 {nil, someReadings},
		"others, in any order":                 {[]facts.LoanReading{{7, 3, 1, 1}, {0, 5, 2, 2}}, []facts.LoanReading{someReadings[0], {0, 5, 2, 2}, someReadings[1], someReadings[2], {7, 3, 1, 1}, someReadings[3]}},
		"the same readings with more progress": {[]facts.LoanReading{{7, 2, 301, 9_999}, {0, 0, 2, 7}}, []facts.LoanReading{{0, 0, 2, 7}, someReadings[1], {7, 2, 301, 9_999}, someReadings[3]}},
	} {
		if got := someReadings.With(test.later); !slices.Equal(got, test.want) {
			t.Errorf("%s: With(%v) = %v, want %v", rule, test.later, got, test.want)
		}
	}
	if !slices.Equal(someReadings, before) {
		t.Errorf("With changed its receiver to %v", someReadings)
	}
}

func TestLoanReadingsForm(t *testing.T) {
	form := []byte{1, 3, 0, 0, 7, 0, 172, 2, 2, 1, 0, 172, 2, 0, 208, 134, 3, 143, 78}
	some := someReadings[:3]
	if got := packed.Append(nil, &some); !bytes.Equal(got, form) {
		t.Errorf("written as %v, want %v", got, form)
	}
	var got facts.LoanReadings
	if err := packed.Open(packed.Append(nil, &someReadings), &got); err != nil || !slices.Equal(got, someReadings) {
		t.Errorf("read as %v, %v, want %v", got, err, someReadings)
	}
}

// TestAggregateTellsWhatWasRead tests when the readings of a title are reported, once for each day with a loan. They are
// reported if they changed or a loan is new, and not before anything was read.
func TestAggregateTellsWhatWasRead(t *testing.T) {
	const reader, book = 4, 9
	day := libraries.HistoryStart
	loan := func(id int64, after int) libraries.LoanChange {
		at := (day + 10).Start().AddDate(0, 0, after)
		return libraries.LoanChange{Now: libraries.Loan{ID: id, Reader: reader, Book: book, Borrowed: at.Add(time.Duration(id) * time.Second).UTC(), Status: libraries.LoanActive}}
	}
	first := loan(1, 0)
	session := func(id byte, progress libraries.Progress) libraries.Event {
		return libraries.Event{Kind: libraries.SessionEvent, ID: libraries.NewEventID(libraries.SessionResource, []byte{id}, reader, day), Reader: reader, Book: book,
			Day: day, Seconds: 60, Progress: progress, Mode: libraries.Online, Format: libraries.Ebook}
	}
	stored := facts.Stored{Events: map[snapshot.BlockKey]*facts.EventSet{}}
	of := func(seconds int64, highest libraries.Progress, loans ...libraries.LoanChange) (want []facts.DayReading) {
		for _, l := range loans {
			want = append(want, facts.DayReading{Day: l.Now.Day(), LoanReading: facts.LoanReading{Reader: reader, Book: book, Seconds: seconds, Highest: highest}})
		}
		return want
	}
	returned := libraries.LoanChange{Now: first.Now, Was: &first.Now}
	returned.Now.Status, returned.Now.Returned = libraries.LoanReturned, first.Now.Borrowed.Add(time.Hour)
	for _, step := range []struct {
		what string
		d    libraries.ReaderFeed
		want []facts.DayReading
	}{
		{"a loan of an unread title", libraries.ReaderFeed{Loans: []libraries.LoanChange{first}}, nil},
		{"a session", libraries.ReaderFeed{Events: []libraries.Event{session(1, 500)}}, of(60, 500, first)},
		{"the same session again", libraries.ReaderFeed{Events: []libraries.Event{session(1, 500)}}, nil},
		{"more loans, two on a day", libraries.ReaderFeed{Loans: []libraries.LoanChange{loan(2, 3), loan(3, 3)}}, of(60, 500, first, loan(2, 3))},
		{"a return", libraries.ReaderFeed{Loans: []libraries.LoanChange{returned}}, nil},
		{"another session", libraries.ReaderFeed{Events: []libraries.Event{session(2, 400)}}, of(120, 500, first, loan(2, 3))},
	} {
		step.d.Reader = reader
		change, err := stored.Aggregate(step.d)
		if err != nil || !reflect.DeepEqual(change.Read, step.want) {
			t.Errorf("%s: %+v, %v, want %+v", step.what, change.Read, err, step.want)
		}
		if change.Titles != nil {
			stored.Titles = change.Titles
		}
	}
}
