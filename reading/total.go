package reading

import (
	"cmp"
	"math/bits"
	"slices"
	"time"

	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/decimal"
)

// Total is what a record amounts to in a period: a row of the readings.
type Total struct {
	Minutes     Minutes   // the sum of the days' (S3)
	Percent     Percent   // of the book, from 0 to 100.00 (S4)
	First, Last time.Time // start of the first and of the last effective segment, cut to seconds, in UTC (S5)
	Finished    bool      // whether Percent is 50.00 or more (S4)
}

// Percent is a share of a book in hundredths of a percent, as it is reported (S4): Percent(4501) is 45.01.
type Percent int64

// String returns the percentage as an answer shows it, with two decimals: 45.01.
func (p Percent) String() string { return decimal.Fixed(int64(p), 2) }

// MarshalJSON returns the number that String shows. It implements [json.Marshaler].
func (p Percent) MarshalJSON() ([]byte, error) { return []byte(p.String()), nil }

// Finished reports whether a book of which that share was read is finished: it is from 50 percent on, taken on the
// reported number (S4).
func (p Percent) Finished() bool { return p >= 50_00 }

// Total returns what the record amounts to in the period, for a book of the given length; false where no day of the
// record lies in it. Whoever totals many records uses a [Totaller].
func (r Record) Total(p calendar.Period, length int64) (Total, bool) {
	var t Totaller
	return t.Total(r, p, length)
}

// Totaller totals records one after the other without allocating for each. Its zero value is ready; it must not be used
// by two goroutines at once.
type Totaller struct {
	day       Day
	intervals []Interval
	sorted    bool // intervals ascend by where they begin
}

// Total is [Record.Total].
func (t *Totaller) Total(r Record, p calendar.Period, length int64) (Total, bool) {
	var sum Total
	t.intervals, t.sorted = t.intervals[:0], true
	days := r.In(p)
	for i := range days {
		t.add(&sum, &days[i])
	}
	return t.end(sum, length), len(days) > 0
}

// TotalBinary is Total of the record whose binary form is data, which it reads day by day and up to the end of the period
// alone. The error is [ErrCorrupt], as far as it reads.
func (t *Totaller) TotalBinary(data []byte, p calendar.Period, length int64) (Total, bool, error) {
	d, n, err := newDecoder(data)
	if err != nil {
		return Total{}, false, err
	}
	var sum Total
	t.intervals, t.sorted = t.intervals[:0], true
	found := false
	for i := range n {
		if d.day(&t.day, i == 0); d.Bad() {
			return Total{}, false, d.end(data)
		}
		if t.day.Date > p.End {
			return t.end(sum, length), found, nil
		}
		if t.day.Date >= p.Start {
			found = true
			t.add(&sum, &t.day)
		}
	}
	return t.end(sum, length), found, d.end(data)
}

// add adds a day, which follows those added before.
func (t *Totaller) add(sum *Total, d *Day) {
	if sum.First.IsZero() {
		sum.First = d.Date.At(d.First)
	}
	sum.Last = d.Date.At(d.Last)
	sum.Minutes += d.Minutes
	if c, n := d.Coverage, len(t.intervals); len(c) > 0 && n > 0 && c[0].From < t.intervals[n-1].From {
		t.sorted = false
	}
	t.intervals = append(t.intervals, d.Coverage...)
}

// end completes a total: the days' intervals are merged once.
func (t *Totaller) end(sum Total, length int64) Total {
	sum.Percent = PercentOf(t.covered(length), length)
	sum.Finished = sum.Percent.Finished()
	return sum
}

// covered returns how many units of [0, length] the intervals cover together.
func (t *Totaller) covered(length int64) int64 {
	if !t.sorted { // a part was read again; most books are read forwards, and cost one pass
		slices.SortFunc(t.intervals, func(a, b Interval) int { return cmp.Compare(a.From, b.From) })
	}
	n, end := int64(0), int64(0)
	for _, iv := range t.intervals { // end is up to where positions are counted already
		if from, to := max(iv.From, end), min(iv.To, length); from < to {
			n += to - from
			end = to
		}
	}
	return n
}

// PercentOf returns covered x 100 / length, rounded half away from zero to two decimals, and at most 100.00 (S4):
// PercentOf(1, 3) is 33.33. It is 0 where one of the two is not above 0. Nothing overflows.
func PercentOf(covered, length int64) Percent {
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
	return Percent(percent)
}
