package facts

import (
	"math"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// Titles of version 1 is like one of now, but for these: behind the highest share stand the day of the last session, and for
// each of the two shares that was reached the days from it to the last one; and a loan is its first day alone.

// readFormerPair reads the sessions of a title.
func readFormerPair(d *packed.Decoder) libraries.Pair {
	p := libraries.Pair{Sessions: d.Natural()}
	if p.Sessions == 0 {
		return p
	}
	p.Seconds, p.Highest = d.Natural(), readProgress(d)
	last := ReadDate(d)
	p.Days = []calendar.Date{last}
	if p.Highest >= libraries.Reading10 {
		p.Day10 = readDayBefore(d, last)
		p.Days = append(p.Days, p.Day10)
	}
	if p.Highest >= libraries.Reading50 {
		p.Day50 = readDayBefore(d, last)
		p.Days = append(p.Days, p.Day50)
		d.Check(p.Day10 <= p.Day50)
	}
	slices.Sort(p.Days)
	p.Days = slices.Compact(p.Days)
	d.Check(int64(len(p.Days)) <= p.Sessions)
	return p
}

// readDayBefore reads a day as the number of days to a later one.
func readDayBefore(d *packed.Decoder, later calendar.Date) calendar.Date {
	v := d.Uvarint()
	d.Check(v <= uint64(int64(later)-math.MinInt32))
	return calendar.Date(int64(later) - int64(v))
}

// readFormerLoans reads the loans of a title.
func readFormerLoans(d *packed.Decoder) []calendar.Period {
	n := d.Count(1)
	if n == 0 {
		return nil
	}
	loans := make([]calendar.Period, n)
	for i := range loans {
		loans[i] = calendar.Period{Start: readNextDay(d, loans[max(i-1, 0)].Start, i == 0), End: libraries.Unended}
	}
	return loans
}
