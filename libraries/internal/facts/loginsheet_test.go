package facts_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/reading/packed"
)

// TestLogins has a return by the reader before, among and after the other events, and an expiry, which is none (L3).
func TestLogins(t *testing.T) {
	var deltas []facts.DayDelta
	for reader, second := range []int32{5, 50, 500} {
		d := facts.DayDelta{Reader: int64(reader), Presence: libraries.Presence{Events: 2, First: 10, Last: 100}, Returned: []int32{second}}
		d.Books = []facts.BookDelta{{Book: 7}}
		d.Books[0].Measures[metric.Returns] = 1
		deltas = append(deltas, d)
	}
	deltas = append(deltas, smallDay()[1:]...)
	logins, err := facts.ParseLogins(formsOf(t, deltas...).Logins)
	noError(t, err)
	want := []facts.LoginDay{
		{Reader: 0, Presence: libraries.Presence{Events: 3, First: 5, Last: 100}},
		{Reader: 1, Presence: libraries.Presence{Events: 3, First: 10, Last: 100}},
		{Reader: 2, Presence: libraries.Presence{Events: 3, First: 10, Last: 500}},
		{Reader: 200, Presence: libraries.Presence{Events: 2, First: 40, Last: 50}},
	}
	if got := slices.Collect(logins); !slices.Equal(got, want) {
		t.Errorf("ParseLogins = %v, want %v", got, want)
	}
}

// TestLastSecond has the last second of the day, and one that is none.
func TestLastSecond(t *testing.T) {
	for _, test := range []struct {
		rule string
		form []byte
		ok   bool
	}{
		{"an event of the last second", []byte{1, 1, 3, 1, 0xff, 0xa2, 5, 0, 0}, true},
		{"an event behind it", []byte{1, 1, 3, 1, 0xff, 0xa2, 5, 1, 0}, false},
		{"an event of the second 86,400", []byte{1, 1, 3, 1, 0x80, 0xa3, 5, 0, 0}, false},
		{"returns of the last second", []byte{1, 1, 3, 0, 2, 0xfe, 0xa2, 5, 1}, true},
		{"a return behind it", []byte{1, 1, 3, 0, 2, 0xfe, 0xa2, 5, 2}, false},
		{"neither an event nor a return", []byte{1, 2, 3, 0, 0, 1, 1, 0, 0, 0}, false},
	} {
		if _, err := facts.ParseLogins(test.form); (err == nil) != test.ok {
			t.Errorf("%s: %v, want it right: %t", test.rule, err, test.ok)
		}
	}
}

// TestCorruptSheets cuts the sheets of titles and of logins anywhere, and makes them longer.
func TestCorruptSheets(t *testing.T) {
	forms := formsOf(t, smallDay()...)
	for name, read := range map[string]func(data []byte) error{
		"titles": func(data []byte) error { return facts.VisitTitles(data, func(facts.TitleDay) {}) },
		"logins": func(data []byte) error { _, err := facts.ParseLogins(data); return err },
	} {
		form := forms.Titles
		if name == "logins" {
			form = forms.Logins
		}
		noError(t, read(form))
		for n := range form {
			if err := read(form[:n]); !errors.Is(err, packed.ErrCorrupt) {
				t.Errorf("%s, cut at %d: %v, want ErrCorrupt", name, n, err)
			}
		}
		if err := read(append(slices.Clone(form), 0)); !errors.Is(err, packed.ErrCorrupt) {
			t.Errorf("%s with a byte more: %v, want ErrCorrupt", name, err)
		}
	}
}
