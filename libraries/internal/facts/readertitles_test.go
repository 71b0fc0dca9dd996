package facts_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// aShelf has a title of each kind: begun, finished and lent; only opened; only lent.
func aShelf() *facts.ReaderTitles {
	day := libraries.HistoryStart
	return &facts.ReaderTitles{Books: []facts.ReaderTitle{
		{
			Book:  3,
			Pair:  libraries.Pair{Sessions: 4, Seconds: 300, Highest: 50_000, Days: []calendar.Date{day - 1, day + 2, day + 9}, Day10: day + 2, Day50: day + 9},
			Loans: []calendar.Period{{Start: day + 1, End: day + 1}, {Start: day + 1, End: day + 15}, {Start: day + 10, End: libraries.Unended}},
		},
		{Book: 5, Pair: libraries.Pair{Sessions: 1, Highest: 50_000, Days: []calendar.Date{day + 3}, Day10: day + 3, Day50: day + 3}},
		{Book: 6, Pair: libraries.Pair{Sessions: 2, Highest: 9_999, Days: []calendar.Date{day}}},
		{Book: 1000, Loans: []calendar.Period{{Start: day, End: libraries.Unended}}},
	}}
}

func TestShelfForm(t *testing.T) {
	form := []byte{1, 4,
		3, 4, 0xac, 2, 0xd0, 0x86, 3, 3, 1, 3, 7, 1, 2, 3, 2, 1, 0, 15, 9, 0, // three days: the first is -1, signed; then 3 and 7 on
		2, 1, 0, 0xd0, 0x86, 3, 6, 0, // one session needs neither a number of days nor places
		1, 2, 0, 0x8f, 0x4e, 1, 0, 0,
		0xe2, 7, 0, 1, 0, 0,
	}
	if got := aShelf().AppendBinary([]byte("x")); !bytes.Equal(got, append([]byte("x"), form...)) {
		t.Errorf("AppendBinary = %x, want %x after an x", got, form)
	}
	if got, err := facts.ParseReaderTitles(form); err != nil || !reflect.DeepEqual(got, aShelf()) {
		t.Errorf("ParseShelf = %+v, %v, want %+v", got, err, aShelf())
	}
}

func TestShelfFind(t *testing.T) {
	s := aShelf()
	for book, want := range map[int64]*facts.ReaderTitle{3: &s.Books[0], 5: &s.Books[1], 6: &s.Books[2], 1000: &s.Books[3], 1: nil, 4: nil, 1001: nil} {
		if got := s.Find(book); got != want {
			t.Errorf("Find(%d) = %p, want %p", book, got, want)
		}
	}
}

// TestConfirmed has loans on both sides of the days of sessions: a loan is confirmed by one from its day to that of its return
// (L7).
func TestConfirmed(t *testing.T) {
	loans := []calendar.Period{{Start: 10, End: 10}, {Start: 10, End: 12}, {Start: 12, End: libraries.Unended}}
	for _, test := range []struct {
		days []calendar.Date
		want int64
	}{
		{nil, 0}, {[]calendar.Date{9}, 0}, {[]calendar.Date{10}, 2}, {[]calendar.Date{11}, 1}, {[]calendar.Date{12}, 2}, {[]calendar.Date{13}, 1},
		{[]calendar.Date{9, 13}, 1}, {[]calendar.Date{9, 11, 13}, 2}, {[]calendar.Date{10, 40}, 3}, {[]calendar.Date{10, 11, 12}, 3},
	} {
		b := facts.ReaderTitle{Pair: libraries.Pair{Sessions: int64(len(test.days)), Days: test.days}, Loans: loans}
		if got := b.Confirmed(); got != test.want {
			t.Errorf("Confirmed with sessions on the days %v = %d, want %d", test.days, got, test.want)
		}
	}
}

func TestCorruptShelves(t *testing.T) {
	loanOf := func(days int64) []byte { return binary.AppendUvarint([]byte{1, 1, 3, 0, 1, 0}, uint64(days)) }
	for name, form := range map[string][]byte{
		"neither session nor loan":            {1, 2, 3, 0, 0, 1, 1, 0, 0, 18, 0},
		"finished before it was begun":        {1, 1, 3, 2, 0, 0xd0, 0x86, 3, 2, 18, 1, 1, 0, 0},
		"a title twice":                       {1, 2, 3, 0, 1, 0, 0, 0, 0, 1, 0, 0},
		"above 100 percent":                   {1, 1, 3, 1, 0, 0xa1, 0x8d, 6, 18, 0},
		"more days than sessions":             {1, 1, 3, 2, 0, 0, 3, 18, 1, 1, 0},
		"no day":                              {1, 1, 3, 2, 0, 0, 0, 0, 0, 0},
		"a day twice":                         {1, 1, 3, 2, 0, 0, 2, 18, 0, 0},
		"a place past the days":               {1, 1, 3, 2, 0, 0x90, 0x4e, 2, 18, 1, 2, 0},
		"loans of a day, the later end first": {1, 1, 3, 0, 2, 0, 2, 0, 1},
		"an active loan first":                {1, 1, 3, 0, 2, 0, 0, 0, 1},
		"a loan that ends with time":          loanOf(math.MaxInt32 - int64(libraries.HistoryStart) + 1),
		"a version to come":                   {3, 0},
		"nothing":                             {},
		"a byte more":                         append(aShelf().AppendBinary(nil), 0),
	} {
		if s, err := facts.ParseReaderTitles(form); !errors.Is(err, packed.ErrCorrupt) {
			t.Errorf("%s: ParseShelf = %+v, %v, want ErrCorrupt", name, s, err)
		}
	}
	for name, form := range map[string][]byte{
		"a loan that ends a day before time": loanOf(math.MaxInt32 - int64(libraries.HistoryStart)),
		"100 percent":                        {1, 1, 3, 1, 0, 0xa0, 0x8d, 6, 18, 0},
		"as many days as sessions":           {1, 1, 3, 2, 0, 0, 2, 18, 1, 0},
		"the last place":                     {1, 1, 3, 2, 0, 0x90, 0x4e, 2, 18, 1, 1, 0},
		"two loans of the same day":          {1, 1, 3, 0, 2, 0, 1, 0, 1},
	} {
		if _, err := facts.ParseReaderTitles(form); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzShelf(f *testing.F) {
	f.Add(aShelf().AppendBinary(nil))
	f.Add((&facts.ReaderTitles{}).AppendBinary(nil))
	fuzzForm(f, func(data []byte) ([]byte, error) {
		s, err := facts.ParseReaderTitles(data)
		if err != nil {
			return nil, err
		}
		form := s.AppendBinary(nil)
		if again, err := facts.ParseReaderTitles(form); err != nil || !reflect.DeepEqual(again, s) {
			return nil, fmt.Errorf("%+v, stored anew, is %+v, %w", s, again, err)
		}
		return form, nil
	})
}
