package facts

import (
	"math"
	"slices"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// A Day is one day of a partner: the users with an access (S6), and for each the tenths of a minute of effective reading
// (S3), by rank among the users. It has the engagement rows of the day in the order of the API.
type Day struct {
	Users  Set
	Tenths packed.Fixed
}

// maxUserID bounds the users of a stored day, so that a corrupt one cannot ask for all memory.
const maxUserID = 1 << 32

// Columns declares the stored form.
func (d *Day) Columns(c *packed.Columns) {
	c.Version(formVersion)
	c.Set(&d.Users.words, maxUserID)
	c.Fixed(&d.Tenths, d.Users.Len(), 0, math.MaxInt64)
}

// DayRow is a user's row of a day.
type DayRow struct {
	User   directory.UserID // from 1 on
	Tenths int64
}

// Keep, as the tenths of a row, leaves the tenths that the user had on the day, or 0.
const Keep int64 = -1

// With returns the day with later rows, in any order, in the place of those that the users had.
func (d *Day) With(rows []DayRow) *Day {
	with := &Day{Users: Set{slices.Clone(d.Users.words)}}
	for _, r := range rows {
		with.Users.Add(r.User)
	}
	tenths := make([]int64, 64*len(with.Users.words)) // by user
	rank := 0
	for id := range d.Users.All() {
		tenths[id] = d.Tenths.At(rank)
		rank++
	}
	for _, r := range rows {
		if r.Tenths != Keep {
			tenths[r.User] = r.Tenths
		}
	}
	ranked := tenths[:0] // a rank is below the user
	for id := range with.Users.All() {
		ranked = append(ranked, tenths[id])
	}
	with.Tenths = packed.FixedOf(ranked)
	return with
}

// Attendance has the users of every day with an access, days ascending.
type Attendance struct {
	Days []calendar.Date
	Sets []Set
}

// Bytes returns about the memory that the attendance holds.
func (a *Attendance) Bytes() int {
	n := 28 * cap(a.Days)
	for _, s := range a.Sets {
		n += s.Bytes()
	}
	return n
}

// In returns the attendance of a period.
func (a *Attendance) In(p calendar.Period) Attendance {
	from, _ := slices.BinarySearch(a.Days, p.Start)
	to, _ := slices.BinarySearch(a.Days, p.End+1)
	to = max(from, to)
	return Attendance{a.Days[from:to], a.Sets[from:to]}
}

// TenthsByDay are the tenths of the users of some days.
type TenthsByDay map[calendar.Date]packed.Fixed

// Bytes returns about the memory that the tenths hold.
func (m TenthsByDay) Bytes() int {
	n := 0
	for _, d := range m {
		n += 64 + d.Bytes()
	}
	return n
}
