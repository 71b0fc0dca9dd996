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
	// Read reports whether anything has been added; where it is false, all fields but Date are zero. It is needed
	// because a segment of no duration and no extent that starts at midnight is effective and leaves them zero too.
	Read bool
	// First and Last are the seconds of the Brasilia day, from 0 to 86,399, at which the first and the last segment
	// start (S5).
	First, Last int32
	MS          int64 // milliseconds
	// Minutes are what S3 gives to the book. They depend on the day's other books, so Add leaves them as they are:
	// whoever adds to a day shares it out anew with AppendDayMinutes.
	Minutes  Minutes
	Coverage Coverage
}

// Add adds one effective segment: the second of the day at which it starts, its duration and what it read. An iv without
// extent counts in time only (S2), and what lies before position 0 is left out. Minutes stay as they are.
func (d *Day) Add(at int32, durationMS int64, iv Interval) {
	if !d.Read {
		d.Read, d.First, d.Last = true, at, at
	}
	d.First, d.Last = min(d.First, at), max(d.Last, at)
	d.MS += durationMS
	d.Coverage = d.Coverage.Add(Interval{max(iv.From, 0), iv.To})
}

// Merge adds what another part of the same day has; an e that nothing was added to changes nothing. Milliseconds and
// tenths are summed, so that the parts must have no segment in common, and so that the tenths must be shared out anew
// where both parts have time. d shares nothing with e afterwards, and keeps its Date.
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
// The zero Record has none.
type Record struct{ Days []Day }

// Merge adds a part of a day to the record, as [Day.Merge] does where the record has that day already. A day that nothing
// was added to is left out. The record shares nothing with d afterwards.
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

// search returns the place of the first day that is not before date.
func (r Record) search(date calendar.Date) int {
	n := len(r.Days)
	if n == 0 || r.Days[n-1].Date < date { // most segments arrive in the order of days
		return n
	}
	return sort.Search(n, func(i int) bool { return r.Days[i].Date >= date })
}

// In returns the days of the record that lie in the period. They are a part of r.Days.
func (r Record) In(p calendar.Period) []Day {
	days := r.Days[r.search(p.Start):]
	n, _ := slices.BinarySearchFunc(days, int64(p.End)+1, func(d Day, end int64) int { return cmp.Compare(int64(d.Date), end) })
	return days[:n]
}
