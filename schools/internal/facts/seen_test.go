package facts_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/formertest"
	"github.com/lectern-dev/lectern/schools/internal/facts"
)

// someIdentifier is one of few: numbers small, large and close to each other, of series and alone, and texts.
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

// TestSeenRemembers remembers events piece by piece, through the stored form, onto nothing or onto the first form, of eight days each: what
// was loaded is there, on its day alone, and nothing else is.
func TestSeenRemembers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		had, former := map[event]bool{}, facts.Seen{}
		if rapid.Bool().Draw(t, "first form") {
			hashes := map[int64]map[calendar.Date][]uint64{-4: {}, -3: {}, -2: {}, -1: {}} // by block
			for _, e := range rapid.SliceOfDistinct(someEvent, rapid.ID).Draw(t, "in the first form") {
				had[e] = true
				of := hashes[int64(e.day>>3)]
				of[e.day&7] = append(of[e.day&7], e.ID().Hash)
			}
			for block, of := range hashes {
				s, err := facts.ParseSeen(block, formertest.Seen(of))
				must(t, err)
				former.Join(s)
			}
		}
		data := former.AppendBinary(nil)
		for range rapid.IntRange(1, 4).Draw(t, "loads") {
			var s facts.Seen
			must(t, s.UnmarshalBinary(data))
			added := map[calendar.Date][]schools.EventID{}
			for _, e := range rapid.SliceOfDistinct(someEvent, rapid.ID).Draw(t, "events") {
				if s.Has(e.day, e.ID()) != had[e] {
					t.Fatalf("Has(%v) = %t", e, !had[e])
				}
				if !had[e] {
					added[e.day] = append(added[e.day], e.ID())
				}
				had[e] = true
			}
			for day, ids := range added {
				s.Add(day, ids)
			}
			for e := range had {
				if !s.Has(e.day, e.ID()) {
					t.Fatalf("%v is forgotten", e)
				}
			}
			data = s.AppendBinary(nil)
		}
	})
}

// TestSeenSizes bounds what events take whose identifiers are numbers of one counter, or of a counter for each user: a quarter of the
// 8 bytes that others take.
func TestSeenSizes(t *testing.T) {
	size := func(id func(i int) string) int {
		var s facts.Seen
		for day := range calendar.Date(8) {
			var ids []schools.EventID
			for i := range 12 {
				ids = append(ids, schools.NewEventID('s', []byte(id(12*int(day)+i))))
			}
			s.Add(day, ids)
		}
		return len(s.AppendBinary(nil))
	}
	for name, tt := range map[string]struct {
		id   func(i int) string
		most int
	}{
		"a counter of all":    {func(i int) string { return strconv.Itoa(2_000_000_000 + i*i*500) }, 96 * 4},
		"a counter of a user": {func(i int) string { return fmt.Sprintf("s-ana-%d", i) }, 96 * 2},
		"texts":               {func(i int) string { return fmt.Sprintf("%dx", i) }, 96*8 + 30},
	} {
		if got := size(tt.id); got > tt.most {
			t.Errorf("%s: 96 events of 8 days take %d bytes, want at most %d", name, got, tt.most)
		}
	}
}

// TestBlocksOfSeen: 32 days are of one block, whose number is a multiple of four. The three others are of eight of these days, as they once were.
func TestBlocksOfSeen(t *testing.T) {
	for d, want := range map[calendar.Date]int64{-33: -8, -32: -4, -1: -4, 0: 0, 31: 0, 32: 4, 63: 4} {
		if got := facts.SeenBlock(d); got != want {
			t.Errorf("day %d is of block %d, want %d", int(d), got, want)
		}
	}
	e := event{5, "x"}
	for block, places := range map[int64][]calendar.Date{0: {0, 7, 8, 31}, 1: {0, 7}, 3: {0, 7}, -1: {7}} {
		for _, place := range places {
			s, err := facts.ParseSeen(block, formertest.Seen(map[calendar.Date][]uint64{place: {e.ID().Hash}}))
			if day := place + 8*calendar.Date(block); err != nil || !s.Has(day, e.ID()) || s.Has(day-8, e.ID()) || s.Has(day+8, e.ID()) {
				t.Errorf("block %d, place %d: %+v, %v", block, place, s, err)
			}
		}
	}
	for block, place := range map[int64]calendar.Date{0: 32, 1: 8, 3: 8, -1: 8} {
		if _, err := facts.ParseSeen(block, formertest.Seen(map[calendar.Date][]uint64{place: {e.ID().Hash}})); !errors.Is(err, packed.ErrCorrupt) {
			t.Errorf("block %d, place %d: %v, want %v", block, place, err, packed.ErrCorrupt)
		}
	}
}

// TestFirstFormOfSeen reads seen events as they were written when each was remembered by its hash.
func TestFirstFormOfSeen(t *testing.T) {
	data, err := hex.DecodeString("010002e2b83d3f87d86c73f60c5c2bc15cea9002019740c9dcdb4487d8")
	if err != nil {
		t.Fatal(err)
	}
	var s facts.Seen
	if err := s.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	for _, e := range []event{{20000, "4711"}, {20000, "s-ana-17"}, {20002, "x"}} {
		if !s.Has(e.day, e.ID()) || s.Has(e.day+1, e.ID()) {
			t.Errorf("Has(%v) = %t, on the next day %t", e, s.Has(e.day, e.ID()), s.Has(e.day+1, e.ID()))
		}
	}
}
