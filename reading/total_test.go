package reading_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
)

func TestPercent(t *testing.T) {
	for _, test := range []struct {
		rule            string
		covered, length int64
		want            reading.Percent
	}{
		{"nothing", 0, 100, 0},
		{"all of one unit", 1, 1, 10_000},
		{"all", 100, 100, 10_000},
		{"at most 100 %", 101, 100, 10_000},
		{"two decimals, down", 1, 3, 3_333},
		{"two decimals, up", 2, 3, 6_667},
		{"half away from zero", 1, 20_000, 1},
		{"just below half", 1, 20_001, 0},
		{"a half further up", 12_345, 20_000, 6_173},
		{"49.99 %", 4_999, 10_000, 4_999},
		{"49.994 % is 49.99", 49_994, 100_000, 4_999},
		{"49.995 % is 50.00", 49_995, 100_000, 5_000},
		{"50 %", 1, 2, 5_000},
		{"99.994 % is not all", 99_994, 100_000, 9_999},
		{"99.995 % shows as all", 99_995, 100_000, 10_000},
		{"no length", 5, 0, 0},
		{"a length below 0", 5, -10, 0},
		{"covered below 0", -5, 10, 0},
		{"the largest book", math.MaxInt64/2 + 1, math.MaxInt64, 5_000},
		{"all but one unit of the largest book", math.MaxInt64 - 1, math.MaxInt64, 10_000},
		{"a length of 2^53", 1 << 52, 1 << 53, 5_000},
	} {
		if got := reading.PercentOf(test.covered, test.length); got != test.want {
			t.Errorf("%s: PercentOf(%d, %d) = %v, want %v", test.rule, test.covered, test.length, got, test.want)
		}
	}
}

// example returns the record of the package's example, March and April.
func example() (r reading.Record, march, april calendar.Period) {
	day := reading.Day{Date: calendar.MustParse("2026-03-02")}
	day.Add(10*3600, 600_000, reading.Interval{From: 0, To: 3000})
	day.Add(11*3600, 500_000, reading.Interval{From: 2000, To: 4500})
	day.Add(11*3600+600, 3_000, reading.Interval{From: 4500, To: 4501})
	day.Minutes = 184
	r.Merge(day)
	day = reading.Day{Date: calendar.MustParse("2026-04-30"), Minutes: 10}
	day.Add(23*3600, 60_000, reading.Interval{From: 4501, To: 5001})
	r.Merge(day)
	march = calendar.Period{Start: calendar.MustParse("2026-03-01"), End: calendar.MustParse("2026-03-31")}
	april = calendar.Period{Start: calendar.MustParse("2026-04-01"), End: calendar.MustParse("2026-04-30")}
	return r, march, april
}

func TestTotal(t *testing.T) {
	r, march, april := example()
	firstInMarch, lastInMarch := time.Date(2026, 3, 2, 13, 0, 0, 0, time.UTC), time.Date(2026, 3, 2, 14, 10, 0, 0, time.UTC)
	var totaller reading.Totaller                          // one for all, as intended
	inApril := time.Date(2026, 5, 1, 2, 0, 0, 0, time.UTC) // 23:00 on 30 April in Brasilia
	for _, test := range []struct {
		rule   string
		p      calendar.Period
		length int64
		want   reading.Total
	}{
		{"March", march, 10_000, reading.Total{Minutes: 184, Percent: 4_501, First: firstInMarch, Last: lastInMarch}},
		{"April", april, 10_000, reading.Total{Minutes: 10, Percent: 500, First: inApril, Last: inApril}},
		{"both", calendar.Period{Start: march.Start, End: april.End}, 10_000,
			reading.Total{Minutes: 194, Percent: 5_001, First: firstInMarch, Last: inApril, Finished: true}},
		{"only the first day", calendar.Period{Start: r.Days[0].Date, End: r.Days[0].Date}, 10_000,
			reading.Total{Minutes: 184, Percent: 4_501, First: firstInMarch, Last: lastInMarch}},
		{"just finished: 50.00 %", march, 9_002, reading.Total{Minutes: 184, Percent: 5_000, First: firstInMarch, Last: lastInMarch, Finished: true}},
		{"just unfinished: 49.99 %", march, 9_003, reading.Total{Minutes: 184, Percent: 4_999, First: firstInMarch, Last: lastInMarch}},
		{"a book shorter than the positions read", march, 4_000,
			reading.Total{Minutes: 184, Percent: 10_000, First: firstInMarch, Last: lastInMarch, Finished: true}},
		{"a day outside the book adds only time", april, 4_501, reading.Total{Minutes: 10, Percent: 0, First: inApril, Last: inApril}},
		{"a day outside the book adds nothing to the others", calendar.Period{Start: march.Start, End: april.End}, 4_500,
			reading.Total{Minutes: 194, Percent: 10_000, First: firstInMarch, Last: inApril, Finished: true}},
		{"a book of no length", march, 0, reading.Total{Minutes: 184, First: firstInMarch, Last: lastInMarch}},
	} {
		got, ok := r.Total(test.p, test.length)
		if !ok || got != test.want {
			t.Errorf("%s: Total(%v, %d) = %+v, %v, want %+v", test.rule, test.p, test.length, got, ok, test.want)
		}
		if got, ok, err := totaller.TotalBinary(r.AppendBinary(nil), test.p, test.length); err != nil || test.length > 0 && (!ok || got != test.want) {
			t.Errorf("%s: TotalBinary(%v, %d) = %+v, %v, %v, want %+v", test.rule, test.p, test.length, got, ok, err, test.want)
		}
	}
	if _, _, err := totaller.TotalBinary([]byte{9}, march, 1); !errors.Is(err, reading.ErrCorrupt) {
		t.Errorf("TotalBinary of another version = %v, want ErrCorrupt", err)
	}
}

func TestFinishedIsTakenOnTheReportedNumber(t *testing.T) {
	for _, test := range []struct {
		covered int64
		percent reading.Percent
		want    bool
	}{{49_994, 4_999, false}, {49_995, 5_000, true}, {50_000, 5_000, true}} {
		d := reading.Day{}
		d.Add(0, 1, reading.Interval{From: 0, To: test.covered})
		got, _ := reading.Record{Days: []reading.Day{d}}.Total(calendar.Period{}, 100_000)
		if got.Percent != test.percent || got.Finished != test.want {
			t.Errorf("%d of 100,000 units = %v, %v, want %v, %v", test.covered, got.Percent, got.Finished, test.percent, test.want)
		}
	}
}

func TestTotalWithoutDays(t *testing.T) {
	r, march, _ := example()
	for _, p := range []calendar.Period{
		{Start: march.Start, End: r.Days[0].Date - 1}, {Start: r.Days[0].Date + 1, End: march.End}, {Start: march.End, End: march.Start},
	} {
		if got, ok := r.Total(p, 10_000); ok || got != (reading.Total{}) {
			t.Errorf("Total(%v) = %+v, %v, want none", p, got, ok)
		}
	}
	if got, ok := (reading.Record{}).Total(march, 10_000); ok || got != (reading.Total{}) {
		t.Errorf("the zero Record's Total = %+v, %v, want none", got, ok)
	}
}

func TestTotalIsCutToTheBook(t *testing.T) {
	var r reading.Record
	for date, iv := range []reading.Interval{{From: 0, To: 10}, {From: 30, To: 40}, {From: 60, To: 70}} {
		d := reading.Day{Date: calendar.Date(date)}
		d.Add(0, 1, iv)
		r.Merge(d)
	}
	for _, test := range []struct {
		length int64
		want   reading.Percent
	}{
		{10, 10_000}, {20, 5_000}, {30, 3_333}, {31, 3_548}, {40, 5_000}, {50, 4_000}, {60, 3_333}, {61, 3_443}, {70, 4_286}, {100, 3_000},
	} {
		if got, _ := r.Total(calendar.Period{Start: 0, End: 2}, test.length); got.Percent != test.want {
			t.Errorf("0-10, 30-40 and 60-70 of a book of %d units = %v, want %v", test.length, got.Percent, test.want)
		}
	}
}

// tenDays returns a record of ten days with two intervals each. If not forwards, days begin where an earlier one began.
func tenDays(forwards bool) (r reading.Record) {
	for i := range int64(10) {
		d := reading.Day{Date: 20_500 + calendar.Date(3*i)}
		from := 500 * i
		if !forwards {
			from = 500 * (i % 3)
		}
		d.Add(50_000, 300_000, reading.Interval{From: from, To: from + 300})
		d.Add(50_300, 300_000, reading.Interval{From: from + 320, To: from + 505})
		d.Minutes = 100
		r.Merge(d)
	}
	return r
}

var tenDaysPeriod = calendar.Period{Start: 20_000, End: 21_000}

func TestTotallerAllocatesNothing(t *testing.T) {
	r := tenDays(false)
	data := r.AppendBinary(nil)
	var totaller reading.Totaller
	if n := testing.AllocsPerRun(100, func() {
		_ = r.UnmarshalBinary(data)
		totaller.Total(r, tenDaysPeriod, 6_000)
	}); n != 0 {
		t.Errorf("decoding and totalling a record again allocates %v times, want 0", n)
	}
}
