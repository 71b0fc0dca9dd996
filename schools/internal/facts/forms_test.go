package facts_test

import (
	"bytes"
	"cmp"
	"errors"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/reading/spill"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/intake"
	"github.com/lectern-dev/lectern/schools/internal/facts"
)

// TestSheetMerge compares merging days with a map, and the stored forms with what went in.
func TestSheetMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := map[directory.UserID]int64{}
		sheet := facts.Sheet{}
		for range rapid.IntRange(1, 4).Draw(t, "loads") {
			later := facts.Sheet{}
			span := rapid.SampledFrom([]int64{10, 500, 100_000}).Draw(t, "span")
			ids := rapid.SliceOfNDistinct(rapid.Int64Range(1, span), 0, 40, func(v int64) int64 { return v }).Draw(t, "users")
			for _, id := range ids {
				tenths := rapid.SampledFrom([]int64{facts.Keep, 0, 1, 255, 256, 70000}).Draw(t, "tenths")
				later.Users, later.Tenths = append(later.Users, directory.UserID(id)), append(later.Tenths, tenths)
				if tenths != facts.Keep || want[directory.UserID(id)] == 0 {
					want[directory.UserID(id)] = max(0, tenths)
				}
			}
			sheet = sheet.Merge(later.Sorted())
		}
		back, err := facts.ParseSheet(sheet.AppendPresence(nil), sheet.AppendMinutes(nil))
		must(t, err)
		if !slices.Equal(back.Users, slices.Sorted(maps.Keys(want))) {
			t.Fatalf("users = %v, want %v", back.Users, slices.Sorted(maps.Keys(want)))
		}
		for i, id := range back.Users {
			if back.Tenths[i] != want[id] {
				t.Fatalf("tenths of %d = %d, want %d", id, back.Tenths[i], want[id])
			}
		}
	})
}

// TestSetCommon counts what two sets share the slow way.
func TestSetCommon(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gen := rapid.SliceOfDistinct(rapid.Int64Range(1, 400), func(v int64) int64 { return v })
		a, b := gen.Draw(t, "a"), gen.Draw(t, "b")
		var s, u facts.Set
		for _, id := range a {
			s.Add(directory.UserID(id))
		}
		want := 0
		for _, id := range b {
			u.Add(directory.UserID(id))
			if slices.Contains(a, id) {
				want++
			}
			if s.Has(directory.UserID(id)) != slices.Contains(a, id) {
				t.Fatalf("Has(%d) = %t", id, s.Has(directory.UserID(id)))
			}
		}
		if s.Common(u) != want || u.Common(s) != want || s.Len() != len(a) {
			t.Fatalf("Common = %d and %d, Len = %d, want %d, %d", s.Common(u), u.Common(s), s.Len(), want, len(a))
		}
	})
}

// TestPileKeepsEvents puts events on a pile that spills and takes them back: all of them, a user's in their order.
func TestPileKeepsEvents(t *testing.T) {
	for name, limit := range map[string]int{"in memory": 1 << 30, "spilt often": 400} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			p := &intake.Pile{Pile: spill.Pile{Dir: t.TempDir(), Limit: limit}}
			var want []schools.Event
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
				if err := p.Add(e); err != nil {
					t.Fatal(err)
				}
			}
			var got []schools.Event
			where := map[directory.UserID][2]int{} // part and batch
			for i := range p.Parts() {
				batches := 0
				for _, batch := range partOf(t, p, i) {
					for _, e := range batch {
						if at, ok := where[e.User]; ok && at != [2]int{i, batches} {
							t.Fatalf("user %d is in the parts and batches %d and %d", e.User, at, [2]int{i, batches})
						}
						where[e.User] = [2]int{i, batches}
					}
					if batches++; len(batch) > 3+20 {
						t.Errorf("a batch of %d events, want 3, or those of a user beside", len(batch))
					}
					got = append(got, batch...)
				}
			}
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
			byUser := func(a, b schools.Event) int { return cmp.Compare(a.User, b.User) }
			slices.SortStableFunc(got, byUser)
			if slices.SortStableFunc(want, byUser); !slices.Equal(got, want) {
				t.Errorf("the pile gave back %d events that differ from the %d put on it", len(got), len(want))
			}
		})
	}
}

// partOf are the events of a part of a pile, in batches of three and those of a user.
func partOf(t *testing.T, p *intake.Pile, i int) (batches [][]schools.Event) {
	part, err := p.Part(i)
	if err != nil {
		t.Fatal(err)
	}
	for batch := range part.Batches(3) {
		batches = append(batches, slices.Clone(batch))
	}
	return batches
}

// TestPileMoves moves a pile's events, again and again: each time they are where the last moves put them, or nowhere.
func TestPileMoves(t *testing.T) {
	for name, limit := range map[string]int{"in memory": 1 << 30, "spilt often": 40} {
		t.Run(name, func(t *testing.T) {
			p := &intake.Pile{Pile: spill.Pile{Dir: t.TempDir(), Limit: limit, Keep: true}}
			for user := range directory.UserID(100) {
				if err := p.Add(schools.Event{ID: schools.EventID{Hash: uint64(user)}, User: 1 + user, Effect: schools.Presence}); err != nil {
					t.Fatal(err)
				}
			}
			for _, m := range []intake.Moves{{}, {5: 0}, {5: 90, 7: 90, 9: 0}, {5: 6}, {}} {
				if err := p.Move(m); err != nil {
					t.Fatal(err)
				}
				events := 0
				for i := range p.Parts() {
					for _, e := range slices.Concat(partOf(t, p, i)...) {
						want, moved := m[directory.UserID(e.ID.Hash)+1]
						if !moved {
							want = directory.UserID(e.ID.Hash) + 1
						}
						if e.User != want || want == 0 {
							t.Errorf("moved as %v: event %d is of user %d, want %d", m, e.ID.Hash, e.User, want)
						}
						events++
					}
				}
				for _, to := range m {
					if to == 0 {
						events++
					}
				}
				if events != 100 {
					t.Errorf("moved as %v: %d events and dropped ones, want 100", m, events)
				}
			}
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestPileIsBounded piles up many times its limit, user by user as an export ordered by account would: it holds about the
// limit, and no part has more than its share of neighbours, a block of users.
func TestPileIsBounded(t *testing.T) {
	const limit = 1 << 20
	p := &intake.Pile{Pile: spill.Pile{Dir: t.TempDir(), Limit: limit}}
	defer p.Close()
	most := 0
	for user := range directory.UserID(2000) {
		for i := range 300 {
			if err := p.Add(schools.Event{ID: schools.EventID{Hash: uint64(i)}, User: 700_000 + user, Day: 20000, Effect: schools.Presence}); err != nil {
				t.Fatal(err)
			}
		}
		most = max(most, p.Held())
	}
	if most > 3*limit {
		t.Errorf("the pile held %d bytes at most, want about its limit of %d", most, limit)
	}
	for i := range p.Parts() {
		if events := slices.Concat(partOf(t, p, i)...); len(events) > 128*300 {
			t.Fatalf("part %d has %d events of %d in all", i, len(events), 2000*300)
		}
	}
}

// FuzzForms holds every stored form to three laws: bad bytes are packed.ErrCorrupt and never a panic, what is read is written
// back the same where one form is ours alone, and a form never asks for memory out of proportion.
func FuzzForms(f *testing.F) {
	leaf := []byte{1, 6, 2, 1, 0, 6, 2, 0, 0, 9, 0, 16, 0, 0, 0}
	sheet := facts.Sheet{Users: []directory.UserID{1, 2, 3, 900}, Tenths: []int64{0, 5, 1000, 2}}
	var seen facts.Seen
	seen.Add(20000, []schools.EventID{{Hash: 3}, {Series: 9, Number: 7}, {Hash: 2}, {Series: 9, Number: 5}})
	f.Add(leaf, sheet.AppendPresence(nil), sheet.AppendMinutes(nil), seen.AppendBinary(nil))
	f.Fuzz(func(t *testing.T, leaf, presence, minutes, seen []byte) {
		if back, err := facts.RewriteLeaf(628, leaf); err == nil && !bytes.Equal(back, leaf) {
			t.Errorf("leaf %x is written back as %x", leaf, back)
		} else if err != nil && !errors.Is(err, packed.ErrCorrupt) {
			t.Errorf("leaf: %v", err)
		}
		if s, err := facts.ParseSheet(presence, minutes); err == nil {
			back, err := facts.ParseSheet(s.AppendPresence(nil), s.AppendMinutes(nil))
			if err != nil || !slices.Equal(back.Users, s.Users) || !slices.Equal(back.Tenths, s.Tenths) {
				t.Errorf("sheet read back = %v, %v, want %v", back, err, s)
			}
		} else if !errors.Is(err, packed.ErrCorrupt) {
			t.Errorf("ParseSheet: %v", err)
		}
		var s facts.Seen
		if err := s.UnmarshalBinary(seen); err == nil {
			var again facts.Seen
			back := s.AppendBinary(nil)
			if err := again.UnmarshalBinary(back); err != nil || !reflect.DeepEqual(again, s) || !bytes.Equal(back, seen) {
				t.Errorf("seen %x is written back as %x", seen, back)
			}
		} else if !errors.Is(err, packed.ErrCorrupt) {
			t.Errorf("seen: %v", err)
		}
	})
}
