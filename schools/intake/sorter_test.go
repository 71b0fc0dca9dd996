package intake_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/extsort"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/intake"
)

// all returns the events of a sorter, partition by partition, except those that m drops.
func all(t rapid.TB, s *extsort.Sorter, m intake.Moves) (all []schools.Event) {
	for i := range extsort.Partitions {
		batches, err := intake.BatchesOf(s, i, m, 3)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, slices.Concat(batches...)...)
	}
	return all
}

// someID draws an identifier of few series, one of them of the longest length and one longer, or one without a number.
var someID = rapid.Custom(func(t *rapid.T) string {
	series := rapid.SampledFrom([]string{"", "s-ana-", "s-rui-", "x", "0123456789012345678901234567890-", "01234567890123456789012345678901-"}).Draw(t, "series")
	return series + fmt.Sprint(rapid.SampledFrom([]int64{0, 7, 1<<63 - 1}).Draw(t, "number"))
})

// TestRowsKeepIdentifiers tests that events keep the identifiers of their rows, whatever their sequence.
func TestRowsKeepIdentifiers(t *testing.T) {
	in := validated(t)
	at := calendar.MustParse("2026-03-10").Start()
	rapid.Check(t, func(t *rapid.T) {
		p := &intake.Sorter{}
		var want []schools.EventID
		for _, id := range rapid.SliceOf(someID).Draw(t, "identifiers") {
			kind := byte('s')
			e, err := in.Segment(intake.SegmentRow{ID: []byte(id), Account: []byte("ana"), Book: 10, Start: at, DurationMS: 60_000, To: 50})
			if rapid.Bool().Draw(t, "access") {
				kind = 'a'
				e, err = in.Access(intake.AccessRow{ID: []byte(id), Account: []byte("ana"), At: at, Kind: []byte("login")})
			}
			if err == nil {
				err = p.Add(e)
			}
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, schools.NewEventID(kind, []byte(id)))
		}
		var got []schools.EventID
		for _, e := range all(t, &p.Sorter, nil) {
			got = append(got, e.ID)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("ids = %v, want %v", got, want)
		}
	})
}

// TestSorterKeepsEvents tests that a sorter returns all events, those of a user in their order and in one batch.
func TestSorterKeepsEvents(t *testing.T) {
	for name, limit := range map[string]int{"in memory": 1 << 30, "spilled often": 400} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			s := &intake.Sorter{Sorter: extsort.Sorter{Dir: t.TempDir(), Limit: limit}}
			var want, got []schools.Event
			for i := range 3000 {
				id := schools.EventID{Hash: r.Uint64()}
				if i%2 == 0 {
					id = schools.EventID{Series: r.Uint64(), Number: r.Int64()}
				}
				e := schools.Event{ID: id, User: 1 + directory.UserID(r.IntN(1000)), Day: calendar.Date(r.IntN(40000) - 100), Effect: schools.Effect(i % 3)}
				if e.Effect == schools.EffectiveReading {
					e.At, e.MS, e.Book = int32(r.IntN(86400)), r.Int64N(1<<40), r.Int64N(1<<53)
					e.Extent = reading.Interval{From: r.Int64N(1 << 40), To: 1 << 41}
				}
				want = append(want, e)
				if err := s.Add(e); err != nil {
					t.Fatal(err)
				}
			}
			met := map[directory.UserID]bool{}
			for i := range extsort.Partitions {
				batches, err := intake.BatchesOf(&s.Sorter, i, nil, 3)
				if err != nil {
					t.Fatal(err)
				}
				for _, batch := range batches {
					for j, e := range batch {
						if met[e.User] && (j == 0 || batch[j-1].User != e.User) {
							t.Fatalf("the events of user %d are not adjacent", e.User)
						}
						met[e.User] = true
					}
					if len(batch) > 3+20 {
						t.Errorf("a batch of %d events, want about 3 and the rest of a user's", len(batch))
					}
					got = append(got, batch...)
				}
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			byUser := func(a, b schools.Event) int { return cmp.Compare(a.User, b.User) }
			slices.SortStableFunc(got, byUser)
			if slices.SortStableFunc(want, byUser); !slices.Equal(got, want) {
				t.Errorf("the sorter returned %d events, want the %d that were added", len(got), len(want))
			}
		})
	}
}

// TestMoves tests that each call of moved puts events under the accounts of its moves, or drops them.
func TestMoves(t *testing.T) {
	for name, limit := range map[string]int{"in memory": 1 << 30, "spilled often": 40} {
		t.Run(name, func(t *testing.T) {
			s := &intake.Sorter{Sorter: extsort.Sorter{Dir: t.TempDir(), Limit: limit}}
			defer s.Close()
			for user := range directory.UserID(100) {
				if err := s.Add(schools.Event{ID: schools.EventID{Hash: uint64(user)}, User: 1 + user, Effect: schools.Presence}); err != nil {
					t.Fatal(err)
				}
			}
			for _, m := range []intake.Moves{{}, {5: 0}, {5: 90, 7: 90, 9: 0}, {5: 6}, {}} {
				others, err := s.Others(m)
				if err != nil {
					t.Fatal(err)
				}
				left := 100
				for _, to := range m {
					if to == 0 {
						left--
					}
				}
				events := all(t, others, nil)
				for _, e := range events {
					want, moved := m[directory.UserID(e.ID.Hash)+1]
					if !moved {
						want = directory.UserID(e.ID.Hash) + 1
					}
					if e.User != want {
						t.Errorf("moves %v: event %d has the user %d, want %d", m, e.ID.Hash, e.User, want)
					}
				}
				if len(events) != left {
					t.Errorf("moves %v: %d events, want %d", m, len(events), left)
				}
				if err := others.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if events := all(t, &s.Sorter, intake.Moves{5: 0, 9: 0}); len(events) != 98 {
				t.Errorf("without the events of two accounts: %d events, want 98", len(events))
			}
		})
	}
}
