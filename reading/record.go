package reading

import (
	"cmp"
	"slices"
	"sort"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// Day is one reader's effective reading of one book on one day. Before its first segment only Date is set.
type Day struct {
	Date calendar.Date
	// Read reports whether a segment was added. It is needed because a segment without duration and extent that starts
	// at midnight is effective, and leaves all other fields zero.
	Read bool
	// First and Last are the seconds of the day in Brasilia, from 0 to 86,399, at which the first and the last segment
	// start (S5).
	First, Last int32
	MS          int64 // milliseconds
	// Minutes are the book's share of the reader's day (S3). They depend on the other books of the day, so Add does not
	// change them: call AppendDayMinutes after adding.
	Minutes  Minutes
	Coverage Coverage
}

// Add adds one effective segment: the second of the day at which it starts, its duration and its interval. An empty
// interval counts in time only (S2). Positions below 0 do not count. Minutes do not change.
func (d *Day) Add(at int32, durationMS int64, iv Interval) {
	if !d.Read {
		d.Read, d.First, d.Last = true, at, at
	}
	d.First, d.Last = min(d.First, at), max(d.Last, at)
	d.MS += durationMS
	d.Coverage = d.Coverage.Add(Interval{max(iv.From, 0), iv.To})
}

// Merge adds another part of the same day. An e without segments changes nothing. Merge adds up milliseconds and
// tenths, so the parts must have no segment in common, and the tenths must be distributed again if both parts have
// time. d keeps its Date, and shares no memory with e.
func (d *Day) Merge(e Day) {
	if !e.Read {
		return
	}
	if !d.Read {
		d.Read, d.First, d.Last = true, e.First, e.Last
	}
	d.First, d.Last = min(d.First, e.First), max(d.Last, e.Last)
	d.MS += e.MS
	d.Minutes += e.Minutes
	d.Coverage = d.Coverage.Union(e.Coverage)
}

// Record is what one reader read of one book: the days with effective reading, ascending, each once and with Read set.
type Record struct{ Days []Day }

// Merge adds a part of a day, as [Day.Merge] does if the record has that day. A day without segments changes nothing.
// The record shares no memory with d.
func (r *Record) Merge(d Day) {
	if !d.Read {
		return
	}
	i := r.search(d.Date)
	if i == len(r.Days) || r.Days[i].Date != d.Date {
		r.Days = slices.Insert(r.Days, i, Day{Date: d.Date})
	}
	r.Days[i].Merge(d)
}

// search returns the index of the first day that is not before date.
func (r Record) search(date calendar.Date) int {
	n := len(r.Days)
	if n == 0 || r.Days[n-1].Date < date { // nearly always: segments arrive in the order of days
		return n
	}
	return sort.Search(n, func(i int) bool { return r.Days[i].Date >= date })
}

// In returns the days of the record in the period, as a part of r.Days.
func (r Record) In(p calendar.Period) []Day {
	days := r.Days[r.search(p.Start):]
	n, _ := slices.BinarySearchFunc(days, int64(p.End)+1, func(d Day, end int64) int { return cmp.Compare(int64(d.Date), end) })
	return days[:n]
}
