package facts_test

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/reading/packed"
)

var someHoldings = facts.CountsByTitle{{Book: 0, Readings: 1}, {Book: 7, ActiveLoans: 2, ActiveReservations: 300}, {Book: 8, Confirmed: 4}}

func TestHoldingsAdd(t *testing.T) {
	before := slices.Clone(someHoldings)
	for _, test := range []struct {
		rule    string
		changes []facts.TitleCounts
		want    facts.CountsByTitle // nil: an error
	}{
		{"no changes", nil, someHoldings},
		{"a title more than once, in any order", []facts.TitleCounts{{Book: 9, Readings: -1}, {Book: 1, Confirmed: 1}, {Book: 9, Readings: 2}},
			facts.CountsByTitle{someHoldings[0], {Book: 1, Confirmed: 1}, someHoldings[1], someHoldings[2], {Book: 9, Readings: 1}}},
		{"nothing is left of a title", []facts.TitleCounts{{Book: 7, ActiveLoans: -2, ActiveReservations: -300}}, facts.CountsByTitle{someHoldings[0], someHoldings[2]}},
		{"readings below 0", []facts.TitleCounts{{Book: 0, Readings: -2}}, nil},
		{"active loans below 0", []facts.TitleCounts{{Book: 0, ActiveLoans: -1}}, nil},
		{"active reservations below 0", []facts.TitleCounts{{Book: 7, ActiveReservations: -301}}, nil},
		{"confirmed loans below 0", []facts.TitleCounts{{Book: 5, Confirmed: -1}}, nil},
	} {
		got, err := someHoldings.Add(test.changes)
		if !reflect.DeepEqual(got, test.want) || (test.want == nil) != errors.Is(err, facts.ErrBelowZero) {
			t.Errorf("%s: Add(%v) = %v, %v, want %v", test.rule, test.changes, got, err, test.want)
		}
	}
	if !slices.Equal(someHoldings, before) {
		t.Errorf("Add changed the holdings it was called on to %v", someHoldings)
	}
}

func TestHoldingsOf(t *testing.T) {
	for _, want := range []facts.TitleCounts{someHoldings[0], someHoldings[2], {Book: 3}, {Book: 9}} {
		if got := someHoldings.Of(want.Book); got != want {
			t.Errorf("Of(%d) = %+v, want %+v", want.Book, got, want)
		}
	}
}

func TestHoldingsForm(t *testing.T) {
	form := []byte{1, 3, 0, 1, 0, 0, 0, 7, 0, 2, 0xac, 2, 0, 1, 0, 0, 0, 4}
	if got := someHoldings.AppendBinary([]byte("x")); !bytes.Equal(got, append([]byte("x"), form...)) {
		t.Errorf("AppendBinary = %x, want %x after an x", got, form)
	}
	if got, err := facts.ParseCountsByTitle(form); err != nil || !slices.Equal(got, someHoldings) {
		t.Errorf("ParseHoldings = %v, %v, want %v", got, err, someHoldings)
	}
	if got, err := facts.ParseCountsByTitle(nil); err != nil || len(got) > 0 {
		t.Errorf("ParseHoldings of no data = %v, %v, want none", got, err)
	}
}

func TestCorruptHoldings(t *testing.T) {
	largest := []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}
	for name, form := range map[string][]byte{
		"a title of which nothing is left":  {1, 1, 3, 0, 0, 0, 0},
		"a title twice":                     {1, 2, 3, 1, 0, 0, 0, 0, 1, 0, 0, 0},
		"a title above the largest":         append(append([]byte{1, 2}, largest...), 1, 0, 0, 0, 1, 1, 0, 0, 0),
		"a count above the largest":         {1, 1, 3, 0, 0, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1},
		"another version":                   {2, 0},
		"a number of titles that is absent": {1},
	} {
		if h, err := facts.ParseCountsByTitle(form); !errors.Is(err, packed.ErrCorrupt) {
			t.Errorf("%s: ParseHoldings = %v, %v, want ErrCorrupt", name, h, err)
		}
	}
}

func FuzzHoldings(f *testing.F) {
	f.Add(someHoldings.AppendBinary(nil))
	f.Add(facts.CountsByTitle{}.AppendBinary(nil))
	fuzzForm(f, func(data []byte) ([]byte, error) {
		h, err := facts.ParseCountsByTitle(data)
		if err != nil || len(data) == 0 {
			return data, err
		}
		return h.AppendBinary(nil), nil
	})
}
