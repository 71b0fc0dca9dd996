package facts

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

func TestSeenKeyOf(t *testing.T) {
	for _, test := range []struct {
		rule   string
		reader int64
		day    calendar.Date
		want   EventSetKey
	}{
		{"the first of all", 0, 0, EventSetKey{0, 0}},
		{"the last reader of a group", 127, 0, EventSetKey{0, 0}},
		{"the first reader of the next group", 128, 0, EventSetKey{0, 1}},
		{"the last day of a block", 0, 7, EventSetKey{0, 0}},
		{"the first day of the next block", 0, 8, EventSetKey{1, 0}},
		{"the day before 1970", 0, -1, EventSetKey{-1, 0}},
	} {
		if got := EventSetKeyOf(test.reader, test.day); got != test.want {
			t.Errorf("%s: SeenKeyOf(%d, %d) = %v, want %v", test.rule, test.reader, test.day, got, test.want)
		}
	}
}

// TestSeenKeys has each row once, of events and of requests.
func TestSeenKeys(t *testing.T) {
	d := Delivery{Reader: 300, Events: []Event{{Day: 16}, {Day: 1}, {Day: 17}, {Day: 2}}}
	d.Requests = []libraries.Request{{Requested: calendar.Date(24).Start()}, {Requested: calendar.Date(24).Start().Add(-time.Second)}}
	if got, want := d.EventSetKeys(), []EventSetKey{{0, 2}, {2, 2}, {3, 2}}; !slices.Equal(got, want) {
		t.Errorf("SeenKeys = %v, want %v", got, want)
	}
	if got := (Delivery{Reader: 1, Loans: make([]LoanChange, 1)}).EventSetKeys(); len(got) > 0 {
		t.Errorf("SeenKeys of a loan = %v, want none", got)
	}
}

// TestSeen compares a set with a map, past the number of events that it keeps apart, and through its stored form.
func TestSeen(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	want := map[EventID]bool{}
	s := &EventSet{}
	for i := range 1500 {
		id := EventID(random.Uint64N(1000))
		if got := s.add(id); got == want[id] {
			t.Fatalf("after %d: add(%d) = %t, want %t", i, id, got, !want[id])
		}
		if want[id] = true; s.Len() != len(want) {
			t.Fatalf("after %d: Len = %d, want %d", i, s.Len(), len(want))
		}
		if i%100 == 0 {
			var back EventSet
			if err := back.UnmarshalBinary(s.AppendBinary(nil)); err != nil || back.Len() != len(want) {
				t.Fatalf("after %d: stored and read back: %d events, %v, want %d", i, back.Len(), err, len(want))
			}
			s = &back
		}
	}
}

func TestSeenForm(t *testing.T) {
	s := &EventSet{}
	s.add(0x0203)
	s.add(1)
	form := []byte{'x', 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 2, 3}
	if got := s.AppendBinary([]byte("x")); !bytes.Equal(got, form) {
		t.Errorf("AppendBinary = %x, want %x", got, form)
	}
	for name, data := range map[string][]byte{
		"nothing": {}, "another version": append([]byte{2}, form[2:]...), "a byte less": form[1 : len(form)-1], "a byte more": append(form[1:], 0),
		"not ascending": append(slices.Clone(form[1:]), form[2:10]...), "an event twice": append(slices.Clone(form[1:]), form[10:]...),
	} {
		if err := s.UnmarshalBinary(data); !errors.Is(err, packed.ErrCorrupt) || s.Len() != 0 {
			t.Errorf("%s: UnmarshalBinary = %v with %d events, want ErrCorrupt and none", name, err, s.Len())
		}
	}
}

// FuzzEventSet: a stored set is corrupt, or is written again as it was and has what it says.
func FuzzEventSet(f *testing.F) {
	s := &EventSet{}
	f.Add(s.AppendBinary(nil), uint64(1))
	s.add(0x0203)
	s.add(1)
	f.Add(s.AppendBinary(nil), uint64(2))
	f.Fuzz(func(t *testing.T, data []byte, id uint64) {
		var s EventSet
		if err := s.UnmarshalBinary(data); err != nil {
			if !errors.Is(err, packed.ErrCorrupt) || s.Len() != 0 {
				t.Errorf("%x: %v with %d events", data, err, s.Len())
			}
			return
		}
		if again := s.AppendBinary(nil); !bytes.Equal(again, data) {
			t.Errorf("%x is written again as %x", data, again)
		}
		was := s.Len()
		added := s.add(EventID(id))
		if s.add(EventID(id)) || added != (s.Len() == was+1) {
			t.Errorf("%x: %d was added %t to %d events, which are %d now", data, id, added, was, s.Len())
		}
	})
}
