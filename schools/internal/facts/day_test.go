package facts_test

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/schools/internal/facts"
)

// TestDayWith adds rows of several loads to a day, through its stored form, and compares the result with a map.
func TestDayWith(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := map[directory.UserID]int64{}
		day := &facts.Day{}
		for range rapid.IntRange(1, 4).Draw(t, "loads") {
			var rows []facts.DayRow
			span := rapid.SampledFrom([]int64{10, 500, 100_000}).Draw(t, "span")
			ids := rapid.SliceOfNDistinct(rapid.Int64Range(1, span), 0, 40, func(v int64) int64 { return v }).Draw(t, "users")
			for _, id := range ids {
				row := facts.DayRow{User: directory.UserID(id), Tenths: rapid.SampledFrom([]int64{facts.Keep, 0, 1, 255, 256, 70000}).Draw(t, "tenths")}
				if rows = append(rows, row); row.Tenths != facts.Keep || want[row.User] == 0 {
					want[row.User] = max(0, row.Tenths)
				}
			}
			data := packed.Append(nil, day.With(rows))
			day = &facts.Day{}
			must(t, packed.Open(data, day))
		}
		users := slices.Sorted(maps.Keys(want))
		if day.Users.Len() != len(users) {
			t.Fatalf("%d users, want %v", day.Users.Len(), users)
		}
		for rank, id := range day.Users.All() {
			if id != users[rank] || day.Tenths.At(rank) != want[id] {
				t.Fatalf("user %d of the day = %d with %d tenths, want %d with %d", rank, id, day.Tenths.At(rank), users[rank], want[users[rank]])
			}
		}
	})
}

// TestSetCommon compares Common with counting one by one.
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
