package facts_test

import (
	"cmp"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools/internal/facts"
)

// savedIndex is an index and its stored blocks, as a database has them between loads.
type savedIndex struct {
	*facts.Index
	stored map[snapshot.BlockKey][]byte
	t      *rapid.T
}

func newSavedIndex(t *rapid.T) *savedIndex {
	return &savedIndex{&facts.Index{}, map[snapshot.BlockKey][]byte{}, t}
}

// put writes the blocks of a load, reads all blocks back, and returns the keys of those that were written.
func (s *savedIndex) put(p *snapshot.Puts) (written []snapshot.BlockKey) {
	changes := snapshot.WrittenOf(1, p).Changes
	for _, c := range changes {
		for row := range c.Put {
			b := snapshot.Block{BlockKey: snapshot.BlockKey{A: row[1].(int64), B: row[2].(int64)}, Data: row[5].([]byte)}
			data, err := snapshot.Unseal(1, facts.IndexKind, b)
			must(s.t, err)
			s.stored[b.BlockKey], written = slices.Clone(data), append(written, b.BlockKey)
		}
	}
	s.Index = &facts.Index{}
	byKey := func(x, y snapshot.BlockKey) int { return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B)) }
	for _, k := range slices.SortedFunc(maps.Keys(s.stored), byKey) {
		must(s.t, s.AddPage(k, s.stored[k]))
	}
	return written
}

// load replaces the indexes of users of a block, and returns the keys of the blocks that were written.
func (s *savedIndex) load(block int64, changed map[directory.UserID]facts.UserIndex) []snapshot.BlockKey {
	p := &snapshot.Puts{Kind: facts.IndexKind}
	s.Put(p, block, changed)
	return s.put(p)
}

// indexOf returns the index of one user, 7, through its stored form.
func indexOf(t *rapid.T, l facts.UserIndex) *facts.Index {
	s := newSavedIndex(t)
	s.load(0, map[directory.UserID]facts.UserIndex{7: l})
	return s.Index
}

// model has the days on which each user read each book.
type model map[directory.UserID]map[int64]map[calendar.Date]bool

func (m model) add(id directory.UserID, books []facts.BookDays) {
	if m[id] == nil {
		m[id] = map[int64]map[calendar.Date]bool{}
	}
	for _, b := range books {
		if m[id][b.Book] == nil {
			m[id][b.Book] = map[calendar.Date]bool{}
		}
		for _, d := range b.Days {
			m[id][b.Book][d] = true
		}
	}
}

// in returns the books that a user read in the period. It looks at every day.
func (m model) in(id directory.UserID, p calendar.Period) (books []int64) {
	for _, book := range slices.Sorted(maps.Keys(m[id])) {
		for day := range m[id][book] {
			if p.Contains(day) {
				books = append(books, book)
				break
			}
		}
	}
	return books
}

// unpacked returns the books of a user with their days.
func (m model) unpacked(id directory.UserID) (books []facts.BookDays) {
	for _, book := range slices.Sorted(maps.Keys(m[id])) {
		books = append(books, facts.BookDays{Book: book, Days: slices.Sorted(maps.Keys(m[id][book]))})
	}
	return books
}

func someBooks(t *rapid.T) []facts.BookDays {
	m := map[int64]bool{}
	for range rapid.IntRange(1, 5).Draw(t, "books") {
		m[rapid.SampledFrom([]int64{0, 1, 2, 3, 90, 1 << 53}).Draw(t, "book")] = true
	}
	var books []facts.BookDays
	for _, book := range slices.Sorted(maps.Keys(m)) {
		days := rapid.SliceOfNDistinct(someDay, 1, 8, func(d calendar.Date) calendar.Date { return d }).Draw(t, "days")
		slices.Sort(days)
		books = append(books, facts.BookDays{Book: book, Days: days})
	}
	return books
}

// someDay draws a day of few months, some before 1970, or one of two far away.
var someDay = rapid.OneOf(
	rapid.Map(rapid.Int32Range(-40, 140), func(d int32) calendar.Date { return calendar.Date(d) }),
	rapid.SampledFrom([]calendar.Date{-700_000, 30_000}),
)

// TestIndexCountsAnyPeriod adds days load by load, late ones too, and compares what the indexes say of any period with
// a count of all days.
func TestIndexCountsAnyPeriod(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, m := newSavedIndex(t), model{}
		someUser := rapid.SampledFrom([]directory.UserID{1, 2, 127, 128, 300})
		for range rapid.IntRange(0, 4).Draw(t, "loads") {
			id, more := someUser.Draw(t, "user"), someBooks(t)
			m.add(id, more)
			before := s.Index
			s.load(facts.IndexBlock(id), map[directory.UserID]facts.UserIndex{id: s.User(id).With(facts.NewUserIndex(more))})
			for id := range m {
				same := slices.EqualFunc(before.User(id).Unpack(), s.User(id).Unpack(), equalBooks)
				if before.Same(s.Index, id) != same || s.Same(before, id) != same {
					t.Fatalf("Same of user %d before and after = %t, want %t", id, !same, same)
				}
			}
		}
		for id := range m {
			if got, want := s.User(id).Unpack(), m.unpacked(id); !slices.EqualFunc(got, want, equalBooks) {
				t.Fatalf("index of user %d = %v, want %v", id, got, want)
			}
		}
		ids := slices.Sorted(maps.Keys(m))
		for range 5 {
			p := calendar.Period{Start: someDay.Draw(t, "start"), End: someDay.Draw(t, "end")}
			counts := s.Count(ids, p)
			for i, id := range ids {
				if got, want := s.Books(id, p), m.in(id, p); counts[i] != len(want) || !slices.Equal(got, want) {
					t.Fatalf("Books of user %d in %v = %v (count %d), want %v", id, p, got, counts[i], want)
				}
			}
			within := true
			for id := range m {
				for _, b := range m.unpacked(id) {
					within = within && p.Contains(b.Days[0]) && p.Contains(b.Days[len(b.Days)-1])
				}
			}
			if got := s.Within(p); got != within {
				t.Fatalf("Within(%v) = %t, want %t", p, got, within)
			}
		}
	})
}

func equalBooks(a, b facts.BookDays) bool { return a.Book == b.Book && slices.Equal(a.Days, b.Days) }

// TestIndexWritesOnlyChanges tests that a load writes only the pages of its days, and the next page if it is late.
func TestIndexWritesOnlyChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSavedIndex(t)
		day := func(page calendar.Date) []facts.BookDays {
			return []facts.BookDays{{Book: 1, Days: []calendar.Date{32*page + 3}}}
		}
		user := func(id directory.UserID, more []facts.BookDays) map[directory.UserID]facts.UserIndex {
			return map[directory.UserID]facts.UserIndex{id: s.User(id).With(facts.NewUserIndex(more))}
		}
		for _, load := range []struct {
			user directory.UserID
			days []facts.BookDays
			want []int64
		}{
			{1, day(10), []int64{10}},
			{2, day(10), []int64{10}},
			{2, day(11), []int64{11}},
			{2, day(13), []int64{13}},
			{1, day(13), []int64{13}},
			{2, day(12), []int64{12, 13}}, // page 13 has the day on which the book was last read before it
			{2, day(12), nil},
			{3, day(9), []int64{9}},
			{3, []facts.BookDays{{Book: 1, Days: []calendar.Date{32*9 + 2}}}, []int64{9}},
			{200, day(10), []int64{10}},
		} {
			var got []int64
			for _, k := range s.load(facts.IndexBlock(load.user), user(load.user, load.days)) {
				got = append(got, k.B)
			}
			if !slices.Equal(got, load.want) {
				t.Fatalf("days %v of user %d: pages written = %v, want %v", load.days, load.user, got, load.want)
			}
		}
	})
}
