package reading_test

import (
	"errors"
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"pgregory.net/rapid"
)

func TestPercent(t *testing.T) {
	for _, test := range []struct {
		rule            string
		covered, length int64
		want            reading.Percent
	}{
		{"nothing", 0, 100, 0},
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
		{"all of the largest book but one", math.MaxInt64 - 1, math.MaxInt64, 10_000},
		{"a length of 2^53", 1 << 52, 1 << 53, 5_000},
	} {
		if got := reading.PercentOf(test.covered, test.length); got != test.want {
			t.Errorf("%s: PercentOf(%d, %d) = %v, want %v", test.rule, test.covered, test.length, got, test.want)
		}
	}
}

func TestPercentIsTheRoundedFraction(t *testing.T) {
	size := rapid.OneOf(rapid.Int64Range(0, 300), rapid.Int64Range(0, math.MaxInt64))
	rapid.Check(t, func(t *rapid.T) {
		covered, length := size.Draw(t, "covered"), size.Draw(t, "length")
		got := reading.PercentOf(covered, length)
		if length == 0 {
			return
		}
		share := new(big.Rat).Mul(big.NewRat(min(covered, length), length), big.NewRat(100, 1))
		want, _ := new(big.Rat).SetString(share.FloatString(2)) // rounds half away from zero
		if want.Cmp(big.NewRat(int64(got), 100)) != 0 {
			t.Errorf("PercentOf(%d, %d) = %v, want %s", covered, length, got, share.FloatString(2))
		}
		if got.String() != share.FloatString(2) && covered <= length {
			t.Errorf("%d of %d shows as %v, want %s", covered, length, got, share.FloatString(2))
		}
	})
}

// example returns the record and the months of the package's example.
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
		{"the first day alone", calendar.Period{Start: r.Days[0].Date, End: r.Days[0].Date}, 10_000,
			reading.Total{Minutes: 184, Percent: 4_501, First: firstInMarch, Last: lastInMarch}},
		{"just finished: 50.00 %", march, 9_002, reading.Total{Minutes: 184, Percent: 5_000, First: firstInMarch, Last: lastInMarch, Finished: true}},
		{"just unfinished: 49.99 %", march, 9_003, reading.Total{Minutes: 184, Percent: 4_999, First: firstInMarch, Last: lastInMarch}},
		{"a shorter book than was read", march, 4_000,
			reading.Total{Minutes: 184, Percent: 10_000, First: firstInMarch, Last: lastInMarch, Finished: true}},
		{"a part outside the book counts in time only", april, 4_501, reading.Total{Minutes: 10, Percent: 0, First: inApril, Last: inApril}},
		{"a day outside the book adds nothing to the others", calendar.Period{Start: march.Start, End: april.End}, 4_500,
			reading.Total{Minutes: 194, Percent: 10_000, First: firstInMarch, Last: inApril, Finished: true}},
		{"a book of no length", march, 0, reading.Total{Minutes: 184, First: firstInMarch, Last: lastInMarch}},
	} {
		got, ok := r.Total(test.p, test.length)
		if !ok || got != test.want {
			t.Errorf("%s: Total(%v, %d) = %+v, %v, want %+v", test.rule, test.p, test.length, got, ok, test.want)
		}
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

// slowTotal totals the segments themselves.
func slowTotal(bs []bit, p calendar.Period, length int64) (sum reading.Total, ok bool) {
	var read pages
	for _, b := range bs {
		if b.day < p.Start || b.day > p.End {
			continue
		}
		at := b.day.Start().Add(time.Duration(b.at) * time.Second)
		if !ok || at.Before(sum.First) {
			sum.First = at
		}
		if !ok || at.After(sum.Last) {
			sum.Last = at
		}
		ok = true
		sum.Minutes += reading.Minutes(b.ms % 7)
		read.mark(b.extent)
	}
	if length > 0 {
		sum.Percent = reading.Percent((2*10_000*read.within(length) + length) / (2 * length))
	}
	sum.Finished = sum.Percent >= 5_000
	return sum, ok
}

func TestTotalOfSegments(t *testing.T) {
	var totaller reading.Totaller // one for all, as it is meant to be used
	rapid.Check(t, func(t *rapid.T) {
		bs := bits.Draw(t, "segments")
		length := rapid.Int64Range(0, bookLength).Draw(t, "length")
		p := calendar.Period{Start: calendar.Date(rapid.Int32Range(-4, 7).Draw(t, "start"))}
		p.End = p.Start + calendar.Date(rapid.Int32Range(-1, 10).Draw(t, "days"))
		want, wantOK := slowTotal(bs, p, length)
		if !wantOK {
			want = reading.Total{}
		}
		if got, ok := totaller.Total(fold(bs), p, length); got != want || ok != wantOK {
			t.Errorf("Total(%v, %d) of %v = %+v, %v, want %+v, %v", p, length, bs, got, ok, want, wantOK)
		}
	})
}

// TestDaysAndBooksHaveTheSameSum: over any period, the minutes of a reader's days are those of the books (S3).
func TestDaysAndBooksHaveTheSameSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		books := make([]reading.Record, rapid.IntRange(1, 4).Draw(t, "books"))
		for i := range books {
			books[i] = fold(bits.Draw(t, "segments"))
		}
		days := map[calendar.Date]reading.Minutes{}
		for date := calendar.Date(-3); date <= 6; date++ {
			days[date] = shareDay(books, date)
		}
		p := calendar.Period{Start: -1, End: 4}
		ofDays, ofBooks := reading.Minutes(0), reading.Minutes(0)
		for date := p.Start; date <= p.End; date++ {
			ofDays += days[date]
		}
		for _, r := range books {
			if sum, ok := r.Total(p, bookLength); ok {
				ofBooks += sum.Minutes
			}
		}
		if ofDays != ofBooks {
			t.Errorf("the days have %v minutes, the books %v", ofDays, ofBooks)
		}
	})
}

// shareDay shares one day out among the books, and returns the day's own minutes.
func shareDay(books []reading.Record, date calendar.Date) reading.Minutes {
	var ms []int64
	var parts []*reading.Day
	sum := int64(0)
	for _, r := range books {
		for i := range r.Days {
			if r.Days[i].Date == date {
				parts, ms, sum = append(parts, &r.Days[i]), append(ms, r.Days[i].MS), sum+r.Days[i].MS
			}
		}
	}
	for i, tenths := range reading.DayMinutes(ms) {
		parts[i].Minutes = tenths
	}
	return reading.Minutes((sum + 3_000) / 6_000)
}

// tenDays is a record of ten days with two intervals each: read forwards, or with every day begun where it began before.
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

// TestTotalBinaryIsTotal holds the total of stored bytes to that of the record that they hold.
func TestTotalBinaryIsTotal(t *testing.T) {
	var totaller reading.Totaller
	rapid.Check(t, func(t *rapid.T) {
		record := reading.Record{}
		for range rapid.IntRange(0, 6).Draw(t, "days") {
			d := reading.Day{Date: calendar.Date(rapid.Int32Range(-3, 9).Draw(t, "date")), Minutes: reading.Minutes(rapid.Int64Range(0, 99).Draw(t, "tenths"))}
			for range rapid.IntRange(1, 3).Draw(t, "segments") {
				from := rapid.Int64Range(0, 40).Draw(t, "from")
				d.Add(rapid.Int32Range(0, 86399).Draw(t, "at"), 7, reading.Interval{From: from, To: from + rapid.Int64Range(0, 9).Draw(t, "units")})
			}
			record.Merge(d)
		}
		start := calendar.Date(rapid.Int32Range(-4, 10).Draw(t, "start"))
		p := calendar.Period{Start: start, End: start + calendar.Date(rapid.Int32Range(0, 12).Draw(t, "length of the period"))}
		length := rapid.Int64Range(1, 50).Draw(t, "length")
		want, wantOK := record.Total(p, length)
		got, ok, err := totaller.TotalBinary(record.AppendBinary(nil), p, length)
		if err != nil || ok != wantOK || ok && got != want {
			t.Fatalf("TotalBinary(%v, %d) of %+v = %+v, %t, %v, want %+v, %t", p, length, record, got, ok, err, want, wantOK)
		}
	})
	if _, _, err := totaller.TotalBinary([]byte{9}, calendar.Period{}, 1); !errors.Is(err, reading.ErrCorrupt) {
		t.Errorf("TotalBinary of another version = %v, want ErrCorrupt", err)
	}
}
