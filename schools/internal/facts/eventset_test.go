package facts_test

import (
	"fmt"
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/internal/facts"
)

// someIdentifier draws one of few: small, large and close numbers, with and without a series, and texts.
var someIdentifier = rapid.OneOf(
	rapid.Map(rapid.IntRange(0, 40), strconv.Itoa),
	rapid.Map(rapid.Uint64Range(math.MaxInt64-3, math.MaxInt64+3), func(n uint64) string { return strconv.FormatUint(n, 10) }),
	rapid.Map(rapid.IntRange(0, 40), func(n int) string { return fmt.Sprintf("s-ana-%d", 1000*n) }),
	rapid.Map(rapid.IntRange(0, 9), func(n int) string { return fmt.Sprintf("s-%d-%d", n, n) }),
	rapid.StringMatching(`[a-c]{0,2}`),
)

// event is an identifier on a day.
type event struct {
	day calendar.Date
	id  string
}

func (e event) ID() schools.EventID { return schools.NewEventID('s', []byte(e.id)) }

var someEvent = rapid.Custom(func(t *rapid.T) event {
	return event{calendar.Date(rapid.Int32Range(-32, -1).Draw(t, "day")), someIdentifier.Draw(t, "id")}
})

// TestEventSetKeepsEvents adds events load by load, through the stored form, and tests that the set has those, each only on
// its day, and no others.
func TestEventSetKeepsEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		had, data := map[event]bool{}, packed.Append(nil, &facts.EventSet{})
		for range rapid.IntRange(1, 4).Draw(t, "loads") {
			var s facts.EventSet
			must(t, packed.Open(data, &s))
			added := map[calendar.Date][]schools.Event{}
			for _, e := range rapid.SliceOfDistinct(someEvent, rapid.ID).Draw(t, "events") {
				if s.Has(e.day, e.ID()) != had[e] {
					t.Fatalf("Has(%v) = %t", e, !had[e])
				}
				if !had[e] {
					added[e.day] = append(added[e.day], schools.Event{ID: e.ID()})
				}
				had[e] = true
			}
			for day, ids := range added {
				s.Add(day, ids)
			}
			for e := range had {
				if !s.Has(e.day, e.ID()) {
					t.Fatalf("Has(%v) = false after Add, want true", e)
				}
			}
			data = packed.Append(nil, &s)
		}
	})
}

// TestEventSetSize limits the size of event ids. Those of one counter may take half of the 8 bytes that others take, and
// those of a counter of each user a quarter.
func TestEventSetSize(t *testing.T) {
	size := func(id func(i int) string) int {
		var s facts.EventSet
		for day := range calendar.Date(8) {
			var ids []schools.Event
			for i := range 12 {
				ids = append(ids, schools.Event{ID: schools.NewEventID('s', []byte(id(12*int(day)+i)))})
			}
			s.Add(day, ids)
		}
		return len(packed.Append(nil, &s))
	}
	for name, tt := range map[string]struct {
		id   func(i int) string
		most int
	}{
		"one counter for all users": {func(i int) string { return strconv.Itoa(2_000_000_000 + i*i*500) }, 96 * 4},
		"a counter for each user":   {func(i int) string { return fmt.Sprintf("s-ana-%d", i) }, 96 * 2},
		"texts":                     {func(i int) string { return fmt.Sprintf("%dx", i) }, 96*8 + 30},
	} {
		if got := size(tt.id); got > tt.most {
			t.Errorf("%s: 96 events of 8 days take %d bytes, want at most %d", name, got, tt.most)
		}
	}
}

// TestEventSetBlocks tests that a block has 32 days.
func TestEventSetBlocks(t *testing.T) {
	for d, want := range map[calendar.Date]int64{-33: -2, -32: -1, -1: -1, 0: 0, 31: 0, 32: 1, 63: 1} {
		if got := facts.EventBlock(d); got != want {
			t.Errorf("EventBlock(%d) = %d, want %d", int(d), got, want)
		}
	}
}
