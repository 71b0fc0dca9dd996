package facts

import (
	"iter"
	"math"
	"math/bits"
	"slices"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// A Day is one day of a partner: the users with an access (S6), and for each of them the tenths of a minute
// of effective reading (S3). Tenths are by rank, the place of a user among the day's users. So a Day has the
// engagement rows of the day in the order of the API.
type Day struct {
	Users  Set
	Tenths packed.Fixed
}

// maxUserID bounds the users of a stored day, so that a corrupt block cannot ask for all memory.
const maxUserID = 1 << 32

// Columns declares the stored form. It implements [packed.Form].
func (d *Day) Columns(c *packed.Columns) {
	c.Version(formVersion)
	c.Set(&d.Users.words, maxUserID)
	c.Fixed(&d.Tenths, d.Users.Len(), 0, math.MaxInt64)
}

// DayRow is one user's row of a day.
type DayRow struct {
	User   directory.UserID // from 1 on
	Tenths int64
}

// Keep, as the tenths of a row, keeps the tenths that the user already has on the day, or 0. An access
// without new reading has it.
const Keep int64 = -1

// With returns a copy of the day in which the rows, in any order, replace those of the same users. The tenths
// are those of the whole day: they replace the earlier ones and are not added to them.
func (d *Day) With(rows []DayRow) *Day {
	with := &Day{Users: Set{slices.Clone(d.Users.words)}}
	for _, r := range rows {
		with.Users.Add(r.User)
	}
	tenths := make([]int64, 64*len(with.Users.words)) // by user
	for rank, id := range d.Users.All() {
		tenths[id] = d.Tenths.At(rank)
	}
	for _, r := range rows {
		if r.Tenths != Keep {
			tenths[r.User] = r.Tenths
		}
	}
	ranked := tenths[:0] // in place: a user's rank is never above the user's number
	for _, id := range with.Users.All() {
		ranked = append(ranked, tenths[id])
	}
	with.Tenths = packed.FixedOf(ranked)
	return with
}

// Attendance has the users of every day with an access, in ascending order of the days.
type Attendance struct {
	Days []calendar.Date
	Sets []Set
}

// Bytes returns the approximate size in memory, for the cache.
func (a *Attendance) Bytes() int {
	n := 28 * cap(a.Days)
	for _, s := range a.Sets {
		n += s.Bytes()
	}
	return n
}

// In returns the attendance of a period. It shares its memory with a.
func (a *Attendance) In(p calendar.Period) Attendance {
	from, _ := slices.BinarySearch(a.Days, p.Start)
	to, _ := slices.BinarySearch(a.Days, p.End+1)
	to = max(from, to)
	return Attendance{a.Days[from:to], a.Sets[from:to]}
}

// TenthsByDay has the tenths of each day, by rank among the day's users.
type TenthsByDay map[calendar.Date]packed.Fixed

// Bytes returns the approximate size in memory, for the cache.
func (m TenthsByDay) Bytes() int {
	n := 0
	for _, d := range m {
		n += 64 + d.Bytes()
	}
	return n
}

// Set is a set of users, one bit for each number. Users are numbered from 1 on, so a set of n users takes
// about n/8 bytes. The zero Set is empty.
type Set struct{ words []uint64 }

// Add adds a user. A number below 1 is ignored.
func (s *Set) Add(id directory.UserID) {
	if id < 1 {
		return
	}
	w := int(id >> 6)
	for len(s.words) <= w {
		s.words = append(s.words, 0)
	}
	s.words[w] |= 1 << (id & 63)
}

// Has reports whether the user is in the set.
func (s Set) Has(id directory.UserID) bool {
	w := id >> 6
	return id > 0 && w < directory.UserID(len(s.words)) && s.words[w]&(1<<(id&63)) != 0
}

// Join adds the users of another set.
func (s *Set) Join(t Set) {
	s.words = append(s.words, make([]uint64, max(len(t.words)-len(s.words), 0))...)
	for i, w := range t.words {
		s.words[i] |= w
	}
}

// Len returns the number of users.
func (s Set) Len() int { return s.Common(s) }

// Equal reports whether both sets have the same users.
func (s Set) Equal(t Set) bool { return s.Len() == t.Len() && s.Common(t) == s.Len() }

// Common returns the number of users that are in both sets. It does not allocate.
func (s Set) Common(t Set) int {
	n := min(len(s.words), len(t.words))
	a, b := s.words[:n], t.words[:n]
	count := 0
	for i, w := range a {
		count += bits.OnesCount64(w & b[i])
	}
	return count
}

// All yields the users, ascending, each with its rank.
func (s Set) All() iter.Seq2[int, directory.UserID] { return s.Ranked(s, 0) }

// Ranked yields the users that are in both sets, ascending, each with its rank among all users of s. It skips
// the first skip of them, a word of 64 users at a time, so a late page costs little more than the first.
func (s Set) Ranked(t Set, skip int) iter.Seq2[int, directory.UserID] {
	return func(yield func(int, directory.UserID) bool) {
		rank := 0
		for i := 0; i < min(len(s.words), len(t.words)); i++ {
			own := s.words[i]
			both := own & t.words[i]
			if n := bits.OnesCount64(both); n <= skip {
				skip -= n
				rank += bits.OnesCount64(own)
				continue
			}
			for ; both != 0; both &= both - 1 {
				if skip > 0 {
					skip--
					continue
				}
				bit := bits.TrailingZeros64(both)
				below := bits.OnesCount64(own & (1<<bit - 1))
				if !yield(rank+below, directory.UserID(i<<6+bit)) {
					return
				}
			}
			rank += bits.OnesCount64(own)
		}
	}
}

// Bytes returns the size in memory.
func (s Set) Bytes() int { return 8 * cap(s.words) }
