package facts

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

func TestEventSetKey(t *testing.T) {
	for _, test := range []struct {
		rule   string
		reader int64
		day    calendar.Date
		want   snapshot.BlockKey
	}{
		{"the first of all", 0, 0, snapshot.BlockKey{A: 0, B: 0}},
		{"the last reader of a group", 127, 0, snapshot.BlockKey{A: 0, B: 0}},
		{"the first reader of the next group", 128, 0, snapshot.BlockKey{A: 1, B: 0}},
		{"the last day of a block", 0, 7, snapshot.BlockKey{A: 0, B: 0}},
		{"the first day of the next block", 0, 8, snapshot.BlockKey{A: 0, B: 1}},
		{"the day before 1970", 0, -1, snapshot.BlockKey{A: 0, B: -1}},
	} {
		if got := EventSetKey(test.reader, test.day); got != test.want {
			t.Errorf("%s: EventSetKey(%d, %d) = %v, want %v", test.rule, test.reader, test.day, got, test.want)
		}
	}
}

// TestEventSetKeys tests that the keys of a feed's events and requests are returned, each once.
func TestEventSetKeys(t *testing.T) {
	d := libraries.ReaderFeed{Reader: 300, Events: []libraries.Event{{Day: 16}, {Day: 1}, {Day: 17}, {Day: 2}}}
	d.Requests = []libraries.Request{{Requested: calendar.Date(24).Start()}, {Requested: calendar.Date(24).Start().Add(-time.Second)}}
	if got, want := EventSetKeys(d), []snapshot.BlockKey{{A: 2, B: 0}, {A: 2, B: 2}, {A: 2, B: 3}}; !slices.Equal(got, want) {
		t.Errorf("EventSetKeys = %v, want %v", got, want)
	}
	if got := EventSetKeys(libraries.ReaderFeed{Reader: 1, Loans: make([]libraries.LoanChange, 1)}); len(got) > 0 {
		t.Errorf("EventSetKeys of a loan = %v, want none", got)
	}
}

// TestEventSet compares a set with a map, also after it was stored and read back.
func TestEventSet(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	want := map[libraries.EventID]bool{}
	s := &EventSet{}
	for i := range 1500 {
		id := libraries.EventID(random.Uint64N(1000))
		if got := s.add(id); got == want[id] {
			t.Fatalf("after %d: add(%d) = %t, want %t", i, id, got, !want[id])
		}
		if want[id] = true; s.Len() != len(want) {
			t.Fatalf("after %d: Len = %d, want %d", i, s.Len(), len(want))
		}
		if i%100 == 0 {
			var back EventSet
			if err := packed.Open(packed.Append(nil, s), &back); err != nil || back.Len() != len(want) {
				t.Fatalf("after %d: stored and read back: %d events, %v, want %d", i, back.Len(), err, len(want))
			}
			s = &back
		}
	}
}

func TestEventSetForm(t *testing.T) {
	s := &EventSet{}
	s.add(0x0203)
	s.add(1)
	form := []byte{1, 2, 1, 0, 0, 0, 0, 0, 0, 0, 3, 2, 0, 0, 0, 0, 0, 0}
	if got := packed.Append(nil, s); !bytes.Equal(got, form) {
		t.Errorf("written as %x, want %x", got, form)
	}
	for name, data := range map[string][]byte{"not ascending": {10: 0}, "an event twice": {10: 1}} {
		data = append(slices.Clone(form[:10]), append(data[10:], make([]byte, 7)...)...)
		if err := packed.Open(data, s); !errors.Is(err, packed.ErrCorrupt) {
			t.Errorf("%s: %v, want ErrCorrupt", name, err)
		}
	}
}
