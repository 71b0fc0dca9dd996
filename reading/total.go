package reading

import (
	"cmp"
	"math/bits"
	"slices"
	"time"

	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/decimal"
)

// Total is the sum of a record in a period: a row of the readings.
type Total struct {
	Minutes     Minutes   // sum of the days (S3)
	Percent     Percent   // of the book, from 0 to 100.00 (S4)
	First, Last time.Time // start of the first and of the last effective segment, cut to seconds, in UTC (S5)
	Finished    bool      // whether Percent is 50.00 or more (S4)
}

// Percent is a share of a book in hundredths of a percent, as it is reported (S4): Percent(4501) is 45.01.
type Percent int64

// String returns the percentage with two decimals, as an answer shows it: 45.01.
func (p Percent) String() string { return decimal.Fixed(int64(p), 2) }

// MarshalJSON returns the number of String. It implements [json.Marshaler].
func (p Percent) MarshalJSON() ([]byte, error) { return []byte(p.String()), nil }

// Finished reports whether a book is finished of which this share was read: from the reported 50 percent on (S4).
func (p Percent) Finished() bool { return p >= 50_00 }

// Total returns the sum of the record in the period, for a book of the given length. ok is false if the record has no
// day in it. Use a [Totaller] for many records.
func (r Record) Total(p calendar.Period, length int64) (Total, bool) {
	var t Totaller
	return t.Total(r, p, length)
}

// Totaller adds up records one after the other without allocating for each. The zero value is ready. It must not be
// used by several goroutines at once.
type Totaller struct {
	day       Day
	intervals []Interval
	sorted    bool // intervals ascend by From
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

// TotalBinary is Total for the record whose binary form is data. It decodes day by day, and stops after the period. The
// error is [ErrCorrupt] if what it reads is corrupt.
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

// add adds a day, in ascending order.
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

// end merges the intervals of all days and completes a total.
func (t *Totaller) end(sum Total, length int64) Total {
	sum.Percent = PercentOf(t.covered(length), length)
	sum.Finished = sum.Percent.Finished()
	return sum
}

// covered returns how many units of [0, length] the intervals cover.
func (t *Totaller) covered(length int64) int64 {
	if !t.sorted { // part of the book was read again
		slices.SortFunc(t.intervals, func(a, b Interval) int { return cmp.Compare(a.From, b.From) })
	}
	n, end := int64(0), int64(0)
	for _, iv := range t.intervals { // positions below end are counted
		if from, to := max(iv.From, end), min(iv.To, length); from < to {
			n += to - from
			end = to
		}
	}
	return n
}

// PercentOf returns covered x 100 / length, rounded half away from zero to two decimals, and at most 100.00 (S4):
// PercentOf(1, 3) is 33.33. It is 0 unless both are positive. It does not overflow.
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
