package libraries_test

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// aShelf has a title of each kind: begun, finished and lent; only opened; only lent.
func aShelf() *libraries.Shelf {
	day := libraries.HistoryStart
	return &libraries.Shelf{Books: []libraries.ShelfBook{
		{
			Book:  3,
			Pair:  libraries.Pair{Sessions: 2, Seconds: 300, Highest: 50_000, Last: day + 9, Day10: day + 2, Day50: day + 9},
			Loans: []calendar.Date{day + 1, day + 1, day + 10},
		},
		{Book: 5, Pair: libraries.Pair{Sessions: 1, Highest: 9_999, Last: day - 1}},
		{Book: 1000, Loans: []calendar.Date{day}},
	}}
}

func TestShelfForm(t *testing.T) {
	form := []byte{1, 3,
		3, 2, 0xac, 2, 0xd0, 0x86, 3, 18, 7, 0, 3, 2, 0, 9, // days are distances: the last is 9, signed
		2, 1, 0, 0x8f, 0x4e, 1, 0,
		0xe3, 7, 0, 1, 0,
	}
	if got := aShelf().AppendBinary([]byte("x")); !bytes.Equal(got, append([]byte("x"), form...)) {
		t.Errorf("AppendBinary = %x, want %x after an x", got, form)
	}
	if got, err := libraries.ParseShelf(form); err != nil || !reflect.DeepEqual(got, aShelf()) {
		t.Errorf("ParseShelf = %+v, %v, want %+v", got, err, aShelf())
	}
}

func TestShelfFind(t *testing.T) {
	s := aShelf()
	for book, want := range map[int64]*libraries.ShelfBook{3: &s.Books[0], 5: &s.Books[1], 1000: &s.Books[2], 1: nil, 4: nil, 1001: nil} {
		if got := s.Find(book); got != want {
			t.Errorf("Find(%d) = %p, want %p", book, got, want)
		}
	}
}

// TestConfirmed has loans on both sides of the last session's day (L7).
func TestConfirmed(t *testing.T) {
	for _, test := range []struct {
		last     calendar.Date
		sessions int64
		want     int64
	}{{9, 0, 0}, {9, 1, 0}, {10, 1, 2}, {11, 1, 2}, {12, 3, 3}} {
		b := libraries.ShelfBook{Pair: libraries.Pair{Sessions: test.sessions, Last: test.last}, Loans: []calendar.Date{10, 10, 12}}
		if got := b.Confirmed(); got != test.want {
			t.Errorf("Confirmed with %d sessions until day %d = %d, want %d", test.sessions, test.last, got, test.want)
		}
	}
}

func TestCorruptShelves(t *testing.T) {
	for name, form := range map[string][]byte{
		"neither session nor loan":     {1, 2, 3, 0, 0, 1, 1, 0, 0, 18, 0},
		"finished before it was begun": {1, 1, 3, 1, 0, 0xd0, 0x86, 3, 18, 1, 2, 0},
		"a title twice":                {1, 2, 3, 0, 1, 0, 0, 0, 1, 0},
		"above 100 percent":            {1, 1, 3, 1, 0, 0xa1, 0x8d, 6, 18, 0, 0, 0},
		"a byte more":                  append(aShelf().AppendBinary(nil), 0),
	} {
		if s, err := libraries.ParseShelf(form); !errors.Is(err, packed.ErrCorrupt) {
			t.Errorf("%s: ParseShelf = %+v, %v, want ErrCorrupt", name, s, err)
		}
	}
	full := []byte{1, 1, 3, 1, 0, 0xa0, 0x8d, 6, 18, 0, 0, 0}
	if _, err := libraries.ParseShelf(full); err != nil {
		t.Errorf("100 percent: %v", err)
	}
}

func FuzzShelf(f *testing.F) {
	f.Add(aShelf().AppendBinary(nil))
	f.Add((&libraries.Shelf{}).AppendBinary(nil))
	fuzzForm(f, func(data []byte) ([]byte, error) {
		s, err := libraries.ParseShelf(data)
		if err != nil {
			return nil, err
		}
		return s.AppendBinary(nil), nil
	})
}
