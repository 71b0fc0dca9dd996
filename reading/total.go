package reading

import (
	"cmp"
	"math/bits"
	"slices"
	"time"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// Total is what a record amounts to in a period: a row of the readings.
type Total struct {
	Tenths      int64     // tenths of a minute, the sum of the days' (S3)
	Percent     int64     // hundredths of a percent, from 0 to 10,000 (S4)
	First, Last time.Time // start of the first and of the last effective segment, cut to seconds, in UTC (S5)
	Finished    bool      // whether Percent is 5,000 or more (S4)
}

// finishedPercent is the share from which a book counts as finished (S4), in hundredths of a percent.
const finishedPercent = 50_00

// Total returns what the record amounts to in the period, for a book of the given length; false where no day of the
// record lies in it. Whoever totals many records uses a [Totaller].
func (r Record) Total(p calendar.Period, length int64) (Total, bool) {
	var t Totaller
	return t.Total(r, p, length)
}

// Totaller totals records one after the other without allocating for each. Its zero value is ready; it must not be used
// by two goroutines at once.
type Totaller struct {
	intervals []Interval
}

// Total is [Record.Total].
func (t *Totaller) Total(r Record, p calendar.Period, length int64) (Total, bool) {
	days := r.In(p)
	if len(days) == 0 {
		return Total{}, false
	}
	sum := Total{
		First:   start(days[0].Date, days[0].First),
		Last:    start(days[len(days)-1].Date, days[len(days)-1].Last),
		Percent: Percent(t.covered(days, length), length),
	}
	for i := range days {
		sum.Tenths += days[i].Tenths
	}
	sum.Finished = sum.Percent >= finishedPercent
	return sum, true
}

// start returns the instant at a second of a day.
func start(d calendar.Date, second int32) time.Time {
	return d.Start().Add(time.Duration(second) * time.Second)
}

// covered returns how many units of [0, length] the days cover together.
func (t *Totaller) covered(days []Day, length int64) int64 {
	if len(days) == 1 {
		return days[0].Coverage.Within(length)
	}
	all, sorted := t.intervals[:0], true
	for i := range days {
		c := days[i].Coverage
		sorted = sorted && (len(c) == 0 || len(all) == 0 || all[len(all)-1].From <= c[0].From)
		all = append(all, c...)
	}
	t.intervals = all
	if !sorted { // a part was read again; most books are read forwards, and cost one pass
		slices.SortFunc(all, func(a, b Interval) int { return cmp.Compare(a.From, b.From) })
	}
	n, end := int64(0), int64(0)
	for _, iv := range all { // end is up to where positions are counted already
		if from, to := max(iv.From, end), min(iv.To, length); from < to {
			n += to - from
			end = to
		}
	}
	return n
}

// Percent returns covered x 100 / length in hundredths of a percent, rounded half away from zero, and at most 10,000
// (S4): Percent(1, 3) is 3333, which is 33.33 %. It is 0 where one of the two is not above 0. Nothing overflows.
func Percent(covered, length int64) int64 {
	const whole = 100_00
	if covered <= 0 || length <= 0 {
		return 0
	}
	if covered >= length {
		return whole
	}
	hi, lo := bits.Mul64(uint64(covered), whole)
	percent, rest := bits.Div64(hi, lo, uint64(length))
	if rest >= uint64(length)-rest {
		percent++
	}
	return int64(percent)
}
