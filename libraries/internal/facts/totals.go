package facts

import (
	"encoding/binary"
	"slices"
	"unsafe"

	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// DayTotals are all totals of a day. DistinctBooks is 0: it does not sum.
type DayTotals struct {
	Readers int64 // rows of engagements; rows of logins are the metric Logins
	Sums    metric.Measures
	Counts  metric.DayCounts
}

// Days are the totals of all days that have any, by date.
type Days struct {
	Dates  []calendar.Date
	Totals []DayTotals
}

// Bytes returns the memory that the totals hold.
func (d *Days) Bytes() int {
	return cap(d.Dates)*int(unsafe.Sizeof(calendar.Date(0))) + cap(d.Totals)*int(unsafe.Sizeof(DayTotals{}))
}

// In returns the days of a period; they share their memory with d.
func (d *Days) In(p calendar.Period) Days {
	from, _ := slices.BinarySearch(d.Dates, p.Start)
	to, found := slices.BinarySearch(d.Dates, p.End)
	if found {
		to++
	}
	if from >= to {
		return Days{}
	}
	return Days{Dates: d.Dates[from:to:to], Totals: d.Totals[from:to:to]}
}

const totalsVersion = 1

// AppendBinary appends the stored form: a byte for the version, then as varints the number of readers, each sum but
// DistinctBooks, in the order of the metrics, and each count, in the order of DayCounts.
func (t *DayTotals) AppendBinary(b []byte) []byte {
	b = append(b, totalsVersion)
	b = binary.AppendUvarint(b, uint64(t.Readers))
	for m, sum := range t.Sums {
		if metric.Metric(m) != metric.DistinctBooks {
			b = binary.AppendUvarint(b, uint64(sum))
		}
	}
	for _, n := range countsOf(&t.Counts) {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return b
}

// ParseDayTotals unpacks the Totals of a day's forms. The error is [packed.ErrCorrupt].
func ParseDayTotals(data []byte) (DayTotals, error) {
	d := packed.NewDecoder(data, totalsVersion)
	t := DayTotals{Readers: d.Natural()}
	for m := range t.Sums {
		if metric.Metric(m) != metric.DistinctBooks {
			t.Sums[m] = d.Natural()
		}
	}
	var counts [dayCounts]int64
	for i := range counts {
		counts[i] = d.Natural()
	}
	setCounts(&t.Counts, &counts)
	if err := d.End(); err != nil {
		return DayTotals{}, err
	}
	return t, nil
}

// dayCounts is how many numbers DayCounts have: six, and one for each status but none.
const dayCounts = 6 + len(metric.DayCounts{}.LoansByStatus) - 1 + len(metric.DayCounts{}.ReservationsByStatus) - 1

// countsOf returns the numbers, in their order. Nothing is counted of a status that is none.
func countsOf(c *metric.DayCounts) (list [dayCounts]int64) {
	list[0], list[1], list[2], list[3] = c.OnlineSessions, c.OfflineSessions, c.OnlineSeconds, c.OfflineSeconds
	list[4], list[5] = c.Cancelled, c.Lost
	n := copy(list[6:], c.LoansByStatus[1:])
	copy(list[6+n:], c.ReservationsByStatus[1:])
	return list
}

// setCounts takes the numbers back from a list.
func setCounts(c *metric.DayCounts, list *[dayCounts]int64) {
	c.OnlineSessions, c.OfflineSessions, c.OnlineSeconds, c.OfflineSeconds = list[0], list[1], list[2], list[3]
	c.Cancelled, c.Lost = list[4], list[5]
	n := copy(c.LoansByStatus[1:], list[6:])
	copy(c.ReservationsByStatus[1:], list[6+n:])
}
